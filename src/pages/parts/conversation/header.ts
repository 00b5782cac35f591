import { writesKind } from "../../../access/policies/issues.ts"
import { digestsOf } from "../../../core/forms/guards.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { IssueView } from "../../../features/planning/issues/present.ts"
import { repositoryPath } from "../../../web/address.ts"
import { state } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { plural } from "../../../web/time.ts"
import { stateOf, tasksIn, titleOf } from "../issues/list-view.ts"
import { type ConversationCall, conversationPath } from "./call.ts"

/** The heading of the page: title and state. `about` says more, such as who opened it. */
export function conversationHeader(call: ConversationCall, view: IssueView, about: Content): Html {
  const { issue } = view
  const { tone, icon: name, text } = stateOf(view)
  const tasks = tasksIn(view.text)
  const takesIssues = issue.is_pull === 0 && call.actor.kind === "user" && call.repository.is_archived === 0
  return html`
    <div class="conversation-header stack tight" id="conversation-header" data-live>
      <div class="heading">
        <h1 dir="auto">${titleOf(issue.title)} <span class="muted">#${issue.number}</span></h1>
        ${mayRetitle(call) && pencil(call)}
        ${
          takesIssues &&
          html`
            <a class="button primary small end" href="${repositoryPath(call)}/issues/new/choose" rel="nofollow">
              ${icon("plus")}New issue
            </a>
          `
        }
      </div>
      <p class="bar">
        ${state(tone, name, text, true)}${issue.is_locked === 1 && html`<span class="chip">${icon("lock")}Locked</span>`}
        <span class="muted">${about}</span>
        ${tasks && html`<span class="muted">${icon("tasklist")} ${tasks.done} of ${plural(tasks.total, "task")}</span>`}
      </p>
    </div>
  `
}

const mayRetitle = (call: ConversationCall): boolean =>
  call.actor.kind === "user" &&
  call.repository.is_archived === 0 &&
  (call.actor.user.id === call.issue.author_id || writesKind(call, call.issue))

/** Leads to the page where title and text are edited; the module `conversation` puts a field in place of the title. */
const pencil = (call: ConversationCall): Html =>
  html`
    <a
      class="button quiet small"
      href="${conversationPath(call)}/edit"
      rel="nofollow"
      data-retitle="${conversationPath(call)}/title"
      data-title="${call.issue.title}"
      data-shown="${digestsOf(new Map([["title", call.issue.title]]))}"
      data-words="Title|Save|Cancel|The site can’t be reached. Nothing is saved yet."
    >
      ${icon("pencil", t("Edit title"))}
    </a>
  `
