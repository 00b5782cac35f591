import type { User } from "../../../core/actor.ts"
import { Refusal } from "../../../core/errors.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Shown } from "../../../core/page.ts"
import { rfc3339 } from "../../../core/record.ts"
import { type IssueAsOf, momentOf, type Said, viewAsOf } from "../../../features/planning/issues/as-of.ts"
import type { IssueView } from "../../../features/planning/issues/present.ts"
import { label, notice, personWithAvatar, state } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { problem } from "../../../web/problem.ts"
import { time } from "../../../web/time.ts"
import { repositoryPage } from "../../repository/frame.ts"
import { stateOf, titleOf } from "../issues/list-view.ts"
import { renderTexts } from "../texts.ts"
import { type ConversationCall, conversationPath } from "./call.ts"
import { opened } from "./conversation.ts"
import { sideSection } from "./side-section.ts"

/** An issue or pull request as it was: nothing on it can be changed, and what it doesn't know it says. */
export async function asOfPage(call: ConversationCall, tab: "issues" | "pulls", text: string): Promise<Shown> {
  const { services, db, actor, issue } = call
  const at = await momentOf(db, services, issue, text).catch((error: unknown) => {
    if (error instanceof Refusal && error.kind === "invalid") return error
    throw error
  })
  if (at instanceof Refusal) return refusedPage(call, tab, at)
  const { view, was } = await viewAsOf(db, actor, issue, call, at)
  const shown = await renderTexts(call, [view.text, ...was.comments.map((said) => said.text ?? "")], { style: "comment" })
  const now = services.now()
  return repositoryPage(call, {
    tab,
    title: t("#{number} as it was", { number: issue.number }),
    unlisted: true,
    canonical: conversationPath(call),
    body: html`
      ${banner(call, was)}
      <div class="conversation-header stack tight">
        <div class="heading"><h1 dir="auto">${titleOf(view.issue.title)} <span class="muted">#${issue.number}</span></h1></div>
        <p class="bar">
          ${stateChip(view)}<span class="muted">${opened(view, now)}</span>
        </p>
      </div>
      <div class="columns conversation">
        <div>
          <ol class="plain timeline">
            <li>${textBox(view.author, issue.original_author, issue.created_at, was.isTextKnown ? shown[0] : undefined, now)}</li>
            ${was.comments.map((said, index) => html`<li>${comment(said, shown[index + 1], now)}</li>`)}
          </ol>
        </div>
        <aside class="side stack" aria-label="About this">${side(view, was)}</aside>
      </div>
    `,
  })
}

async function refusedPage(call: ConversationCall, tab: "issues" | "pulls", refusal: Refusal): Promise<Shown> {
  const title = t("#{number} as it was", { number: call.issue.number })
  const body = html`
    <h1>${title}</h1>
    ${problem(refusal)}
    <p><a href="${conversationPath(call)}">Show it as it is now</a></p>
  `
  return { ...(await repositoryPage(call, { tab, title, unlisted: true, body })), status: 422 }
}

const moment = (at: number): Html => html`<time datetime="${rfc3339(at)}">${rfc3339(at).replace("T", " ").replace("Z", " UTC")}</time>`

const banner = (call: ConversationCall, { at, unknown }: IssueAsOf): Html =>
  notice(
    "warn",
    html`
      <div class="stack tight">
        <p><strong>This is how it was ${moment(at)}.</strong> <a href="${conversationPath(call)}">Show it as it is now</a></p>
        <ul>${unknown.map((each) => html`<li>${each}</li>`)}</ul>
      </div>
    `,
  )

function stateChip(view: IssueView): Html {
  const { tone, icon: name, text } = stateOf(view)
  return html`${state(tone, name, text, true)}${view.issue.is_locked === 1 && html`<span class="chip">${icon("lock")}Locked</span>`}`
}

const comment = (said: Said, rendered: Content, now: number): Html =>
  textBox(said.author, said.originalAuthor, said.createdAt, said.text === undefined ? undefined : rendered, now)

function textBox(author: User, originalAuthor: string, createdAt: number, rendered: Content, now: number): Html {
  return html`
    <article class="card comment">
      <header>
        <h2 class="by">
          ${originalAuthor === "" ? personWithAvatar(author, 24) : html`<bdi class="strong">${originalAuthor}</bdi>`}${" "}
          <span class="muted">${time(createdAt, now)}</span>
        </h2>
      </header>
      <div class="inside stack">
        ${saidOr(rendered)}
      </div>
    </article>
  `
}

function saidOr(rendered: Content): Content {
  if (rendered === undefined) return html`<p class="muted">What this said then is deleted or no longer kept.</p>`
  return String(rendered) === "" ? html`<p class="muted">No description.</p>` : rendered
}

const people = (users: readonly User[]): Content =>
  users.length > 0 && html`<ul class="plain">${users.map((user) => html`<li>${personWithAvatar(user)}</li>`)}</ul>`

const side = ({ labels, milestone, assignees }: IssueView, { reviewers, base }: IssueAsOf): Content =>
  html`
    ${reviewers.length > 0 && sideSection(t("Reviewers"), people(reviewers))}
    ${sideSection(t("Assignees"), people(assignees))}
    ${sideSection(t("Labels"), labels.length > 0 && html`<p class="bar">${labels.map(({ name, color }) => label(name, color))}</p>`)}
    ${sideSection(t("Milestone"), milestone && html`<p dir="auto">${milestone.title}</p>`)}
    ${base !== "" && sideSection(t("Base branch"), html`<p><code>${base}</code></p>`)}
  `
