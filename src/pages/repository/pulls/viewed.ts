import { onPullSignedIn } from "../../../access/policies/pulls.ts"
import { requireAccount } from "../../../access/policies/site.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { refuse } from "../../../core/errors.ts"
import { moved, type Page, page } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { isObjectId } from "../../../git/index.ts"
import { conversationPath } from "../../parts/conversation/conversation.ts"
import { anchorOf } from "../../parts/diffs/diffs.ts"

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

/** Marks one file as viewed, as its reader saw it, or takes the mark away. */
export const viewedForm: Page = page({
  id: "pull.viewed",
  address: "POST /{owner}/{repo}/pulls/{index}/viewed",
  access: onPullSignedIn,
  query: {
    path: Type.Optional(Type.String({ maxLength: 4096 })),
    blob: Type.Optional(Type.String({ maxLength: 64 })),
    viewed: Type.Optional(Type.Boolean()),
  },
  answer: async (call) => {
    requireAccount(call)
    const { services, query, me, pull, repository } = call
    const { path = "", blob = "", viewed = false } = query
    if (path === "" || path.includes("\0")) throw refuse.invalid("path", "must name a file")
    if (blob !== "" && !isObjectId(blob, repository.object_format)) throw refuse.invalid("blob", "must be the id of a file")
    const file = { userId: me.id, pullId: pull.id, path }
    await services.database.write(async (tx) => {
      await removeMark(tx, file)
      if (!viewed) return
      if ((await findMarks(tx, file)).length >= MOST_MARKS) throw refuse.invalid("path", "there are too many marks")
      await insertMark(tx, { ...file, blobId: blob })
    })
    return moved(`${conversationPath(call)}/files#${anchorOf(path)}`)
  },
})
