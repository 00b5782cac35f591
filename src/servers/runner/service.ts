import type { JsonObject } from "@bufbuild/protobuf"
import type { Timestamp } from "@bufbuild/protobuf/wkt"
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect"
import type { ActionState } from "../../core/database/tables/actions.ts"
import { refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import type { Runner } from "../../features/actions/runners/store.ts"
import type { ActiveTask } from "../../features/actions/runs/tasks-store.ts"
import { contentOf, type TaskContent } from "../../features/actions/tasks/content.ts"
import { reportLog } from "../../features/actions/tasks/log.ts"
import { openMasks } from "../../features/actions/tasks/masks.ts"
import { authenticateRunner, declareRunner, registerRunner } from "../../features/actions/tasks/registration.ts"
import { type Result, reportTask } from "../../features/actions/tasks/report.ts"
import type { Signals } from "../../features/actions/tasks/signals.ts"
import { giveBack, takeJob } from "../../features/actions/tasks/take.ts"
import { parseStrings } from "../../features/code/repositories/present.ts"
import type { RunnerService } from "./messages.ts"

/** The calls of runners, as calls of the features. */

/** How long a runner without work waits for the answer, in milliseconds. Runners give up after five seconds. */
const POLL_MS = 3_000
/** Of the time that a runner waits, what is left for taking a job and for the answer. */
const ANSWER_MS = 1_500

/** Runners that look for work at the same time; others ask again. */
const MOST_PICKS = 16

export function runnerService(services: Services, signals: Signals): ServiceImpl<typeof RunnerService> {
  const { database } = services
  const masks = openMasks(services)
  let picking = 0

  const caller = ({ requestHeader }: HandlerContext): Promise<Runner> =>
    authenticateRunner(services, requestHeader.get("x-runner-uuid") ?? "", requestHeader.get("x-runner-token") ?? "")

  /** A task for a runner that is still there to receive it, and whether it is to ask again because of another one. */
  async function pick(runner: Runner, gone: AbortSignal) {
    const { task, isAwaited } = await takeJob(services, runner)
    if (!task) return { isAwaited }
    const content = gone.aborted ? undefined : await contentOf(services, task)
    if (content && !gone.aborted) return { isAwaited, task: taskMessage(task, content) }
    await giveBack(services, task)
    return { isAwaited }
  }

  return {
    async register({ name, token, version, labels, agentLabels, customLabels, ephemeral, capabilities }) {
      const made = await database.write((tx) =>
        registerRunner(tx, services, {
          name,
          token,
          version,
          labels: labels.length > 0 ? labels : [...agentLabels, ...customLabels],
          isEphemeral: ephemeral,
          capabilities,
        }),
      )
      return { runner: { ...runnerMessage(made.runner), token: made.token } }
    },

    async declare({ version, labels, capabilities }, context) {
      const runner = await caller(context)
      context.responseHeader.set("x-gitea-actions-capabilities", "job-summary")
      return { runner: runnerMessage(await database.write((tx) => declareRunner(tx, services, runner, { version, labels, capabilities }))) }
    },

    async fetchTask({ tasksVersion: known }, context) {
      const runner = await caller(context)
      if (known === signals.version())
        await signals.wait(Math.max(0, Math.min(POLL_MS, (context.timeoutMs() ?? POLL_MS + ANSWER_MS) - ANSWER_MS)), context.signal)
      // Read before looking: a change meanwhile makes the runner look again.
      const tasksVersion = signals.version()
      if (known === tasksVersion) return { tasksVersion }
      // With a version that is not the present one, the runner looks again the next time.
      const toLookAgain = known > 0n ? known : 1n
      if (picking >= MOST_PICKS || context.signal.aborted) return { tasksVersion: toLookAgain }
      picking++
      try {
        const { task, isAwaited } = await pick(runner, context.signal)
        return task ? { tasksVersion, task } : { tasksVersion: isAwaited ? toLookAgain : tasksVersion }
      } finally {
        picking--
      }
    },

    async updateTask({ state, outputs }, context) {
      const runner = await caller(context)
      if (!state) throw refuse.badRequest("the state is missing")
      const report = await reportTask(services, runner, {
        taskId: idOf(state.id),
        result: resultOf(state.result),
        stoppedAt: secondsOf(state.stoppedAt),
        steps: state.steps.map((step) => ({
          number: idOf(step.id),
          result: resultOf(step.result),
          startedAt: secondsOf(step.startedAt),
          stoppedAt: secondsOf(step.stoppedAt),
          firstLine: idOf(step.logIndex),
          lines: idOf(step.logLength),
        })),
        outputs,
      })
      return { state: { id: state.id, result: resultNumber(report.state) }, sentOutputs: [...report.outputs] }
    },

    async updateLog({ taskId, index, rows, noMore }, context) {
      const runner = await caller(context)
      const lines = rows.map(({ time, content }) => ({ seconds: secondsOf(time), nanos: time?.nanos ?? 0, content }))
      const stored = await reportLog(services, masks, runner, { taskId: idOf(taskId), index: idOf(index), lines, isLast: noMore })
      return { ackIndex: BigInt(stored) }
    },
  }
}

const runnerMessage = ({ id, uuid, name, version, labels, is_ephemeral }: Runner) => ({
  id: BigInt(id),
  uuid,
  name,
  version,
  labels: [...parseStrings(labels)],
  ephemeral: is_ephemeral === 1,
})

const taskMessage = ({ id }: ActiveTask, { payload, context, secrets, variables, needs }: TaskContent) => ({
  id: BigInt(id),
  workflowPayload: Buffer.from(payload),
  context: jsonObject(context),
  secrets: { ...secrets },
  vars: { ...variables },
  needs: Object.fromEntries(
    Object.entries(needs).map(([key, { result, outputs }]) => [key, { result: resultNumber(result), outputs: { ...outputs } }]),
  ),
})

// --- values ----------------------------------------------------------------------------------------------------------------------------

function jsonObject(value: object): JsonObject {
  const copy: JsonObject = JSON.parse(JSON.stringify(value))
  return copy
}

/** By the numbers of the protocol's results. */
const STATES: readonly (Result | undefined)[] = [undefined, "success", "failure", "cancelled", "skipped"]

const resultOf = (number: number): Result | undefined => STATES[number]

/** A runner stops a task as soon as it is being cancelled. */
const resultNumber = (state: ActionState): number => {
  const number = STATES.findIndex((each) => each === (state === "cancelling" ? "cancelled" : state))
  return number < 0 ? 0 : number
}

/** A number of 64 bits as the program counts; what is too large is no id of anything. */
const idOf = (value: bigint): number => (value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : 0)

const secondsOf = (time: Timestamp | undefined): number => (time && time.seconds > 0n ? idOf(time.seconds) : 0)
