import { refuse } from "../../../core/errors.ts"

/** Characters; longer names can't be kept by the file systems of those who download. */
const MAX_NAME = 255

/** What no file system takes, or what makes a name look like another: separators, control characters, marks that turn the text around. */
const UNFIT = /[/\\\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/** What files may be attached somewhere. */
export interface FileLimits {
  /** How their names may end, with commas between the endings; * lets in every file. */
  readonly types: string
  readonly maxBytes: number
}

/**
 * The name that an attachment is to have, without folders before it.
 * Refuses `invalid` for `field` where it is too long, or ends in a way that `types` doesn't accept.
 */
export function requireName(types: FileLimits["types"], field: string, given: string): string {
  const name = (given.split(/[/\\]/).at(-1) ?? "").replaceAll(UNFIT, "").trim()
  if (name === "" || name === "." || name === "..") throw refuse.invalid(field, "the file needs a name")
  if (name.length > MAX_NAME) throw refuse.invalid(field, `a name has at most ${MAX_NAME} characters`)
  if (!name.isWellFormed()) throw refuse.invalid(field, "must be well-formed Unicode")
  const accepted = types === "*" || types.split(",").some((ending) => name.toLowerCase().endsWith(ending.trim().toLowerCase()))
  if (!accepted) throw refuse.invalid(field, `names of attached files must end in one of ${types}`)
  return name
}
