import { type Params, query } from "../../../core/database/query.ts"

/** The text and position of comments, as feed entries show them. */
export const findFeedComments = query("activity.findComments", (db, p: Params<{ ids: readonly number[] }>) =>
  db
    .selectFrom("comments")
    .innerJoin("issues", "issues.id", "comments.issue_id")
    .select(["comments.id", "comments.content", "comments.created_at", "comments.updated_at", "issues.number", "issues.is_pull"])
    .where("comments.id", "in", p.ids),
)
