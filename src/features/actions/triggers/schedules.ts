import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { slicesOf } from "../../../core/database/slices.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { defineJob, type Task } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { isMapping } from "../../../core/yaml.ts"
import { branchRef, type Commit } from "../../../git/index.ts"
import { ACTIONS_USER } from "../../people/users/present.ts"
import { readCalledFiles } from "../definitions/called-files.ts"
import { nextTime } from "../definitions/cron-line.ts"
import type { WorkflowFile } from "../definitions/files.ts"
import type { Workflow } from "../definitions/workflow.ts"
import { type PushedCommits, pushPayload } from "../external/push-payload.ts"
import { endJobs } from "../runs/update.ts"
import { listenedTo, replaceTriggers } from "./listening.ts"
import {
  type DueSchedule,
  findDueSchedules,
  findSchedules,
  findUntakenSchedules,
  insertSchedules,
  moveSchedule,
  removeSchedule,
  removeSchedules,
} from "./store.ts"
import { type FoundWorkflow, readDefaultWorkflows, startAll } from "./triggered.ts"

/** Scheduled workflows, by the cron lines in the workflow files of default branches. */

/** The most schedule lines of one repository, because computing the next time of a line takes a while. */
const MOST_LINES = 20

/** The most schedules started in one run of the task; the others wait for the next. */
const MOST_DUE = 500

export interface ScheduleLine {
  readonly workflow: string
  readonly line: string
}

/** A line with its next time. */
export interface TimedScheduleLine extends ScheduleLine {
  readonly nextAt: Seconds
}

/** The next times of the first lines, without those that are never due or invalid. Slow, so it must not be called in a transaction. */
const withNextTimes = (lines: readonly ScheduleLine[], now: Seconds): readonly TimedScheduleLine[] =>
  lines.slice(0, MOST_LINES).flatMap((line) => {
    const nextAt = nextTime(line.line, now)
    return nextAt === undefined ? [] : [{ ...line, nextAt }]
  })

/** The lines of a workflow: `schedule` is a list of mappings with a `cron` each. */
function linesOf(file: WorkflowFile, workflow: Workflow): readonly ScheduleLine[] {
  const list = workflow.schedule
  const lines = list.flatMap((one) => (isMapping(one) && typeof one["cron"] === "string" ? [one["cron"].trim()] : []))
  return [...new Set(lines)].map((line) => ({ workflow: file.name, line }))
}

/** Replaces the schedule lines of a repository; unchanged lines keep their time. */
async function replaceLines(tx: Transaction, repositoryId: number, lines: readonly TimedScheduleLine[]): Promise<void> {
  const before = await findSchedules(tx, { repositoryId })
  const same = (one: ScheduleLine, other: ScheduleLine) => one.workflow === other.workflow && one.line === other.line
  const gone = before.filter((row) => !lines.some((line) => same(line, row))).map(({ id }) => id)
  const fresh = lines.filter((line) => !before.some((row) => same(line, row)))
  if (gone.length > 0) await removeSchedules(tx, gone)
  const rows = fresh.map(({ workflow, line, nextAt }) => ({ repository_id: repositoryId, workflow, line, next_at: nextAt }))
  for (const slice of slicesOf(rows)) await insertSchedules(tx, slice)
}

/** What is stored of the workflows of a default branch. */
export interface DefaultBranch {
  readonly lines: readonly TimedScheduleLine[]
  readonly listened: ReturnType<typeof listenedTo>
}

export const describeDefaultBranch = (workflows: readonly FoundWorkflow[], now: Seconds): DefaultBranch => ({
  lines: withNextTimes(
    workflows.flatMap(({ file, workflow }) => linesOf(file, workflow)),
    now,
  ),
  listened: listenedTo(workflows.map(({ workflow }) => workflow)),
})

/** Stores the schedules of a default branch, and the events that its workflows listen to. */
export async function storeDefaultBranch(tx: Transaction, repositoryId: number, { lines, listened }: DefaultBranch): Promise<void> {
  await replaceLines(tx, repositoryId, lines)
  await replaceTriggers(tx, repositoryId, listened)
}

/** Reads the schedule lines and the events again from a repository's default branch. */
export async function readSchedules(services: Services, repositoryId: number): Promise<void> {
  const { database } = services
  const row = await findRepositoryById.first(database.read, { id: repositoryId })
  if (!row) return
  const described = describeDefaultBranch(await readDefaultWorkflows(services, row), services.now())
  await database.write((tx) => storeDefaultBranch(tx, repositoryId, described))
}

/** Starts the workflows that are due. One that was due several times while the server was down is started once. */
export const startScheduled: Task = {
  name: "start_schedule_tasks",
  cron: "* * * * *",
  async run(services, signal) {
    const { database, log } = services
    let started = 0
    for (const due of await findDueSchedules(database.read, { now: services.now(), limit: MOST_DUE })) {
      if (signal.aborted) break
      try {
        if (await startDue(services, due)) started++
      } catch (error) {
        // An unreadable repository must not block the others; it is tried again in a minute.
        log.error({ err: error, repository: due.repository_id, workflow: due.workflow }, "a scheduled workflow could not be started")
      }
    }
    return started === 0 ? undefined : `${started} started`
  },
}

/** Starts the workflow of a line, unless it, or the repository's actions, are switched off. Returns whether it was started. */
async function startDue(services: Services, due: DueSchedule): Promise<boolean> {
  const { database } = services
  const row = await findRepositoryById.first(database.read, { id: due.repository_id })
  if (!row) return false
  const runs = row.has_actions === 1 && row.is_archived === 0
  const found = runs ? (await readDefaultWorkflows(services, row)).find(({ file }) => file.name === due.workflow) : undefined
  const isCurrent = found && linesOf(found.file, found.workflow).some(({ line }) => line === due.line)
  const called = found && isCurrent ? await readCalledFiles(services, { row, commit: found.commit }, found.workflow) : undefined
  const next = nextTime(due.line, services.now())
  return database.write(async (tx) => {
    await lockRow(tx, "repositories", row.id)
    const claimed =
      next === undefined || (runs && !isCurrent)
        ? await removeSchedule.changes(tx, { id: due.id, from: due.next_at })
        : await moveSchedule.changes(tx, { id: due.id, from: due.next_at, next })
    const owner = await findUserById.first(tx, { id: row.owner_id })
    if (claimed === 0 || !found || !called || !owner) return false
    const ref = branchRef(row.default_branch)
    await cancelUntaken(tx, services, { repositoryId: row.id, workflow: due.workflow, ref })
    const push = {
      ref,
      before: found.commit.parents[0] ?? null,
      after: found.commit.id,
      pushed: lastCommit(found.commit),
      pusher: ACTIONS_USER,
    }
    const payload = { ...(await pushPayload(tx, services, { repository: row, owner }, push)), schedule: due.line }
    const run = { ...found, called, event: "schedule", actorId: ACTIONS_USER.id, payload, ref }
    return (await startAll(tx, services, row.id, [run])) > 0
  })
}

/** What a scheduled run is told of is the last commit, without its files. */
const lastCommit = (commit: Commit): PushedCommits => ({ commits: [commit], total: 1, changes: new Map() })

/** Cancels earlier runs that no runner has begun: without runners they would accumulate. */
async function cancelUntaken(
  tx: Transaction,
  services: Services,
  which: { readonly repositoryId: number; readonly workflow: string; readonly ref: string },
): Promise<void> {
  const jobs = await findUntakenSchedules(tx, which)
  if (jobs.length > 0) await endJobs(tx, services, jobs, "cancelled")
}

/** Reads the schedules of the default branch again, after it has changed or actions were switched on again. */
export const readSchedulesJob = defineJob({
  kind: "actions.readSchedules",
  payload: Type.Object({ repositoryId: int64() }),
  run: ({ repositoryId }, { context }) => readSchedules(context, repositoryId),
})
