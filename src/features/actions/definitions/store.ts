import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"

const findDisabled = query("actions.findDisabled", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("disabled_workflows").select("workflow").where("repository_id", "=", p.repositoryId),
)

/** The workflows of a repository that are switched off. */
export const disabledWorkflows = async (db: Handle, repositoryId: number): Promise<ReadonlySet<string>> =>
  new Set((await findDisabled(db, { repositoryId })).map(({ workflow }) => workflow))
