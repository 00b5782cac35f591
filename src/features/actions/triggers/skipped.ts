import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { compileGlob } from "../../../core/text/globs.ts"
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
  const globs = required.map((glob) => compileGlob(glob))
  const disabled = await disabledWorkflows(tx, repositoryId)
  for (const [commit, all] of Map.groupBy(excluded, (each) => each.commit)) {
    const known = new Set((await latestStatuses(tx, repositoryId, commit.id)).map(({ context }) => context))
    const contexts = all
      .filter(({ workflow: { file } }) => !disabled.has(file.name))
      .flatMap(({ workflow }) => contextsOf(workflow))
      .filter((context) => !known.has(context) && globs.some((fits) => fits?.(context)))
    const statuses = [...new Set(contexts)].map(
      (context) => ({ state: "skipped", description: "Skipped", target_url: "", context }) as const,
    )
    await createStatuses(tx, services, { repositoryId, commit, creator: ACTIONS_USER, statuses })
  }
}

/** The contexts of the statuses that a run of a workflow has, as far as they are known before it starts. */
const contextsOf = ({ file, workflow, event }: Listening): readonly string[] => {
  const name = workflow.name || file.name.split("/").at(-1)
  return planOfWorkflow(workflow, {}, newFuel()).jobs.map((job) => `${name} / ${job.name} (${event})`)
}
