import { GitError } from "./errors.ts"

declare const brand: unique symbol

/** A full object id in lower-case hex: 40 digits for SHA-1, 64 for SHA-256. Never the zero id. */
export type ObjectId = string & { readonly [brand]: "ObjectId" }

/** A full reference name that git accepts, such as `refs/heads/main`. */
export type RefName = string & { readonly [brand]: "RefName" }

/** The hash with which a repository names its objects. */
export type ObjectFormat = "sha1" | "sha256"

const hexLength = { sha1: 40, sha256: 64 } as const

/** The number of hex digits in an object id of this format. */
export function idLength(format: ObjectFormat): 40 | 64 {
  return hexLength[format]
}

/** Whether `value` is a full, non-zero object id, of the given format if one is named. */
export function isObjectId(value: string, format?: ObjectFormat): value is ObjectId {
  const rightLength = format === undefined ? value.length === 40 || value.length === 64 : value.length === idLength(format)
  return rightLength && /^[0-9a-f]+$/.test(value) && !isZeroId(value)
}

/** `value` as an object id. Throws `invalid` when it is none. */
export function objectId(value: string, format?: ObjectFormat): ObjectId {
  if (!isObjectId(value, format)) throw new GitError("invalid", "not an object id", value.slice(0, 80))
  return value
}

/** The id of all zeros, with which git's protocols say "no object". */
export function zeroId(format: ObjectFormat): string {
  return "0".repeat(idLength(format))
}

/** Whether `value` is an id of all zeros, of either length. */
export function isZeroId(value: string): boolean {
  return /^(0{40}|0{64})$/.test(value)
}

/** The format of an object id, by its length. */
export function formatOf(id: ObjectId): ObjectFormat {
  return id.length === 40 ? "sha1" : "sha256"
}

// The characters that git-check-ref-format(1) forbids: control characters, space, and ~ ^ : ? * [ \
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what the rule is about
const forbidden = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/

/**
 * Whether `value` is a full reference name by the rules of git-check-ref-format(1): at least two components, none beginning with a dot or
 * ending in `.lock`. A leading dash, which git's own command takes for an option, and lone surrogates are refused too: these have no bytes that git could store.
 */
export function isRefName(value: string): value is RefName {
  if (!value.includes("/") || value.startsWith("-") || forbidden.test(value) || !value.isWellFormed()) return false
  return value.split("/").every((component) => component !== "" && !component.startsWith(".") && !component.endsWith(".lock"))
}

/** `value` as a reference name. Throws `invalid` when git would not accept it. */
export function refName(value: string): RefName {
  if (!isRefName(value)) throw new GitError("invalid", "not a reference name", value.slice(0, 200))
  return value
}

/** The folders that a reference is in, `refs/tags/a` and `refs/tags/a/b` of `refs/tags/a/b/c`: no other reference has one of these names. */
export function foldersAbove(name: string): readonly string[] {
  const parts = name.split("/")
  return parts.slice(3).map((_, index) => parts.slice(0, index + 3).join("/"))
}

/** Whether `value` can name a branch: `refs/heads/<value>` is well formed, it does not begin with a dash and is not `HEAD`. */
export function isBranchName(value: string): boolean {
  return isTagName(value) && value !== "HEAD"
}

/** Whether `value` can name a tag: `refs/tags/<value>` is well formed and it does not begin with a dash. */
export function isTagName(value: string): boolean {
  return !value.startsWith("-") && isRefName(`refs/tags/${value}`)
}

/**
 * Whether git and its users take the short name of a branch or tag for something else: `HEAD`, its other spelling `@`, and what begins with `refs/` as full
 * names do. Such names are well formed, and are not given to new branches and tags; older ones can be deleted.
 */
export function isMisleadingName(value: string): boolean {
  return value === "HEAD" || value === "@" || value.startsWith("refs/")
}

/** The full name of a branch. Throws `invalid` when the name can't be a branch. */
export function branchRef(name: string): RefName {
  if (!isBranchName(name)) throw new GitError("invalid", "not a branch name", name.slice(0, 200))
  return refName(`refs/heads/${name}`)
}

/** The full name of a tag. Throws `invalid` when the name can't be a tag. */
export function tagRef(name: string): RefName {
  if (!isTagName(name)) throw new GitError("invalid", "not a tag name", name.slice(0, 200))
  return refName(`refs/tags/${name}`)
}

/** The branch that a reference names, or undefined when it is no branch. */
export function branchOf(ref: string): string | undefined {
  return ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : undefined
}

/** The tag that a reference names, or undefined when it is no tag. */
export function tagOf(ref: string): string | undefined {
  return ref.startsWith("refs/tags/") ? ref.slice("refs/tags/".length) : undefined
}

/** The references that show what the service has made of others: clients may fetch them, and never write them. */
const servedPrefixes = ["refs/pull/", "refs/queue/"]

/** Whether a reference is shown to clients, and written by the service alone. */
export const isServedRef = (ref: string): boolean => servedPrefixes.some((prefix) => ref.startsWith(prefix))

/** The service's own references: never shown to clients and never written by them. */
export const hiddenPrefix = "refs/hearth/"

/** Whether only the service may use a reference. */
export function isHiddenRef(ref: string): boolean {
  return ref.startsWith(hiddenPrefix)
}

/**
 * The order of names by their bytes in UTF-8, as git has it. It is that of UTF-16, but for characters of two units, which come after all others. For names without halves of
 * characters.
 */
export function byBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (left !== right) return placeOf(left) - placeOf(right)
  }
  return a.length - b.length
}

/** The halves of characters of two units, and what is more than any unit. */
const [FIRST_HALF, AFTER_HALVES, BEYOND] = [0xd800, 0xe000, 0x10000]

const placeOf = (unit: number): number => (unit >= FIRST_HALF && unit < AFTER_HALVES ? unit + BEYOND : unit)
