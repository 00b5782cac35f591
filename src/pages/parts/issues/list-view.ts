import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { isUnfinished } from "../../../features/planning/issues/draft.ts"
import type { IssueView } from "../../../features/planning/issues/present.ts"
import { path } from "../../../web/address.ts"
import { avatar, label, person } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { dayOf, plural, time } from "../../../web/time.ts"

/** Lists of issues and pull requests as pages show them. */

/** The state of an issue or pull request, as its icon, its colour and a word. */
export function stateOf({ issue, mergedAt }: Pick<IssueView, "issue" | "mergedAt">) {
  const isOpen = issue.is_closed === 0
  if (issue.is_pull === 0) {
    if (isOpen) return { tone: "open", icon: "issue-opened", text: t("Open") } as const
    if (issue.close_reason === "not_planned") return { tone: "draft", icon: "skip", text: t("Closed as not planned") } as const
    if (issue.close_reason === "duplicate") return { tone: "draft", icon: "duplicate", text: t("Closed as a duplicate") } as const
    return { tone: "done", icon: "issue-closed", text: t("Closed") } as const
  }
  if (mergedAt !== undefined) return { tone: "merged", icon: "git-merge", text: t("Merged") } as const
  if (!isOpen) return { tone: "closed", icon: "git-pull-request-closed", text: t("Closed") } as const
  if (isUnfinished(issue.title)) return { tone: "draft", icon: "git-pull-request-draft", text: t("Draft") } as const
  return { tone: "open", icon: "git-pull-request", text: t("Open") } as const
}

/** The path of the page of an issue or pull request. */
export const issuePath = ({ issue, home: { owner, repository } }: Pick<IssueView, "issue" | "home">): string =>
  path(owner.name, repository.name, issue.is_pull === 1 ? "pulls" : "issues", issue.number)

/** The repository that it is in. */
export const homeName = ({ home: { owner, repository } }: Pick<IssueView, "home">): string => `${owner.name}/${repository.name}`

/** A title with its code spans. */
export const titleOf = (title: string): Html =>
  html`${title.split(/(`[^`]+`)/).map((part) => (/^`[^`]+`$/.test(part) ? html`<code>${part.slice(1, -1)}</code>` : part))}`

const TASK = /^[ \t]*(?:>[ \t]*)*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]/gm

/** How many tasks a text lists, and how many of them are done; undefined where there are none. */
export function tasksIn(text: string): { readonly done: number; readonly total: number } | undefined {
  const marks = [...text.replace(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, "").matchAll(TASK)]
  return marks.length === 0 ? undefined : { done: marks.filter(([, mark]) => mark !== " ").length, total: marks.length }
}

export interface RowsOptions {
  /** More about each, by its id: what features above know of it. */
  readonly notes?: ReadonlyMap<number, Content>
  /** Where a filter leads; labels and people lead there. */
  readonly href?: (filter: string) => string
  /** Each has a box to choose it for a change. */
  readonly isChosen?: boolean
  /** In lists of several repositories. */
  readonly withRepository?: boolean
  readonly now: number
}

/** Issues and pull requests as rows. */
export const issueRows = (issues: readonly IssueView[], options: RowsOptions): Html =>
  html`<ul class="rows issues">${issues.map((issue) => issueRow(issue, options))}</ul>`

function issueRow(view: IssueView, { notes, href, withRepository = false, isChosen = false, now }: RowsOptions): Html {
  const { issue, milestone } = view
  const { tone, icon: name, text } = stateOf(view)
  const address = issuePath(view)
  const tasks = tasksIn(view.text)
  const isOverdue = issue.due_at > 0 && issue.is_closed === 0 && issue.due_at < now
  return html`
    <li id="issue-${issue.id}">
      ${isChosen && html`<input type="checkbox" name="numbers" value="${issue.number}" aria-label="Select #${issue.number}">`}
      <span class="${tone}">${icon(name, text)}</span>
      <div class="main">
        <h2 class="title">
          <a href="${address}" dir="auto">
            ${withRepository && html`<span class="muted">${homeName(view)}</span> `}${titleOf(issue.title)}
          </a>
          ${view.labels.map(
            ({ name: title, color, description }) =>
              html` ${label(title, color, { title: description, ...(href && { href: href(`label:"${title}"`) }) })}`,
          )}
        </h2>
        <p class="meta">
          <span>#${issue.number} ${openedBy(view, now)}</span>
          ${milestone && html`<span>${icon("milestone")} <bdi>${milestone.title}</bdi></span>`}
          ${
            issue.due_at > 0 &&
            html`
              <span class="${isOverdue ? "closed" : ""}">
                ${icon("calendar")} ${isOverdue ? t("Overdue since") : t("Due")} ${dayOf(issue.due_at)}
              </span>
            `
          }
          ${tasks && html`<span>${icon("tasklist")} ${tasks.done} of ${plural(tasks.total, "task")}</span>`}
          ${notes?.get(issue.id)}
        </p>
      </div>
      ${
        view.assignees.length > 0 &&
        html`
          <span class="who">
            ${view.assignees
              .slice(0, 3)
              .map(
                (user) => html`<a href="${path(user.name)}" title="${user.name}" aria-label="Assigned to ${user.name}">${avatar(user)}</a>`,
              )}
          </span>
        `
      }
      ${
        issue.comments_count > 0 &&
        html`
          <a class="comments muted" href="${address}" aria-label="${plural(issue.comments_count, "comment")}">
            ${icon("comment")} ${issue.comments_count}
          </a>
        `
      }
    </li>
  `
}

function openedBy({ issue, author, mergedAt }: IssueView, now: number): Html {
  const by = issue.original_author === "" ? person(author) : html`<bdi>${issue.original_author}</bdi>`
  if (mergedAt !== undefined) return html`by ${by} was merged ${time(mergedAt, now)}`
  if (issue.is_closed === 1) return html`by ${by} was closed ${time(issue.closed_at, now)}`
  return html`opened ${time(issue.created_at, now)} by ${by}`
}

/** Pinned issues, as cards above a list. */
export const pinnedCards = (issues: readonly IssueView[], now: number): Content =>
  issues.length > 0 &&
  html`
    <ul class="plain grid pins" aria-label="Pinned">
      ${issues.map((view) => {
        const { tone, icon: name, text } = stateOf(view)
        return html`
          <li class="card">
            <div class="inside stack tight">
              <p class="title">
                <span class="${tone}">${icon(name, text)}</span>${" "}
                <a href="${issuePath(view)}" dir="auto">${titleOf(view.issue.title)}</a>
              </p>
              <p class="meta"><span>${icon("pin")} #${view.issue.number} ${openedBy(view, now)}</span></p>
            </div>
          </li>
        `
      })}
    </ul>
  `
