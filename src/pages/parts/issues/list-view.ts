import { attribute, type Content, type Html, html, joined } from "../../../core/html.ts"
import {
  type Filtered,
  type ListState,
  type Offered,
  ORDER_NAMES,
  ORDERS,
  orderText,
  type Plan,
} from "../../../features/planning/issues/filter-conditions.ts"
import {
  type Filter,
  type FilterWord,
  filterText,
  filterWord,
  isStateWord,
  withWords,
} from "../../../features/planning/issues/filter-words.ts"
import { CLOSED_AS, type Issue } from "../../../features/planning/issues/records.ts"
import { exclusiveScope } from "../../../features/planning/labels/scopes.ts"
import { path, withQuery } from "../../../web/address.ts"
import { avatar, choices, dot, empty, label, menu, notice, person, type Tab } from "../../../web/components.ts"
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

/** The page of an issue or pull request. */
export const issuePath = ({ repository, pull_request, number }: Pick<Issue, "repository" | "pull_request" | "number">): string =>
  path(repository.owner, repository.name, pull_request ? "pulls" : "issues", number)

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
  const address = issuePath(issue)
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

export interface BulkBar {
  readonly offered: Offered
  readonly assignees: readonly string[]
  readonly state: ListState
}

/** What can be done with all that are chosen. */
export function bulkBar({ offered, assignees, state }: BulkBar): Html {
  const group = (title: string, options: readonly (readonly [value: string, words: string])[]): Content =>
    options.length > 0 &&
    html`
      <optgroup label="${title}">
        ${options.map(([value, words]) => html`<option value="${value}">${words}</option>`)}
      </optgroup>
    `
  return html`
    <div class="bar small bulk">
      <label for="change">With selected</label>
      <select id="change" name="change" required>
        <option value="">…</option>
        ${state !== "closed" && html`<option value="close">Close</option>`}
        ${state !== "open" && html`<option value="reopen">Reopen</option>`}
        ${group(
          "Add the label",
          offered.labels.map(({ id, name }) => [`label ${id}`, name]),
        )}
        ${group(
          "Remove the label",
          offered.labels.map(({ id, name }) => [`unlabel ${id}`, name]),
        )}
        ${group("Set the milestone", [
          ...offered.milestones.filter(({ is_closed }) => is_closed === 0).map(({ id, title }) => [`milestone ${id}`, title] as const),
          ["milestone 0", "None"],
        ])}
        ${group(
          "Assign to",
          assignees.map((name) => [`assign ${name}`, name]),
        )}
      </select>
      <button class="small">Apply</button>
    </div>
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
                <a href="${issuePath(issue)}" dir="auto">${titleOf(issue.title)}</a>
              </p>
              <p class="meta"><span>${icon("pin")} #${issue.number} ${openedBy(issue, now)}</span></p>
            </div>
          </li>
        `
      })}
    </ul>
  `

// --- filters --------------------------------------------------------------------------------------------------------------------------

export interface FilterBar {
  /** The path of the list, with what its query has besides the filter. */
  readonly at: string
  readonly filter: Filter
  readonly plan: Plan
  readonly found: Filtered
  readonly offered?: Offered
  readonly kind: "issues" | "pulls"
  readonly isSignedIn: boolean
  /** What the list shows where no filter is given. */
  readonly usual: string
}

const isKey =
  (key: FilterWord["key"]) =>
  (word: FilterWord): boolean =>
    word.key === key

/** The filter as one field and as menus, what is in force, and the counts by state. */
export function filterBar(bar: FilterBar): Html {
  const { at, filter, plan, found, offered, kind, isSignedIn, usual } = bar
  const text = filterText(filter)
  const to = (changed: Filter): string => withQuery(at, { q: filterText(changed) })
  const put = (word: FilterWord, isReplaced = isKey(word.key)): string => to(withWords(filter, isReplaced, word))
  const toggle = (word: FilterWord): string => {
    const same = (other: FilterWord) => other.key === word.key && other.isNot === word.isNot && isSame(other.values, word.values)
    return filter.words.some(same) ? to(withWords(filter, same)) : to(withWords(filter, () => false, word))
  }
  const has = (key: FilterWord["key"], value: string): boolean =>
    filter.words.some((word) => word.key === key && !word.isNot && isSame(word.values, [value]))
  const choice = (href: string, content: Content, isChosen: boolean): Html =>
    html`
      <a href="${href}" rel="nofollow" ${attribute("aria-current", isChosen ? "true" : undefined)}>
        ${content}${isChosen && icon("check", "chosen")}
      </a>
    `
  const none = (key: FilterWord["key"], words: string): Html =>
    choice(
      put(filterWord("no", key), (word) => word.key === key || (word.key === "no" && isSame(word.values, [key]))),
      words,
      has("no", key),
    )
  const states: readonly Tab[] = (["open", "closed", ...(kind === "pulls" ? (["merged"] as const) : []), "all"] as const).map((state) => ({
    href: put(filterWord("is", state), isStateWord),
    text: STATES[state],
    current: plan.state === state,
    count: { open: found.open, closed: found.closed, merged: found.merged, all: found.open + found.closed }[state],
  }))
  const chips = filter.words.filter((word) => !isStateWord(word) && word.key !== "sort")
  return html`
    <div class="filters stack">
      <form class="filter" role="search" action="${at}">
        ${hidden(at)}
        <input
          type="search"
          name="q"
          value="${text}"
          aria-label="Filter"
          placeholder="${usual}"
          spellcheck="false"
          autocomplete="off"
          maxlength="1000"
        >
        <button>${icon("search")}<span class="wide-only">Filter</span></button>
      </form>
      ${plan.hints.length > 0 && notice("warn", html`<ul class="plain">${plan.hints.map((hint) => html`<li>${hint}</li>`)}</ul>`)}
      <div class="bar">
        <div id="list-states" data-live>${choices("State", states)}</div>
        <div class="bar end">
          ${
            offered &&
            html`
              ${menu("Label", [
                none("label", "No label"),
                ...offered.labels.map(({ name, color }) =>
                  choice(toggle(filterWord("label", name)), html`${dot(`#${color}`)}<bdi>${name}</bdi>`, has("label", name)),
                ),
              ])}
              ${menu("Milestone", [
                none("milestone", "No milestone"),
                ...offered.milestones.map(({ title }) =>
                  choice(toggle(filterWord("milestone", title)), html`<bdi>${title}</bdi>`, has("milestone", title)),
                ),
              ])}
              ${
                offered.projects.length > 0 &&
                menu("Project", [
                  none("project", "No project"),
                  ...offered.projects.map(({ title }) =>
                    choice(toggle(filterWord("project", title)), html`<bdi>${title}</bdi>`, has("project", title)),
                  ),
                ])
              }
            `
          }
          ${menu("People", [
            none("assignee", "No assignee"),
            ...(isSignedIn
              ? [
                  choice(put(filterWord("assignee", "@me")), "Assigned to me", has("assignee", "@me")),
                  choice(put(filterWord("author", "@me")), "By me", has("author", "@me")),
                  choice(put(filterWord("mentions", "@me")), "Mentioning me", has("mentions", "@me")),
                  ...(kind === "pulls"
                    ? [
                        choice(put(filterWord("review-requested", "@me")), "Review requested from me", has("review-requested", "@me")),
                        choice(put(filterWord("reviewed-by", "@me")), "Reviewed by me", has("reviewed-by", "@me")),
                      ]
                    : []),
                ]
              : []),
            html`<p>Of others: <code>author:name</code>, <code>assignee:name</code></p>`,
          ])}
          ${
            kind === "pulls" &&
            menu(
              "Review",
              (
                [
                  ["none", "Not reviewed yet"],
                  ["required", "Requested"],
                  ["approved", "Approved"],
                  ["changes", "Changes requested"],
                ] as const
              ).map(([value, words]) => choice(put(filterWord("review", value)), words, has("review", value))),
            )
          }
          ${
            kind === "pulls" &&
            menu(
              "Checks",
              (
                [
                  ["success", "Passed"],
                  ["failure", "Failed"],
                  ["pending", "Running"],
                ] as const
              ).map(([value, words]) => choice(put(filterWord("status", value)), words, has("status", value))),
            )
          }
          ${
            kind === "issues" &&
            plan.state !== "open" &&
            menu(
              "Reason",
              (
                [
                  ["completed", "Completed"],
                  ["not-planned", "Not planned"],
                  ["duplicate", "Duplicates"],
                ] as const
              ).map(([value, words]) => choice(put(filterWord("reason", value)), words, has("reason", value))),
            )
          }
          ${menu(html`${icon("sort-desc")}<bdi>${orderText(plan.order)}</bdi>`, [
            ...ORDER_NAMES.map((order) => choice(put(filterWord("sort", order)), ORDERS[order], plan.order === order)),
            ...scopesOf(offered).map((scope) =>
              choice(put(filterWord("sort", `scope-${scope}-asc`)), html`By <bdi>${scope}</bdi>`, isOrderBy(plan, scope)),
            ),
          ])}
        </div>
      </div>
      ${
        chips.length > 0 &&
        html`
          <p class="bar small">
            <span class="muted">Only</span>
            ${chips.map(
              (word) =>
                html`
                  <a
                    class="chip"
                    rel="nofollow"
                    href="${to(withWords(filter, (other) => other === word))}"
                    aria-label="Remove ${wordText(word)}"
                  >
                    <bdi>${wordText(word)}</bdi>${icon("x")}
                  </a>
                `,
            )}
            <a href="${at}">Show all open</a>
          </p>
        `
      }
    </div>
  `
}

/** The scopes of exclusive labels: lists can be sorted by each. */
const scopesOf = (offered: Offered | undefined): readonly string[] => [
  ...new Set((offered?.labels ?? []).flatMap((each) => exclusiveScope(each) ?? [])),
]

const isOrderBy = ({ order }: Plan, scope: string): boolean => typeof order !== "string" && order.scope === scope.toLowerCase()

/** A form takes nothing from the query of its address. */
const hidden = (at: string): Content =>
  [...new URLSearchParams(at.split("?")[1] ?? "")].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

const STATES: Readonly<Record<ListState, string>> = { open: "Open", closed: "Closed", merged: "Merged", all: "All" }

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((value, at) => value.toLowerCase() === other[at]?.toLowerCase())

const wordText = (word: FilterWord): string => filterText({ words: [word], text: [], phrases: [] })

/** What stands where a filtered list has nothing. */
export function nothingFound({ at, filter, found, kind, plan }: FilterBar, action: Content): Html {
  const what = kind === "pulls" ? "pull request" : "issue"
  const name = kind === "pulls" ? "git-pull-request" : "issue-opened"
  const isFiltered =
    filter.words.some((word) => !isStateWord(word) && word.key !== "sort") || filter.text.length > 0 || filter.phrases.length > 0
  if (isFiltered)
    return empty("search", `No ${what} matches`, "Remove a word from the filter.", html`<a class="button" href="${at}">Show all open</a>`)
  if (found.open + found.closed === 0)
    return empty(
      name,
      `No ${what}s yet`,
      kind === "pulls" ? "Push a branch and propose to merge it." : "Track bugs, ideas and tasks here.",
      action,
    )
  if (plan.state === "open")
    return empty("check-circle", "Nothing is open", `All ${plural(found.closed, what)} are closed: well done.`, action)
  return empty(name, `No ${what} is in this state`)
}

/** Words with commas between them, and “and” before the last. */
export function enumerated(items: readonly Content[]): Html {
  if (items.length < 2) return html`${items}`
  return html`${joined(items.slice(0, -1), ", ")} and ${items.at(-1)}`
}
