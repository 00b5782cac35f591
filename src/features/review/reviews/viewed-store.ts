import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { refuse } from "../../../core/errors.ts"

/** The files of a pull request that a person has viewed: a mark is about the file as it was then, and a changed file has none. */

/** The most marks of one person in one pull request. */
const MOST_MARKS = 10_000

const findMarks = query("viewed.find", (db, p: Params<{ userId: number; pullId: number }>) =>
  db
    .selectFrom("viewed_files")
    .select(["path", "blob_id"])
    .where("user_id", "=", p.userId)
    .where("pull_id", "=", p.pullId)
    .limit(MOST_MARKS),
)

const removeMark = query("viewed.remove", (db, p: Params<{ userId: number; pullId: number; path: string }>) =>
  db.deleteFrom("viewed_files").where("user_id", "=", p.userId).where("pull_id", "=", p.pullId).where("path", "=", p.path),
)

const insertMark = query("viewed.insert", (db, p: Params<{ userId: number; pullId: number; path: string; blobId: string }>) =>
  db.insertInto("viewed_files").values({ user_id: p.userId, pull_id: p.pullId, path: p.path, blob_id: p.blobId }),
)

/** The blobs that a person has viewed, by the files' paths; "" for a deletion. */
export async function viewedBy(
  db: Parameters<typeof findMarks>[0],
  by: { readonly userId: number; readonly pullId: number },
): Promise<ReadonlyMap<string, string>> {
  return new Map((await findMarks(db, by)).map(({ path, blob_id }) => [path, blob_id]))
}

/** Marks a file as viewed as it is there, "" for a deletion, or takes the mark away: undefined. Refuses `invalid` beyond the most marks. */
export async function markViewed(
  tx: Transaction,
  file: { readonly userId: number; readonly pullId: number; readonly path: string },
  blobId: string | undefined,
): Promise<void> {
  await removeMark(tx, file)
  if (blobId === undefined) return
  if ((await findMarks(tx, file)).length >= MOST_MARKS) throw refuse.invalid("path", "there are too many marks")
  await insertMark(tx, { ...file, blobId })
}
