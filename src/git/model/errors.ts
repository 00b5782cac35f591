/**
 * The kinds of errors of git, as a closed list.
 *
 * - `invalid`: an argument that no caller should have passed (a bad key, name or entry).
 * - `unfit`: what was to be written would be refused in a push; `message` names the file and says why, in words that a client may see.
 * - `missing`: the repository, object or reference is not there.
 * - `exists`: the repository is there already.
 * - `conflict`: a reference no longer has the value that the caller expected.
 * - `stale`: objects that a change needs were looked up before a garbage collection; it is to be prepared again.
 * - `protocol`: the client did not keep to git's wire protocol.
 * - `tooLarge`: input or output went over its limit.
 * - `busy`: a queue is full, or waiting in it took too long; trying again later may help.
 * - `timeout`, `aborted`: the process was ended after its time limit, or because its caller is gone.
 * - `remote`: another server's repository can't be read or written; `message` says why in words that a client may see.
 * - `full`: git failed because the disk or a quota is full.
 * - `damaged`: an object of the repository can't be read; `message` names both.
 * - `failed`: git itself failed; `detail` holds what it wrote to stderr.
 */
export type GitErrorKind =
  | "invalid"
  | "unfit"
  | "missing"
  | "exists"
  | "conflict"
  | "stale"
  | "protocol"
  | "tooLarge"
  | "busy"
  | "timeout"
  | "aborted"
  | "remote"
  | "full"
  | "damaged"
  | "failed"

/** Git runs in the C locale, so that its words are always these. */
const FULL = /No space left on device|Disk quota exceeded/

/** What git says of objects that can't be read, also where it passes over them. */
export const DAMAGED =
  /corrupt|inflate|unable to read|bad object|does not point to a valid object|could not (get object info|read)|packfile .* (cannot be accessed|truncated|does not match index)/i

/** An error of git. `message` is fit for a log; `detail` may name server paths and must not reach a client. */
export class GitError extends Error {
  readonly kind: GitErrorKind
  readonly detail: string

  constructor(kind: GitErrorKind, message: string, detail = "") {
    super(message)
    this.name = "GitError"
    this.kind = kind === "failed" && FULL.test(detail) ? "full" : kind
    this.detail = detail
  }
}

/** The error for an object that is not in the repository. */
export const missing = ({ key }: { readonly key: string }, type: string, id: string): GitError =>
  new GitError("missing", `the repository ${key} has no ${type} ${id}`)

/** Whether `error` is a GitError, of the given kind if one is named. */
export function isGitError(error: unknown, kind?: GitErrorKind): error is GitError {
  return error instanceof GitError && (kind === undefined || error.kind === kind)
}

/** Whether `error` is a file system error with one of the given codes, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && codes.includes(error.code)
}

/**
 * Whether a repository lacks what it should have, or has it unreadable: an object that git failed at, or one that is named by another and is not there. For errors
 * that nobody on the way was prepared for: to who asked for an object by its name, one that is missing is no damage.
 */
export const isDamage = (error: unknown): boolean =>
  isGitError(error, "damaged") || isGitError(error, "missing") || (isGitError(error, "failed") && DAMAGED.test(error.detail))
