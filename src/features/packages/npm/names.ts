import { refuse } from "../../../core/errors.ts"

/** Names, versions and tags as npm writes them. */

const NAME = /^(?:@[a-z0-9~][a-z0-9-._~]*\/)?[a-z0-9~][a-z0-9-._~]*$/
const LONGEST = 214
const RESERVED: readonly string[] = ["node_modules", "favicon.ico"]

/** Refuses `badRequest` what is no name of a package. */
export function requireName(name: string): void {
  if (name.length > LONGEST) throw refuse.badRequest(`the name is longer than ${LONGEST} characters`)
  if (!NAME.test(name) || RESERVED.includes(name))
    throw refuse.badRequest("the name must be small letters, digits, - . _ and ~, with @scope/ before it where it has a scope")
}

const NUMBER = "(?:0|[1-9]\\d*)"
const PART = `(?:${NUMBER}|\\d*[a-zA-Z-][0-9a-zA-Z-]*)`
const VERSION = new RegExp(
  `^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${PART}(?:\\.${PART})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
)

/** Refuses `badRequest` what is no semantic version. */
export function requireVersionName(version: string): void {
  if (version.length > 256 || !VERSION.test(version)) throw refuse.badRequest("the version must be a semantic version, such as 1.2.3")
}

/** Refuses `badRequest` what is no name of a tag. Versions and ranges are none, since tools could not tell them apart. */
export function requireTag(tag: string): void {
  if (tag.length > 100 || !/^[A-Za-z][\w.~-]*$/.test(tag) || /^v?\d|^[xX]$/.test(tag))
    throw refuse.badRequest("a tag begins with a letter, goes on with letters, digits, . _ ~ and -, and is no version")
}

/** The name of the tarball of a version. */
export const tarballName = (name: string, version: string): string => `${name.replace(/^@.*\//, "")}-${version}.tgz`

/** Which of two versions is the higher one, as `sort` wants to know it. What follows a plus doesn't count. */
export function compareVersions(one: string, other: string): number {
  const [, ...a] = VERSION.exec(one) ?? []
  const [, ...b] = VERSION.exec(other) ?? []
  for (const index of [0, 1, 2]) {
    const difference = Number(a[index]) - Number(b[index])
    if (difference !== 0) return difference
  }
  const [before, after] = [a[3], b[3]]
  // A version is higher than all that lead to it.
  if (before === undefined || after === undefined) return Number(before === undefined) - Number(after === undefined)
  return comparePrereleases(before.split("."), after.split("."))
}

function comparePrereleases(one: readonly string[], other: readonly string[]): number {
  for (const [index, part] of one.entries()) {
    const against = other[index]
    if (against === undefined) return 1
    if (part === against) continue
    const [first, second] = [/^\d+$/.test(part), /^\d+$/.test(against)]
    if (first && second) return Number(part) - Number(against)
    if (first !== second) return first ? -1 : 1
    return part < against ? -1 : 1
  }
  return one.length - other.length
}

const isPrerelease = (version: string): boolean => VERSION.exec(version)?.[4] !== undefined

/** The version that counts as the latest where no tag says so: the highest, and one that is no prerelease if there is any. */
export function highest(versions: readonly string[]): string | undefined {
  const sorted = versions.toSorted(compareVersions)
  return sorted.findLast((version) => !isPrerelease(version)) ?? sorted.at(-1)
}
