import { isDraft } from "../../../access/policies/comments.ts"
import { type OnIssue, writesKind } from "../../../access/policies/issues.ts"
import { attribute, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { findOwnReactions } from "../../../features/planning/reactions/store.ts"
import { repositoryPath, withQuery } from "../../../web/address.ts"
import { menu } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import type { TextActions, TextEntry } from "./around.ts"
import type { ConversationCall } from "./call.ts"
import { conversationPath } from "./call.ts"

/** The menu and the reactions of each text of an issue or a pull request, as far as the reader may use them: comments, summaries of reviews, and comments on lines. */

type Call = OnIssue & Pick<ConversationCall, "db" | "actor">

/** `from` is the page below the conversation that they stand on, to which they lead back. */
export async function textActionsOf(call: Call, from = ""): Promise<TextActions | undefined> {
  const { db, actor, repository, issue } = call
  if (actor.kind === "anonymous") return undefined
  const here = conversationPath(call)
  const writes = writesKind(call, issue)
  const isOpen = repository.is_archived === 0
  const mayReact = isOpen && (issue.is_locked === 0 || writes)
  const own = mayReact ? await findOwnReactions(db, { issueId: issue.id, userId: actor.user.id }) : []
  const menuOf = (text: TextEntry) => {
    const { id, kind, authorId } = text
    const anchor = `${here}#${id === 0 ? `issue-${issue.id}` : `issuecomment-${id}`}`
    const editor = withQuery(id === 0 ? `${here}/edit` : `${here}/comments/${id}/edit`, { from: from || undefined })
    const mayEdit = isOpen && (actor.user.id === authorId || writes)
    const mayDelete = mayEdit && id !== 0 && (kind !== "review" || actor.user.id === authorId || actor.user.is_admin === 1)
    const items = html`
      ${!isDraft(text) && html`<button type="button" data-copy-link="${anchor}" hidden>${icon("link")}Copy link</button>`}
      ${
        mayReact &&
        !isDraft(text) &&
        html`<a href="${quoteLink(here, text, from)}" data-quote rel="nofollow">${icon("quote")}Quote reply</a>`
      }
      ${mayEdit && html`<a href="${editor}" ${attribute("data-edit", id !== 0)} rel="nofollow">${icon("pencil")}Edit</a>`}
      ${mayDelete && html`<a href="${editor}#delete" data-delete rel="nofollow">${icon("trash")}Delete</a>`}
      ${
        !isDraft(text) &&
        html`
          <a href="${withQuery(`${repositoryPath(call)}/issues/new`, { body: `From ${anchor}:\n\n` })}" rel="nofollow">
            ${icon("issue-opened")}New issue from this
          </a>
        `
      }
    `
    return menu(icon("kebab-horizontal", t("More")), items, { name: "button quiet small" })
  }
  return {
    menu: menuOf,
    react: mayReact
      ? (id) => {
          const add = `${id === 0 ? here : `${here}/comments/${id}`}/reactions`
          const given = own.filter(({ comment_id }) => comment_id === id).map(({ content }) => content)
          return { add, remove: `${add}/remove`, own: given, from }
        }
      : undefined,
  }
}

/** A comment on a line is answered in its thread; all else at the end of the conversation. */
const quoteLink = (here: string, { id, kind }: TextEntry, from: string): string =>
  kind === "code" ? withQuery(`${here}/comments/${id}/reply`, { from: from || undefined }) : `${withQuery(here, { quote: id })}#body`
