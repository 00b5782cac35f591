import { type Params, query } from "../../../core/database/query.ts"

/** Rows carry the number of all of them, so that a list is one query. */
export const mergedPulls = query("activity.mergedPulls", (db, p: Span) =>
  db
    .selectFrom("pulls")
    .innerJoin("issues", "issues.id", "pulls.issue_id")
    .select(["issues.number", "issues.title", "pulls.merged_at as at"])
    .select((eb) => eb.fn.countAll<number>().over().as("total"))
    .where("pulls.repository_id", "=", p.repositoryId)
    .where("pulls.is_merged", "=", 1)
    .where("pulls.merged_at", ">=", p.since)
    .where("pulls.merged_at", "<", p.until)
    .orderBy("pulls.merged_at", "desc")
    .orderBy("issues.number", "desc")
    .limit(p.limit),
)

export const openedIn = query(
  "activity.opened",
  (db, p: Params<{ repositoryId: number; isPull: 0 | 1; since: number; until: number; limit: number }>) =>
    db
      .selectFrom("issues")
      .select(["number", "title", "created_at as at"])
      .select((eb) => eb.fn.countAll<number>().over().as("total"))
      .where("repository_id", "=", p.repositoryId)
      .where("is_pull", "=", p.isPull)
      .where("created_at", ">=", p.since)
      .where("created_at", "<", p.until)
      .orderBy("created_at", "desc")
      .orderBy("number", "desc")
      .limit(p.limit),
)

export const closedIssues = query("activity.closedIssues", (db, p: Span) =>
  db
    .selectFrom("issues")
    .select(["number", "title", "closed_at as at"])
    .select((eb) => eb.fn.countAll<number>().over().as("total"))
    .where("repository_id", "=", p.repositoryId)
    .where("is_pull", "=", 0)
    .where("is_closed", "=", 1)
    .where("closed_at", ">=", p.since)
    .where("closed_at", "<", p.until)
    .orderBy("closed_at", "desc")
    .orderBy("number", "desc")
    .limit(p.limit),
)

export const releasesIn = query("activity.releases", (db, p: Span) =>
  db
    .selectFrom("releases")
    .select(["tag_name as tag", "title", "created_at as at"])
    .select((eb) => eb.fn.countAll<number>().over().as("total"))
    .where("repository_id", "=", p.repositoryId)
    .where("is_draft", "=", 0)
    .where("created_at", ">=", p.since)
    .where("created_at", "<", p.until)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(p.limit),
)

type Span = Params<{ repositoryId: number; since: number; until: number; limit: number }>
