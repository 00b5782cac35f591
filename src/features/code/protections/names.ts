import type { Matcher } from "../../../core/text/automaton.ts"
import { compileGlob } from "../../../core/text/globs.ts"
import { compileRegex } from "../../../core/text/regex.ts"

/** Which branches, tags, files and checks a rule speaks of. */

/** Whether a rule's name stands for many branches; all other names stand for themselves. */
export const isPattern = (ruleName: string): boolean => /[*?\\[\]{}!]/.test(ruleName)

/** Which branches a rule of this name is about: a plain name in any case, or what fits the glob. Undefined for what is no glob. */
export function branchMatcher(ruleName: string): Matcher | undefined {
  if (isPattern(ruleName)) return compileGlob(ruleName, { separator: "/" })
  const name = ruleName.toLowerCase()
  return (branch) => branch.toLowerCase() === name
}

/** Which tags a pattern is about: a glob whose stars cross slashes, or a regular expression between slashes. Undefined for what is neither. */
export const tagMatcher = (pattern: string): Matcher | undefined =>
  pattern.length >= 2 && pattern.startsWith("/") && pattern.endsWith("/") ? compileRegex(pattern.slice(1, -1)) : compileGlob(pattern)

/** Patterns of files that one rule may have. */
const MOST_FILE_PATTERNS = 100

/** Which files a list of globs is about, in any case. Undefined where one of them is no glob, or they are more than a hundred. */
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
