import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"

const findDisabled = query("actions.findDisabled", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("disabled_workflows").select("workflow").where("repository_id", "=", p.repositoryId),
)

/** The workflows of a repository that are switched off. */
export const disabledWorkflows = async (db: Handle, repositoryId: number): Promise<ReadonlySet<string>> =>
  new Set((await findDisabled(db, { repositoryId })).map(({ workflow }) => workflow))

/** Switches a workflow off; does nothing where it is off already. */
export async function disableWorkflow(tx: Transaction, repositoryId: number, workflow: string): Promise<void> {
  await tx
    .insertInto("disabled_workflows")
    .values({ repository_id: repositoryId, workflow })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Switches a workflow on again. */
export async function enableWorkflow(tx: Transaction, repositoryId: number, workflow: string): Promise<void> {
  await tx.deleteFrom("disabled_workflows").where("repository_id", "=", repositoryId).where("workflow", "=", workflow).execute()
}
