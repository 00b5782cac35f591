/** What is done for a file, in this order; "discard" only where another one failed, and then it is the last. */
export type FileStep = "folder" | "open" | "write" | "flush" | "rename" | "discard"

/**
 * Places at which a test may let time pass, so that whatever else is under way comes in between: `if (pause) await pause("file.rename")`. Only tests
 * set a pause (`npm run test:stress`); without one nothing is awaited there, and no promise made.
 */
export type PausePoint =
  | `file.${FileStep}`
  /** A read has its answer, which is out of date by the time that its caller sees it. */
  | "read.done"
  /** Before a transaction gets its connection; on SQLite, before a group of them does. */
  | "transaction.begin"
  /** Before a statement of a transaction; on PostgreSQL only, as SQLite's transactions follow one another. */
  | "transaction.statement"
  | "transaction.beforeCommit"
  /** After the commit, before its effects and before its caller is told. */
  | "transaction.afterCommit"
  | "file.remove"
  /** Before the lock of a reference is asked for. */
  | "lock.take"
  /** While the lock of a reference is held. */
  | "lock.held"

export type Pause = (at: PausePoint) => Promise<void>

export let pause: Pause | undefined

/** Sets what is awaited at each point from now on, or nothing. For tests. */
export function setPause(next: Pause | undefined): void {
  pause = next
}
