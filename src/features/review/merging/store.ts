import { type Params, query } from "../../../core/database/query.ts"

export const findReferred = query("merge.findReferred", (db, p: Params<{ issueId: number }>) =>
  db
    .selectFrom("comments")
    .innerJoin("issues", "issues.id", "comments.issue_id")
    .select(["comments.issue_id", "comments.author_id", "comments.ref_action", "issues.repository_id"])
    .where("comments.ref_issue_id", "=", p.issueId)
    .where("comments.kind", "in", ["pull_ref", "comment_ref"])
    .where("comments.ref_action", "in", ["closes", "reopens"])
    .orderBy("issues.repository_id")
    .orderBy("comments.issue_id")
    .orderBy("comments.id"),
)

export const countOthersWithHead = query(
  "merge.countOthersWithHead",
  (db, p: Params<{ id: number; headRepositoryId: number; headBranch: string }>) =>
    db
      .selectFrom("pulls")
      .innerJoin("issues", "issues.id", "pulls.issue_id")
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .where("pulls.id", "!=", p.id)
      .where("pulls.head_repository_id", "=", p.headRepositoryId)
      .where("pulls.head_branch", "=", p.headBranch)
      .where("issues.is_closed", "=", 0),
)

export const findOpenInto = query("merge.findOpenInto", (db, p: Params<{ repositoryId: number; branches: readonly string[] }>) =>
  db
    .selectFrom("pulls")
    .innerJoin("issues", "issues.id", "pulls.issue_id")
    .select(["pulls.id", "pulls.base_branch", "pulls.head_id"])
    .where("pulls.repository_id", "=", p.repositoryId)
    .where("pulls.base_branch", "in", p.branches)
    .where("pulls.is_merged", "=", 0)
    .where("issues.is_closed", "=", 0)
    .orderBy("pulls.id"),
)

export const findApprovers = query("merge.findApprovers", (db, p: Params<{ issueId: number }>) =>
  db
    .selectFrom("reviews")
    .innerJoin("users", "users.id", "reviews.reviewer_id")
    .selectAll("users")
    .where("reviews.issue_id", "=", p.issueId)
    .where("reviews.state", "=", "APPROVED")
    .where("reviews.is_dismissed", "=", 0)
    .orderBy("reviews.created_at")
    .orderBy("reviews.id"),
)

export const findClosing = query("merge.findClosing", (db, p: Params<{ issueId: number; repositoryId: number }>) =>
  db
    .selectFrom("comments")
    .innerJoin("issues", "issues.id", "comments.issue_id")
    .select("issues.number")
    .distinct()
    .where("comments.ref_issue_id", "=", p.issueId)
    .where("comments.ref_action", "=", "closes")
    .where("issues.repository_id", "=", p.repositoryId)
    .orderBy("issues.number"),
)
