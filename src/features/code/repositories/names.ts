import { refuse } from "../../../core/errors.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { faultOfName, PLAIN_NAME } from "../../../core/names.ts"
import { isBranchName, isMisleadingName } from "../../../git/index.ts"
import { REPOSITORY_NAME_LENGTH } from "./records.ts"

const pattern = new RegExp(PLAIN_NAME.pattern)
const RESERVED: ReadonlySet<string> = new Set([".", "..", "-"])
/** Suffixes with which a repository's URL means something else. */
const RESERVED_ENDINGS: readonly string[] = [".wiki", ".git", ".rss", ".atom"]

/** What is wrong with a name for a repository, or undefined. */
export function faultOfRepositoryName(name: string): Text | undefined {
  if (name === "") return t("is required")
  if (name.length > REPOSITORY_NAME_LENGTH) return t`must have at most ${REPOSITORY_NAME_LENGTH} characters`
  if (!pattern.test(name)) return faultOfName(PLAIN_NAME, name)
  if (RESERVED.has(name)) return t`${name} is reserved; choose another name`
  if (name.includes("..")) return t("must not have two dots in a row")
  const lowerName = name.toLowerCase()
  const ending = RESERVED_ENDINGS.find((reserved) => lowerName.endsWith(reserved))
  return ending && t`must not end in ${ending}`
}

/** Refuses `invalid` for `field` if it is not a valid repository name. */
export function requireRepositoryName(name: string, field = "name"): void {
  const fault = faultOfRepositoryName(name)
  if (fault !== undefined) throw refuse.invalid(field, fault)
}

/** Longest component of a branch's name in bytes: a file name with room for git's `.lock` suffix. */
const LONGEST_PART = 250

/** Refuses `invalid` for `field` if it is not a valid branch name. */
export function requireBranchName(name: string, field: string): void {
  if (!isBranchName(name) || name.split("/").some((part) => Buffer.byteLength(part) > LONGEST_PART))
    throw refuse.invalid(field, "must be a branch name that git accepts")
  if (isMisleadingName(name))
    throw refuse.invalid(field, "must not begin with refs/ or be @: git takes that for the name of another reference")
}
