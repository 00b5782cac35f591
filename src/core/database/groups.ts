/** Several transactions in one commit: what a commit costs (a flush to the disk above all) is shared by all that wait for it. */
import { pause } from "../../seams/pause.ts"
import type { TransactionConnection } from "./transaction.ts"

/** What of the writing connection a group is made with. */
export interface GroupedWriter {
  /** Waits for the writer's place, begins, and gives the function that hands the place on. */
  begin(): Promise<() => void>
  exec(sql: string): void
  execute: TransactionConnection["execute"]
  commit(): void
  rollback(): void
  /** Whether the transaction that was begun is still open: SQLite ends it by itself when the disk is full. */
  isOpen(): boolean
}

export interface Groups {
  /** Runs `work` on a connection in one of the next groups; settles as `work` does, after the group's commit. */
  join<R>(work: (connection: TransactionConnection) => Promise<R>): Promise<R>
  /** Resolves when nothing waits any more. */
  idle(): Promise<void>
}

/** The most transactions of a group, and the milliseconds after which none is added: whoever waits for the commit waits for them all. */
const most = 32
const longestMs = 10

/**
 * Gathers what is to be written during one turn of the event loop, runs it one after another, each in a savepoint of its own, and commits once.
 * A work that fails is rolled back alone; nobody is answered before the commit; a commit that fails is everybody's failure.
 */
export function createGroups(writer: GroupedWriter): Groups {
  const waiting: ((group: Group) => Promise<void>)[] = []
  let running: Promise<void> | undefined

  function start(): void {
    running ??= run().finally(() => {
      running = undefined
      // What came after the last look and before this moment found somebody at work who was already leaving.
      if (waiting.length > 0) start()
    })
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      // A turn of the event loop before each group: what arrives together is written together, and answers get out in between.
      await new Promise((resolve) => setImmediate(resolve))
      if (pause) await pause("transaction.begin")
      await runGroup()
    }
  }

  async function runGroup(): Promise<void> {
    const group = openGroup(writer)
    let leave = () => {}
    try {
      leave = await writer.begin()
    } catch (error) {
      group.fail(error)
      await waiting.shift()?.(group)
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
      group.end()
    } finally {
      leave()
    }
  }

  return {
    join<R>(work: (connection: TransactionConnection) => Promise<R>) {
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
  /** Lets every member fail with this error. */
  fail(error: unknown): void
  /** Commits, and lets the members know how it went. */
  end(): void
}

function openGroup(writer: GroupedWriter): Group {
  const committed = Promise.withResolvers<void>()
  // With no member that waits for it, nobody listens to its failure.
  committed.promise.catch(() => {})
  let over = false

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
      },
    }),
    fail(error) {
      over = true
      committed.reject(error)
    },
    end() {
      over = true
      try {
        if (!writer.isOpen()) throw new Error("The database ended the transaction by itself; nothing of it was stored.")
        writer.commit()
        committed.resolve()
      } catch (error) {
        writer.rollback()
        committed.reject(error)
      }
    },
  }
}
