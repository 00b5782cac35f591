import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { createLimiter, isGitError } from "../git/index.ts"
import { currentCaller } from "./caller.ts"
import { refuse } from "./errors.ts"
import { type Text, t } from "./language/message.ts"
import { modulePath } from "./program/home.ts"

/*
 * Work on texts of users is done in a thread of its own, so that no text, however it is made, keeps the server from answering others: a thread can be
 * ended, a function can't.
 */

/** What a thread sends: a question that it needs answered to go on, or the result. */
export type FromWorker<Question, Result> =
  | { readonly kind: "question"; readonly question: Question }
  | { readonly kind: "result"; readonly result: Result }

export interface WorkerOptions {
  /** Names the limit, and completes the sentence "too many … are waiting". */
  readonly name: string
  readonly what: Text
  /** The module that runs in the thread, by its path below `src` without its ending. */
  readonly module: string
  readonly memoryMb: number
  /** How many may wait for their turn, and for how long. */
  readonly queue: number
  readonly waitMs: number
}

export interface TextWorker<Task, Question, Answer, Result> {
  /**
   * What the thread makes of the task; undefined if one of its steps (up to a question, or the result) takes longer than the deadline, or all of it more
   * than the memory. Refuses `busy` where too many are waiting; callers get their turns fairly.
   */
  run(task: Task, deadlineMs: number, answer?: (question: Question) => Promise<Answer>): Promise<Result | undefined>
}

/** An unused thread is given up, with the memory that it takes. */
const IDLE_MS = 60_000

/** A thread that does one task at a time. It is started by the first. */
export function openWorker<Task, Question, Answer, Result>(options: WorkerOptions): TextWorker<Task, Question, Answer, Result> {
  const turns = createLimiter({
    name: options.name,
    total: 1,
    perRepository: 1,
    queue: options.queue,
    waitMs: options.waitMs,
    caller: currentCaller,
  })
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined

  function started(): Worker {
    const made = new Worker(modulePath(options.module), {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMb },
    })
    // Told by `ask` as well where it happens during a task.
    made.on("error", () => giveUp(made))
    return made
  }

  function giveUp(worker: Worker): void {
    if (worker === thread) thread = undefined
    void worker.terminate()
  }

  return {
    async run(task, deadlineMs, answer) {
      const release = await turns.acquire("").catch((error: unknown) => {
        throw isGitError(error, "busy") ? refuse.busy(t`too many ${options.what} are waiting; try again in a moment`) : error
      })
      clearTimeout(idle)
      thread ??= started()
      const worker = thread
      worker.ref()
      try {
        worker.postMessage(task)
        for (;;) {
          const [message]: readonly FromWorker<Question, Result>[] = await once(worker, "message", {
            signal: AbortSignal.timeout(deadlineMs),
          })
          if (message?.kind === "result") return message.result
          worker.postMessage(message && (await answer?.(message.question)))
        }
      } catch (error) {
        giveUp(worker)
        if (isTooMuch(error)) return undefined
        throw error
      } finally {
        worker.unref()
        idle = setTimeout(() => giveUp(worker), IDLE_MS).unref()
        release()
      }
    },
  }
}

/** Whether the deadline has passed, or the thread's memory was used up. */
function isTooMuch(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.name === "AbortError" || ("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY")
}
