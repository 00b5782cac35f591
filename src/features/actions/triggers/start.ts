import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { flag } from "../../../core/database/tables/index.ts"
import type { Services } from "../../../core/services.ts"
import type { Commit } from "../../../git/index.ts"
import { type CalledFiles, NO_CALLS } from "../definitions/calls.ts"
import { newFuel } from "../definitions/expressions.ts"
import type { WorkflowFile } from "../definitions/files.ts"
import { isOpenWorkflow, type Plan, planOfWorkflow, startsAtOnce } from "../definitions/plan.ts"
import type { Workflow } from "../definitions/workflow.ts"
import { writeCommit } from "../runs/checked-commit.ts"
import { rowsOf, storable } from "../runs/expand.ts"
import { readContexts } from "../runs/known.ts"
import { publishNewRun } from "../runs/publish.ts"
import { stateOf } from "../runs/status.ts"
import type { Run } from "../runs/store.ts"
import { changeAttempt, changeRun, insertAttempt, insertJobs, insertRun } from "../runs/store.ts"
import { enterGroup, updateRun } from "../runs/update.ts"
import { nextNumber } from "./store.ts"

/** The maximum length of a run's title, in characters. */
const LONGEST_TITLE = 255

export interface NewRun {
  readonly repositoryId: number
  readonly actorId: number
  readonly file: WorkflowFile
  readonly workflow: Workflow
  /** The files that it calls. */
  readonly called?: CalledFiles
  readonly event: string
  /** The payload of the event, without the repository and the sender. */
  readonly payload: object
  readonly ref: string
  readonly commit: Commit
  /** The commit that its statuses are of, where it is another. */
  readonly checked?: Commit
  /** Its title where the workflow defines none; by default the first line of the commit's message. */
  readonly title?: string
  /** Whether it runs code of a fork: it gets no secrets, and tokens that only read. */
  readonly isUntrusted?: boolean
  /** Whether it needs approval; its jobs are blocked until then. */
  readonly needsApproval?: boolean
  readonly pullId?: number
  /** Identifies the event that starts it, where the event may be processed twice. */
  readonly cause?: string
}

/**
 * Creates a run and its jobs and publishes them. Jobs that wait for nothing else wait for a runner. A workflow that can't be run makes a
 * run without jobs that has failed, with the reason.
 */
export async function startRun(tx: Transaction, services: Services, given: NewRun): Promise<Run> {
  const { repositoryId, actorId, workflow, called = NO_CALLS, needsApproval = false } = given
  const now = services.now()
  await lockRow(tx, "repositories", repositoryId)
  const fuel = newFuel()
  const isOpen = isOpenWorkflow(workflow)
  const early = isOpen ? undefined : planOfWorkflow(workflow, {}, fuel)
  let run = await createRow(tx, services, given, early)
  await insertAttempt(tx, { run_id: run.id, number: 1, actor_id: actorId, state: run.state, created_at: now })
  const plan = early ?? planOfWorkflow(workflow, (await readContexts(tx, services, run))({}), fuel)
  if (isOpen) run = await complete(tx, given, run, plan)
  const rows = rowsOf({ run, workflow: workflow.members, calls: called.calls, now }, plan.jobs)
  const isSimple = plan.concurrency.group === "" && plan.jobs.every((job) => job.needs.length > 0 || startsAtOnce(job))
  const queued = rows.map((row, index) => {
    const job = plan.jobs[index]
    return !needsApproval && isSimple && job && startsAtOnce(job) ? { ...row, state: "waiting" as const, queued_at: now } : row
  })
  if (queued.length > 0) await insertJobs(tx, queued)
  if (!isSimple && plan.error === "") {
    if (!needsApproval) await enterGroup(tx, services, run, plan.concurrency)
    await updateRun(tx, services, run.id)
    run = (await lockRow(tx, "action_runs", run.id)) ?? run
  }
  await publishNewRun(tx, services, run)
  return run
}

/** The columns that follow from the plan. */
function columnsOf({ commit, title: given, needsApproval = false }: NewRun, { title, error, jobs, concurrency }: Plan) {
  const characters = Array.from(title || (given ?? commit.message.split("\n", 1)[0] ?? ""))
  const states = jobs.map((job) => ({
    state: !needsApproval && startsAtOnce(job) ? ("waiting" as const) : ("blocked" as const),
    continue_on_error: flag(job.continueOnError),
  }))
  return {
    title: storable(characters.slice(0, LONGEST_TITLE).join("")),
    error: storable(error),
    // A run that waits for its approval enters its group with that.
    concurrency_group: needsApproval ? "" : storable(concurrency.group),
    state: error === "" ? stateOf(states) : ("failure" as const),
  }
}

async function createRow(tx: Transaction, services: Services, run: NewRun, plan: Plan | undefined): Promise<Run> {
  const { repositoryId, actorId, file, workflow, called = NO_CALLS, event, payload, ref, commit, checked = commit } = run
  const { isUntrusted = false, needsApproval = false, pullId = 0, cause = "" } = run
  const now = services.now()
  const number = (await nextNumber.first(tx, { repositoryId }))?.last_number ?? 1
  const columns = plan ? columnsOf(run, plan) : { title: "", state: "blocked" as const }
  return insertRun(tx, {
    repository_id: repositoryId,
    number,
    workflow: file.name,
    workflow_name: storable(workflow.name),
    workflow_folder: file.folder,
    definition: JSON.stringify(workflow.members),
    called: JSON.stringify(called),
    is_untrusted: flag(isUntrusted),
    needs_approval: flag(needsApproval),
    pull_id: pullId,
    cause,
    event,
    payload: JSON.stringify(payload),
    ref,
    commit_id: commit.id,
    checked_commit: writeCommit(checked),
    actor_id: actorId,
    attempt: 1,
    created_at: now,
    ...columns,
    ...("error" in columns && columns.error !== "" ? { stopped_at: now } : {}),
  })
}

/** Completes the row of a run whose expressions could only be evaluated once it had one. */
async function complete(tx: Transaction, given: NewRun, run: Run, plan: Plan): Promise<Run> {
  const columns = columnsOf(given, plan)
  const times = columns.error === "" ? {} : { stopped_at: run.created_at }
  await changeAttempt(tx, run.id, 1, { state: columns.state, ...times })
  await changeRun(tx, run.id, { ...columns, ...times })
  return { ...run, ...columns, ...times }
}
