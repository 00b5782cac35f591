import type { Issue } from "../../../access/policies/issues.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Reference } from "./reference-text.ts"

export const findNumbered = query("references.findNumbered", (db, p: Params<{ repositoryId: number; numbers: readonly number[] }>) =>
  db.selectFrom("issues").selectAll().where("repository_id", "=", p.repositoryId).where("number", "in", p.numbers),
)

export const findWritten = query("references.findWritten", (db, p: Params<{ issueId: number; commentId: number }>) =>
  db
    .selectFrom("comments")
    .select(["id", "issue_id", "ref_action"])
    .where("ref_issue_id", "=", p.issueId)
    .where((eb) => eb(eb.fn.coalesce("ref_comment_id", eb.lit(0)), "=", p.commentId))
    .where("ref_action", "!=", "neutered"),
)

/** The issues of other repositories that references name: one query. */
export async function findForeign(db: Handle, references: readonly Reference[]): Promise<readonly Issue[]> {
  if (references.length === 0) return []
  return db
    .selectFrom("issues")
    .innerJoin("repositories", "repositories.id", "issues.repository_id")
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .selectAll("issues")
    .where((eb) =>
      eb.or(
        references.map(({ owner = "", repository = "", number }) =>
          eb.and([
            eb("owner.lower_name", "=", owner.toLowerCase()),
            eb("repositories.lower_name", "=", repository.toLowerCase()),
            eb("issues.number", "=", number),
          ]),
        ),
      ),
    )
    .execute()
}

/** Marks references as gone. */
export const neuterEntries = (tx: Transaction, ids: readonly number[]) =>
  tx.updateTable("comments").set({ ref_action: "neutered" }).where(inList("comments.id", ids)).execute()

export const findReferredCommits = query(
  "references.findToldCommits",
  (db, p: Params<{ issueIds: readonly number[]; commitIds: readonly string[] }>) =>
    db
      .selectFrom("comments")
      .select(["issue_id", "commit_id"])
      .where("issue_id", "in", p.issueIds)
      .where("kind", "=", "commit_ref")
      .where("commit_id", "in", p.commitIds),
)
