import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { flag } from "../../../core/database/tables.ts"
import type { Services } from "../../../core/services.ts"
import type { Commit } from "../../../git/index.ts"
import type { WorkflowFile } from "../definitions/files.ts"
import type { PlannedJob, Workflow } from "../definitions/workflow.ts"
import { writeCommit } from "../runs/checked-commit.ts"
import { publishNewRun } from "../runs/publish.ts"
import { firstState, stateOf } from "../runs/status.ts"
import type { Run } from "../runs/store.ts"

/** The maximum length of a run's title, in characters. */
const LONGEST_TITLE = 255

const nextNumber = query("actions.nextNumber", (db, p: Params<{ repositoryId: number }>) =>
  db
    .insertInto("action_counters")
    .values({ repository_id: p.repositoryId, last_number: 1 })
    .onConflict((conflict) =>
      conflict.column("repository_id").doUpdateSet((eb) => ({ last_number: eb("action_counters.last_number", "+", 1) })),
    )
    .returning("last_number"),
)

export interface NewRun {
  readonly repositoryId: number
  readonly actorId: number
  readonly file: WorkflowFile
  readonly workflow: Workflow
  readonly event: string
  readonly payload: object
  readonly ref: string
  readonly commit: Commit
  /** The commit that its statuses are of, where it is another. */
  readonly checked?: Commit
  /** Its title where the workflow defines none; by default the first line of the commit's message. */
  readonly title?: string
  /** Whether it needs approval; its jobs are blocked until then. */
  readonly needsApproval?: boolean
  readonly pullId?: number
  /** Identifies the event that starts it, where the event may be processed twice. */
  readonly cause?: string
}

/** Creates a run and its jobs and publishes them. Jobs that need no others wait for a runner. */
export async function startRun(
  tx: Transaction,
  services: Services,
  {
    repositoryId,
    actorId,
    file,
    workflow,
    event,
    payload,
    ref,
    commit,
    checked = commit,
    title: given,
    needsApproval = false,
    pullId = 0,
    cause = "",
  }: NewRun,
): Promise<Run> {
  const now = services.now()
  const number = (await nextNumber.first(tx, { repositoryId }))?.last_number ?? 1
  const jobs = workflow.jobs.map((job) => ({ job, state: needsApproval ? ("blocked" as const) : firstState(job.needs) }))
  const state = stateOf(jobs.map(({ job, state: of }) => ({ state: of, continue_on_error: flag(job.continueOnError) })))
  const title = Array.from(workflow.runName || (given ?? commit.message.split("\n", 1)[0] ?? ""))
  const run = await tx
    .insertInto("action_runs")
    .values({
      repository_id: repositoryId,
      number,
      title: storable(title.slice(0, LONGEST_TITLE).join("")),
      workflow: file.name,
      workflow_name: storable(workflow.name),
      workflow_folder: file.folder,
      needs_approval: flag(needsApproval),
      pull_id: pullId,
      cause,
      event,
      payload: JSON.stringify(payload),
      ref,
      commit_id: commit.id,
      checked_commit: writeCommit(checked),
      actor_id: actorId,
      state,
      attempt: 1,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await tx.insertInto("action_attempts").values({ run_id: run.id, number: 1, actor_id: actorId, state, created_at: now }).execute()
  await tx
    .insertInto("action_jobs")
    .values(
      jobs.map(({ job, state: of }) => ({
        ...columnsOf(job),
        run_id: run.id,
        repository_id: repositoryId,
        attempt: 1,
        state: of,
        created_at: now,
      })),
    )
    .execute()
  await publishNewRun(tx, services, run)
  return run
}

// Neither database stores NUL in a text.
const storable = (text: string): string => text.replaceAll("\0", "\uFFFD")

const columnsOf = ({ key, name, needs, condition, labels, continueOnError, definition }: PlannedJob) => ({
  key,
  name: storable(name),
  needs: JSON.stringify(needs),
  condition: storable(condition),
  labels: JSON.stringify(labels),
  definition: JSON.stringify(definition),
  continue_on_error: flag(continueOnError),
})
