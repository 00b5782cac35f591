import { type Kysely, sql } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Tables } from "../../../core/database/tables/index.ts"

/** The changes of series, and which pull request stands on which. */

/** The newest pull request that someone has made of a change, open or not. */
export const findByIdentity = query(
  "stacks.findByIdentity",
  (db, p: Params<{ repositoryId: number; baseBranch: string; topic: string; authorId: number }>) =>
    db
      .selectFrom("pulls")
      .innerJoin("issues", "issues.id", "pulls.issue_id")
      .selectAll("pulls")
      .select(["issues.number", "issues.title", "issues.content", "issues.is_closed"])
      .where("pulls.head_repository_id", "is", null)
      .where("pulls.head_branch", "=", p.topic)
      .where("pulls.is_offered", "=", 1)
      .where("pulls.repository_id", "=", p.repositoryId)
      .where("pulls.base_branch", "=", p.baseBranch)
      .where("issues.author_id", "=", p.authorId)
      .orderBy("issues.is_closed")
      .orderBy("pulls.id", "desc")
      .limit(1),
)

/** Open changes whose present commit is one of these, whoever has pushed them. */
export const findChangesAt = query(
  "stacks.findChangesAt",
  (db, p: Params<{ repositoryId: number; baseBranch: string; commits: readonly string[] }>) =>
    db
      .selectFrom("pulls")
      .innerJoin("issues", "issues.id", "pulls.issue_id")
      .innerJoin("stacked_changes", "stacked_changes.pull_id", "pulls.id")
      .select(["pulls.id", "pulls.head_id", "issues.number"])
      .where("pulls.repository_id", "=", p.repositoryId)
      .where("pulls.base_branch", "=", p.baseBranch)
      .where("pulls.head_id", "in", p.commits)
      .where("issues.is_closed", "=", 0)
      .orderBy("pulls.id"),
)

/** Pull requests, with what a stack shows of them. */
const members = (db: Kysely<Tables>) =>
  db
    .selectFrom("pulls")
    .innerJoin("issues", "issues.id", "pulls.issue_id")
    .leftJoin("stacked_changes", "stacked_changes.pull_id", "pulls.id")
    .selectAll("pulls")
    .select(["issues.number", "issues.title", "issues.is_closed", "issues.author_id"])
    .select(["stacked_changes.change_id", "stacked_changes.below_id", "stacked_changes.note"])

export const findMembers = query("stacks.findMembers", (db, p: Params<{ pullIds: readonly number[] }>) =>
  members(db).where("pulls.id", "in", p.pullIds),
)

export type Member = Awaited<ReturnType<typeof findMembers>>[number]

/** The open pull requests of changes that stand on these. */
export const findChangesAbove = query("stacks.findChangesAbove", (db, p: Params<{ pullIds: readonly number[]; limit: number }>) =>
  members(db)
    .where("pulls.id", "in", (eb) =>
      eb.selectFrom("stacked_changes as above").select("above.pull_id").where("above.below_id", "in", p.pullIds),
    )
    .where("issues.is_closed", "=", 0)
    .orderBy("pulls.id")
    .limit(p.limit),
)

/** The open pull requests into these branches of a repository. */
export const findBranchesAbove = query(
  "stacks.findBranchesAbove",
  (db, p: Params<{ repositoryId: number; branches: readonly string[]; limit: number }>) =>
    members(db)
      .where("pulls.repository_id", "=", p.repositoryId)
      .where("pulls.base_branch", "in", p.branches)
      .where("issues.is_closed", "=", 0)
      .orderBy("pulls.id")
      .limit(p.limit),
)

/** The open pull request from a branch of a repository into another of its branches; the newest. */
export const findBranchBelow = query("stacks.findBranchBelow", (db, p: Params<{ repositoryId: number; branch: string }>) =>
  members(db)
    .where("pulls.repository_id", "=", p.repositoryId)
    .where("pulls.head_repository_id", "=", p.repositoryId)
    .where("pulls.head_branch", "=", p.branch)
    .where("issues.is_closed", "=", 0)
    .orderBy("pulls.id", "desc")
    .limit(1),
)

const insertChange = query(
  "stacks.insertChange",
  (db, p: Params<{ pullId: number; changeId: string; belowId: number | null; note: string }>) =>
    db
      .insertInto("stacked_changes")
      .values({ pull_id: p.pullId, change_id: p.changeId, below_id: p.belowId, note: p.note })
      .onConflict((on) => on.column("pull_id").doUpdateSet({ change_id: p.changeId, below_id: p.belowId, note: p.note })),
)

/** Stores where a change stands in its series. */
export async function placeChange(
  tx: Transaction,
  change: { readonly pullId: number; readonly changeId: string; readonly belowId: number | null; readonly note: string },
): Promise<void> {
  await insertChange(tx, change)
}

export const setNote = query("stacks.setNote", (db, p: Params<{ pullId: number; note: string }>) =>
  db.updateTable("stacked_changes").set({ note: p.note }).where("pull_id", "=", p.pullId),
)

/** One more version of the pull request of an issue: its head as it is now. */
export const addVersion = query("stacks.addVersion", (db, p: Params<{ issueId: number; pusherId: number; now: number }>) =>
  db
    .insertInto("pull_versions")
    .columns(["pull_id", "number", "head_id", "base_id", "pusher_id", "created_at"])
    .expression((eb) =>
      eb
        .selectFrom("pulls")
        .select([
          "pulls.id",
          sql<number>`coalesce((select max(number) from pull_versions where pull_id = pulls.id), 0) + 1`.as("number"),
          "pulls.head_id",
          "pulls.merge_base",
          sql<number>`cast(${p.pusherId} as bigint)`.as("pusher_id"),
          sql<number>`cast(${p.now} as bigint)`.as("created_at"),
        ])
        .where("pulls.issue_id", "=", p.issueId),
    ),
)

export const findVersions = query("stacks.findVersions", (db, p: Params<{ pullId: number; limit: number; offset: number }>) =>
  db.selectFrom("pull_versions").selectAll().where("pull_id", "=", p.pullId).orderBy("number", "desc").limit(p.limit).offset(p.offset),
)

export const countVersions = query("stacks.countVersions", (db, p: Params<{ pullId: number }>) =>
  db
    .selectFrom("pull_versions")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("pull_id", "=", p.pullId),
)

export const findVersion = query("stacks.findVersion", (db, p: Params<{ pullId: number; number: number }>) =>
  db.selectFrom("pull_versions").selectAll().where("pull_id", "=", p.pullId).where("number", "=", p.number),
)

export type Version = NonNullable<Awaited<ReturnType<typeof findVersion.first>>>

/** The commits that versions of a repository's pull requests name: they are shown with them. */
export const findVersionCommits = query("stacks.findVersionCommits", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("pull_versions")
    .innerJoin("pulls", "pulls.id", "pull_versions.pull_id")
    .innerJoin("stacked_changes", "stacked_changes.pull_id", "pulls.id")
    .select(["pull_versions.head_id", "pull_versions.base_id", "pulls.stands_on"])
    .where("pulls.repository_id", "=", p.repositoryId),
)
