import { onPullSignedIn } from "../../../access/policies/pulls.ts"
import { requireAccount } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import { moved, type Page, page } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { markViewed } from "../../../features/review/reviews/viewed-store.ts"
import { isObjectId } from "../../../git/index.ts"
import { conversationPath } from "../../parts/conversation/call.ts"
import { anchorOf } from "../../parts/diffs/diffs.ts"

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
    if (path === "") throw refuse.invalid("path", "must name a file")
    if (blob !== "" && !isObjectId(blob, repository.object_format)) throw refuse.invalid("blob", "must be the id of a file")
    const file = { userId: me.id, pullId: pull.id, path }
    await services.database.write((tx) => markViewed(tx, file, viewed ? blob : undefined))
    return moved(`${conversationPath(call)}/files#${anchorOf(path)}`)
  },
})
