import type { Issue } from "../../../access/policies/issues.ts"
import type { Handle } from "../../../core/database/database.ts"
import { commentHasWords, inList } from "../../../core/database/expressions.ts"

export interface Comment {
  readonly id: number
  readonly content: string
}

/** The first comment of each issue that has the words. */
export async function firstComments(db: Handle, issues: readonly Issue[], q: string): Promise<ReadonlyMap<number, Comment>> {
  const found = commentHasWords(q)
  if (issues.length === 0 || !found) return new Map()
  const ids = issues.map(({ id }) => id)
  const first = db
    .selectFrom("comments")
    .select((eb) => eb.fn.min("comments.id").as("id"))
    .where(inList("comments.issue_id", ids))
    .where(found)
    .groupBy("comments.issue_id")
  const rows = await db.selectFrom("comments").select(["id", "issue_id", "content"]).where("id", "in", first).execute()
  return new Map(rows.map((row) => [row.issue_id, row]))
}
