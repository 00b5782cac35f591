import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow, lockRows } from "../../../core/database/lock.ts"
import type { ActionState } from "../../../core/database/tables/actions.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { repositoryHtmlUrl } from "../../code/repositories/urls.ts"
import { createStatuses } from "../../code/statuses/rules.ts"
import { ACTIONS_USER, standIn } from "../../people/users/present.ts"
import { readCommit } from "./checked-commit.ts"
import { findAttempt, findJobsOfAttempt, findRunsByIds, type Job, type Run } from "./store.ts"

/** Publishes changes of runs and writes the statuses of their commits. */

interface Snapshot {
  readonly run: Run
  readonly states: ReadonlyMap<number, ActionState>
}

/** Locks runs and takes their state before a change. */
async function lockSnapshots(tx: Transaction, runIds: readonly number[]): Promise<readonly Snapshot[]> {
  const found: Snapshot[] = []
  if (runIds.length === 0) return found
  // Statuses lock the repository, and others lock that first as well.
  const repositoryIds = [...new Set((await findRunsByIds(tx, { ids: runIds })).map(({ repository_id }) => repository_id))]
  await lockRows(tx, "repositories", repositoryIds)
  // In order of id, to avoid deadlocks.
  for (const id of [...new Set(runIds)].sort((one, other) => one - other)) {
    const run = await lockRow(tx, "action_runs", id)
    if (!run) continue
    const jobs = await findJobsOfAttempt(tx, { runId: id, attempt: run.attempt })
    found.push({ run, states: new Map(jobs.map((job) => [job.id, job.state])) })
  }
  return found
}

/** Changes runs or their jobs, and publishes what has changed, in the same transaction. */
export async function publishingChanges<Result>(
  tx: Transaction,
  services: Services,
  runIds: readonly number[],
  change: () => Promise<Result>,
): Promise<Result> {
  const before = await lockSnapshots(tx, runIds)
  const result = await change()
  for (const { run, states } of before) {
    const now = await lockRow(tx, "action_runs", run.id)
    if (!now) continue
    const jobs = await findJobsOfAttempt(tx, { runId: run.id, attempt: now.attempt })
    await publishRun(tx, services, now, {
      isRunChanged: now.state !== run.state || now.attempt !== run.attempt,
      // Jobs kept from an earlier attempt were published then.
      jobs: jobs.filter((job) => job.original_id === 0 && states.get(job.id) !== job.state),
    })
  }
  return result
}

/** Publishes a new run. */
export async function publishNewRun(tx: Transaction, services: Services, run: Run): Promise<void> {
  await publishRun(tx, services, run, { isRunChanged: true, jobs: await findJobsOfAttempt(tx, { runId: run.id, attempt: run.attempt }) })
}

interface RunChanges {
  readonly isRunChanged: boolean
  readonly jobs: readonly Job[]
}

async function publishRun(tx: Transaction, services: Services, run: Run, { isRunChanged, jobs }: RunChanges): Promise<void> {
  if (!isRunChanged && jobs.length === 0) return
  const attempt = await findAttempt.first(tx, { runId: run.id, number: run.attempt })
  const senderId = attempt?.actor_id ?? run.actor_id
  const sender = (await findUserById.first(tx, { id: senderId })) ?? standIn(senderId)
  publish(tx, { kind: "run.changed", run, actor: sender, isRunChanged, jobs, at: services.now() })
  await writeStatuses(tx, services, run, jobs)
}

// --- statuses ------------------------------------------------------------------------------------------------------------------------

/** The events whose runs write statuses of a commit. */
const STATUS_EVENTS: ReadonlySet<string> = new Set([
  "push",
  "pull_request",
  "pull_request_target",
  "pull_request_review",
  "pull_request_review_comment",
  "release",
  "merge_group",
])

/** The maximum length of a status's description, in characters. */
const LONGEST_DESCRIPTION = 255

const shortened = (text: string): string => Array.from(text).slice(0, LONGEST_DESCRIPTION).join("")

async function writeStatuses(tx: Transaction, services: Services, run: Run, jobs: readonly Job[]): Promise<void> {
  if (!STATUS_EVENTS.has(run.event) || (jobs.length === 0 && run.error === "")) return
  const repository = await findRepositoryById.first(tx, { id: run.repository_id })
  const owner = repository && (await findUserById.first(tx, { id: repository.owner_id }))
  if (!owner) return
  const html = `${repositoryHtmlUrl(services.site, owner.name, repository.name)}/actions/runs/${run.id}`
  const name = run.workflow_name || (run.workflow.split("/").at(-1) ?? run.workflow)
  await createStatuses(tx, services, {
    repositoryId: run.repository_id,
    commit: readCommit(run.checked_commit),
    creator: ACTIONS_USER,
    statuses: [
      ...(run.error === ""
        ? []
        : [{ state: "failure", description: shortened(run.error), target_url: html, context: `${name} (${run.event})` } as const]),
      ...jobs.map((job) => ({
        ...statusOf(job),
        target_url: `${html}/jobs/${job.id}`,
        context: `${name} / ${job.name} (${run.event})`,
      })),
    ],
  })
}

function statusOf({ state, error, started_at, stopped_at }: Job) {
  const took = durationOf(started_at === 0 ? 0 : stopped_at - started_at)
  switch (state) {
    case "waiting":
      return { state: "pending", description: "Waiting to run" } as const
    case "blocked":
      return { state: "pending", description: "Blocked by required conditions" } as const
    case "running":
      return { state: "pending", description: "In progress" } as const
    case "cancelling":
      return { state: "pending", description: "Canceling" } as const
    case "success":
      return { state: "success", description: `Successful in ${took}` } as const
    case "failure":
      return { state: "failure", description: error === "" ? `Failing after ${took}` : shortened(error) } as const
    case "cancelled":
      return { state: "failure", description: `Canceled after ${took}` } as const
    case "skipped":
      return { state: "skipped", description: "Skipped" } as const
  }
}

/** Seconds as "1h2m3s", without leading zero parts. */
function durationOf(seconds: number): string {
  const whole = Math.max(0, seconds)
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor(whole / 60) % 60
  return `${hours > 0 ? `${hours}h` : ""}${whole >= 60 ? `${minutes}m` : ""}${whole % 60}s`
}
