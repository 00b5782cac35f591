import type { Handle } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"

interface Ids {
  readonly ids: readonly number[]
}

/** What events are about, read for all events of a look at once. */

export const findIssues = query("eventStream.findIssues", (db, p: Params<Ids>) =>
  db.selectFrom("issues").select(["id", "repository_id", "is_pull", "number", "title", "is_closed"]).where(inList("id", p.ids)),
)

export const findReleases = query("eventStream.findReleases", (db, p: Params<Ids>) =>
  db.selectFrom("releases").select(["id", "repository_id", "is_draft"]).where(inList("id", p.ids)),
)

export const findPackages = query("eventStream.findPackages", (db, p: Params<Ids>) =>
  db.selectFrom("packages").select(["id", "owner_id", "repository_id", "is_restricted"]).where(inList("id", p.ids)),
)

export const findProjects = query("eventStream.findProjects", (db, p: Params<Ids>) =>
  db.selectFrom("projects").select(["id", "owner_id", "repository_id"]).where(inList("id", p.ids)),
)

/** Who of these people takes part in which of these issues: as author, assignee or reviewer, mentioned, with a comment, or by a subscription. */
export const findInvolved = query(
  "eventStream.findInvolved",
  (db, p: Params<{ issueIds: readonly number[]; userIds: readonly number[] }>) =>
    db
      .selectFrom("issues")
      .select(["id as issue_id", "author_id as user_id"])
      .where(inList("id", p.issueIds))
      .where(inList("author_id", p.userIds))
      .union(
        db
          .selectFrom("issue_assignees")
          .select(["issue_id", "user_id"])
          .where(inList("issue_id", p.issueIds))
          .where(inList("user_id", p.userIds)),
      )
      .union(
        db
          .selectFrom("issue_mentions")
          .select(["issue_id", "user_id"])
          .where(inList("issue_id", p.issueIds))
          .where(inList("user_id", p.userIds)),
      )
      .union(
        db
          .selectFrom("reviews")
          .select(["issue_id", "reviewer_id as user_id"])
          .where(inList("issue_id", p.issueIds))
          .where(inList("reviewer_id", p.userIds)),
      )
      .union(
        db
          .selectFrom("comments")
          .select(["issue_id", "author_id as user_id"])
          .where("kind", "in", ["comment", "code", "review"])
          .where(inList("issue_id", p.issueIds))
          .where(inList("author_id", p.userIds)),
      )
      .union(
        db
          .selectFrom("issue_watches")
          .select(["issue_id", "user_id"])
          .where("is_watching", "=", 1)
          .where(inList("issue_id", p.issueIds))
          .where(inList("user_id", p.userIds)),
      ),
)

/** The rows with these ids; no query where there are none. */
export async function rowsOf<Row extends { readonly id: number }>(
  db: Handle,
  find: (db: Handle, ids: Ids) => Promise<readonly Row[]>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Row>> {
  if (ids.length === 0) return new Map()
  return new Map((await find(db, { ids: [...new Set(ids)] })).map((row) => [row.id, row]))
}
