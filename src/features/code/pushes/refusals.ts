import { faultOf } from "../../../core/database/faults.ts"
import { Refusal } from "../../../core/errors.ts"
import { isDamage, isGitError } from "../../../git/index.ts"

/** The refusal for an error of a fetch or push; `internal` for unexpected errors. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isGitError(error, "full")) return new Refusal("full")
  if (isGitError(error, "busy")) return new Refusal("busy", "Too many fetches and pushes are under way; try again in a moment.")
  if (isGitError(error, "protocol")) return new Refusal("badRequest", error.message)
  if (isGitError(error, "tooLarge")) return new Refusal("tooLarge", error.message)
  if (isDamage(error)) return new Refusal("damaged")
  return faultOf(error) ?? new Refusal("internal", "")
}

/** What a pusher is told of an error in the middle of a push: the words of a state of the machine, and nothing of unexpected errors. */
export function explainFailure(error: unknown): string | undefined {
  const { kind, message } = asRefusal(error)
  return kind === "full" || kind === "unavailable" || kind === "uncertain" ? message : undefined
}

/** The message for internal errors. `id` is that of the request or, over SSH, of the command: the lines of the log have it too. */
export const faultWords = (id: string): string => `The server failed; its operator finds more in the log under ${id}.`
