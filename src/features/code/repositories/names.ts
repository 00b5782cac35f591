import { refuse } from "../../../core/errors.ts"
import { isBranchName } from "../../../git/index.ts"
import { REPOSITORY_NAME_LENGTH, REPOSITORY_NAME_PATTERN } from "./records.ts"

const pattern = new RegExp(REPOSITORY_NAME_PATTERN)
const RESERVED: ReadonlySet<string> = new Set([".", "..", "-"])
/** Suffixes with which a repository's URL means something else. */
const RESERVED_ENDINGS: readonly string[] = [".wiki", ".git", ".rss", ".atom"]

/** Refuses `invalid` for `field` if it is not a valid repository name. */
export function requireRepositoryName(name: string, field = "name"): void {
  if (name === "") throw refuse.invalid(field, "is required")
  if (name.length > REPOSITORY_NAME_LENGTH) throw refuse.invalid(field, `must have at most ${REPOSITORY_NAME_LENGTH} characters`)
  if (!pattern.test(name)) throw refuse.invalid(field, "must consist of letters, digits, hyphens, underscores and dots")
  if (RESERVED.has(name)) throw refuse.invalid(field, `${name} is reserved; choose another name`)
  if (name.includes("..")) throw refuse.invalid(field, "must not have two dots in a row")
  const lowerName = name.toLowerCase()
  const ending = RESERVED_ENDINGS.find((reserved) => lowerName.endsWith(reserved))
  if (ending !== undefined) throw refuse.invalid(field, `must not end in ${ending}`)
}

/** Longest component of a branch's name in bytes: a file name with room for git's `.lock` suffix. */
const LONGEST_PART = 250

/** Refuses `invalid` for `field` if it is not a valid branch name. */
export function requireBranchName(name: string, field: string): void {
  if (!isBranchName(name) || name.split("/").some((part) => Buffer.byteLength(part) > LONGEST_PART))
    throw refuse.invalid(field, "must be a branch name that git accepts")
}
