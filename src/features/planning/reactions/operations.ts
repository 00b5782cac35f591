import { onComment, onCommentSignedIn } from "../../../access/policies/comments.ts"
import { onIssue, onIssueSignedIn } from "../../../access/policies/issues.ts"
import { created, listed, noContent, type Operation, ok, operation, type Request } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { requireText } from "../issues/timeline.ts"
import { presentReactions } from "./present.ts"
import { EditReactionOption, Reaction } from "./records.ts"
import { addReaction, type Reacting, removeReaction } from "./rules.ts"
import { findReactions, findReactionsPage } from "./store.ts"

type Call = Reacting & Pick<Request, "db" | "services"> & { readonly body: EditReactionOption }

async function add(call: Call) {
  const { db, services, actor, body } = call
  if (call.comment) requireText(call.comment)
  const { reaction, isNew } = await services.database.write((tx) => addReaction(tx, call, body.content ?? "", services.now()))
  const [record] = await presentReactions(db, services.site, actor, [reaction])
  if (!record) throw new TypeError("one reaction gives one record")
  return isNew ? created(record) : ok(record)
}

async function remove(call: Call) {
  if (call.comment) requireText(call.comment)
  await call.services.database.write((tx) => removeReaction(tx, call, call.body.content ?? ""))
  return noContent()
}

const ISSUE = "/repos/{owner}/{repo}/issues/{index}/reactions"
const COMMENT = "/repos/{owner}/{repo}/issues/comments/{id}/reactions"

const common = { tag: "issue", scope: ["issue"] } as const
const change = { ...common, archived: "refused", body: EditReactionOption } as const
const adding = {
  ...change,
  description: "201 for a new one, 200 where it is there already.",
  answers: { 200: Reaction, 201: Reaction },
} as const
const removing = { ...change, description: "Without `content`, all that one has there.", answers: { 204: null } } as const

export const reactionOperations: readonly Operation[] = [
  operation({
    ...common,
    id: "issueGetIssueReactions",
    route: `GET ${ISSUE}`,
    summary: "List the reactions to an issue",
    access: onIssue,
    paged: true,
    answers: { 200: Type.Array(Reaction) },
    handle: async ({ db, services, actor, issue, page }) => {
      const { rows, total } = await findReactionsPage(db, issue.id, page)
      return listed(await presentReactions(db, services.site, actor, rows), total)
    },
  }),
  operation({
    ...adding,
    id: "issuePostIssueReaction",
    route: `POST ${ISSUE}`,
    summary: "React to an issue",
    access: onIssueSignedIn,
    handle: add,
  }),
  operation({
    ...removing,
    id: "issueDeleteIssueReaction",
    route: `DELETE ${ISSUE}`,
    summary: "Remove a reaction of one's own from an issue",
    access: onIssueSignedIn,
    handle: remove,
  }),
  operation({
    ...common,
    id: "issueGetCommentReactions",
    route: `GET ${COMMENT}`,
    summary: "List the reactions to a comment",
    access: onComment,
    answers: { 200: Type.Array(Reaction) },
    handle: async ({ db, services, actor, issue, comment }) => {
      requireText(comment)
      const rows = await findReactions(db, { issueId: issue.id, commentId: comment.id })
      return ok(await presentReactions(db, services.site, actor, rows))
    },
  }),
  operation({
    ...adding,
    id: "issuePostCommentReaction",
    route: `POST ${COMMENT}`,
    summary: "React to a comment",
    access: onCommentSignedIn,
    handle: add,
  }),
  operation({
    ...removing,
    id: "issueDeleteCommentReaction",
    route: `DELETE ${COMMENT}`,
    summary: "Remove a reaction of one's own from a comment",
    access: onCommentSignedIn,
    handle: remove,
  }),
]
