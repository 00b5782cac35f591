import { type OnIssue, onIssueSignedIn, requireWriting, writesKind } from "../../../access/policies/issues.ts"
import { requireUnarchived } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Actor } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { moved, type Page, page, type Shown } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { unixLines } from "../../../core/text/lines.ts"
import { replyOf } from "../../../features/people/replies/rules.ts"
import { findReplyNames } from "../../../features/people/replies/store.ts"
import { takesFiles } from "../../../features/planning/attachments/keep.ts"
import { createComment } from "../../../features/planning/comments/rules.ts"
import { editIssue } from "../../../features/planning/issues/edit.ts"
import { lockForIssues } from "../../../features/planning/issues/lock.ts"
import type { IssueView } from "../../../features/planning/issues/present.ts"
import { repositoryPath } from "../../../web/address.ts"
import { notice } from "../../../web/components.ts"
import { composer } from "../../../web/composer.ts"
import { icon } from "../../../web/icon.ts"
import { problem } from "../../../web/problem.ts"
import { REPLIES_PATH } from "../../user/settings/replies.ts"
import type { ConversationCall } from "./call.ts"
import { type ChosenEnding, conversationPath, type TypedReply } from "./call.ts"
import { closeButton, readEnding } from "./endings.ts"

/** The form below a conversation: it comments, closes and reopens. */

/** Whether the caller may close and reopen it. */
const mayClose = (call: OnIssue, actor: Actor): boolean =>
  actor.kind === "user" && (call.issue.author_id === actor.user.id || writesKind(call, call.issue))

export async function replyForm(call: ConversationCall, view: IssueView, draft: TypedReply | undefined): Promise<Html> {
  const { db, actor, repository, issue } = call
  const here = conversationPath(call)
  if (repository.is_archived === 1) return html``
  if (actor.kind === "anonymous")
    return notice(
      "info",
      html`<a href="/user/login?redirect_to=${encodeURIComponent(here)}" rel="nofollow">Sign in</a> to join the conversation.`,
    )
  if (issue.is_locked === 1 && !writesKind(call, issue))
    return notice("warn", t("This conversation is locked: only people with write access can comment."))
  const isMerged = view.mergedAt !== undefined
  const replies = { saved: await findReplyNames(db, { userId: actor.user.id }), at: REPLIES_PATH }
  const field = { name: "body", label: t("Add a comment"), value: draft?.body ?? "", autofocus: draft?.isFocused ?? false } as const
  return html`
    <form class="card comment-form" id="reply" method="post" action="${here}/comments">
      <div class="inside stack">
        ${draft?.problem}
        ${composer({ ...field, repository: repositoryPath(call), rows: 6, replies, files: takesFiles(call.services) })}
        <div class="bar" id="reply-buttons" data-live>
          <button class="primary end" name="action" value="comment">Comment</button>
          ${
            !isMerged &&
            mayClose(call, actor) &&
            (issue.is_closed === 1
              ? html`<button name="action" value="reopen">${icon("issue-reopened")}Reopen</button>`
              : issue.is_pull === 1
                ? html`<button name="action" value="close">${icon("issue-closed")}Close</button>`
                : closeButton(draft?.ending ?? {}))
          }
        </div>
      </div>
    </form>
  `
}

const typed = Type.Optional(Type.String())

export type CommentCall = ConversationCall & { readonly query: { readonly body?: string } & ChosenEnding }

/** The form that comments, closes and reopens, or puts a saved reply into the text; `again` makes the page that has it, with what was typed. */
export const commentForm = (kind: "issue" | "pull", again: (call: CommentCall, draft: TypedReply) => Promise<Shown>): Page =>
  page({
    id: `${kind}.comment`,
    address: kind === "issue" ? "POST /{owner}/{repo}/issues/{index}/comments" : "POST /{owner}/{repo}/pulls/{index}/comments",
    access: onIssueSignedIn,
    query: { body: typed, action: typed, reason: typed, duplicate: typed, reply: Type.Optional(Type.Integer()) },
    bytes: 1_048_576,
    once: true,
    undoneBy: [`${kind}.comment`],
    again: (call, refusal) => again(call, { body: call.query.body ?? "", ending: call.query, problem: problem(refusal) }),
    answer: async (call) => {
      const { services, query, issue } = call
      if (query.reply !== undefined) return again(call, await withReply(call, query.reply))
      requireUnarchived(call)
      const text = unixLines(query.body) ?? ""
      // The key Enter in the field of the reason presses no button.
      const action = query.action ?? (query.duplicate ? "close" : "comment")
      const state = action === "close" ? "closed" : action === "reopen" ? "open" : undefined
      if (text.trim() === "" && state === undefined) throw refuse.invalid("body", "must not be empty")
      if (state !== undefined && issue.author_id !== call.me.id) requireWriting(call, issue)
      const comment = await services.database.write(async (tx) => {
        if (state !== undefined) await lockForIssues(tx, call.repository.id)
        const ending = state === "closed" && issue.is_pull === 0 ? await readEnding(tx, call.actor, call, query) : undefined
        const made = text.trim() === "" ? undefined : await createComment(tx, services, call, text)
        if (state !== undefined) await editIssue(tx, services, call, { state }, ending)
        return made
      })
      return moved(`${conversationPath(call)}${comment ? `#issuecomment-${comment.id}` : ""}`, {
        ...(state !== undefined && {
          flash: state === "closed" ? t("Closed.") : t("Reopened."),
          undo: { form: `${kind}.comment`, path: call.path, fields: { action: state === "closed" ? "reopen" : "close" } },
        }),
      })
    },
  })

/** What was typed, and then a reply of the caller's. Nothing is sent yet. */
async function withReply({ db, query, me }: CommentCall & Me, id: number): Promise<TypedReply> {
  const typed = unixLines(query.body) ?? ""
  const { content } = await replyOf(db, me.id, id)
  return { body: typed.trim() === "" ? content : `${typed.trimEnd()}\n\n${content}`, isFocused: true }
}
