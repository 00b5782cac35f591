import { Refusal } from "../../../core/errors.ts"
import { isGitError } from "../../../git/index.ts"

/** The refusal for an error of a fetch or push; `internal` for unexpected errors. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isGitError(error, "busy")) return new Refusal("busy", "Too many fetches and pushes are under way; try again in a moment.")
  if (isGitError(error, "protocol")) return new Refusal("badRequest", error.message)
  if (isGitError(error, "tooLarge")) return new Refusal("tooLarge", error.message)
  return new Refusal("internal", "")
}

/** The message for internal errors. */
export const FAULT = "The server failed; its operator finds more in the log."
