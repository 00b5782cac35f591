import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import type { Handle } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Services } from "../../../core/services.ts"
import { type AheadBehind, objectId } from "../../../git/index.ts"
import { countPairs, findPairs, putPair, removeOtherBases } from "./store.ts"

/** How far branches are ahead of and behind the default branch, stored by the commits of both. A cache: rows may be removed at any time. */

/** The most heads that are compared in one walk. */
const MOST_HEADS = 50
/** The most pairs stored for one repository. */
const MOST_PAIRS = 2_000

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
