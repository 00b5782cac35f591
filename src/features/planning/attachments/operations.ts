import { onComment, onCommentAsWritingAuthor } from "../../../access/policies/comments.ts"
import { onIssue, onIssueAsAuthor } from "../../../access/policies/issues.ts"
import { type Access, created, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { fileUpload } from "../../../core/upload.ts"
import { presentAttachment } from "../../code/attachments/present.ts"
import { Attachment, EditAttachmentOptions } from "../../code/attachments/records.ts"
import { attach, ifEnabled, locateAttachment, removeAttachment, renameAttachment } from "../../code/attachments/rules.ts"
import { findAttachments } from "../../code/attachments/store.ts"
import { requireText } from "../issues/timeline.ts"
import { subjectOf } from "./subject.ts"

/** Only written texts have attachments, not the other entries of a timeline. */
const onText = <Found extends { readonly comment: { readonly kind: string } }>({ rule, open }: Access<Found>): Access<Found> => ({
  rule,
  open: async (request) => {
    const found = await open(request)
    requireText(found.comment)
    return found
  },
})

const ISSUE = "/repos/{owner}/{repo}/issues/{index}/assets"
const COMMENT = "/repos/{owner}/{repo}/issues/comments/{id}/assets"

const common = { tag: "issue", scope: ["issue"] } as const
const readIssue = { ...common, access: ifEnabled(onIssue) } as const
const changeIssue = { ...common, access: ifEnabled(onIssueAsAuthor), archived: "refused" } as const
const readComment = { ...common, access: ifEnabled(onText(onComment)) } as const
const changeComment = { ...common, access: ifEnabled(onText(onCommentAsWritingAuthor)), archived: "refused" } as const

const upload = {
  query: { name: Type.Optional(Type.String({ description: "name of the attachment; that of the file unless given" })) },
  body: fileUpload("attachment"),
  answers: { 201: Attachment },
  refuses: ["badRequest", "tooLarge"],
} as const

const issueAttachmentOperations: readonly Operation[] = [
  operation({
    ...readIssue,
    id: "issueListIssueAttachments",
    route: `GET ${ISSUE}`,
    summary: "List the attachments of an issue",
    answers: { 200: Type.Array(Attachment) },
    handle: async ({ db, services, issue }) =>
      ok((await findAttachments(db, { issueId: issue.id, commentId: 0 })).map((row) => presentAttachment(services.site, row))),
  }),
  operation({
    ...changeIssue,
    ...upload,
    id: "issueCreateIssueAttachment",
    route: `POST ${ISSUE}`,
    summary: "Attach a file to an issue",
    handle: async ({ services, issue, me, body, query }) =>
      created(presentAttachment(services.site, await attach(services, subjectOf({ issue }), me, body, query.name ?? ""))),
  }),
  operation({
    ...readIssue,
    id: "issueGetIssueAttachment",
    route: `GET ${ISSUE}/{attachment_id}`,
    summary: "Get an attachment of an issue",
    answers: { 200: Attachment },
    handle: async ({ services, issue, path }) =>
      ok(presentAttachment(services.site, await locateAttachment(services, subjectOf({ issue }), path.attachment_id))),
  }),
  operation({
    ...changeIssue,
    id: "issueEditIssueAttachment",
    route: `PATCH ${ISSUE}/{attachment_id}`,
    summary: "Edit an attachment of an issue",
    body: EditAttachmentOptions,
    answers: { 201: Attachment },
    handle: async ({ services, issue, me, path, body }) => {
      const attachment = await locateAttachment(services, subjectOf({ issue }), path.attachment_id)
      return created(
        presentAttachment(services.site, await renameAttachment(services, subjectOf({ issue }), me, attachment, body.name ?? "")),
      )
    },
  }),
  operation({
    ...changeIssue,
    id: "issueDeleteIssueAttachment",
    route: `DELETE ${ISSUE}/{attachment_id}`,
    summary: "Delete an attachment of an issue",
    answers: { 204: null },
    handle: async ({ services, issue, me, path }) => {
      await removeAttachment(services, subjectOf({ issue }), me, path.attachment_id)
      return noContent()
    },
  }),
]

const commentAttachmentOperations: readonly Operation[] = [
  operation({
    ...readComment,
    id: "issueListIssueCommentAttachments",
    route: `GET ${COMMENT}`,
    summary: "List the attachments of a comment",
    answers: { 200: Type.Array(Attachment) },
    handle: async ({ db, services, issue, comment }) =>
      ok((await findAttachments(db, { issueId: issue.id, commentId: comment.id })).map((row) => presentAttachment(services.site, row))),
  }),
  operation({
    ...changeComment,
    ...upload,
    id: "issueCreateIssueCommentAttachment",
    route: `POST ${COMMENT}`,
    summary: "Attach a file to a comment",
    handle: async ({ services, issue, comment, me, body, query }) =>
      created(presentAttachment(services.site, await attach(services, subjectOf({ issue, comment }), me, body, query.name ?? ""))),
  }),
  operation({
    ...readComment,
    id: "issueGetIssueCommentAttachment",
    route: `GET ${COMMENT}/{attachment_id}`,
    summary: "Get an attachment of a comment",
    answers: { 200: Attachment },
    handle: async ({ services, issue, comment, path }) =>
      ok(presentAttachment(services.site, await locateAttachment(services, subjectOf({ issue, comment }), path.attachment_id))),
  }),
  operation({
    ...changeComment,
    id: "issueEditIssueCommentAttachment",
    route: `PATCH ${COMMENT}/{attachment_id}`,
    summary: "Edit an attachment of a comment",
    body: EditAttachmentOptions,
    answers: { 201: Attachment },
    handle: async ({ services, issue, comment, me, path, body }) => {
      const attachment = await locateAttachment(services, subjectOf({ issue, comment }), path.attachment_id)
      return created(
        presentAttachment(services.site, await renameAttachment(services, subjectOf({ issue, comment }), me, attachment, body.name ?? "")),
      )
    },
  }),
  operation({
    ...changeComment,
    id: "issueDeleteIssueCommentAttachment",
    route: `DELETE ${COMMENT}/{attachment_id}`,
    summary: "Delete an attachment of a comment",
    answers: { 204: null },
    handle: async ({ services, issue, comment, me, path }) => {
      await removeAttachment(services, subjectOf({ issue, comment }), me, path.attachment_id)
      return noContent()
    },
  }),
]

export const attachmentOperations: readonly Operation[] = [...issueAttachmentOperations, ...commentAttachmentOperations]
