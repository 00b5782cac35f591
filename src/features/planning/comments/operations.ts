import { type OnComment, onComment, onCommentAsAuthor } from "../../../access/policies/comments.ts"
import { onIssue, onIssueSignedIn, onIssues, readableKinds } from "../../../access/policies/issues.ts"
import type { Me } from "../../../access/policies/site.ts"
import { lineOf } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"
import { created, listed, noContent, type Operation, ok, operation, type Request } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { deleted, SAYS_UNTIL_WHEN } from "../../code/deletions/answer.ts"
import { isText } from "../issues/timeline.ts"
import { presentComments, presentOne } from "./present.ts"
import { Comment, CreateIssueCommentOption, commentsQuery, EditIssueCommentOption, periodOf, TimelineComment } from "./records.ts"
import { createComment, deleteComment, editComment } from "./rules.ts"
import { findComments, findCommentsIn, findTimeline } from "./store.ts"
import { presentTimeline } from "./timeline.ts"

const common = { tag: "issue", scope: ["issue"] } as const
const change = { ...common, archived: "refused" } as const

const readOperations: readonly Operation[] = [
  operation({
    ...common,
    id: "issueGetComments",
    route: "GET /repos/{owner}/{repo}/issues/{index}/comments",
    summary: "List the comments of an issue",
    description: "All of them at once, oldest first.",
    access: onIssue,
    query: commentsQuery,
    answers: { 200: Type.Array(Comment) },
    refuses: ["invalid"],
    handle: async ({ db, services, repository, owner, issue, query }) => {
      const rows = await findComments(db, { issueId: issue.id, ...periodOf(query) })
      const place = { home: { repository, owner }, issue }
      return listed(await presentComments(db, services.site, rows, () => place), rows.length)
    },
  }),
  operation({
    ...common,
    id: "issueGetRepoComments",
    route: "GET /repos/{owner}/{repo}/issues/comments",
    summary: "List the comments of all issues of a repository",
    access: onIssues,
    paged: true,
    query: commentsQuery,
    answers: { 200: Type.Array(Comment) },
    refuses: ["invalid"],
    handle: async (call) => {
      const { db, services, repository, owner, query, page } = call
      const { rows, total } = await findCommentsIn(db, repository.id, readableKinds(call), periodOf(query), page)
      const home = { repository, owner }
      const places = new Map(rows.map(({ id, number, is_pull }) => [id, { home, issue: { number, is_pull } }]))
      return listed(await presentComments(db, services.site, rows, ({ id }) => places.get(id)), total)
    },
  }),
  operation({
    ...common,
    id: "issueGetComment",
    route: "GET /repos/{owner}/{repo}/issues/comments/{id}",
    summary: "Get a comment",
    description: "204 where the id is that of another entry of a timeline.",
    access: onComment,
    answers: { 200: Comment, 204: null },
    handle: async ({ db, services, repository, owner, issue, comment }) =>
      comment.kind === "comment" ? ok(await presentOne(db, services.site, { home: { repository, owner }, issue }, comment)) : noContent(),
  }),
  operation({
    ...common,
    id: "issueGetCommentsAndTimeline",
    route: "GET /repos/{owner}/{repo}/issues/{index}/timeline",
    summary: "List the timeline of an issue",
    description: "Comments among it, in order. What is about an issue that the caller may not read is left out.",
    access: onIssue,
    paged: true,
    query: commentsQuery,
    answers: { 200: Type.Array(TimelineComment) },
    refuses: ["invalid"],
    handle: async ({ db, services, actor, repository, owner, issue, query, page }) => {
      const { rows, total } = await findTimeline(db, actor, issue.id, periodOf(query), page)
      return listed(await presentTimeline(db, services.site, actor, { home: { repository, owner }, issue }, rows), total)
    },
  }),
]

type Changing = OnComment & Me & Pick<Request, "db" | "services">

async function handleEdit(call: Changing & { readonly body: EditIssueCommentOption }) {
  const { db, services, repository, owner, issue } = call
  if (!isText(call.comment)) return noContent()
  const comment = await services.database.write((tx) => editComment(tx, services, call, call.body.body))
  return ok(await presentOne(db, services.site, { home: { repository, owner }, issue }, comment))
}

async function handleDelete(call: Changing) {
  if (!isText(call.comment)) throw refuse.badRequest("only what someone wrote can be deleted from a timeline")
  await call.services.database.write((tx) => deleteComment(tx, call.services, call))
  return deleted(call.services, "comment", call.comment.id)
}

const edit = {
  ...change,
  summary: "Edit a comment",
  access: onCommentAsAuthor,
  body: EditIssueCommentOption,
  answers: { 200: Comment, 204: null },
} as const
const remove = {
  ...change,
  summary: "Delete a comment",
  description: SAYS_UNTIL_WHEN,
  access: onCommentAsAuthor,
  answers: { 204: null },
  refuses: ["badRequest"],
} as const
const twin = { deprecated: true, description: "Use the path without the issue’s number, which is not looked at." } as const

const changeOperations: readonly Operation[] = [
  operation({
    ...change,
    id: "issueCreateComment",
    route: "POST /repos/{owner}/{repo}/issues/{index}/comments",
    summary: "Comment on an issue",
    access: onIssueSignedIn,
    body: CreateIssueCommentOption,
    answers: { 201: Comment },
    handle: async (call) => {
      const { db, services, repository, owner, issue, body } = call
      const comment = await services.database.write((tx) => createComment(tx, services, call, body.body), lineOf("issues", issue.id))
      return created(await presentOne(db, services.site, { home: { repository, owner }, issue }, comment))
    },
  }),
  operation({
    ...edit,
    id: "issueEditComment",
    route: "PATCH /repos/{owner}/{repo}/issues/comments/{id}",
    description: "204, and nothing changes, where the id is that of an entry without a text.",
    handle: handleEdit,
  }),
  operation({
    ...remove,
    id: "issueDeleteComment",
    route: "DELETE /repos/{owner}/{repo}/issues/comments/{id}",
    handle: handleDelete,
  }),
  operation({
    ...edit,
    ...twin,
    id: "issueEditCommentDeprecated",
    route: "PATCH /repos/{owner}/{repo}/issues/{index}/comments/{id}",
    handle: handleEdit,
  }),
  operation({
    ...remove,
    ...twin,
    id: "issueDeleteCommentDeprecated",
    route: "DELETE /repos/{owner}/{repo}/issues/{index}/comments/{id}",
    handle: handleDelete,
  }),
]

export const commentOperations: readonly Operation[] = [...readOperations, ...changeOperations]
