import type { Selectable } from "kysely"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { ActionArtifactsTable } from "../../../core/database/tables/actions.ts"
import type { Page } from "../../../core/operation.ts"

export type Artifact = Selectable<ActionArtifactsTable>

/** A page of the artifacts of a repository or of one of its runs, newest first, and their total number. */
export async function findArtifacts(
  db: Handle,
  { repositoryId, runId, name }: { readonly repositoryId: number; readonly runId?: number; readonly name: string | undefined },
  { limit, offset }: Page,
) {
  let all = db.selectFrom("action_artifacts").where("repository_id", "=", repositoryId)
  if (runId !== undefined) all = all.where("run_id", "=", runId)
  if (name) all = all.where("name", "=", name)
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await all.selectAll().orderBy("id", "desc").limit(limit).offset(offset).execute()
  return { rows, total }
}

export const findArtifact = query("actions.findArtifact", (db, p: Params<{ repositoryId: number; id: number }>) =>
  db.selectFrom("action_artifacts").selectAll().where("id", "=", p.id).where("repository_id", "=", p.repositoryId),
)
