/**
 * A runner of version 0.2, scripted: it reports once per tick, whether there is news or not, sends its version with every call, and falls silent as
 * soon as it hears that its task was cancelled. It speaks the protocol in binary form as the real one, or in JSON.
 */
import {
  create,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonValue,
  type MessageInitShape,
  type MessageShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf"
import { RunnerService } from "../../src/servers/runner/messages.ts"

export type Encoding = "binary" | "json"

export interface OldRunnerOptions {
  readonly url: string
  readonly encoding?: Encoding
  readonly labels?: readonly string[]
  readonly name?: string
}

export interface OldTask {
  readonly id: bigint
  /** The text of its workflow. */
  readonly payload: string
  readonly context: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, string>>
  /** All lines that it has printed. */
  readonly lines: readonly string[]
  readonly print: (...lines: readonly string[]) => void
  readonly step: (number: number, result: Result) => void
  /** Sends the lines that have not been acknowledged, and then the state. Says whether the job goes on. A server that is away is told the next time. */
  readonly tick: () => Promise<boolean>
  /** Closes the log and says the result, and tries that ten times. */
  readonly end: (result: Result, outputs?: Readonly<Record<string, string>>) => Promise<void>
}

export interface OldRunner {
  readonly uuid: string
  /** How many calls it has made. */
  readonly calls: () => number
  /** The version of the work that it knows. */
  readonly version: () => bigint
  readonly declare: (labels: readonly string[]) => Promise<void>
  /** Asks once for a task, with the version that it knows. */
  readonly fetch: () => Promise<OldTask | undefined>
  /** The address of the server, after it has moved. */
  readonly moveTo: (url: string) => void
}

export type Result = "success" | "failure" | "cancelled" | "skipped"
const NUMBERS: Readonly<Record<Result, number>> = { success: 1, failure: 2, cancelled: 3, skipped: 4 }

/** An answer that is none: the code of the protocol, or 0 where there was no connection. */
export class CallFailed extends Error {
  readonly status: number
  constructor(status: number, text: string) {
    super(`${status} ${text}`)
    this.status = status
  }
}

const TRIES = 10

/** Registers with a registration token. */
export async function openOldRunner(
  token: string,
  { url, encoding = "binary", labels = ["host"], name = "old" }: OldRunnerOptions,
): Promise<OldRunner> {
  let address = url
  let headers: Readonly<Record<string, string>> = {}
  let version = 0n
  let calls = 0

  async function call<I extends DescMessage, O extends DescMessage>(
    method: string,
    { input, output }: { readonly input: I; readonly output: O },
    message: MessageInitShape<I>,
  ): Promise<MessageShape<O>> {
    calls++
    const made = create(input, message)
    const answer = await fetch(`${address}/api/actions/runner.v1.RunnerService/${method}`, {
      method: "POST",
      headers: {
        "content-type": encoding === "binary" ? "application/proto" : "application/json",
        "connect-protocol-version": "1",
        "x-runner-version": "v0.2.13",
        ...headers,
      },
      body: encoding === "binary" ? Buffer.from(toBinary(input, made)) : JSON.stringify(toJson(input, made)),
    }).catch((error: unknown) => {
      throw new CallFailed(0, String(error))
    })
    const bytes = Buffer.from(
      await answer.arrayBuffer().catch((error: unknown) => {
        throw new CallFailed(0, String(error))
      }),
    )
    if (answer.status !== 200) throw new CallFailed(answer.status, bytes.toString())
    if (encoding === "binary") return fromBinary(output, bytes)
    const json: JsonValue = JSON.parse(bytes.toString())
    return fromJson(output, json)
  }

  const { register, declare, fetchTask, updateLog, updateTask } = RunnerService.method
  const { runner } = await call("Register", register, { name, token, labels: [...labels], version: "v0.2.13" })
  if (!runner) throw new Error("the answer to a registration has no runner")
  headers = { "x-runner-uuid": runner.uuid, "x-runner-token": runner.token }

  function openTask(task: NonNullable<MessageShape<typeof fetchTask.output>["task"]>): OldTask {
    const rows: { readonly time: { readonly seconds: bigint; readonly nanos: number }; readonly content: string }[] = []
    const steps = new Map<number, Result>()
    let acknowledged = 0
    let isOver = false

    async function sendLog(noMore: boolean): Promise<void> {
      const from = acknowledged
      const { ackIndex } = await call("UpdateLog", updateLog, { taskId: task.id, index: BigInt(from), rows: rows.slice(from), noMore })
      if (Number(ackIndex) < from) throw new Error(`submitted logs are lost: ${ackIndex} of ${from}`)
      acknowledged = Number(ackIndex)
      if (noMore && acknowledged < rows.length) throw new CallFailed(0, "not all rows are acknowledged")
    }
    async function sendState(result: number, outputs: Readonly<Record<string, string>>): Promise<void> {
      const { state } = await call("UpdateTask", updateTask, {
        state: {
          id: task.id,
          result,
          steps: [...steps].map(([number, of]) => ({ id: BigInt(number), result: NUMBERS[of] })),
        },
        outputs: { ...outputs },
      })
      if (state?.result === NUMBERS.cancelled) isOver = true
    }
    return {
      id: task.id,
      payload: Buffer.from(task.workflowPayload).toString(),
      context: task.context ?? {},
      secrets: task.secrets,
      get lines() {
        return rows.map(({ content }) => content)
      },
      print(...lines) {
        const now = Date.now()
        for (const content of lines)
          rows.push({ time: { seconds: BigInt(Math.floor(now / 1000)), nanos: (now % 1000) * 1_000_000 }, content })
      },
      step: (number, result) => void steps.set(number, result),
      async tick() {
        if (isOver) return false
        // Each on its own: what fails is sent again at the next tick.
        for (const send of [() => sendLog(false), () => sendState(0, {})])
          await send().catch((error: unknown) => {
            if (!(error instanceof CallFailed)) throw error
          })
        return !isOver
      },
      async end(result, outputs = {}) {
        if (isOver) return
        for (let tries = 1; ; tries++)
          try {
            await sendLog(true)
            await sendState(NUMBERS[result], outputs)
            isOver = true
            return
          } catch (error) {
            if (tries === TRIES || !(error instanceof CallFailed)) throw error
          }
      },
    }
  }

  return {
    uuid: runner.uuid,
    calls: () => calls,
    version: () => version,
    async declare(others) {
      await call("Declare", declare, { version: "v0.2.13", labels: [...others] })
    },
    async fetch() {
      const { task, tasksVersion } = await call("FetchTask", fetchTask, { tasksVersion: version })
      version = task ? 0n : tasksVersion > version ? tasksVersion : version
      return task && openTask(task)
    },
    moveTo(moved) {
      address = moved
    },
  }
}
