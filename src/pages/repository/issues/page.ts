import { onIssue, onIssuesAsReader } from "../../../access/policies/issues.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { moved, type Page, page, type Shown } from "../../../core/page.ts"
import { atQuery } from "../../../features/planning/issues/records.ts"
import { type ConversationCall, conversationPath } from "../../parts/conversation/call.ts"
import { type ConversationOptions, conversation, conversationQuery, opened, viewOf } from "../../parts/conversation/conversation.ts"
import { type ConversationForms, conversationForms } from "../../parts/conversation/forms.ts"
import { conversationHeader } from "../../parts/conversation/header.ts"
import { commentForm } from "../../parts/conversation/reply.ts"
import { listBody, listFields, listFollowed } from "../../parts/issues/list.ts"
import { repositoryPage } from "../frame.ts"
import { transferPages } from "./transfer.ts"

/** The pages of a repository's issues. */

async function issuePage(call: ConversationCall, options: Omit<ConversationOptions, "forms">): Promise<Shown> {
  const view = await viewOf(call)
  return repositoryPage(call, {
    tab: "issues",
    title: `#${view.issue.number} ${view.issue.title}`,
    canonical: conversationPath(call),
    modules: ["composer", "conversation", "live", "tasks", "picker"],
    body: html`
      ${conversationHeader(call, view, opened(view, call.services.now()))}
      ${await conversation(call, view, { ...options, forms })}
    `,
  })
}

const show: Page = page({
  id: "issue.show",
  address: "GET /{owner}/{repo}/issues/{index}",
  access: onIssue,
  query: { ...conversationQuery, ...atQuery },
  live: ({ issue }) => [{ repositoryId: issue.repository_id, issueIds: new Set([issue.id]) }],
  answer: async (call) =>
    call.issue.is_pull === 1
      ? moved(kept(conversationPath(call), call))
      : call.query.at !== undefined
        ? (await import("../../parts/conversation/as-of.ts")).asOfPage(call, "issues", call.query.at)
        : issuePage(call, { all: call.query.all === true, quote: call.query.quote }),
})

const forms: ConversationForms = conversationForms("issue", show)

export const issuePages: readonly Page[] = [
  page({
    id: "issue.list",
    address: "GET /{owner}/{repo}/issues",
    access: onIssuesAsReader,
    query: listFields,
    live: listFollowed,
    answer: async (call) =>
      repositoryPage(call, { tab: "issues", title: t("Issues"), modules: ["live"], body: await listBody(call, { kind: "issues" }) }),
  }),

  show,
  ...forms.pages,

  // The form of other forges.
  page({
    id: "issue.shown",
    address: "GET /{owner}/{repo}/issue/{index}",
    access: onIssue,
    answer: (call) => moved(kept(conversationPath(call), call)),
  }),

  ...transferPages,

  commentForm("issue", (call, draft) => issuePage(call, { all: false, draft })),
]

/** The path with the query of the request: what follows `#` a browser keeps by itself. */
export function kept(to: string, { reader }: Pick<ConversationCall, "reader">): string {
  const at = reader.url.indexOf("?")
  return at < 0 ? to : to + reader.url.slice(at)
}
