import { differencesFrom } from "../../../core/database/changes.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { ActionState } from "../../../core/database/tables/actions.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { membersOf } from "../../../core/yaml.ts"
import { changeRunner, type Runner } from "../runners/store.ts"
import { isDone } from "../runs/status.ts"
import { changeJob } from "../runs/store.ts"
import type { ActiveTask } from "../runs/tasks-store.ts"
import { changeStep, changeTask, cutOffSteps, findStepsOfTask, findTaskOfRunner } from "../runs/tasks-store.ts"
import { endJobs } from "../runs/update.ts"
import { noteActivity } from "./registration.ts"

/** What runners report of their tasks. */

export type Result = Extract<ActionState, "success" | "failure" | "cancelled" | "skipped">

export interface StepReport {
  /** From 0. */
  readonly number: number
  /** Undefined while it has not ended. */
  readonly result: Result | undefined
  readonly startedAt: Seconds
  readonly stoppedAt: Seconds
  /** The lines of its log in that of the task. */
  readonly firstLine: number
  readonly lines: number
}

export interface TaskReport {
  readonly taskId: number
  readonly result: Result | undefined
  readonly stoppedAt: Seconds
  readonly steps: readonly StepReport[]
  readonly outputs: Readonly<Record<string, string>>
}

export interface Reported {
  /** The state of the task as its runner is to take it: it gives up one that is being cancelled, or was. */
  readonly state: ActionState
  /** The names of the outputs that need not be sent again: those that are stored, and those that are refused. */
  readonly outputs: readonly string[]
}

/** Of outputs, in bytes: a name, a value, and all of a job. */
const LONGEST_NAME = 255
const LONGEST_VALUE = 2 ** 20
const LARGEST_OUTPUTS = 4 * 2 ** 20

/** Seconds within which a report that changes nothing is not written down. */
const HEARTBEAT_EXACTNESS = 5

/** A task of this runner. Refuses `notFound`, also for one of another runner. */
export async function requireTask(services: Services, runner: Runner, id: number): Promise<ActiveTask> {
  const task = await findTaskOfRunner.first(services.database.read, { id, runnerId: runner.id })
  if (!task) throw refuse.notFound("there is no such task of this runner")
  return task
}

/**
 * Stores what a runner reports of a task: the states of its steps, outputs, and the result, the first of which is final. Reports after the end change
 * nothing. Refuses `notFound` for a task that is not this runner's.
 */
export async function reportTask(services: Services, runner: Runner, report: TaskReport): Promise<Reported> {
  const { database, now } = services
  const known = await findTaskOfRunner.first(database.read, { id: report.taskId, runnerId: runner.id })
  if (!known) throw refuse.notFound("there is no such task of this runner")
  const refused = Object.keys(report.outputs).filter((name) => !fits(name, report.outputs[name] ?? ""))
  const isNews =
    !isDone(known.state) &&
    (report.result !== undefined ||
      known.reported_at === 0 ||
      now() - known.updated_at >= HEARTBEAT_EXACTNESS ||
      Object.keys(report.outputs).length > 0 ||
      (await hasNewSteps(services, report)))
  const task = isNews ? await database.write((tx) => store(tx, services, runner, known, report)) : known
  // A runner that goes on with a task which the server has ended gives up for no other result.
  const state = isDone(task.state) && report.result === undefined ? "cancelled" : task.state
  return { state, outputs: [...new Set([...Object.keys(membersOf(task.outputs)), ...refused])] }
}

async function hasNewSteps({ database }: Services, { taskId, steps }: TaskReport): Promise<boolean> {
  const rows = await findStepsOfTask(database.read, { taskId })
  return steps.some((step) => {
    const row = rows.find(({ number }) => number === step.number)
    return row !== undefined && (row.state !== stepState(step) || row.log_lines !== step.lines)
  })
}

async function store(
  tx: Transaction,
  services: Services,
  runner: Runner,
  { repository_id: repositoryId, run_id: runId }: ActiveTask,
  report: TaskReport,
) {
  const now = services.now()
  // In the order of all that ends jobs: the repository, whose statuses change, and then the run.
  if (report.result !== undefined) await lockRow(tx, "repositories", repositoryId)
  await lockRow(tx, "action_runs", runId)
  const task = await findTaskOfRunner.first(tx, { id: report.taskId, runnerId: runner.id })
  if (!task) throw refuse.notFound("there is no such task of this runner")
  if (isDone(task.state)) return task
  await noteActivity(tx, services, runner)
  await storeSteps(tx, report)
  const outputs = await storeOutputs(tx, task, report.outputs)
  const state = finalState(task.state, report)
  await changeTask(tx, task.id, {
    updated_at: now,
    ...(task.reported_at === 0 ? { reported_at: now } : {}),
    ...(state === undefined ? {} : { state, stopped_at: Math.max(task.started_at, Math.min(report.stoppedAt || now, now)) }),
  })
  if (state !== undefined) await end(tx, services, runner, task, state)
  return { ...task, state: state ?? task.state, outputs }
}

/** Ends the job of a task that has ended, and removes a runner that was there for it alone. */
async function end(tx: Transaction, services: Services, runner: Runner, task: ActiveTask, state: ActionState): Promise<void> {
  const now = services.now()
  await cutOffSteps(tx, task.id, now)
  await endJobs(tx, services, [{ id: task.job_id, run_id: task.run_id }], state)
  if (runner.is_ephemeral === 1) await changeRunner(tx, runner.id, { deleted_at: now, updated_at: now })
}

/** The state that ends a task; undefined while it goes on. What a runner says after a cancellation is no success, and neither is a success with steps that were cut off. */
function finalState(state: ActionState, { result, steps }: TaskReport): ActionState | undefined {
  if (result === undefined) return undefined
  if (state === "cancelling") return "cancelled"
  return result === "success" && steps.some((step) => step.result === "cancelled") ? "cancelled" : result
}

const stepState = ({ result, startedAt }: StepReport): ActionState => result ?? (startedAt > 0 ? "running" : "waiting")

async function storeSteps(tx: Transaction, { taskId, steps }: TaskReport): Promise<void> {
  const rows = new Map((await findStepsOfTask(tx, { taskId })).map((row) => [row.number, row]))
  for (const step of steps) {
    const row = rows.get(step.number)
    const next = {
      state: stepState(step),
      started_at: step.startedAt,
      stopped_at: step.result === undefined ? 0 : Math.max(step.startedAt, step.stoppedAt),
      log_line: step.firstLine,
      log_lines: step.lines,
    }
    if (row === undefined || Object.keys(differencesFrom(row, next)).length === 0) continue
    await changeStep(tx, taskId, step.number, next)
  }
}

const fits = (name: string, value: string): boolean =>
  Buffer.byteLength(name) <= LONGEST_NAME && Buffer.byteLength(value) <= LONGEST_VALUE && !name.includes("\0") && !value.includes("\0")

/** Stores new outputs, of which the first value counts. Returns all of them as JSON. */
async function storeOutputs(
  tx: Transaction,
  { job_id: jobId, outputs: stored }: { readonly job_id: number; readonly outputs: string },
  outputs: TaskReport["outputs"],
): Promise<string> {
  const all = new Map(Object.entries(membersOf(stored)))
  let size = stored.length
  for (const [name, value] of Object.entries(outputs)) {
    if (all.has(name) || !fits(name, value) || size + name.length + value.length > LARGEST_OUTPUTS) continue
    all.set(name, value)
    size += name.length + value.length
  }
  const next = JSON.stringify(Object.fromEntries(all))
  if (next !== stored) await changeJob(tx, jobId, { outputs: next })
  return next
}
