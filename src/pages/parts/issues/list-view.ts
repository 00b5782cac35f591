import { type Content, type Html, html } from "../../../core/html.ts"
import { CLOSED_AS, type Issue } from "../../../features/planning/issues/records.ts"
import { localPath, path } from "../../../web/address.ts"
import { avatar, label, person } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { dayOf, plural, timeOf } from "../../../web/time.ts"

/** Lists of issues and pull requests as pages show them. */

/** The state of an issue or pull request, as its icon, its colour and a word. */
export function stateOf({ state, pull_request, [CLOSED_AS]: reason }: Pick<Issue, "state" | "pull_request" | typeof CLOSED_AS>) {
  if (!pull_request) {
    if (state === "open") return { tone: "open", icon: "issue-opened", text: "Open" } as const
    if (reason === "not_planned") return { tone: "draft", icon: "skip", text: "Closed as not planned" } as const
    if (reason === "duplicate") return { tone: "draft", icon: "duplicate", text: "Closed as a duplicate" } as const
    return { tone: "done", icon: "issue-closed", text: "Closed" } as const
  }
  if (pull_request.merged) return { tone: "merged", icon: "git-merge", text: "Merged" } as const
  if (state === "closed") return { tone: "closed", icon: "git-pull-request-closed", text: "Closed" } as const
  if (pull_request.draft) return { tone: "draft", icon: "git-pull-request-draft", text: "Draft" } as const
  return { tone: "open", icon: "git-pull-request", text: "Open" } as const
}

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
export const issueRows = (issues: readonly Issue[], options: RowsOptions): Html =>
  html`<ul class="rows issues">${issues.map((issue) => issueRow(issue, options))}</ul>`

function issueRow(issue: Issue, { notes, href, withRepository = false, isChosen = false, now }: RowsOptions): Html {
  const { tone, icon: name, text } = stateOf(issue)
  const address = localPath(issue.html_url)
  const tasks = tasksIn(issue.body)
  const isOverdue = issue.due_date !== null && issue.state === "open" && Date.parse(issue.due_date) / 1000 < now
  return html`
    <li id="issue-${issue.id}">
      ${isChosen && html`<input type="checkbox" name="numbers" value="${issue.number}" aria-label="Select #${issue.number}">`}
      <span class="${tone}">${icon(name, text)}</span>
      <div class="main">
        <h2 class="title">
          <a href="${address}" dir="auto">
            ${withRepository && html`<span class="muted">${issue.repository.full_name}</span> `}${titleOf(issue.title)}
          </a>
          ${issue.labels.map(
            ({ name: title, color, description }) =>
              html` ${label(title, color, { title: description, ...(href && { href: href(`label:"${title}"`) }) })}`,
          )}
        </h2>
        <p class="meta">
          <span>#${issue.number} ${openedBy(issue, now)}</span>
          ${issue.milestone && html`<span>${icon("milestone")} <bdi>${issue.milestone.title}</bdi></span>`}
          ${
            issue.due_date &&
            html`
              <span class="${isOverdue ? "closed" : ""}">
                ${icon("calendar")} ${isOverdue ? "Overdue since" : "Due"} ${dayOf(Date.parse(issue.due_date) / 1000)}
              </span>
            `
          }
          ${tasks && html`<span>${icon("tasklist")} ${tasks.done} of ${plural(tasks.total, "task")}</span>`}
          ${notes?.get(issue.id)}
        </p>
      </div>
      ${
        issue.assignees.length > 0 &&
        html`
          <span class="who">
            ${issue.assignees
              .slice(0, 3)
              .map(
                (user) =>
                  html`<a href="${path(user.login)}" title="${user.login}" aria-label="Assigned to ${user.login}">${avatar(user)}</a>`,
              )}
          </span>
        `
      }
      ${
        issue.comments > 0 &&
        html`
          <a class="comments muted" href="${address}" aria-label="${plural(issue.comments, "comment")}">
            ${icon("comment")} ${issue.comments}
          </a>
        `
      }
    </li>
  `
}

function openedBy(issue: Issue, now: number): Html {
  const by = issue.original_author === "" ? person(issue.user) : html`<bdi>${issue.original_author}</bdi>`
  if (issue.pull_request?.merged) return html`by ${by} was merged ${timeOf(issue.pull_request.merged_at, now)}`
  if (issue.state === "closed") return html`by ${by} was closed ${timeOf(issue.closed_at, now)}`
  return html`opened ${timeOf(issue.created_at, now)} by ${by}`
}

/** Pinned issues, as cards above a list. */
export const pinnedCards = (issues: readonly Issue[], now: number): Content =>
  issues.length > 0 &&
  html`
    <ul class="plain grid pins" aria-label="Pinned">
      ${issues.map((issue) => {
        const { tone, icon: name, text } = stateOf(issue)
        return html`
          <li class="card">
            <div class="inside stack tight">
              <p class="title">
                <span class="${tone}">${icon(name, text)}</span>${" "}
                <a href="${localPath(issue.html_url)}" dir="auto">${titleOf(issue.title)}</a>
              </p>
              <p class="meta"><span>${icon("pin")} #${issue.number} ${openedBy(issue, now)}</span></p>
            </div>
          </li>
        `
      })}
    </ul>
  `
