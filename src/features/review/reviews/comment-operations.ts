import { onPullsSignedIn, onPullToChange } from "../../../access/policies/pulls.ts"
import { created, noContent, type Operation, operation } from "../../../core/operation.ts"
import { presentLineComments } from "./present.ts"
import { CreatePullReviewCommentReplyOptions, PullReviewComment } from "./records.ts"
import { reply, setResolved } from "./replies.ts"

const COMMENT = "/repos/{owner}/{repo}/pulls/comments/{id}"

const change = { tag: "repository", scope: ["repository"], archived: "refused" } as const
const resolving = { ...change, access: onPullsSignedIn, answers: { 204: null }, refuses: ["badRequest", "forbidden"] } as const

export const reviewCommentOperations: readonly Operation[] = [
  operation({
    ...change,
    id: "repoCreatePullReviewCommentReply",
    route: "POST /repos/{owner}/{repo}/pulls/{index}/comments/{id}/replies",
    summary: "Reply to a review comment",
    access: onPullToChange,
    body: CreatePullReviewCommentReplyOptions,
    answers: { 201: PullReviewComment },
    refuses: ["forbidden"],
    handle: async (call) => {
      const { db, services, actor, path, body } = call
      const comment = await services.database.write((tx) => reply(tx, services, call, path.id, body.body))
      const [record] = await presentLineComments(db, services.site, actor, call, [comment])
      if (!record) throw new TypeError("one comment gives one record")
      return created(record)
    },
  }),
  operation({
    ...resolving,
    id: "repoResolvePullReviewComment",
    route: `POST ${COMMENT}/resolve`,
    summary: "Resolve a review conversation",
    handle: async (call) => {
      await call.services.database.write((tx) => setResolved(tx, call, call.path.id, true))
      return noContent()
    },
  }),
  operation({
    ...resolving,
    id: "repoUnresolvePullReviewComment",
    route: `POST ${COMMENT}/unresolve`,
    summary: "Unresolve a review conversation",
    handle: async (call) => {
      await call.services.database.write((tx) => setResolved(tx, call, call.path.id, false))
      return noContent()
    },
  }),
]
