import { type SqlBool, sql } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { recountReleases } from "../repositories/counters-store.ts"

/** The release of a tag, as far as tags depend on it. */

export const findReleaseOfTag = query("releases.findOfTag", (db, p: Params<{ repositoryId: number; tagName: string }>) =>
  db.selectFrom("releases").selectAll().where("repository_id", "=", p.repositoryId).where("tag_name", "=", p.tagName),
)

const draftOfTags = query("releases.draftOfTags", (db, p: Params<{ repositoryId: number; names: readonly string[] }>) =>
  db
    .updateTable("releases")
    .set({ is_draft: 1 })
    .where("repository_id", "=", p.repositoryId)
    .where("tag_name", "in", p.names)
    .where(sql<SqlBool>`is_draft = 0`),
)

/** Turns releases of deleted tags into drafts. */
export async function draftReleasesOf(tx: Transaction, repositoryId: number, tagNames: readonly string[]): Promise<void> {
  if ((await draftOfTags.changes(tx, { repositoryId, names: tagNames })) > 0) await recountReleases(tx, repositoryId)
}
