import type { JsonObject, Message } from "@bufbuild/protobuf"
import { type GenMessage, serviceDesc } from "@bufbuild/protobuf/codegenv2"
import type { Timestamp } from "@bufbuild/protobuf/wkt"
import { describeFile, type ProtoFile } from "./protobuf.ts"

/** The messages of the runner protocol, as the runners of Gitea and Forgejo speak it. Times are `Timestamp`s, ids are 64 bits wide. */

// --- results -------------------------------------------------------------------------------------------------------------------------

/** The results of tasks, jobs and steps, by their numbers. 0 has not ended. */
const RESULTS = ["RESULT_UNSPECIFIED", "RESULT_SUCCESS", "RESULT_FAILURE", "RESULT_CANCELLED", "RESULT_SKIPPED"] as const

// --- ping ----------------------------------------------------------------------------------------------------------------------------

type Ping = Message<"ping.v1.PingRequest"> & { data: string }
type Pong = Message<"ping.v1.PingResponse"> & { data: string }

const ping = {
  package: "ping.v1",
  enums: {},
  messages: { PingRequest: { data: [1, "string"] }, PingResponse: { data: [1, "string"] } },
  services: { PingService: { Ping: ["PingRequest", "PingResponse"] } },
} as const satisfies ProtoFile

const pingFile = describeFile(ping)

export const PingService = serviceDesc<{ ping: Method<Ping, Pong> }>(pingFile, 0)

// --- runner --------------------------------------------------------------------------------------------------------------------------

type RunnerMessage = Message<"runner.v1.Runner"> & {
  id: bigint
  uuid: string
  /** Only in the answer to a registration. */
  token: string
  name: string
  status: number
  version: string
  labels: string[]
  ephemeral: boolean
}

type RegisterRequest = Message<"runner.v1.RegisterRequest"> & {
  name: string
  token: string
  /** Labels of runners older than `labels`. */
  agentLabels: string[]
  customLabels: string[]
  version: string
  labels: string[]
  ephemeral: boolean
  capabilities: string[]
}
type RegisterResponse = Message<"runner.v1.RegisterResponse"> & { runner?: RunnerMessage | undefined }

type DeclareRequest = Message<"runner.v1.DeclareRequest"> & { version: string; labels: string[]; capabilities: string[] }
type DeclareResponse = Message<"runner.v1.DeclareResponse"> & { runner?: RunnerMessage | undefined }

type TaskNeed = Message<"runner.v1.TaskNeed"> & { outputs: Record<string, string>; result: number }
type TaskMessage = Message<"runner.v1.Task"> & {
  id: bigint
  /** The text of a workflow with one job. */
  workflowPayload: Uint8Array
  context?: JsonObject | undefined
  secrets: Record<string, string>
  machine: string
  needs: Record<string, TaskNeed>
  vars: Record<string, string>
}
type FetchTaskRequest = Message<"runner.v1.FetchTaskRequest"> & { tasksVersion: bigint }
type FetchTaskResponse = Message<"runner.v1.FetchTaskResponse"> & { task?: TaskMessage | undefined; tasksVersion: bigint }

type StepState = Message<"runner.v1.StepState"> & {
  id: bigint
  result: number
  startedAt?: Timestamp | undefined
  stoppedAt?: Timestamp | undefined
  logIndex: bigint
  logLength: bigint
}
type TaskState = Message<"runner.v1.TaskState"> & {
  id: bigint
  result: number
  startedAt?: Timestamp | undefined
  stoppedAt?: Timestamp | undefined
  steps: StepState[]
}
type UpdateTaskRequest = Message<"runner.v1.UpdateTaskRequest"> & { state?: TaskState | undefined; outputs: Record<string, string> }
type UpdateTaskResponse = Message<"runner.v1.UpdateTaskResponse"> & { state?: TaskState | undefined; sentOutputs: string[] }

type LogRow = Message<"runner.v1.LogRow"> & { time?: Timestamp | undefined; content: string }
type UpdateLogRequest = Message<"runner.v1.UpdateLogRequest"> & { taskId: bigint; index: bigint; rows: LogRow[]; noMore: boolean }
type UpdateLogResponse = Message<"runner.v1.UpdateLogResponse"> & { ackIndex: bigint }

const runner = {
  package: "runner.v1",
  enums: {
    Result: RESULTS,
    RunnerStatus: ["RUNNER_STATUS_UNSPECIFIED", "RUNNER_STATUS_IDLE", "RUNNER_STATUS_ACTIVE", "RUNNER_STATUS_OFFLINE"],
  },
  messages: {
    Runner: {
      id: [1, "int64"],
      uuid: [2, "string"],
      token: [3, "string"],
      name: [4, "string"],
      status: [5, "RunnerStatus"],
      version: [8, "string"],
      labels: [9, "repeated string"],
      ephemeral: [10, "bool"],
    },
    RegisterRequest: {
      name: [1, "string"],
      token: [2, "string"],
      agent_labels: [3, "repeated string"],
      custom_labels: [4, "repeated string"],
      version: [5, "string"],
      labels: [6, "repeated string"],
      ephemeral: [7, "bool"],
      capabilities: [8, "repeated string"],
    },
    RegisterResponse: { runner: [1, "Runner"] },
    DeclareRequest: { version: [1, "string"], labels: [2, "repeated string"], capabilities: [3, "repeated string"] },
    DeclareResponse: { runner: [1, "Runner"] },
    TaskNeed: { outputs: [1, "map string"], result: [2, "Result"] },
    Task: {
      id: [1, "int64"],
      workflow_payload: [2, "bytes"],
      context: [3, "Struct"],
      secrets: [4, "map string"],
      machine: [5, "string"],
      needs: [6, "map TaskNeed"],
      vars: [7, "map string"],
    },
    FetchTaskRequest: { tasks_version: [1, "int64"] },
    FetchTaskResponse: { task: [1, "Task"], tasks_version: [2, "int64"] },
    StepState: {
      id: [1, "int64"],
      result: [2, "Result"],
      started_at: [3, "Timestamp"],
      stopped_at: [4, "Timestamp"],
      log_index: [5, "int64"],
      log_length: [6, "int64"],
    },
    TaskState: {
      id: [1, "int64"],
      result: [2, "Result"],
      started_at: [3, "Timestamp"],
      stopped_at: [4, "Timestamp"],
      steps: [5, "repeated StepState"],
    },
    UpdateTaskRequest: { state: [1, "TaskState"], outputs: [2, "map string"] },
    UpdateTaskResponse: { state: [1, "TaskState"], sent_outputs: [2, "repeated string"] },
    LogRow: { time: [1, "Timestamp"], content: [2, "string"] },
    UpdateLogRequest: { task_id: [1, "int64"], index: [2, "int64"], rows: [3, "repeated LogRow"], no_more: [4, "bool"] },
    UpdateLogResponse: { ack_index: [1, "int64"] },
  },
  services: {
    RunnerService: {
      Register: ["RegisterRequest", "RegisterResponse"],
      Declare: ["DeclareRequest", "DeclareResponse"],
      FetchTask: ["FetchTaskRequest", "FetchTaskResponse"],
      UpdateTask: ["UpdateTaskRequest", "UpdateTaskResponse"],
      UpdateLog: ["UpdateLogRequest", "UpdateLogResponse"],
    },
  },
} as const satisfies ProtoFile

const runnerFile = describeFile(runner)

export const RunnerService = serviceDesc<{
  register: Method<RegisterRequest, RegisterResponse>
  declare: Method<DeclareRequest, DeclareResponse>
  fetchTask: Method<FetchTaskRequest, FetchTaskResponse>
  updateTask: Method<UpdateTaskRequest, UpdateTaskResponse>
  updateLog: Method<UpdateLogRequest, UpdateLogResponse>
}>(runnerFile, 0)

interface Method<Input extends Message, Output extends Message> {
  readonly methodKind: "unary"
  readonly input: GenMessage<Input>
  readonly output: GenMessage<Output>
}
