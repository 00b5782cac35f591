/**
 * Whether the PostgreSQL server still answers. A server that is frozen, or no longer reachable, sends nothing at all: only the client can notice. A
 * statement that is merely long must not be ended, so it is not the statement that has a deadline: when one has been without an answer for
 * a while the server is asked for a sign of life over a connection of its own.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { DatabaseLogger } from "./database.ts"
import { DatabaseUnavailable } from "./failures.ts"

export interface LivenessOptions {
  /** Milliseconds within which a call learns that the server does not answer. */
  readonly waitMs: number
  /** Asks the server for a sign of life. Rejects when there is none within this many milliseconds. */
  readonly probe: (timeoutMs: number) => Promise<void>
  readonly logger: DatabaseLogger
}

export interface Liveness {
  /** Throws {@link DatabaseUnavailable} while the server does not answer, so that no call has to find that out for itself. */
  require(): void
  /** Runs `statement` after {@link require}; `abandon` is called when the server does not answer meanwhile, and must make it fail. */
  during<R>(statement: () => Promise<R>, abandon: () => void): Promise<R>
  close(): void
}

interface Pending {
  readonly since: number
  readonly abandon: () => void
}

/** Of the time that a call may wait, a quarter passes before the first question, and half is for its answer. */
const FIRST = 1 / 4
const ANSWER = 1 / 2

export function createLiveness({ waitMs, probe, logger }: LivenessOptions): Liveness {
  // In the order in which they began.
  const pending = new Set<Pending>()
  const [patience, answerMs] = [waitMs * FIRST, waitMs * ANSWER]
  let timer: NodeJS.Timeout | undefined
  let isDown = false
  let closed = false

  function watch(): void {
    timer ??= setTimeout(() => {
      look().finally(() => {
        timer = undefined
        if (pending.size > 0 && !closed) watch()
      })
    }, patience / 2).unref()
  }

  async function look(): Promise<void> {
    const [oldest] = pending
    if (oldest === undefined || performance.now() - oldest.since < patience) return
    const failure = await probe(answerMs).then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    if (failure === undefined || closed) return
    logger.error({ err: failure.error }, "the database does not answer; calls are refused until it does")
    isDown = true
    for (const { abandon } of [...pending]) abandon()
    void recover()
  }

  async function recover(): Promise<void> {
    while (isDown && !closed) {
      await sleep(Math.min(patience, 1_000), undefined, { ref: false })
      await probe(answerMs).then(
        () => {
          isDown = false
        },
        () => {},
      )
    }
    if (!closed) logger.info({}, "the database answers again")
  }

  function require(): void {
    if (isDown) throw new DatabaseUnavailable(undefined, "The database does not answer")
  }

  return {
    require,
    async during(statement, abandon) {
      require()
      const entry = { since: performance.now(), abandon }
      pending.add(entry)
      watch()
      try {
        return await statement()
      } finally {
        pending.delete(entry)
      }
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
