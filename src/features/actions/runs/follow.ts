import type { Readable } from "node:stream"
import type { Database, Handle } from "../../../core/database/database.ts"
import type { ActionState } from "../../../core/database/tables/actions.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import type { Services } from "../../../core/services.ts"
import { type Followed, type Looks, openLooks } from "./looks.ts"
import { LogGone, openLog } from "./open-log.ts"
import { isDone } from "./status.ts"
import { findFollowedJobs, findFollowedRun } from "./store.ts"
import { type FollowedLog, findFollowedLog, findFollowedSteps } from "./tasks-store.ts"

/** Runs and logs as they go on, for those who watch. Whether a reader may see them is up to the caller, and asked again whenever it begins anew. */

/** Milliseconds between two looks at a run or a log, for all watchers together. */
const LOOK_EVERY_MS = 1_000
/** Milliseconds after which a reader is sent away; it continues from where it was. */
const LONGEST_MS = 10 * 60_000
/** Readers of one kind. */
const READERS = { mostReaders: 1_000, mostReadersOfOne: 200 } as const
/** Bytes of lines that are given at a time; one line may exceed it. A reader who takes nothing holds several times as much. */
const PAGE_BYTES = 8 * 1024

interface Watching {
  readonly logs: Looks<FollowedLog | undefined>
  readonly runs: Looks<RunState | undefined>
}

const watching = new WeakMap<Database, Watching>()

function watchingOf({ database, share }: Pick<Services, "database" | "share">): Watching {
  const there = watching.get(database)
  if (there) return there
  const db = database.read
  const options = { everyMs: LOOK_EVERY_MS, ...READERS, share }
  const made = {
    logs: openLooks((taskId) => findFollowedLog.first(db, { taskId }), options),
    runs: openLooks((runId) => stateOfRun(db, runId), options),
  }
  watching.set(database, made)
  return made
}

/** What is seen at one look after the other, until the signal fires or the time is over. */
async function* seen<Value>(looks: Looks<Value>, id: number, signal: AbortSignal): AsyncGenerator<Value> {
  let followed: Followed<Value> | undefined
  try {
    followed = looks.follow(id, signal)
    for (;;) yield await followed.next()
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    followed?.leave()
  }
}

const withDeadline = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)])

// --- logs ------------------------------------------------------------------------------------------------------------------------

/** Lines of a log that follow each other. */
export interface LogPage {
  /** The number of the first of them, from 0. */
  readonly from: number
  /** Each with its time before it, as in the log that is downloaded, and without a line break. */
  readonly lines: readonly string[]
  /** The log is complete with them. */
  readonly isEnd: boolean
}

/**
 * The lines of a task's log from number `from` on, those that are there and those that arrive, until it is complete, `signal` fires or ten minutes are
 * over; only after a page with `isEnd` is there nothing more to ask for. Its row is looked at once a second at most, however many follow it. Lines are read
 * as fast as the caller takes them. Refuses `busy` where too many follow.
 */
export async function* followLog(services: Services, taskId: number, from: number, signal: AbortSignal): AsyncGenerator<LogPage> {
  const until = withDeadline(signal)
  // The next line, and the byte where it begins.
  let [line, position] = [0, 0]
  try {
    for await (const row of seen(watchingOf(services).logs, taskId, until)) {
      if (!row || row.log_expired === 1) return yield { from: Math.max(from, line), lines: [], isEnd: true }
      if (row.log_size > position) {
        // A generator that waits keeps its variables: what was read is in those of another one.
        const read: Position = yield* linesUpTo(services, row, { line, position, from }, until)
        line = read.line
        position = read.position
        // Expired between the look and this: the next look says so.
        if (position < row.log_size) continue
      }
      if (row.log_sealed === 1) {
        const end = row.log_end === "" ? [] : [row.log_end.trimEnd()]
        return yield { ...pageOf(line, end, from), isEnd: true }
      }
    }
  } catch (error) {
    if (!until.aborted) throw error
  }
}

interface Position {
  /** The next line, and the byte where it begins. */
  readonly line: number
  readonly position: number
}

/** The lines of a log as it was when it was looked at, and where they end: before its end where it has gone since. */
async function* linesUpTo(
  services: Services,
  { id: taskId, storage, log_size: size }: FollowedLog,
  { line: first, position: start, from }: Position & { readonly from: number },
  signal: AbortSignal,
): AsyncGenerator<LogPage, Position> {
  let [line, position] = [first, start]
  try {
    const content = await openLog(services, { taskId, storage }, size, { start, end: size }, PAGE_BYTES)
    for await (const { lines, bytes } of linesIn(content, signal)) {
      const page = pageOf(line, lines, from)
      line += lines.length
      position += bytes
      if (page.lines.length > 0) yield page
    }
  } catch (error) {
    if (!(error instanceof LogGone)) throw error
  }
  return { line, position }
}

/** The lines with numbers from `first` on that a reader wants who begins at `from`. */
function pageOf(first: number, lines: readonly string[], from: number): LogPage {
  const skipped = Math.max(0, Math.min(from - first, lines.length))
  return { from: Math.max(from, first), lines: lines.slice(skipped), isEnd: false }
}

/** Whole lines, with how many bytes they have. The text ends with one. */
async function* linesIn(
  content: Readable,
  signal: AbortSignal,
): AsyncGenerator<{ readonly lines: readonly string[]; readonly bytes: number }> {
  const stop = () => content.destroy()
  // A reader that never asks for more keeps no file open.
  signal.addEventListener("abort", stop)
  try {
    let waiting: Buffer[] = []
    let size = 0
    for await (const chunk of content) {
      const bytes: Buffer = chunk
      waiting.push(bytes)
      size += bytes.length
      if (size < PAGE_BYTES || !bytes.includes(10)) continue
      const all = Buffer.concat(waiting)
      const end = all.lastIndexOf(10) + 1
      waiting = [Buffer.from(all.subarray(end))]
      size = all.length - end
      yield { lines: textOf(all.subarray(0, end)), bytes: end }
    }
    if (size > 0) yield { lines: textOf(Buffer.concat(waiting)), bytes: size }
  } finally {
    signal.removeEventListener("abort", stop)
    content.destroy()
  }
}

const textOf = (bytes: Buffer): readonly string[] => bytes.toString("utf8").replace(/\n$/, "").split("\n")

// --- runs ------------------------------------------------------------------------------------------------------------------------

/** What changes while a run goes on. */
export interface RunState {
  readonly state: ActionState
  readonly attempt: number
  readonly startedAt: Seconds
  readonly stoppedAt: Seconds
  /** Those of its last attempt. */
  readonly jobs: readonly JobState[]
}

export interface JobState {
  readonly id: number
  readonly state: ActionState
  readonly startedAt: Seconds
  readonly stoppedAt: Seconds
  /** The task whose log and steps are shown for it; 0 before a runner has taken it. */
  readonly taskId: number
  readonly steps: readonly StepState[]
}

export interface StepState {
  /** From 0. */
  readonly number: number
  readonly state: ActionState
  readonly startedAt: Seconds
  readonly stoppedAt: Seconds
  /** Its first line in the log of the task, from 0, and how many it has. */
  readonly firstLine: number
  readonly lines: number
}

async function stateOfRun(db: Handle, id: number): Promise<RunState | undefined> {
  const run = await findFollowedRun.first(db, { id })
  if (!run) return undefined
  const jobs = await findFollowedJobs(db, { runId: id, attempt: run.attempt })
  const taskIds = jobs.flatMap(({ task_id }) => task_id ?? [])
  const steps = Map.groupBy(taskIds.length === 0 ? [] : await findFollowedSteps(db, { taskIds }), ({ task_id }) => task_id)
  return {
    state: run.state,
    attempt: run.attempt,
    startedAt: run.started_at,
    stoppedAt: run.stopped_at,
    jobs: jobs.map(({ id: jobId, state, started_at, stopped_at, task_id }) => ({
      id: jobId,
      state,
      startedAt: started_at,
      stoppedAt: stopped_at,
      taskId: task_id ?? 0,
      steps: (steps.get(task_id ?? 0) ?? []).map((step) => ({
        number: step.number,
        state: step.state,
        startedAt: step.started_at,
        stoppedAt: step.stopped_at,
        firstLine: step.log_line,
        lines: step.log_lines,
      })),
    })),
  }
}

/**
 * The state of a run now and whenever it has changed, with its jobs and their steps, until the run has ended or is deleted, `signal` fires or ten minutes
 * are over. It is looked at once a second at most, by three queries, however many follow it. Refuses `busy` where too many do.
 */
export async function* followRun(services: Services, runId: number, signal: AbortSignal): AsyncGenerator<RunState> {
  let last: string | undefined
  for await (const run of seen(watchingOf(services).runs, runId, withDeadline(signal))) {
    if (!run) return
    const text = JSON.stringify(run)
    if (text !== last) yield run
    last = text
    if (isDone(run.state)) return
  }
}
