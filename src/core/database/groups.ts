/** Group commit: several transactions share the cost of one commit, above all its flush to disk. */
import { AsyncLocalStorage } from "node:async_hooks"
import { pause } from "../../seams/pause.ts"
import type { TransactionConnection } from "./transaction.ts"

/** What a group needs of the writing connection. */
export interface GroupedWriter {
  /** Waits for the writer, begins a transaction, and returns the function that releases the writer. */
  begin(): Promise<() => Promise<void>>
  exec(sql: string): void
  execute: TransactionConnection["execute"]
  commit(): void
  rollback(): void
  /** Whether the transaction that was begun is still open: SQLite ends it by itself when the disk is full. */
  isOpen(): boolean
  /** Why it did. */
  endedBy(): unknown
}

export interface Groups {
  /** Runs `work` on a connection in one of the next groups; settles as `work` does, after the group's commit. */
  join<R>(work: (connection: TransactionConnection) => Promise<R>): Promise<R>
  /** Resolves when no transaction is waiting. */
  idle(): Promise<void>
}

/** The most transactions of a group, and the milliseconds after which none is added: each waits for all others. */
const most = 32
const longestMs = 10

/**
 * Collects the transactions of one turn of the event loop, runs them one after another, each in its own savepoint, and commits once.
 * One that fails is rolled back alone; none settles before the commit; if the commit fails, all fail.
 */
export function createGroups(writer: GroupedWriter): Groups {
  const waiting: ((group: Group) => Promise<void>)[] = []
  let running: Promise<void> | undefined

  function start(): void {
    running ??= run().finally(() => {
      running = undefined
      // Work added after the last check and before this point was not started, because this run had not ended yet.
      if (waiting.length > 0) start()
    })
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      // A turn of the event loop before each group: concurrent writes are grouped, and answers are sent in between.
      await new Promise((resolve) => setImmediate(resolve))
      if (pause) await pause("transaction.begin")
      await runGroup()
    }
  }

  async function runGroup(): Promise<void> {
    const group = openGroup(writer)
    let leave = async () => {}
    try {
      leave = await writer.begin()
    } catch (error) {
      // Those that came meanwhile would wait as long again, one after another.
      group.fail(error)
      for (const next of waiting.splice(0)) await next(group)
      return
    }
    try {
      const begun = performance.now()
      for (let count = 0; count < most && writer.isOpen() && performance.now() - begun < longestMs; count++) {
        const next = waiting.shift()
        if (next === undefined) break
        await next(group)
      }
      if (pause) await pause("transaction.beforeCommit")
      group.commit()
    } finally {
      // Before the answers are made, for which another process need not wait.
      await leave()
    }
    group.settle()
  }

  return {
    join<R>(given: (connection: TransactionConnection) => Promise<R>) {
      // It is run by whoever runs the group, and knows its own caller all the same.
      const work = AsyncLocalStorage.bind(given)
      const joined = new Promise<R>((resolve, reject) => {
        waiting.push(async (group) => {
          const ended = Promise.withResolvers<void>()
          work(group.member(ended.resolve)).then(resolve, reject).finally(ended.resolve)
          await ended.promise
        })
      })
      start()
      return joined
    },
    async idle() {
      while (running !== undefined) await running
    },
  }
}

interface Group {
  /** A connection whose transaction is a savepoint of the group's; `onEnd` is called when its last statement has been run. */
  member(onEnd: () => void): TransactionConnection
  /** Rejects every member with this error. */
  fail(error: unknown): void
  /** Commits, or rolls back where that fails. */
  commit(): void
  /** Settles the members accordingly. */
  settle(): void
}

function openGroup(writer: GroupedWriter): Group {
  const committed = Promise.withResolvers<void>()
  // Without a waiting member its rejection would be unhandled.
  committed.promise.catch(() => {})
  let over = false
  let failure: { readonly error: unknown } | undefined

  return {
    member: (onEnd) => ({
      kind: "sqlite",
      async begin() {
        if (over) await committed.promise
        writer.exec("savepoint member")
      },
      execute: writer.execute,
      async commit() {
        writer.exec("release member")
        onEnd()
        await committed.promise
      },
      async rollback() {
        if (over || !writer.isOpen()) return
        writer.exec("rollback to member")
        writer.exec("release member")
        onEnd()
        // It may have failed for what others of the group have written, which is there for everybody only after the commit: whoever tries again must see it.
        await committed.promise.catch(() => {})
      },
    }),
    fail(error) {
      over = true
      committed.reject(error)
    },
    commit() {
      over = true
      try {
        if (!writer.isOpen()) throw writer.endedBy()
        writer.commit()
      } catch (error) {
        failure = { error }
        writer.rollback()
      }
    },
    settle() {
      if (failure) committed.reject(failure.error)
      else committed.resolve()
    },
  }
}
