import { attribute, type Content, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { type ListState, ORDER_NAMES, ORDERS, orderText, type Plan } from "../../../features/planning/issues/filter-conditions.ts"
import type { Filtered, Offered } from "../../../features/planning/issues/filter-store.ts"
import {
  type Filter,
  type FilterWord,
  filterText,
  filterWord,
  isStateWord,
  withWords,
} from "../../../features/planning/issues/filter-words.ts"
import { exclusiveScope } from "../../../features/planning/labels/scopes.ts"
import { withQuery } from "../../../web/address.ts"
import { choices, dot, empty, menu, notice, type Tab } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"

/** The filter of lists of issues and pull requests, and what changes those that are chosen. */

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

/** What the links of the bar make of the filter. */
const linksOf = ({ at, filter }: FilterBar) => {
  const to = (changed: Filter): string => withQuery(at, { q: filterText(changed) })
  const put = (word: FilterWord, isReplaced = isKey(word.key)): string => to(withWords(filter, isReplaced, word))
  const toggle = (word: FilterWord): string => {
    const same = (other: FilterWord) => other.key === word.key && other.isNot === word.isNot && isSame(other.values, word.values)
    return filter.words.some(same) ? to(withWords(filter, same)) : to(withWords(filter, () => false, word))
  }
  const has = (key: Key, value: string): boolean =>
    filter.words.some((word) => word.key === key && !word.isNot && isSame(word.values, [value]))
  return {
    to,
    put,
    /** Sets a word that is there once. */
    one: (key: Key, value: string, words: Content): Html => choice(put(filterWord(key, value)), words, has(key, value)),
    /** Adds a word, or takes it away. */
    some: (key: Key, value: string, words: Content): Html => choice(toggle(filterWord(key, value)), words, has(key, value)),
    none: (key: Key, words: Text): Html =>
      choice(
        put(filterWord("no", key), (word) => word.key === key || (word.key === "no" && isSame(word.values, [key]))),
        words,
        has("no", key),
      ),
  }
}

type Key = FilterWord["key"]
type Links = ReturnType<typeof linksOf>

const choice = (href: string, content: Content, isChosen: boolean): Html =>
  html`
    <a href="${href}" rel="nofollow" ${attribute("aria-current", isChosen ? "true" : undefined)}>
      ${content}${isChosen && icon("check", t("chosen"))}
    </a>
  `

/** The filter as one field and as menus, what is in force, and the counts by state. */
export function filterBar(bar: FilterBar): Html {
  const { at, filter, plan, found, kind, usual } = bar
  const links = linksOf(bar)
  const counts = { open: found.open, closed: found.closed, merged: found.merged, all: found.open + found.closed }
  const states: readonly Tab[] = (["open", "closed", ...(kind === "pulls" ? (["merged"] as const) : []), "all"] as const).map((state) => ({
    href: links.put(filterWord("is", state), isStateWord),
    text: STATES[state],
    current: plan.state === state,
    count: counts[state],
  }))
  return html`
    <div class="filters stack">
      <form class="filter" role="search" action="${at}">
        ${hidden(at)}
        <input
          type="search"
          name="q"
          value="${filterText(filter)}"
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
        <div id="list-states" data-live>${choices(t("State"), states)}</div>
        <div class="bar end">
          ${offeredMenus(bar, links)}${peopleMenu(bar, links)}
          ${FIXED_MENUS.map(
            ([title, key, isShown, options]) =>
              isShown(bar) &&
              menu(
                title,
                options.map(([value, words]) => links.one(key, value, words)),
              ),
          )}
          ${orderMenu(bar, links)}
        </div>
      </div>
      ${chipsOf(bar, links)}
    </div>
  `
}

const offeredMenus = ({ offered }: FilterBar, links: Links): Content =>
  offered &&
  html`
    ${menu(t("Label"), [
      links.none("label", t("No label")),
      ...offered.labels.map(({ name, color }) => links.some("label", name, html`${dot(`#${color}`)}<bdi>${name}</bdi>`)),
    ])}
    ${menu(t("Milestone"), [
      links.none("milestone", t("No milestone")),
      ...offered.milestones.map(({ title }) => links.some("milestone", title, html`<bdi>${title}</bdi>`)),
    ])}
    ${
      offered.projects.length > 0 &&
      menu(t("Project"), [
        links.none("project", t("No project")),
        ...offered.projects.map(({ title }) => links.some("project", title, html`<bdi>${title}</bdi>`)),
      ])
    }
  `

const OWN: readonly (readonly [key: Key, words: Text])[] = [
  ["assignee", t("Assigned to me")],
  ["author", t("By me")],
  ["mentions", t("Mentioning me")],
]
const OWN_REVIEWS: typeof OWN = [
  ["review-requested", t("Review requested from me")],
  ["reviewed-by", t("Reviewed by me")],
]

const peopleMenu = ({ kind, isSignedIn }: FilterBar, links: Links): Html =>
  menu(t("People"), [
    links.none("assignee", t("No assignee")),
    ...(isSignedIn ? [...OWN, ...(kind === "pulls" ? OWN_REVIEWS : [])] : []).map(([key, words]) => links.one(key, "@me", words)),
    html`<p>Others: <code>author:name</code>, <code>assignee:name</code></p>`,
  ])

type FixedMenu = readonly [
  title: Text,
  key: Key,
  isShown: (bar: FilterBar) => boolean,
  options: readonly (readonly [value: string, words: Text])[],
]

const FIXED_MENUS: readonly FixedMenu[] = [
  [
    t("Review"),
    "review",
    ({ kind }) => kind === "pulls",
    [
      ["none", t("Not reviewed yet")],
      ["required", t("Requested")],
      ["approved", t("Approved")],
      ["changes", t("Changes requested")],
    ],
  ],
  [
    t("Checks"),
    "status",
    ({ kind }) => kind === "pulls",
    [
      ["success", t("Passed")],
      ["failure", t("Failed")],
      ["pending", t("Running")],
    ],
  ],
  [
    t("Reason"),
    "reason",
    ({ kind, plan }) => kind === "issues" && plan.state !== "open",
    [
      ["completed", t("Completed")],
      ["not-planned", t("Not planned")],
      ["duplicate", t("Duplicates")],
    ],
  ],
]

const orderMenu = ({ plan, offered }: FilterBar, { put }: Links): Html =>
  menu(html`${icon("sort-desc")}<bdi>${orderText(plan.order)}</bdi>`, [
    ...ORDER_NAMES.map((order) => choice(put(filterWord("sort", order)), ORDERS[order], plan.order === order)),
    ...scopesOf(offered).map((scope) =>
      choice(put(filterWord("sort", `scope-${scope}-asc`)), html`By <bdi>${scope}</bdi>`, isOrderBy(plan, scope)),
    ),
  ])

/** The words in force, each with what takes it away. */
function chipsOf({ at, filter }: FilterBar, { to }: Links): Content {
  const chips = filter.words.filter((word) => !isStateWord(word) && word.key !== "sort")
  return (
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
  )
}

/** The scopes of exclusive labels: lists can be sorted by each. */
const scopesOf = (offered: Offered | undefined): readonly string[] => [
  ...new Set((offered?.labels ?? []).flatMap((each) => exclusiveScope(each) ?? [])),
]

const isOrderBy = ({ order }: Plan, scope: string): boolean => typeof order !== "string" && order.scope === scope.toLowerCase()

/** A form takes nothing from the query of its address. */
const hidden = (at: string): Content =>
  [...new URLSearchParams(at.split("?")[1] ?? "")].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

const STATES: Readonly<Record<ListState, Text>> = { open: t("Open"), closed: t("Closed"), merged: t("Merged"), all: t("All") }

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((value, at) => value.toLowerCase() === other[at]?.toLowerCase())

const wordText = (word: FilterWord): string => filterText({ words: [word], text: [], phrases: [] })

/** What stands where a filtered list has nothing. */
export function nothingFound({ at, filter, found, kind, plan }: FilterBar, action: Content): Html {
  const name = kind === "pulls" ? "git-pull-request" : "issue-opened"
  const isFiltered =
    filter.words.some((word) => !isStateWord(word) && word.key !== "sort") || filter.text.length > 0 || filter.phrases.length > 0
  if (isFiltered)
    return empty(
      "search",
      kind === "pulls" ? t("No pull request matches") : t("No issue matches"),
      t("Try removing a word from the filter."),
      html`<a class="button" href="${at}">Show all open</a>`,
    )
  if (found.open + found.closed === 0)
    return empty(
      name,
      kind === "pulls" ? t("No pull requests yet") : t("No issues yet"),
      kind === "pulls" ? t("Push a branch and open a pull request.") : t("Track bugs, ideas and tasks here."),
      action,
    )
  if (plan.state === "open")
    return empty(
      "check-circle",
      t("Nothing is open"),
      kind === "pulls"
        ? t("{count, plural, one {# pull request is} other {All # pull requests are}} closed: well done.", { count: found.closed })
        : t("{count, plural, one {# issue is} other {All # issues are}} closed: well done.", { count: found.closed }),
      action,
    )
  return empty(name, kind === "pulls" ? t("No pull request is in this state") : t("No issue is in this state"))
}

export interface BulkBar {
  readonly offered: Offered
  readonly assignees: readonly string[]
  readonly state: ListState
}

/** What can be done with all that are chosen. */
export function bulkBar({ offered, assignees, state }: BulkBar): Html {
  const group = (title: Text, options: readonly (readonly [value: string, words: Text])[]): Content =>
    options.length > 0 &&
    html`
      <optgroup label="${title}">
        ${options.map(([value, words]) => html`<option value="${value}">${words}</option>`)}
      </optgroup>
    `
  return html`
    <div class="bar small bulk">
      <label for="change">Selected</label>
      <select id="change" name="change" required>
        <option value="">…</option>
        ${state !== "closed" && html`<option value="close">Close</option>`}
        ${state !== "open" && html`<option value="reopen">Reopen</option>`}
        ${group(
          t("Add the label"),
          offered.labels.map(({ id, name }) => [`label ${id}`, name]),
        )}
        ${group(
          t("Remove the label"),
          offered.labels.map(({ id, name }) => [`unlabel ${id}`, name]),
        )}
        ${group(t("Set the milestone"), [
          ...offered.milestones.filter(({ is_closed }) => is_closed === 0).map(({ id, title }) => [`milestone ${id}`, title] as const),
          ["milestone 0", t("None")],
        ])}
        ${group(
          t("Assign to"),
          assignees.map((name) => [`assign ${name}`, name]),
        )}
      </select>
      <button class="small">Apply</button>
    </div>
  `
}
