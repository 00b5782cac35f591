/** The steps of writing a file, in order; "discard" is last, and only after another has failed. */
export type FileStep = "folder" | "open" | "write" | "flush" | "rename" | "discard"

/**
 * Points at which a test may wait or throw, so that concurrent work is interleaved and every step fails once:
 * `if (pause) await pause("file.rename")`. Only tests set a pause; otherwise nothing is awaited there, and no promise is created.
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
  /** After a lock was found to be stale, before it is removed. */
  | "lock.takeAway"

export type Pause = (at: PausePoint) => Promise<void>

export let pause: Pause | undefined

/** Sets the function that is awaited at each point, or none. Returns the previous one, to be set again: that of `npm run test:stress`. For tests. */
export function setPause(next: Pause | undefined): Pause | undefined {
  const previous = pause
  pause = next
  return previous
}
