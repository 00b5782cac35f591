import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import type { Handle } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Services } from "../../../core/services.ts"
import { type AheadBehind, objectId } from "../../../git/index.ts"

/** How far branches are ahead of and behind the default branch, stored by the commits of both. A cache: rows may be removed at any time. */

/** The most heads that are compared in one walk. */
const MOST_HEADS = 50
/** The most pairs stored for one repository. */
const MOST_PAIRS = 2_000

const findPairs = query("history.findComparisons", (db, p: Params<{ repositoryId: number; baseId: string; headIds: readonly string[] }>) =>
  db
    .selectFrom("branch_comparisons")
    .select(["head_id", "ahead", "behind"])
    .where("repository_id", "=", p.repositoryId)
    .where("base_id", "=", p.baseId)
    .where("head_id", "in", p.headIds),
)

const putPair = query(
  "history.putComparison",
  (db, p: Params<{ repositoryId: number; baseId: string; headId: string; ahead: number; behind: number }>) =>
    db
      .insertInto("branch_comparisons")
      .values({ repository_id: p.repositoryId, base_id: p.baseId, head_id: p.headId, ahead: p.ahead, behind: p.behind })
      .onConflict((conflict) => conflict.columns(["repository_id", "base_id", "head_id"]).doNothing()),
)

/** What was compared with a default branch that has moved is not asked for again. */
const removeOtherBases = query("history.removeComparisons", (db, p: Params<{ repositoryId: number; baseId: string }>) =>
  db.deleteFrom("branch_comparisons").where("repository_id", "=", p.repositoryId).where("base_id", "!=", p.baseId),
)

const countPairs = query("history.countComparisons", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("branch_comparisons")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("repository_id", "=", p.repositoryId),
)

/** The stored comparisons of these heads with a base, by head. One query. */
export async function findComparisons(
  db: Handle,
  repositoryId: number,
  baseId: string,
  headIds: readonly string[],
): Promise<ReadonlyMap<string, AheadBehind>> {
  if (headIds.length === 0) return new Map()
  const rows = await findPairs(db, { repositoryId, baseId, headIds: [...new Set(headIds)] })
  return new Map(rows.map(({ head_id, ahead, behind }) => [head_id, { ahead, behind }]))
}

/** Compares those of the heads that are not stored with the base, fifty in each walk of git, and stores them. Throws GitError. */
export async function storeComparisons(
  { git, database }: Services,
  { id: repositoryId, storage, object_format }: Pick<RepositoryRow, "id" | "storage" | "object_format">,
  baseId: string,
  headIds: readonly string[],
): Promise<void> {
  const repository = git.at(storage, object_format)
  const stored = await findComparisons(database.read, repositoryId, baseId, headIds)
  const unknown = [...new Set(headIds)].filter((id) => !stored.has(id))
  for (let start = 0; start < unknown.length; start += MOST_HEADS) {
    const heads = unknown.slice(start, start + MOST_HEADS).map((id) => objectId(id))
    const compared = await git.history.aheadBehind(repository, objectId(baseId), heads)
    if (compared.size === 0) return
    await database.write(async (tx) => {
      if (!(await lockRow(tx, "repositories", repositoryId))) return
      const counted = await countPairs.first(tx, { repositoryId })
      if ((counted?.total ?? 0) + compared.size > MOST_PAIRS) await removeOtherBases(tx, { repositoryId, baseId })
      for (const [headId, { ahead, behind }] of compared) await putPair(tx, { repositoryId, baseId, headId, ahead, behind })
    })
  }
}

/** Forgets comparisons with other bases. */
export const forgetOtherBases = removeOtherBases
