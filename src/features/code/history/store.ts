import { type Selectable, sql } from "kysely"
import type { Repository } from "../../../access/permission.ts"
import { readableRepositories } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { containsLower, inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { BranchesTable } from "../../../core/database/tables/repositories.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../../people/users/store.ts"

export const findPairs = query(
  "history.findComparisons",
  (db, p: Params<{ repositoryId: number; baseId: string; headIds: readonly string[] }>) =>
    db
      .selectFrom("branch_comparisons")
      .select(["head_id", "ahead", "behind"])
      .where("repository_id", "=", p.repositoryId)
      .where("base_id", "=", p.baseId)
      .where("head_id", "in", p.headIds),
)

export const putPair = query(
  "history.putComparison",
  (db, p: Params<{ repositoryId: number; baseId: string; headId: string; ahead: number; behind: number }>) =>
    db
      .insertInto("branch_comparisons")
      .values({ repository_id: p.repositoryId, base_id: p.baseId, head_id: p.headId, ahead: p.ahead, behind: p.behind })
      .onConflict((conflict) => conflict.columns(["repository_id", "base_id", "head_id"]).doNothing()),
)

/** What was compared with a default branch that has moved is not asked for again. */
export const removeOtherBases = query("history.removeComparisons", (db, p: Params<{ repositoryId: number; baseId: string }>) =>
  db.deleteFrom("branch_comparisons").where("repository_id", "=", p.repositoryId).where("base_id", "!=", p.baseId),
)

export const countPairs = query("history.countComparisons", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("branch_comparisons")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("repository_id", "=", p.repositoryId),
)

export const findNewestTips = query("history.findGraphTips", (db, p: Params<{ repositoryId: number; limit: number }>) =>
  db
    .selectFrom("branches")
    .select(["name", "commit_id"])
    .where("repository_id", "=", p.repositoryId)
    .orderBy("committed_at", "desc")
    .orderBy("name")
    .limit(p.limit),
)

export const findPlace = query("history.findPlace", (db, p: Params<{ id: number }>) =>
  db.selectFrom("repositories").select(["id", "storage", "object_format", "default_branch"]).where("id", "=", p.id),
)

export const findTips = query("history.findTips", (db, p: Params<{ repositoryId: number; limit: number }>) =>
  db
    .selectFrom("branches")
    .select("commit_id")
    .where("repository_id", "=", p.repositoryId)
    .orderBy("committed_at", "desc")
    .orderBy("name")
    .limit(p.limit),
)

export const findTreeHistory = query("history.findTree", (db, p: Params<{ repositoryId: number; path: string; treeId: string }>) =>
  db
    .selectFrom("tree_histories")
    .select(["commit_id", "entries"])
    .where("repository_id", "=", p.repositoryId)
    .where("path", "=", p.path)
    .where("tree_id", "=", p.treeId),
)

/** The commits for which something is stored of these directories, the last stored ones first. */
export const findSeedCommits = query(
  "history.findSeedCommits",
  (db, p: Params<{ repositoryId: number; paths: readonly string[]; limit: number }>) =>
    db
      .selectFrom("tree_histories")
      .select("commit_id")
      .where("repository_id", "=", p.repositoryId)
      .where("path", "in", p.paths)
      .orderBy("stored_at", "desc")
      .limit(p.limit),
)

export const findSeeds = query(
  "history.findSeeds",
  (db, p: Params<{ repositoryId: number; paths: readonly string[]; commitIds: readonly string[] }>) =>
    db
      .selectFrom("tree_histories")
      .select(["path", "commit_id", "entries"])
      .where("repository_id", "=", p.repositoryId)
      .where("path", "in", p.paths)
      .where("commit_id", "in", p.commitIds),
)

/** The directories that were asked for, the last ones first. */
export const findStoredTrees = query("history.findStoredTrees", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("tree_histories")
    .select(["path", "tree_id", "commit_id"])
    .where("repository_id", "=", p.repositoryId)
    .orderBy("stored_at", "desc"),
)

export const putTree = query(
  "history.putTree",
  (db, p: Params<{ repositoryId: number; path: string; treeId: string; commitId: string; entries: string; now: number }>) =>
    db
      .insertInto("tree_histories")
      .values({
        repository_id: p.repositoryId,
        path: p.path,
        tree_id: p.treeId,
        commit_id: p.commitId,
        entries: p.entries,
        stored_at: p.now,
      })
      .onConflict((conflict) =>
        conflict.columns(["repository_id", "path", "tree_id"]).doUpdateSet((eb) => ({
          commit_id: eb.ref("excluded.commit_id"),
          entries: eb.ref("excluded.entries"),
          stored_at: eb.ref("excluded.stored_at"),
        })),
      ),
)

/** Removes all but the newest. */
export const pruneTrees = query("history.pruneTrees", (db, p: Params<{ repositoryId: number; keep: number }>) =>
  db
    .deleteFrom("tree_histories")
    .where("repository_id", "=", p.repositoryId)
    .where("stored_at", "<", (eb) =>
      eb
        .selectFrom("tree_histories as newer")
        .select("newer.stored_at")
        .where("newer.repository_id", "=", p.repositoryId)
        .orderBy("newer.stored_at", "desc")
        .limit(1)
        .offset(p.keep),
    ),
)

/** The newest open pull request from each branch into a repository whose pull requests the caller may read. One query. */
export async function findPullsOfBranches(
  db: Handle,
  actor: Actor,
  repositoryId: number,
  names: readonly string[],
): Promise<ReadonlyMap<string, BranchPull>> {
  if (names.length === 0) return new Map()
  const rows = await db
    .selectFrom("pulls")
    .innerJoin("issues", "issues.id", "pulls.issue_id")
    .innerJoin("repositories", "repositories.id", "pulls.repository_id")
    .innerJoin("users as base_owner", "base_owner.id", "repositories.owner_id")
    .select(["base_owner.name as owner", "repositories.name as repository", "issues.number", "issues.title"])
    .select(["pulls.base_branch as baseBranch", "pulls.head_branch"])
    .where("pulls.head_repository_id", "=", repositoryId)
    .where(inList("pulls.head_branch", names))
    .where("issues.is_closed", "=", 0)
    .where(readableRepositories(actor, "repo.pulls"))
    .orderBy("pulls.id")
    .execute()
  return new Map(rows.map(({ head_branch, ...pull }) => [head_branch, pull]))
}

/** An open pull request from a branch. */
export interface BranchPull {
  readonly owner: string
  readonly repository: string
  readonly number: number
  readonly title: string
  readonly baseBranch: string
}

/** A page of the branches with this in their name, the default branch first, then those that were committed to last. */
export async function listNamed(
  db: Handle,
  { id, default_branch }: Pick<Repository, "id" | "default_branch">,
  text: string,
  { limit, offset }: Page,
): Promise<Found<Selectable<BranchesTable>>> {
  const matching = db
    .selectFrom("branches")
    .where("repository_id", "=", id)
    .$if(text !== "", (all) => all.where(containsLower(sql`lower(name)`, text.toLowerCase())))
  const { total } = await matching.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await matching
    .selectAll()
    .orderBy((eb) => eb.case().when("name", "=", default_branch).then(0).else(1).end())
    .orderBy("committed_at", "desc")
    .orderBy("name")
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total }
}
