import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"

/** Characters; the file systems of clients can't store longer names. */
const MAX_NAME = 255

/** Characters that file systems reject or that disguise a name: separators, control characters, bidirectional marks. */
const FORBIDDEN_CHARACTERS = /[/\\\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/** Which files may be attached. */
export interface FileLimits {
  /** Comma-separated list of accepted extensions; * accepts every file. */
  readonly types: string
  readonly maxBytes: number
}

/**
 * The attachment's name without a directory prefix.
 * Refuses `invalid` for `field` if it is too long, or its extension is not accepted by `types`.
 */
export function requireName(types: FileLimits["types"], field: string, given: string): string {
  const name = (given.split(/[/\\]/).at(-1) ?? "").replaceAll(FORBIDDEN_CHARACTERS, "").trim()
  if (name === "" || name === "." || name === "..") throw refuse.invalid(field, "the file needs a name")
  if (name.length > MAX_NAME) throw refuse.invalid(field, t`a name has at most ${MAX_NAME} characters`)
  if (!name.isWellFormed()) throw refuse.invalid(field, "must be well-formed Unicode")
  const accepted = types === "*" || types.split(",").some((ending) => name.toLowerCase().endsWith(ending.trim().toLowerCase()))
  if (!accepted) throw refuse.invalid(field, t`names of attached files must end in one of ${types}`)
  return name
}
