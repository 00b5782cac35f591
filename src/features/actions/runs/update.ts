import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { ActionState } from "../../../core/database/tables/actions.ts"
import type { Services } from "../../../core/services.ts"
import { membersOf } from "../../../core/yaml.ts"
import { explaining } from "../definitions/calls.ts"
import { holds } from "../definitions/expressions.ts"
import { type Concurrency, concurrencyOf } from "../definitions/layout.ts"
import { Board } from "./board.ts"
import { callWorkflow, finishCall, layOutLate } from "./expand.ts"
import { displaced, type Member, membersOfGroup, nextInTurn } from "./groups.ts"
import { contextsOfJob } from "./known.ts"
import { needsAmong } from "./needs.ts"
import { failFastVictims, hasRoom, isCaller, isCalling, isDecidedHere, isReady, statusFor, summaryOf } from "./progress.ts"
import { publishingChanges } from "./publish.ts"
import { isDone } from "./status.ts"
import { stopJobs } from "./stop.ts"
import { changeAttempt, changeJob, changeJobs, changeRun, findJobsOfAttempt, findRunsByIds, type Job, type Run } from "./store.ts"

/**
 * Moves runs on. Whatever changes the state of a job calls `updateRun` in the same transaction, inside of `publishingChanges`: it starts,
 * skips or ends the jobs that depend on it until nothing follows any more, updates the attempt and the run, and lets the next one of its
 * concurrency groups have its turn.
 */
export async function updateRun(tx: Transaction, services: Services, runId: number): Promise<void> {
  const run = await lockRow(tx, "action_runs", runId)
  if (run?.error !== "") return
  const board = await Board.open(tx, services, run)
  if (run.needs_approval === 0 && run.is_held === 0) while (await moveOn(board));
  await board.write()
  const summary = summaryOf(board.jobs.filter(({ parent_id }) => parent_id === 0))
  await changeRun(tx, runId, summary)
  await changeAttempt(tx, runId, run.attempt, summary)
  const groups = new Set(
    [...(isDone(summary.state) ? [run] : []), ...board.jobs.filter(({ state }) => isDone(state))].map((row) => row.concurrency_group),
  )
  for (const group of groups) if (group !== "") await passOn(tx, services, run, group)
}

/** Does what follows from the states of the jobs; says whether anything did. */
async function moveOn(board: Board): Promise<boolean> {
  let moved = await stopOnFailure(board)
  for (const { id } of board.jobs) {
    const job = board.jobs.find((one) => one.id === id)
    if (!job || isDone(job.state)) continue
    if (isCalling(board.jobs, job)) moved = (await summarize(board, job)) || moved
    else if (job.state === "blocked" && job.is_held === 0) moved = (await tryToStart(board, job)) || moved
  }
  return moved
}

/** Cancels what a failure in a matrix puts an end to. */
async function stopOnFailure(board: Board): Promise<boolean> {
  const victims = failFastVictims(board.jobs)
  await stop(board, victims)
  return victims.length > 0
}

async function stop(board: Board, jobs: readonly Job[], options: { readonly force?: boolean } = {}): Promise<void> {
  await board.write()
  const { tx, services } = board
  const ids = jobs.map(({ id }) => id)
  for (const [id, state] of await stopJobs(tx, services, ids, options))
    board.seen(id, { state, ...(state === "cancelled" ? { stopped_at: services.now() } : {}) })
}

/** Updates a job from those that it has called. */
async function summarize(board: Board, job: Job): Promise<boolean> {
  const called = board.jobs.filter(({ parent_id }) => parent_id === job.id)
  const summary = summaryOf(called)
  if (summary.state === job.state && summary.started_at === job.started_at) return false
  board.change(job.id, isDone(summary.state) ? { ...summary, ...(await finishCall(board, job, called)) } : summary)
  return true
}

const fail = (board: Board, { id }: Job, error: string): void =>
  board.change(id, { state: "failure", error, is_unexpanded: 0, stopped_at: board.services.now() })

/** Starts, skips or ends a blocked job if that can be said by now. */
async function tryToStart(board: Board, job: Job): Promise<boolean> {
  if (!isReady(board.jobs, job)) return false
  const decision = await decide(board, job)
  if (decision !== "start") {
    if (decision === "skip") {
      const state = board.run.is_cancelled === 1 ? "cancelled" : "skipped"
      board.change(job.id, { state, is_unexpanded: 0, stopped_at: board.services.now() })
    } else fail(board, job, decision.error)
    return true
  }
  if (job.is_unexpanded === 1) return layOutLate(board, job)
  if (!hasRoom(board.jobs, job)) return false
  if (!(await takeTurn(board, job))) return true
  if (isCaller(job)) await callWorkflow(board, job)
  else board.change(job.id, { state: "waiting", queued_at: board.services.now() })
  return true
}

type Decision = "start" | "skip" | { readonly error: string }

/** Whether a job starts, by its condition. */
async function decide(board: Board, job: Job): Promise<Decision> {
  const { jobs, run } = board
  const isCancelled = run.is_cancelled === 1
  if (!isDecidedHere(job, isCancelled)) return "start"
  const status = statusFor(jobs, job, isCancelled)
  if (job.condition === "") return status.success ? "start" : "skip"
  const known = contextsOfJob(await board.contextsFor(job), needsAmong(jobs, job), membersOf(job.definition))
  return explaining<Decision>(
    () => (holds(job.condition, known, status, board.fuel) ? "start" : "skip"),
    (message) => ({ error: `The condition of this job can't be evaluated: ${message}` }),
  )
}

// --- concurrency groups ----------------------------------------------------------------------------------------------------------

/** Lets a job enter its concurrency group. Returns whether it may start; it has failed or waits for its turn otherwise. */
async function takeTurn(board: Board, job: Job): Promise<boolean> {
  // It has had to wait, and it is its turn now.
  if (job.concurrency_group !== "") return true
  const definition = membersOf(job.definition)
  const written = definition["concurrency"]
  if (written === undefined) return true
  const known = contextsOfJob(await board.contextsFor(job), needsAmong(board.jobs, job), definition)
  const concurrency = explaining<Concurrency | string>(
    () => concurrencyOf(written, known, board.fuel),
    (message) => message,
  )
  if (typeof concurrency === "string") {
    fail(board, job, concurrency)
    return false
  }
  // The run has the turn of its own group.
  if (concurrency.group === board.run.concurrency_group || concurrency.group === "") return true
  await board.write()
  const isHeld = await enter(board.tx, board.services, board.run, concurrency, board)
  // What was cancelled may have let others have their turn.
  await board.reload()
  board.change(job.id, { concurrency_group: concurrency.group, is_held: isHeld ? 1 : 0 })
  await board.write()
  return !isHeld
}

/** Lets a run enter the concurrency group of its workflow. Its jobs are blocked if it has to wait for its turn. */
export async function enterGroup(tx: Transaction, services: Services, run: Run, concurrency: Concurrency): Promise<void> {
  if (concurrency.group === "") return
  const isHeld = await enter(tx, services, run, concurrency, undefined)
  await changeRun(tx, run.id, { concurrency_group: concurrency.group, is_held: isHeld ? 1 : 0 })
}

/** Cancels the members of a group that a new one displaces. Returns whether it has to wait for another one. */
async function enter(
  tx: Transaction,
  services: Services,
  run: Run,
  { group, cancelsRunning }: Concurrency,
  board: Board | undefined,
): Promise<boolean> {
  const others = async () =>
    (await membersOfGroup(tx, run.repository_id, group)).filter(({ of, run_id }) => of === "job" || run_id !== run.id)
  for (const member of displaced(await others(), cancelsRunning)) await cancelMember(tx, services, run, member, board)
  return (await others()).length > 0
}

async function cancelMember(tx: Transaction, services: Services, run: Run, member: Member, board: Board | undefined): Promise<void> {
  if (member.of === "job" && member.run_id === run.id) {
    const job = board?.jobs.find(({ id }) => id === member.id)
    if (board && job) await stop(board, [job])
    return
  }
  await publishingChanges(tx, services, [member.run_id], async () => {
    if (member.of === "run") return cancelJobs(tx, services, member.run_id)
    await stopJobs(tx, services, [member.id])
    await updateRun(tx, services, member.run_id)
  })
}

/** Lets the next member of a group have its turn, once the last one has ended. */
async function passOn(tx: Transaction, services: Services, { id, repository_id }: Run, group: string): Promise<void> {
  const next = nextInTurn(await membersOfGroup(tx, repository_id, group))
  if (!next) return
  const wake = async () => {
    await (next.of === "run" ? changeRun : changeJob)(tx, next.id, { is_held: 0 })
    await updateRun(tx, services, next.run_id)
  }
  if (next.run_id === id) await wake()
  else await publishingChanges(tx, services, [next.run_id], wake)
}

// --- ending ----------------------------------------------------------------------------------------------------------------------

/**
 * Cancels the jobs of a run's last attempt that have not ended. Blocked ones are not started any more, unless their condition says so; when
 * it is called again, nothing is. The caller publishes the changes.
 */
export async function cancelJobs(tx: Transaction, services: Services, runId: number): Promise<void> {
  const [run] = await findRunsByIds(tx, { ids: [runId] })
  if (!run) return
  const jobs = await findJobsOfAttempt(tx, { runId, attempt: run.attempt })
  const hasBegun = run.needs_approval === 0 && run.is_held === 0
  const force = run.is_cancelled === 1
  const chosen = jobs.filter((job) => {
    if (isDone(job.state) || isCalling(jobs, job)) return false
    return force || !hasBegun || job.is_held === 1 || job.state !== "blocked"
  })
  await changeRun(tx, runId, { is_cancelled: 1, is_held: 0 })
  await stopJobs(
    tx,
    services,
    chosen.map(({ id }) => id),
    { force },
  )
  await updateRun(tx, services, runId)
}

/** Ends jobs in any state, for this reason if there is one to be shown, updates the jobs that need them and their runs, and publishes the changes. */
export async function endJobs(
  tx: Transaction,
  services: Services,
  jobs: readonly Pick<Job, "id" | "run_id">[],
  state: ActionState,
  error = "",
): Promise<void> {
  const now = services.now()
  const runIds = [...new Set(jobs.map(({ run_id }) => run_id))]
  await publishingChanges(tx, services, runIds, async () => {
    const ids = jobs.map(({ id }) => id)
    await changeJobs(tx, ids, { state, stopped_at: now, ...(error === "" ? {} : { error }) })
    for (const runId of runIds) await updateRun(tx, services, runId)
  })
}
