import { onCommentSignedIn } from "../../../access/policies/comments.ts"
import { refuse } from "../../../core/errors.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { type Page, page } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { conversationPath, quoteOf } from "../../parts/conversation/call.ts"
import { repositoryPage } from "../frame.ts"
import { replyBox } from "./reviews-view.ts"

/** The form that answers a comment on lines, with what it says as a quotation. The script puts that into the form of the thread. */
export const pullReply: Page = page({
  id: "pull.quote",
  address: "GET /{owner}/{repo}/pulls/{index}/comments/{id}/reply",
  access: onCommentSignedIn,
  query: { from: Type.Optional(Type.String()) },
  answer: (call) => {
    const { comment, issue, path, query } = call
    if (comment.kind !== "code" || issue.is_pull === 0 || path.index !== String(issue.number)) throw refuse.notFound()
    return repositoryPage(call, {
      tab: "pulls",
      title: t("Reply to a comment on #{number}", { number: issue.number }),
      unlisted: true,
      modules: ["composer"],
      body: html`
        <h1>Reply to a comment on <span class="muted">#${issue.number}</span></h1>
        <p><a href="${conversationPath(call)}#issuecomment-${comment.id}">Back to conversation</a></p>
        ${replyBox(call, { id: comment.id, from: query.from === "files" ? "files" : "", draft: undefined, text: quoteOf(comment.content) })}
      `,
    })
  },
})
