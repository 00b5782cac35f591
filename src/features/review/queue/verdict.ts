import { Mode } from "../../../access/modes.ts"
import { type Owned, permissionsOf, unitMode } from "../../../access/permission.ts"
import type { Handle } from "../../../core/database/database.ts"
import { t, type Words } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { TooMuchWork } from "../../../core/work.ts"
import { checksSatisfied, failedChecks, hasFailed, requiredChecks, workOfChecks } from "../../code/protections/required-checks.ts"
import type { Protection } from "../../code/protections/rules.ts"
import { usersById } from "../../code/repositories/store.ts"
import { latestStatuses, type Status } from "../../code/statuses/store.ts"
import { ACTIONS_USER } from "../../people/users/present.ts"
import type { Trial } from "./store.ts"

/** What the required checks say about a trial. */
export type Verdict =
  | { readonly kind: "passed" }
  | { readonly kind: "failed"; readonly reason: Words }
  /** `lacking`: what has not reported success yet. */
  | { readonly kind: "waiting"; readonly lacking: readonly string[] }

type Judged = Pick<Trial, "commit_id" | "statuses_before">

/** The most contexts that a reason names. */
const MOST_NAMED = 10

/**
 * Judges the commit of a trial by the rule's checks. Only statuses of that very commit count, in this repository, by the service or by people who may write to the
 * code now. Must not be called inside a transaction.
 */
export async function judge(services: Services, owned: Owned, rule: Protection, trial: Judged): Promise<Verdict> {
  if (rule.enable_status_check === 0) return { kind: "passed" }
  const db = services.database.read
  const statuses = await latestStatuses(db, owned.repository.id, trial.commit_id)
  const trusted = await trustedCreators(db, owned, statuses)
  const checks = statuses
    .filter(({ creator_id }) => trusted.has(creator_id))
    .map((status) => askedAnew(status, trial))
    .flatMap(namesOf)
  const work = workOfChecks(services)
  try {
    const failed = await failedChecks(rule, checks, work)
    if (failed.length > 0) {
      const names = [...new Set(failed.map(({ shown }) => shown))].slice(0, MOST_NAMED).join(", ")
      return { kind: "failed", reason: t`required checks have failed: ${names}` }
    }
    if (await checksSatisfied(rule, checks, work)) return { kind: "passed" }
    const { missing, required } = await requiredChecks(rule, checks, work)
    const running = required.filter(({ state }) => state === "pending").map(({ shown }) => shown)
    return { kind: "waiting", lacking: [...new Set([...missing, ...running])].slice(0, MOST_NAMED) }
  } catch (error) {
    if (error instanceof TooMuchWork) return { kind: "failed", reason: error.said }
    throw error
  }
}

/** A trial may be of a commit that was tried before: what failed then is asked again. */
const askedAnew = (status: Status, { statuses_before }: Judged): Status =>
  status.number <= statuses_before && hasFailed(status) ? { ...status, state: "pending" } : status

const OF_TRIALS = " (merge_group)"
const OF_PULLS = " (pull_request)"

/** A workflow's check of a trial is also known by the name that it has for a pull request, which rules name. */
function namesOf({ context, state }: Status) {
  const own = { context, state, shown: context }
  return context.endsWith(OF_TRIALS) ? [own, { ...own, context: `${context.slice(0, -OF_TRIALS.length)}${OF_PULLS}` }] : [own]
}

/** Those who reported something and whose word counts. */
async function trustedCreators(db: Handle, owned: Owned, statuses: readonly Status[]): Promise<ReadonlySet<number>> {
  const ids = [...new Set(statuses.map(({ creator_id }) => creator_id))].filter((id) => id !== ACTIONS_USER.id)
  const people = ids.length === 0 ? [] : [...(await usersById(db, ids)).values()]
  const permissions = people.length === 0 ? new Map() : await permissionsOf(db, owned, people)
  const writers = people.filter(({ id }) => {
    const permission = permissions.get(id)
    return permission !== undefined && unitMode(permission, owned.repository, "repo.code") >= Mode.write
  })
  return new Set([ACTIONS_USER.id, ...writers.map(({ id }) => id)])
}
