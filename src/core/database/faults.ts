import { StorageUnavailable } from "../blobs/blobs.ts"
import { Refusal } from "../errors.ts"
import { t } from "../language/message.ts"
import { CommitUnknown, DatabaseFull, DatabaseUnavailable } from "./failures.ts"

/** Codes of the file system for a full disk and a full quota. */
const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"])
/** PostgreSQL's codes for transactions that others were in the way of each time. */
const IN_THE_WAY: ReadonlySet<unknown> = new Set(["40001", "40P01"])
const DEEPEST = 4

/**
 * The refusal for a state of the machine that no call can help: a database that does not answer or is locked, or an object store that does not answer (`unavailable`), a database that was lost
 * during a commit (`uncertain`), a full disk (`full`),
 * and others that were in the way of a transaction each time that it was run (`busy`).
 * Undefined for every other error. An error that was caused by such a state is one, too.
 */
export function faultOf(error: unknown, depth = 0): Refusal | undefined {
  if (!(error instanceof Error) || error instanceof Refusal || depth > DEEPEST) return undefined
  if (error instanceof CommitUnknown) return new Refusal("uncertain")
  if (error instanceof DatabaseUnavailable) return new Refusal("unavailable")
  if (error instanceof StorageUnavailable) return new Refusal("unavailable", t`the store of files is not available; try again in a moment`)
  if (error instanceof DatabaseFull || ("code" in error && FULL.has(error.code))) return new Refusal("full")
  if ("code" in error && IN_THE_WAY.has(error.code)) return new Refusal("busy")
  return faultOf(error.cause, depth + 1)
}
