import type { Matcher } from "../../../core/text/automaton.ts"
import { compileGlob } from "../../../core/text/globs.ts"
import { compileRegex } from "../../../core/text/regex.ts"

/** Which branches, tags, files and checks a rule matches. */

/** Whether a rule's name is a pattern; all other names are literal. */
export const isPattern = (ruleName: string): boolean => /[*?\\[\]{}!]/.test(ruleName)

/** Matches the branches of a rule: a plain name ignoring case, or a glob. Undefined for an invalid glob. */
export function branchMatcher(ruleName: string): Matcher | undefined {
  if (isPattern(ruleName)) return compileGlob(ruleName, { separator: "/" })
  const name = ruleName.toLowerCase()
  return (branch) => branch.toLowerCase() === name
}

/** Matches the tags of a pattern: a glob whose stars match slashes too, or a regular expression between slashes. Undefined if it is neither. */
export const tagMatcher = (pattern: string): Matcher | undefined =>
  pattern.length >= 2 && pattern.startsWith("/") && pattern.endsWith("/") ? compileRegex(pattern.slice(1, -1)) : compileGlob(pattern)

/** The most file patterns of one rule. */
const MOST_FILE_PATTERNS = 100

/** Matches files by a list of globs, ignoring case. Undefined if one of them is invalid, or there are more than a hundred. */
export function fileMatcher(patterns: string): Matcher | undefined {
  const globs = patterns
    .toLowerCase()
    .split(";")
    .map((glob) => glob.trim())
    .filter((glob) => glob !== "")
  const matchers = globs.flatMap((glob) => compileGlob(glob, { separator: "/" }) ?? [])
  if (matchers.length < globs.length || globs.length > MOST_FILE_PATTERNS) return undefined
  return (path) => {
    const lower = path.toLowerCase()
    return matchers.some((fits) => fits(lower))
  }
}
