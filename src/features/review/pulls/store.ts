import { sql, type Updateable } from "kysely"
import type { Pull } from "../../../access/policies/pulls.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { PullsTable } from "../../../core/database/tables/pulls.ts"
import type { Flag, Seconds } from "../../../core/database/tables/types.ts"

export type { Pull } from "../../../access/policies/pulls.ts"
export { findPullByIssue } from "../../../access/store.ts"

export const findPull = query("pulls.find", (db, p: Params<{ id: number }>) => db.selectFrom("pulls").selectAll().where("id", "=", p.id))

/** The commit that a pull request is compared with: the one below it in its stack, else the tip of its base branch. */
const baseTip = sql<string | null>`coalesce(nullif(pulls.stands_on, ''), base.commit_id)`.as("base_tip")

/** What is shown of a pull request beside its own row: the tips of both branches, null where one is gone, and the number of submitted reviews. */
export interface PullSummary {
  readonly base_tip: string | null
  readonly head_tip: string | null
  readonly reviews_count: number
}

/** The pull requests of these issues, with their branch tips and counts. */
export const findPullsOfIssues = query("pulls.findOfIssues", (db, p: Params<{ issueIds: readonly number[] }>) =>
  db
    .selectFrom("pulls")
    .leftJoin("branches as base", (join) =>
      join.onRef("base.repository_id", "=", "pulls.repository_id").onRef("base.name", "=", "pulls.base_branch"),
    )
    .leftJoin("branches as head", (join) =>
      join.onRef("head.repository_id", "=", "pulls.head_repository_id").onRef("head.name", "=", "pulls.head_branch"),
    )
    .selectAll("pulls")
    .select(["head.commit_id as head_tip", baseTip])
    .select(
      sql<number>`(select count(*) from comments where comments.issue_id = pulls.issue_id and comments.kind = 'review')`.as(
        "reviews_count",
      ),
    )
    .where("pulls.issue_id", "in", p.issueIds),
)

/** A pull request as it is now, with what decides whether it must be assessed again. */
export const findNow = query("pulls.findNow", (db, p: Params<{ id: number }>) =>
  db
    .selectFrom("pulls")
    .innerJoin("issues", "issues.id", "pulls.issue_id")
    .leftJoin("branches as base", (join) =>
      join.onRef("base.repository_id", "=", "pulls.repository_id").onRef("base.name", "=", "pulls.base_branch"),
    )
    .selectAll("pulls")
    .select(["issues.number", "issues.is_closed", baseTip])
    .where("pulls.id", "=", p.id),
)

/** The newest open pull request from one branch to another. */
export const findOpenBetween = query(
  "pulls.findOpenBetween",
  (db, p: Params<{ repositoryId: number; baseBranch: string; headRepositoryId: number; headBranch: string }>) =>
    db
      .selectFrom("pulls")
      .innerJoin("issues", "issues.id", "pulls.issue_id")
      .select(["pulls.id", "issues.number"])
      .where("pulls.repository_id", "=", p.repositoryId)
      .where("pulls.base_branch", "=", p.baseBranch)
      .where("pulls.head_repository_id", "=", p.headRepositoryId)
      .where("pulls.head_branch", "=", p.headBranch)
      .where("issues.is_closed", "=", 0)
      .orderBy("pulls.id", "desc")
      .limit(1),
)

/** The open pull request that someone has made of a topic, with the columns that an update needs. */
export const findOpenOffer = query(
  "pulls.findOpenOffer",
  (db, p: Params<{ repositoryId: number; baseBranch: string; topic: string; authorId: number }>) =>
    db
      .selectFrom("pulls")
      .innerJoin("issues", "issues.id", "pulls.issue_id")
      .selectAll("pulls")
      .select("issues.number")
      .where("pulls.head_repository_id", "is", null)
      .where("pulls.head_branch", "=", p.topic)
      .where("pulls.is_offered", "=", 1)
      .where("pulls.repository_id", "=", p.repositoryId)
      .where("pulls.base_branch", "=", p.baseBranch)
      .where("issues.author_id", "=", p.authorId)
      .where("issues.is_closed", "=", 0)
      .orderBy("pulls.id", "desc")
      .limit(1),
)

/** Gives the topics of someone who has another name now the new beginning `to` in place of `from`, both with the slash. */
export const renameTopics = query("pulls.renameTopics", (db, p: Params<{ authorId: number; from: string; to: string }>) => {
  const length = sql`length(cast(${p.from} as text))`
  return db
    .updateTable("pulls")
    .set({ head_branch: sql<string>`cast(${p.to} as text) || substr(head_branch, ${length} + 1)` })
    .where("is_offered", "=", 1)
    .where(sql<string>`substr(head_branch, 1, ${length})`, "=", p.from)
    .where("issue_id", "in", (eb) => eb.selectFrom("issues").select("id").where("author_id", "=", p.authorId).where("is_pull", "=", 1))
})

/** The newest pull request from one branch to another that is not merged. */
export const findUnmergedBetween = query(
  "pulls.findUnmergedBetween",
  (db, p: Params<{ repositoryId: number; baseBranch: string; headRepositoryId: number; headBranch: string }>) =>
    db
      .selectFrom("pulls")
      .selectAll()
      .where("repository_id", "=", p.repositoryId)
      .where("base_branch", "=", p.baseBranch)
      .where("head_repository_id", "=", p.headRepositoryId)
      .where("head_branch", "=", p.headBranch)
      .where("is_merged", "=", 0)
      .orderBy("id", "desc")
      .limit(1),
)

export const insertPull = query(
  "pulls.insert",
  (
    db,
    p: Params<
      AssessedColumns &
        Pick<
          Pull,
          "issue_id" | "repository_id" | "base_branch" | "head_repository_id" | "head_branch" | "is_offered" | "allow_maintainer_edit"
        >
    >,
  ) =>
    db
      .insertInto("pulls")
      .values({
        issue_id: p.issue_id,
        repository_id: p.repository_id,
        base_branch: p.base_branch,
        head_repository_id: p.head_repository_id,
        head_branch: p.head_branch,
        is_offered: p.is_offered,
        head_id: p.head_id,
        ...assessedValues(p),
        allow_maintainer_edit: p.allow_maintainer_edit,
        is_merged: 0,
        merged_at: 0,
        merged_by_id: 0,
        merge_commit_id: "",
        is_merged_manually: 0,
      })
      .returningAll(),
)

/** The last pusher of the head branch. */
export const findHeadPusher = query("pulls.findHeadPusher", (db, p: Params<{ id: number }>) =>
  db
    .selectFrom("pulls")
    .innerJoin("branches", (join) =>
      join.onRef("branches.repository_id", "=", "pulls.head_repository_id").onRef("branches.name", "=", "pulls.head_branch"),
    )
    .select("branches.pusher_id")
    .where("pulls.id", "=", p.id),
)

type Branches = Params<{ repositoryId: number; branches: readonly string[] }>

/** The open pull requests from branches of a repository, into any repository. */
export const findOpenFrom = query("pulls.findOpenFrom", (db, p: Branches) =>
  db
    .selectFrom("pulls")
    .innerJoin("issues", "issues.id", "pulls.issue_id")
    .selectAll("pulls")
    .select("issues.number")
    .where("pulls.head_repository_id", "=", p.repositoryId)
    .where("pulls.head_branch", "in", p.branches)
    .where("issues.is_closed", "=", 0)
    .orderBy("pulls.repository_id")
    .orderBy("pulls.id"),
)

/** The open pull requests from a repository to others. */
export const findOpenElsewhere = query("pulls.findOpenElsewhere", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("pulls")
    .innerJoin("issues", "issues.id", "pulls.issue_id")
    .selectAll("pulls")
    .where("pulls.head_repository_id", "=", p.repositoryId)
    .where("pulls.repository_id", "!=", p.repositoryId)
    .where("issues.is_closed", "=", 0)
    .orderBy("pulls.repository_id")
    .orderBy("pulls.id"),
)

/** The open pull requests into branches of a repository, most recently updated first. */
export const findOpenInto = query("pulls.findOpenInto", (db, p: Branches) =>
  db
    .selectFrom("pulls")
    .innerJoin("issues", "issues.id", "pulls.issue_id")
    .selectAll("pulls")
    .where("pulls.repository_id", "=", p.repositoryId)
    .where("pulls.base_branch", "in", p.branches)
    .where("issues.is_closed", "=", 0)
    .orderBy("issues.updated_at", "desc")
    .orderBy("pulls.id"),
)

/** The last pull request from each of these branches of a repository into another of its branches; the newest is the last. */
export const findLastFrom = query("pulls.findLastFrom", (db, p: Params<{ repositoryId: number; branches: readonly string[] }>) =>
  db
    .selectFrom("pulls")
    .select(["head_branch", "base_branch", "is_merged"])
    .where("repository_id", "=", p.repositoryId)
    .where("head_repository_id", "=", p.repositoryId)
    .where("head_branch", "in", p.branches)
    .orderBy("id"),
)

/** The pull requests whose merge made a commit, newest first; more than one only where a merge was recorded by hand. */
export const findMergedBy = query("commits.findMergedPulls", (db, p: Params<{ repositoryId: number; commitId: string }>) =>
  db
    .selectFrom("pulls")
    .selectAll()
    .where("repository_id", "=", p.repositoryId)
    .where("merge_commit_id", "=", p.commitId)
    .where("is_merged", "=", 1)
    .orderBy("id", "desc"),
)

/** Marks a pull request as merged that came from elsewhere. */
export const setMerged = (
  tx: Transaction,
  id: number,
  merged: Pick<Pull, "is_merged" | "merged_at" | "merged_by_id" | "merge_commit_id">,
) => tx.updateTable("pulls").set(merged).where("id", "=", id).execute()

export const markMerged = query(
  "merge.markMerged",
  (db, p: Params<{ id: number; mergedAt: Seconds; mergedById: number; commitId: string; manually: Flag }>) =>
    db
      .updateTable("pulls")
      .set({
        is_merged: 1,
        merged_at: p.mergedAt,
        merged_by_id: p.mergedById,
        merge_commit_id: p.commitId,
        is_merged_manually: p.manually,
        mergeability: "mergeable",
      })
      .where("id", "=", p.id)
      .where("is_merged", "=", 0)
      .returningAll(),
)

export const claimForMerge = query("merge.claim", (db, p: Params<{ id: number; headId: string; baseBranch: string; entryId: number }>) =>
  db
    .updateTable("pulls")
    .set({ merge_entry: p.entryId })
    .where("id", "=", p.id)
    .where("is_merged", "=", 0)
    .where("head_id", "=", p.headId)
    .where("base_branch", "=", p.baseBranch)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("jobs")
            .select("jobs.id")
            .whereRef("jobs.id", "=", "pulls.merge_entry")
            .where("jobs.state", "in", ["waiting", "running"]),
        ),
      ),
    )
    .where((eb) =>
      eb.exists(eb.selectFrom("issues").select("issues.id").whereRef("issues.id", "=", "pulls.issue_id").where("issues.is_closed", "=", 0)),
    ),
)

export const renameHeads = query("pulls.renameHeads", (db, p: Rename) =>
  db
    .updateTable("pulls")
    .set({ head_branch: p.to })
    .where("head_repository_id", "=", p.repositoryId)
    .where("head_branch", "=", p.from)
    .where("is_merged", "=", 0),
)

export const renameBases = query("pulls.renameBases", (db, p: Rename) =>
  db
    .updateTable("pulls")
    .set({ base_branch: p.to })
    .where("repository_id", "=", p.repositoryId)
    .where("base_branch", "=", p.from)
    .where("is_merged", "=", 0),
)

export const replaceHead = query("pulls.replaceHead", (db, p: Params<AssessedColumns & { id: number; before: string }>) =>
  db
    .updateTable("pulls")
    .set({ head_id: p.head_id, ...assessedValues(p) })
    .where("id", "=", p.id)
    .where("head_id", "=", p.before)
    .where("is_merged", "=", 0)
    .returningAll(),
)

export const findNamedCommits = query("pulls.findNamedCommits", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("pulls").select(["head_id", "base_id", "merge_base", "merge_commit_id"]).where("repository_id", "=", p.repositoryId),
)

export const findReviewedCommits = query("reviews.findNamedCommits", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("reviews")
    .innerJoin("pulls", "pulls.issue_id", "reviews.issue_id")
    .leftJoin("review_comments", "review_comments.review_id", "reviews.id")
    .select(["reviews.commit_id", "review_comments.commit_id as line_commit_id"])
    .where("pulls.repository_id", "=", p.repositoryId),
)

export const storeAssessment = query(
  "pulls.storeAssessment",
  (db, p: Params<AssessedColumns & { id: number; baseBranch: string; standsOn: string }>) =>
    db
      .updateTable("pulls")
      .set(assessedValues(p))
      .where("id", "=", p.id)
      .where("head_id", "=", p.head_id)
      .where("base_branch", "=", p.baseBranch)
      .where("stands_on", "=", p.standsOn)
      .returningAll(),
)

/** Changes these columns of a pull request. */
export async function updatePull(tx: Transaction, id: number, changes: Updateable<PullsTable>): Promise<void> {
  await tx.updateTable("pulls").set(changes).where("id", "=", id).execute()
}

type Rename = Params<{ repositoryId: number; from: string; to: string }>

/** The columns of `pulls` that hold an assessment. */
export type AssessedColumns = Pick<
  Pull,
  | "head_id"
  | "base_id"
  | "merge_base"
  | "mergeability"
  | "conflicted_files"
  | "additions"
  | "deletions"
  | "changed_files"
  | "commits_ahead"
  | "commits_behind"
>

/** The same columns as parameters: all but the head. */
const assessedValues = (p: Params<AssessedColumns>) => ({
  base_id: p.base_id,
  merge_base: p.merge_base,
  mergeability: p.mergeability,
  conflicted_files: p.conflicted_files,
  additions: p.additions,
  deletions: p.deletions,
  changed_files: p.changed_files,
  commits_ahead: p.commits_ahead,
  commits_behind: p.commits_behind,
})
