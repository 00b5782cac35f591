import type { PageEvent } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"
import { followLog, followRun, type JobState, type LogPage, type RunState } from "../../../features/actions/runs/follow.ts"
import { isDone } from "../../../features/actions/runs/status.ts"
import { duration } from "../../../web/time.ts"
import { lookOf } from "../../parts/run-state.ts"
import { readLine } from "./log-line.ts"
import { partsOfLog } from "./log-parts.ts"

/** What open pages of runs and jobs are told. Whether the reader may see them is asked before; a stream ends after ten minutes, and is asked for again. */

/** Lines in one event. */
const LINES = 25

const lengthOf = (services: Services, { startedAt, stoppedAt }: { readonly startedAt: number; readonly stoppedAt: number }): string =>
  startedAt === 0 ? "" : duration((stoppedAt || services.now()) - startedAt)

/** The states of a run and its jobs; then `end` once it has ended. */
export async function* runEvents(services: Services, runId: number, signal: AbortSignal): AsyncGenerator<PageEvent, void> {
  for await (const { state, attempt, jobs } of followRun(services, runId, signal)) {
    const states = Object.fromEntries(jobs.map((job) => [job.id, lookOf(job.state)]))
    yield { name: "state", data: { attempt, states: { run: lookOf(state), ...states } } }
    if (isDone(state)) yield { name: "end", data: null }
  }
}

export interface FollowedJob {
  readonly runId: number
  readonly jobId: number
  /** The task that the page shows; 0 for none. */
  readonly taskId: number
  /** The first line that the page doesn't have. */
  readonly from: number
}

/**
 * The states of a job and its steps, and the lines of its log from one on. `reload` where a runner has taken it since the page was made, or took it again; `end` once
 * it has ended and its log is complete.
 */
export async function* jobEvents(
  services: Services,
  { runId, jobId, taskId, from }: FollowedJob,
  outside: AbortSignal,
): AsyncGenerator<PageEvent, void> {
  const leaving = new AbortController()
  const signal = AbortSignal.any([outside, leaving.signal])
  const states = followRun(services, runId, signal)
  const pages = taskId === 0 ? undefined : followLog(services, taskId, from, signal)
  // What has come of either. They are waited for without `Promise.race`, which would keep all that came until both have.
  const ready: Came[] = []
  let news = Promise.withResolvers<void>()
  const ask = (next: Promise<Came>): void => {
    next
      .catch((error: unknown): Came => ({ of: "fault", error }))
      .then((came) => {
        ready.push(came)
        news.resolve()
      })
  }
  const askState = () => ask(states.next().then((next) => ({ of: "state", run: next.done ? undefined : next.value })))
  const askLines = () => pages && ask(pages.next().then((next) => ({ of: "lines", page: next.done ? undefined : next.value })))
  askState()
  askLines()
  let isJobDone = false
  let isLogDone = pages === undefined
  try {
    for (;;) {
      const came = ready.shift()
      if (came === undefined) {
        await news.promise
        news = Promise.withResolvers<void>()
      } else if (came.of === "fault") throw came.error
      else if (came.of === "lines") {
        // Its time was over: the page asks again.
        if (!came.page) return
        yield* linesOf(came.page)
        isLogDone = came.page.isEnd
        if (!isLogDone) askLines()
      } else if (came.run) {
        const job = came.run.jobs.find(({ id }) => id === jobId)
        if (job && job.taskId !== taskId) return yield { name: "reload", data: null }
        // A job of an earlier attempt doesn't change any more.
        isJobDone = job === undefined || isDone(job.state)
        if (job) yield { name: "state", data: statesOf(services, job) }
        askState()
      } else if (!isJobDone) return
      if (isJobDone && isLogDone) return yield { name: "end", data: null }
    }
  } finally {
    leaving.abort()
  }
}

type Came =
  | { readonly of: "state"; readonly run: RunState | undefined }
  | { readonly of: "lines"; readonly page: LogPage | undefined }
  | { readonly of: "fault"; readonly error: unknown }

function statesOf(services: Services, job: JobState) {
  const isOver = isDone(job.state)
  const parts = partsOfLog(job.steps, Number.MAX_SAFE_INTEGER, isOver)
  return {
    states: { job: lookOf(job.state), ...Object.fromEntries(job.steps.map((step, index) => [`step-${index + 1}`, lookOf(step.state)])) },
    // Where the parts begin, for lines that came before it was known to which they belong.
    firsts: parts.map(({ from, to }) => (from === to ? -1 : from)),
    lengths: ["", ...job.steps.map((step) => lengthOf(services, step)), ""],
    current: job.steps.findIndex(({ state }) => state === "running") + 1,
  }
}

function* linesOf({ from, lines }: LogPage): Generator<PageEvent> {
  for (let at = 0; at < lines.length; at += LINES)
    yield { name: "lines", data: { from: from + at, lines: lines.slice(at, at + LINES).map(readLine) } }
}
