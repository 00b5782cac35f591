import { type Pattern, wholeMatcher } from "../../../core/text/automaton.ts"
import { parseGlob } from "../../../core/text/globs.ts"
import { parseAnywhere } from "../../../core/text/regex.ts"

/** Which branches, tags, files and checks a rule matches. */

/** Whether a rule's name is a pattern; all other names are literal. */
export const isPattern = (ruleName: string): boolean => /[*?\\[\]{}!]/.test(ruleName)

/** The branches of a rule whose name is a pattern. Undefined for an invalid one. */
export const branchPattern = (ruleName: string): Pattern | undefined => parseGlob(ruleName, { separator: "/" })

/** The tags of a pattern: a glob whose stars match slashes too, or a regular expression between slashes. Undefined if it is neither. */
export const tagPattern = (pattern: string): Pattern | undefined =>
  pattern.length >= 2 && pattern.startsWith("/") && pattern.endsWith("/") ? parseAnywhere(pattern.slice(1, -1)) : parseGlob(pattern)

/** Whether a pattern is valid, and not so large that it would match nothing. */
export const isUsable = (pattern: Pattern | undefined): pattern is Pattern => pattern !== undefined && wholeMatcher(pattern) !== undefined

/** The most file patterns of one rule. */
const MOST_FILE_PATTERNS = 100

/** The globs in a list of file patterns, for paths in lower case. Undefined if one of them is invalid, or there are more than a hundred. */
export function filePatterns(list: string): readonly Pattern[] | undefined {
  const globs = list
    .toLowerCase()
    .split(";")
    .map((glob) => glob.trim())
    .filter((glob) => glob !== "")
  const patterns = globs
    .slice(0, MOST_FILE_PATTERNS)
    .map((glob) => parseGlob(glob, { separator: "/" }))
    .filter(isUsable)
  return patterns.length < globs.length ? undefined : patterns
}
