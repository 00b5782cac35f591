import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { TooMuchWork } from "../../../core/work.ts"
import type { Commit } from "../../../git/index.ts"
import { contextsMatching, statusGlobs, workOfChecks } from "../../code/protections/required-checks.ts"
import { findProtections } from "../../code/protections/store.ts"
import { createStatuses } from "../../code/statuses/rules.ts"
import { latestStatuses } from "../../code/statuses/store.ts"
import { ACTIONS_USER } from "../../people/users/present.ts"
import { newFuel } from "../definitions/expressions.ts"
import { planOfWorkflow } from "../definitions/plan.ts"
import { disabledWorkflows } from "../definitions/store.ts"
import type { Listening } from "./triggered.ts"

/** Checks that are to be reported as skipped, of one commit. */
export interface SkippedChecks {
  readonly commit: Commit
  readonly contexts: readonly string[]
}

/**
 * The checks of workflows that their filters exclude, where a protected branch requires them: it would wait for them for ever. None where comparing them with what
 * is required takes too much work. Must not be called inside a transaction.
 */
export async function findSkipped(
  services: Services,
  repositoryId: number,
  excluded: readonly { readonly workflow: Listening; readonly commit: Commit }[],
): Promise<readonly SkippedChecks[]> {
  if (excluded.length === 0) return []
  const { read } = services.database
  const globs = (await findProtections(read, repositoryId)).flatMap((rule) =>
    rule.enable_status_check === 1 ? (statusGlobs(rule) ?? []) : [],
  )
  if (globs.length === 0) return []
  const disabled = await disabledWorkflows(read, repositoryId)
  const work = workOfChecks(services)
  const skipped: SkippedChecks[] = []
  try {
    for (const [commit, all] of Map.groupBy(excluded, (each) => each.commit)) {
      const contexts = all.filter(({ workflow: { file } }) => !disabled.has(file.name)).flatMap(({ workflow }) => contextsOf(workflow))
      skipped.push({ commit, contexts: await contextsMatching([...new Set(globs)], [...new Set(contexts)], work) })
    }
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error
    services.log.warn({ repository: repositoryId }, "checks of excluded workflows are not reported: the rules of branches require too many")
  }
  return skipped
}

/** Reports checks as skipped. Those that the commit has already are kept. */
export async function reportSkipped(
  tx: Transaction,
  services: Services,
  repositoryId: number,
  skipped: readonly SkippedChecks[],
): Promise<void> {
  for (const { commit, contexts } of skipped) {
    if (contexts.length === 0) continue
    const known = new Set((await latestStatuses(tx, repositoryId, commit.id)).map(({ context }) => context))
    const statuses = contexts
      .filter((context) => !known.has(context))
      .map((context) => ({ state: "skipped", description: "Skipped", target_url: "", context }) as const)
    await createStatuses(tx, services, { repositoryId, commit, creator: ACTIONS_USER, statuses })
  }
}

/** The contexts of the statuses that a run of a workflow has, as far as they are known before it starts. */
const contextsOf = ({ file, workflow, event }: Listening): readonly string[] => {
  const name = workflow.name || file.name.split("/").at(-1)
  return planOfWorkflow(workflow, {}, newFuel()).jobs.map((job) => `${name} / ${job.name} (${event})`)
}
