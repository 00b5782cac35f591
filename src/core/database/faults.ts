import { StorageUnavailable } from "../blobs/blobs.ts"
import { Refusal } from "../errors.ts"
import { t } from "../language/message.ts"
import { CommitUnknown, DatabaseFull, DatabaseUnavailable } from "./failures.ts"

/** Codes of the file system for a full disk and a full quota. */
const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"])
const DEEPEST = 4

/**
 * The refusal for a state of the machine that no call can help: a database that does not answer or is locked, or an object store that does not answer (`unavailable`), a database that was lost
 * during a commit (`uncertain`), and a full disk (`full`).
 * Undefined for every other error. An error that was caused by such a state is one, too.
 */
export function faultOf(error: unknown, depth = 0): Refusal | undefined {
  if (!(error instanceof Error) || error instanceof Refusal || depth > DEEPEST) return undefined
  if (error instanceof CommitUnknown) return new Refusal("uncertain")
  if (error instanceof DatabaseUnavailable) return new Refusal("unavailable")
  if (error instanceof StorageUnavailable) return new Refusal("unavailable", t`the store of files is not available; try again in a moment`)
  if (error instanceof DatabaseFull || ("code" in error && FULL.has(error.code))) return new Refusal("full")
  return faultOf(error.cause, depth + 1)
}
