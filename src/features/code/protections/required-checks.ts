import type { Selectable } from "kysely"
import type { BranchProtectionsTable } from "../../../core/database/tables/protections.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { patternSet } from "../../../core/text/automaton.ts"
import { parseGlob } from "../../../core/text/globs.ts"
import { beginWork, type Work } from "../../../core/work.ts"

/** The checks that rules require, by globs for their contexts. */

type Rule = Pick<Selectable<BranchProtectionsTable>, "enable_status_check" | "status_check_contexts">

/** The latest state of a check. */
export interface CheckState {
  readonly context: string
  readonly state: string
}

/** What a rule requires of a commit's checks. */
export interface RequiredChecks<Check extends CheckState> {
  /** The globs that match none of the checks. */
  readonly missing: readonly string[]
  /** The checks that must succeed; all where the rule has no globs. */
  readonly required: readonly Check[]
}

/** A work for comparing checks with rules. */
export const workOfChecks = ({ config }: Pick<Services, "config">): Work =>
  beginWork({ what: t("compare checks with the required ones"), steps: config.limits.workSteps })

/** What a rule requires of the newest checks of a commit in each context. Must not be called inside a transaction. */
export async function requiredChecks<Check extends CheckState>(
  rule: Pick<Rule, "status_check_contexts">,
  checks: readonly Check[],
  work: Work,
): Promise<RequiredChecks<Check>> {
  const globs = statusGlobs(rule) ?? []
  if (globs.length === 0) return { missing: [], required: checks }
  const patterns = globPatterns(globs)
  const met = new Set<number>()
  const required: Check[] = []
  for (const check of checks) {
    const matching = await patterns.matching(check.context, work)
    for (const index of matching) met.add(index)
    if (matching.length > 0) required.push(check)
  }
  return { missing: globs.filter((_, index) => !met.has(index)), required }
}

/** Those of the contexts that the globs match. Must not be called inside a transaction. */
export async function contextsMatching(globs: readonly string[], contexts: readonly string[], work: Work): Promise<readonly string[]> {
  const patterns = globPatterns(globs)
  const matching: string[] = []
  for (const context of contexts) if ((await patterns.matching(context, work)).length > 0) matching.push(context)
  return matching
}

const globPatterns = (globs: readonly string[]) => patternSet(globs.map((glob) => parseGlob(glob)))

/**
 * Whether the newest checks of a commit in each context satisfy the rule: every glob must match at least one, and all that it matches must
 * have succeeded. Without globs all checks must have succeeded, and there must be at least one. Must not be called inside a transaction.
 */
export async function checksSatisfied(rule: Rule | undefined, checks: readonly CheckState[], work: Work): Promise<boolean> {
  if (!rule || rule.enable_status_check === 0) return true
  const { missing, required } = await requiredChecks(rule, checks, work)
  return missing.length === 0 && required.length > 0 && required.every(({ state }) => state === "success" || state === "skipped")
}

const FAILED: readonly string[] = ["error", "failure", "warning"]

export const hasFailed = ({ state }: CheckState): boolean => FAILED.includes(state)

/** Those of the checks that the rule requires and that have failed. Must not be called inside a transaction. */
export const failedChecks = async <Check extends CheckState>(
  rule: Pick<Rule, "status_check_contexts">,
  checks: readonly Check[],
  work: Work,
): Promise<readonly Check[]> => (await requiredChecks(rule, checks, work)).required.filter(hasFailed)

/** The globs for the contexts of checks; null if none were ever set. */
export function statusGlobs({ status_check_contexts }: Pick<Rule, "status_check_contexts">): readonly string[] | null {
  const parsed: unknown = JSON.parse(status_check_contexts)
  return Array.isArray(parsed) ? parsed.filter((glob) => typeof glob === "string") : null
}
