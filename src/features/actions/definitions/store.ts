import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { publish } from "../../../core/events/publish.ts"

const findDisabled = query("actions.findDisabled", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("disabled_workflows").select("workflow").where("repository_id", "=", p.repositoryId),
)

/** The workflows of a repository that are switched off. */
export const disabledWorkflows = async (db: Handle, repositoryId: number): Promise<ReadonlySet<string>> =>
  new Set((await findDisabled(db, { repositoryId })).map(({ workflow }) => workflow))

const findNextTimes = query("actions.findNextTimes", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("action_schedules")
    .select((eb) => ["workflow", eb.fn.min("next_at").as("next_at")])
    .where("repository_id", "=", p.repositoryId)
    .groupBy("workflow"),
)

/** When the workflows of a repository are started next by their schedules, in Unix seconds. */
export const nextTimes = async (db: Handle, repositoryId: number): Promise<ReadonlyMap<string, number>> =>
  new Map((await findNextTimes(db, { repositoryId })).map(({ workflow, next_at }) => [workflow, next_at]))

/** Switches a workflow off; does nothing where it is off already. */
export async function disableWorkflow(tx: Transaction, repositoryId: number, workflow: string, actor: User): Promise<void> {
  const disabled = await tx
    .insertInto("disabled_workflows")
    .values({ repository_id: repositoryId, workflow })
    .onConflict((conflict) => conflict.doNothing())
    .returning("workflow")
    .execute()
  if (disabled.length > 0) publish(tx, { kind: "workflow.disabled", repositoryId, actor })
}

/** Switches a workflow on again. */
export async function enableWorkflow(tx: Transaction, repositoryId: number, workflow: string, actor: User): Promise<void> {
  const enabled = await tx
    .deleteFrom("disabled_workflows")
    .where("repository_id", "=", repositoryId)
    .where("workflow", "=", workflow)
    .returning("workflow")
    .execute()
  if (enabled.length > 0) publish(tx, { kind: "workflow.enabled", repositoryId, actor })
}
