/**
 * Lines of writers. Writers that lock the same row first would wait for each other in any case, each for the flush of the one before. In a line they
 * run one after another in one transaction, each in a savepoint of its own, and share its commit.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import { pause } from "../../seams/pause.ts"
import { DatabaseUnavailable } from "./failures.ts"
import type { TransactionConnection } from "./transaction.ts"

/** A transaction that was begun on a connection of its own. */
export interface OpenTransaction extends Pick<TransactionConnection, "execute" | "commit" | "rollback"> {
  /** Sends statements without parameters. What is sent next is run after them, whether they were awaited or not. */
  exec(sql: string): Promise<void>
  /** Gives the connection back. */
  release(): void
}

export interface LinesOptions {
  readonly open: () => Promise<OpenTransaction>
  /** Milliseconds that one waits for its turn before it is refused. */
  readonly waitMs: number
  /** How many may wait in all lines together. */
  readonly mostWaiting: number
}

export interface Lines {
  /**
   * Runs `work` after those that came before it in this line; settles as `work` does, after the commit that it shares. Rejects with
   * {@link DatabaseUnavailable} when its turn does not come in time, and when too many wait.
   */
  join<R>(line: string, work: (connection: TransactionConnection) => Promise<R>): Promise<R>
  /** Resolves when nobody waits. */
  idle(): Promise<void>
}

/** The most transactions of a group, and the milliseconds after which none is added. PostgreSQL keeps 64 savepoints of a transaction in memory that all can see. */
const MOST = 32
const LONGEST_MS = 20

/**
 * Milliseconds that a statement may take in a line. Whoever waits longer, such as for a row that someone else holds, would keep all others waiting, and is run
 * again on their own.
 */
const PATIENCE_MS = 1_000

interface Waiting {
  readonly run: (group: Group) => Promise<void>
  readonly refuse: (error: unknown) => void
}

export function createLines({ open, waitMs, mostWaiting }: LinesOptions): Lines {
  const lines = new Map<string, { readonly queue: Waiting[]; readonly served: Promise<void> }>()
  let waiting = 0

  async function serve(line: string, queue: Waiting[]): Promise<void> {
    let ended = Promise.resolve()
    while (queue.length > 0) {
      const group = await runGroup(queue)
      // The next group begins while this one commits: the rows that it waits for are free at that moment. There are two at most.
      await ended
      ended = group?.end() ?? ended
      if (queue.length === 0) await ended
    }
    lines.delete(line)
  }

  async function runGroup(queue: Waiting[]): Promise<Group | undefined> {
    if (pause) await pause("transaction.begin")
    let transaction: OpenTransaction
    try {
      transaction = await open()
    } catch (error) {
      // Those that came meanwhile would wait as long again, one after another.
      for (const each of queue.splice(0)) each.refuse(error)
      return undefined
    }
    const group = openGroup(transaction)
    const begun = performance.now()
    for (let count = 0; count < MOST && group.isOpen() && performance.now() - begun < LONGEST_MS; count++) {
      const next = queue.shift()
      if (next === undefined) break
      await next.run(group)
    }
    return group
  }

  function enqueue(line: string, entry: Waiting): Waiting[] {
    const known = lines.get(line)
    if (known !== undefined) {
      known.queue.push(entry)
      return known.queue
    }
    const queue = [entry]
    // A turn later: the map must know the line before it is over.
    const served = Promise.resolve().then(() => serve(line, queue))
    lines.set(line, { queue, served })
    return queue
  }

  return {
    join<R>(line: string, given: (connection: TransactionConnection) => Promise<R>) {
      // It is run by whoever runs the line, and knows its own caller all the same.
      const work = AsyncLocalStorage.bind(given)
      if (waiting >= mostWaiting) return Promise.reject(new DatabaseUnavailable(undefined, "Too many calls wait to write"))
      return new Promise<R>((resolve, reject) => {
        const leave = (): void => {
          waiting -= 1
          clearTimeout(timer)
        }
        const entry: Waiting = {
          async run(group) {
            leave()
            const ended = Promise.withResolvers<void>()
            work(group.member(ended.resolve)).then(resolve, reject).finally(ended.resolve)
            await ended.promise
          },
          refuse(error) {
            leave()
            reject(error)
          },
        }
        waiting += 1
        const queue = enqueue(line, entry)
        const timer = setTimeout(() => {
          const place = queue.indexOf(entry)
          if (place === -1) return
          queue.splice(place, 1)
          entry.refuse(new DatabaseUnavailable(undefined, "Those before have written for too long"))
        }, waitMs).unref()
      })
    },
    async idle() {
      while (lines.size > 0) await Promise.all([...lines.values()].map(({ served }) => served))
    },
  }
}

interface Group {
  /** A connection for the next one; `onEnd` is called when its last statement has been run. */
  member(onEnd: () => void): TransactionConnection
  /** Whether another may follow. */
  isOpen(): boolean
  /** Commits, or rolls back where that fails, and settles the members accordingly. */
  end(): Promise<void>
}

function openGroup(transaction: OpenTransaction): Group {
  const committed = Promise.withResolvers<void>()
  // Without a waiting member its rejection would be unhandled.
  committed.promise.catch(() => {})
  let members = 0
  let isOpen = true
  /** The first one has failed, and the transaction with it: it has no savepoint, since most are alone. */
  let isRolledBack = false
  let failure: { readonly error: unknown } | undefined

  // Where one of these fails, so does every later statement of the transaction, and its commit.
  const send = (sql: string): void => void transaction.exec(sql).catch(() => {})
  send(`set local statement_timeout = ${PATIENCE_MS}`)

  async function undo(isFirst: boolean): Promise<void> {
    if (isFirst) {
      isOpen = false
      isRolledBack = true
      return transaction.rollback()
    }
    try {
      await transaction.exec("rollback to member; release member")
    } catch (error) {
      isOpen = false
      failure = { error }
    }
  }

  return {
    isOpen: () => isOpen,
    member(onEnd) {
      const isFirst = members++ === 0
      let isOver = false
      let latest: Promise<unknown> = Promise.resolve()
      let failed: { readonly error: unknown } | undefined
      return {
        kind: "postgres",
        async begin() {
          if (!isFirst) send("savepoint member")
        },
        execute(sql, parameters, name) {
          const outcome = transaction.execute<never>(sql, parameters, name)
          const settled = outcome.catch((error: unknown) => {
            failed ??= { error }
          })
          latest = Promise.all([latest, settled])
          return outcome
        },
        async commit() {
          // A statement that was not awaited: its failure must not be that of those who follow.
          await latest
          if (failed) throw failed.error
          if (!isFirst) send("release member")
          isOver = true
          onEnd()
          await committed.promise
        },
        async rollback() {
          if (isOver) return
          isOver = true
          await latest
          await undo(isFirst)
          onEnd()
          // It may have failed for what others of the group have written, which is there for everybody only after the commit: whoever tries again must see it.
          await committed.promise.catch(() => {})
        },
      }
    },
    async end() {
      isOpen = false
      try {
        if (pause) await pause("transaction.beforeCommit")
        if (failure) throw failure.error
        if (!isRolledBack) await transaction.commit()
      } catch (error) {
        failure = { error }
        await transaction.rollback()
      }
      // Before the answers are made, for which the next group need not wait.
      transaction.release()
      if (failure) committed.reject(failure.error)
      else committed.resolve()
    },
  }
}
