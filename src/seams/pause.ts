/** The steps of writing a file, in order; "discard" is last, and only after another has failed. */
export type FileStep = "folder" | "open" | "write" | "flush" | "rename" | "discard"

/**
 * Points at which a test may pause, so that concurrent work is interleaved: `if (pause) await pause("file.rename")`. Only tests
 * set a pause (`npm run test:stress`); otherwise nothing is awaited there, and no promise is created.
 */
export type PausePoint =
  | `file.${FileStep}`
  /** After a read, whose result may be outdated when its caller gets it. */
  | "read.done"
  /** Before a transaction gets its connection; on SQLite, before a group of them does. */
  | "transaction.begin"
  /** Before a statement of a transaction; on PostgreSQL only, as SQLite's transactions follow one another. */
  | "transaction.statement"
  | "transaction.beforeCommit"
  /** After the commit, before its effects and before its promise resolves. */
  | "transaction.afterCommit"
  | "file.remove"
  /** Before the lock of a reference is requested. */
  | "lock.take"
  /** While the lock of a reference is held. */
  | "lock.held"

export type Pause = (at: PausePoint) => Promise<void>

export let pause: Pause | undefined

/** Sets the function that is awaited at each point, or none. For tests. */
export function setPause(next: Pause | undefined): void {
  pause = next
}
