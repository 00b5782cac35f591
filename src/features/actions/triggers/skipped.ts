import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { patternSet } from "../../../core/text/automaton.ts"
import { parseGlob } from "../../../core/text/globs.ts"
import { beginWork, TooMuchWork } from "../../../core/work.ts"
import type { Commit } from "../../../git/index.ts"
import { statusGlobs } from "../../code/protections/rules.ts"
import { findProtections } from "../../code/protections/store.ts"
import { createStatuses } from "../../code/statuses/rules.ts"
import { latestStatuses } from "../../code/statuses/store.ts"
import { ACTIONS_USER } from "../../people/users/present.ts"
import { newFuel } from "../definitions/expressions.ts"
import { planOfWorkflow } from "../definitions/plan.ts"
import { disabledWorkflows } from "../definitions/store.ts"
import type { Listening } from "./triggered.ts"

/**
 * Reports the checks of workflows that their filters exclude as skipped, where a protected branch requires them: it would wait for them for
 * ever. Checks that the commit has already are kept.
 */
export async function reportExcluded(
  tx: Transaction,
  services: Services,
  repositoryId: number,
  excluded: readonly { readonly workflow: Listening; readonly commit: Commit }[],
): Promise<void> {
  if (excluded.length === 0) return
  const required = (await findProtections(tx, repositoryId)).flatMap((rule) =>
    rule.enable_status_check === 1 ? (statusGlobs(rule) ?? []) : [],
  )
  if (required.length === 0) return
  const isRequired = requirement(required)
  const disabled = await disabledWorkflows(tx, repositoryId)
  for (const [commit, all] of Map.groupBy(excluded, (each) => each.commit)) {
    const known = new Set((await latestStatuses(tx, repositoryId, commit.id)).map(({ context }) => context))
    const contexts = all.filter(({ workflow: { file } }) => !disabled.has(file.name)).flatMap(({ workflow }) => contextsOf(workflow))
    const skipped: string[] = []
    for (const context of new Set(contexts)) if (!known.has(context) && (await isRequired(context))) skipped.push(context)
    const statuses = skipped.map((context) => ({ state: "skipped", description: "Skipped", target_url: "", context }) as const)
    await createStatuses(tx, services, { repositoryId, commit, creator: ACTIONS_USER, statuses })
  }
}

/** The most steps to compare contexts with the globs of required checks, in the transaction: some 50 ms. */
const MOST_STEPS = 5_000_000

/** Tells whether a check is required. Where that takes too much work it is: the status says no more than what is so. */
function requirement(required: readonly string[]): (context: string) => Promise<boolean> {
  const globs = patternSet([...new Set(required)].map((glob) => parseGlob(glob)))
  const work = beginWork({ what: "compare checks with those that are required", steps: MOST_STEPS, isWithoutTurns: true })
  return async (context) => {
    try {
      return (await globs.matching(context, work)).length > 0
    } catch (error) {
      if (error instanceof TooMuchWork) return true
      throw error
    }
  }
}

/** The contexts of the statuses that a run of a workflow has, as far as they are known before it starts. */
const contextsOf = ({ file, workflow, event }: Listening): readonly string[] => {
  const name = workflow.name || file.name.split("/").at(-1)
  return planOfWorkflow(workflow, {}, newFuel()).jobs.map((job) => `${name} / ${job.name} (${event})`)
}
