import { type SqlBool, sql } from "kysely"
import { readableProjects } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import { contains, inList, isOneOf } from "../../../core/database/expressions.ts"
import type { CloseReason } from "../../../core/database/tables/issues.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { pathNumber } from "../../../core/operation.ts"
import { combinesTo } from "../../code/statuses/store.ts"
import type { Filter, FilterWord } from "./filter-words.ts"
import { type Condition, ofKind, worded } from "./list-store.ts"

/** Filters as conditions in SQL. */

export const ORDERS = {
  "created-desc": t("Newest"),
  "created-asc": t("Oldest"),
  "updated-desc": t("Recently updated"),
  "updated-asc": t("Least recently updated"),
  "comments-desc": t("Most commented"),
  "comments-asc": t("Least commented"),
  "due-asc": t("Due soonest"),
  "due-desc": t("Due latest"),
  "closed-desc": t("Recently closed"),
} as const
export type OrderName = keyof typeof ORDERS
export const ORDER_NAMES = Object.keys(ORDERS).filter((name): name is OrderName => name in ORDERS)

/** By the label that they have of a scope, such as `severity` of `severity/1` and `severity/2`. */
export interface ScopeOrder {
  readonly scope: string
  readonly direction: "asc" | "desc"
}

export const orderText = (order: OrderName | ScopeOrder): Text =>
  typeof order === "string"
    ? ORDERS[order]
    : order.direction === "desc"
      ? t("By {scope}, from the last", { scope: order.scope })
      : t("By {scope}", { scope: order.scope })

export type ListState = "open" | "closed" | "merged" | "all"

/** What a filter comes to. */
export interface Plan {
  readonly state: ListState
  readonly kind: "issues" | "pulls" | undefined
  readonly order: OrderName | ScopeOrder
  /** All but state and kind. */
  readonly conditions: readonly Condition[]
  readonly hints: readonly string[]
}

interface Reading {
  readonly actor: Actor
  readonly hints: string[]
}

/** Reads a filter for this caller, who is `@me` in it. */
export function planFilter(actor: Actor, { words, text, phrases, hints: before }: Filter): Plan {
  const reading: Reading = { actor, hints: [...before] }
  let state: ListState = "all"
  let kind: Plan["kind"]
  let order: Plan["order"] = "created-desc"
  let within: readonly string[] = []
  const conditions: Condition[] = []
  for (const word of words) {
    const [first = ""] = word.values.map((value) => value.toLowerCase())
    if (word.key === "sort") order = orderNamed(first, reading) ?? order
    else if (word.key === "in") within = word.values.map((value) => value.toLowerCase())
    else if (word.key === "is" && !word.isNot && isState(first)) state = first
    else if (word.key === "is" && !word.isNot && (first === "issue" || first === "pr" || first === "pull"))
      kind = first === "issue" ? "issues" : "pulls"
    else {
      const found = conditionOf(word, reading)
      if (found) conditions.push(word.isNot ? sql<SqlBool>`not ${found}` : found)
    }
  }
  return { state, kind, order, conditions: [...conditions, ...textConditions(text, phrases, within, reading)], hints: reading.hints }
}

const isState = (word: string): word is ListState => word === "open" || word === "closed" || word === "merged" || word === "all"

function orderNamed(word: string, { hints }: Reading): Plan["order"] | undefined {
  const [, scope, direction] = /^scope-(.+?)(?:-(asc|desc))?$/.exec(word) ?? []
  if (scope !== undefined) return { scope, direction: direction === "desc" ? "desc" : "asc" }
  const found = ORDER_NAMES.find((name) => name === word || name === `${word}-desc`)
  if (!found) hints.push(`“sort:${word}” is not known. There are ${ORDER_NAMES.join(", ")}, and scope-NAME-asc for the labels of a scope.`)
  return found
}

const any = (conditions: readonly Condition[]): Condition => sql<SqlBool>`(${sql.join(conditions, sql` or `)})`

function conditionOf({ key, values }: FilterWord, reading: Reading): Condition | undefined {
  const each = (condition: (value: string) => Condition | undefined): Condition | undefined => {
    const found = values.flatMap((value) => condition(value) ?? [])
    return found.length === 0 ? undefined : any(found)
  }
  const people = () => namedPeople(values, reading)
  switch (key) {
    case "is":
      return each((value) => isCondition(value.toLowerCase(), reading))
    case "author":
      return sql<SqlBool>`issues.author_id in ${people()}`
    case "assignee":
      return sql<SqlBool>`issues.id in (select issue_id from issue_assignees where user_id in ${people()})`
    case "mentions":
      return sql<SqlBool>`issues.id in (select issue_id from issue_mentions where user_id in ${people()})`
    case "involves":
      return sql<SqlBool>`(issues.author_id in ${people()}
        or issues.id in (select issue_id from issue_assignees where user_id in ${people()})
        or issues.id in (select issue_id from issue_mentions where user_id in ${people()})
        or issues.id in (select issue_id from comments where kind in ('comment', 'review', 'code') and author_id in ${people()}))`
    case "label":
      return sql<SqlBool>`exists (select 1 from issue_labels join labels on labels.id = issue_labels.label_id
        where issue_labels.issue_id = issues.id and ${isOneOf(sql.ref("labels.name"), values)})`
    case "milestone":
      return sql<SqlBool>`issues.milestone_id in (select milestones.id from milestones where milestones.repository_id = issues.repository_id
        and (${isOneOf(sql.ref("milestones.title"), values)} or ${inList(sql.ref<number>("milestones.id"), values.map(pathNumber))}))`
    case "project":
      return sql<SqlBool>`issues.id in (select project_cards.issue_id from project_cards join projects on projects.id = project_cards.project_id
        where (${isOneOf(sql.ref("projects.title"), values)} or ${inList(sql.ref<number>("projects.id"), values.map(pathNumber))})
        and ${readableProjects(reading.actor)})`
    case "no":
      return each((value) => lacking(value.toLowerCase(), reading))
    case "review-requested":
      return sql<SqlBool>`issues.id in (select issue_id from reviews where state = 'REQUEST_REVIEW' and (reviewer_id in ${people()}
        or reviewer_team_id in (select team_id from team_members where user_id in ${people()})))`
    case "reviewed-by":
      return sql<SqlBool>`issues.id in (select issue_id from reviews where state in ('APPROVED', 'COMMENT', 'REQUEST_CHANGES') and reviewer_id in ${people()})`
    case "review":
      return each((value) => reviewCondition(value.toLowerCase(), reading))
    case "status":
      return each((value) => statusCondition(value.toLowerCase(), reading))
    case "draft":
      return each((value) => draftCondition(value.toLowerCase(), reading))
    case "reason":
      return each((value) => closedAs(value.toLowerCase(), reading))
    case "head":
      return sql<SqlBool>`issues.id in (select issue_id from pulls where ${inList(sql.ref<string>("pulls.head_branch"), values)})`
    case "base":
      return sql<SqlBool>`issues.id in (select issue_id from pulls where ${inList(sql.ref<string>("pulls.base_branch"), values)})`
    case "created":
    case "updated":
    case "closed":
      return each((value) => moment(key, value, reading))
    case "comments":
      return each((value) => commentCount(value, reading))
    case "in":
    case "sort":
      return undefined
  }
}

/** The accounts of these names; what is shown of each issue tells of them anyway. */
function namedPeople(values: readonly string[], { actor, hints }: Reading): Condition {
  if (actor.kind === "anonymous" && values.includes("@me")) hints.push("“@me” means someone only for those who are signed in.")
  const names = values.flatMap((value) => {
    if (value !== "@me") return value.replace(/^@/, "").toLowerCase()
    return actor.kind === "anonymous" ? [] : actor.user.lower_name
  })
  return sql<SqlBool>`(select id from users where ${inList(sql.ref<string>("users.lower_name"), names)})`
}

export const merged: Condition = sql<SqlBool>`exists (select 1 from pulls where pulls.issue_id = issues.id and pulls.is_merged = 1)`

/** With one of the marks of `isUnfinished`. */
const draft: Condition = sql<SqlBool>`(issues.is_pull = 1 and (lower(issues.title) like 'wip:%' or lower(issues.title) like '[wip]%'))`

function draftCondition(value: string, { hints }: Reading): Condition | undefined {
  if (value === "true" || value === "yes") return draft
  if (value === "false" || value === "no") return sql<SqlBool>`(issues.is_pull = 1 and not ${draft})`
  hints.push(`“draft:${value}” is not known. There are true and false.`)
  return undefined
}

/** The reasons by which closed issues are found, as they are stored. */
const REASONS: Readonly<Record<string, CloseReason>> = { completed: "", "not-planned": "not_planned", duplicate: "duplicate" }

function closedAs(value: string, { hints }: Reading): Condition | undefined {
  const reason = Object.hasOwn(REASONS, value) ? REASONS[value] : undefined
  if (reason !== undefined) return sql<SqlBool>`(issues.is_pull = 0 and issues.is_closed = 1 and issues.close_reason = ${reason})`
  hints.push(`“reason:${value}” is not known. There are ${Object.keys(REASONS).join(", ")}.`)
  return undefined
}

function isCondition(value: string, { hints }: Reading): Condition | undefined {
  switch (value) {
    case "open":
    case "closed":
      return sql<SqlBool>`issues.is_closed = ${value === "closed" ? 1 : 0}`
    case "merged":
      return merged
    case "unmerged":
      return sql<SqlBool>`not ${merged}`
    case "draft":
      return draft
    case "issue":
      return ofKind(0)
    case "pr":
    case "pull":
      return ofKind(1)
    case "locked":
      return sql<SqlBool>`issues.is_locked = 1`
    case "pinned":
      return sql<SqlBool>`issues.pin_order > 0`
    case "all":
      return undefined
  }
  hints.push(`“is:${value}” is not known. There are open, closed, all, issue, pr, draft, merged, unmerged, locked and pinned.`)
  return undefined
}

function lacking(value: string, { hints }: Reading): Condition | undefined {
  switch (value) {
    case "label":
    case "labels":
      return sql<SqlBool>`not exists (select 1 from issue_labels where issue_labels.issue_id = issues.id)`
    case "milestone":
      return sql<SqlBool>`issues.milestone_id is null`
    case "assignee":
      return sql<SqlBool>`not exists (select 1 from issue_assignees where issue_assignees.issue_id = issues.id)`
    case "project":
      return sql<SqlBool>`not exists (select 1 from project_cards where project_cards.issue_id = issues.id)`
    case "due":
      return sql<SqlBool>`issues.due_at = 0`
  }
  hints.push(`“no:${value}” is not known. There are label, milestone, assignee, project and due.`)
  return undefined
}

/** Whether the last verdict of someone, as far as it was not dismissed, is this one. */
const verdict = (state: "APPROVED" | "REQUEST_CHANGES"): Condition => sql<SqlBool>`exists (select 1 from reviews
  where reviews.issue_id = issues.id and reviews.state = ${state} and reviews.is_dismissed = 0 and not exists (select 1 from reviews as later
    where later.issue_id = reviews.issue_id and later.reviewer_id = reviews.reviewer_id and later.id > reviews.id
    and later.is_dismissed = 0 and later.state in ('APPROVED', 'REQUEST_CHANGES')))`

function reviewCondition(value: string, { hints }: Reading): Condition | undefined {
  switch (value) {
    case "approved":
      return sql<SqlBool>`(${verdict("APPROVED")} and not ${verdict("REQUEST_CHANGES")})`
    case "changes":
    case "changes_requested":
      return verdict("REQUEST_CHANGES")
    case "required":
    case "requested":
      return sql<SqlBool>`issues.id in (select issue_id from reviews where state = 'REQUEST_REVIEW')`
    case "none":
      return sql<SqlBool>`issues.id not in (select issue_id from reviews where state in ('APPROVED', 'COMMENT', 'REQUEST_CHANGES'))`
  }
  hints.push(`“review:${value}” is not known. There are approved, changes, required and none.`)
  return undefined
}

/** By the statuses of the head commit in the repository that it is to be merged into. */
function statusCondition(value: string, { hints }: Reading): Condition | undefined {
  switch (value) {
    case "success":
    case "failure":
    case "pending":
      return sql<SqlBool>`exists (select 1 from pulls where pulls.issue_id = issues.id
        and ${combinesTo(value, sql.ref("pulls.repository_id"), sql.ref("pulls.head_id"))})`
  }
  hints.push(`“status:${value}” is not known. There are success, failure and pending.`)
  return undefined
}

// --- numbers and days -----------------------------------------------------------------------------------------------------------------

const RANGE = /^(?:(?<from>[^.]+)\.\.(?<to>[^.]+)|(?<sign>>=|<=|>|<|=)?(?<one>[^.]+))$/

interface Range {
  /** The least value, and the one above the greatest. */
  readonly from: number
  readonly below: number
}

/** A range such as `>5`, `5..10` or `5`, of values that each begin somewhere and end before the next. */
function rangeOf(text: string, read: (text: string) => Range | undefined): Range | undefined {
  const { from, to, sign, one } = RANGE.exec(text)?.groups ?? {}
  if (from !== undefined && to !== undefined) {
    const [start, end] = [read(from), read(to)]
    return start && end && { from: start.from, below: end.below }
  }
  const given = one === undefined ? undefined : read(one)
  if (!given) return undefined
  if (sign === ">") return { from: given.below, below: Number.MAX_SAFE_INTEGER }
  if (sign === ">=") return { from: given.from, below: Number.MAX_SAFE_INTEGER }
  if (sign === "<") return { from: 0, below: given.from }
  if (sign === "<=") return { from: 0, below: given.below }
  return given
}

/** A year, a month or a day, in UTC. */
function spanOf(text: string): Range | undefined {
  const [, year, month, day] = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T.*)?)?)?$/.exec(text) ?? []
  if (year === undefined) return undefined
  const [y, m, d] = [Number(year), Number(month ?? "1") - 1, Number(day ?? "1")]
  if (m < 0 || m > 11 || d < 1 || d > 31) return undefined
  const end = day !== undefined ? Date.UTC(y, m, d + 1) : month !== undefined ? Date.UTC(y, m + 1, 1) : Date.UTC(y + 1, 0, 1)
  return { from: Math.max(0, Date.UTC(y, m, d) / 1000), below: Math.max(0, end / 1000) }
}

const COLUMNS = { created: "issues.created_at", updated: "issues.updated_at", closed: "issues.closed_at" } as const

function moment(key: "created" | "updated" | "closed", value: string, { hints }: Reading): Condition | undefined {
  const range = rangeOf(value, spanOf)
  if (!range) {
    hints.push(`“${key}:${value}” is no day: write ${key}:>2026-01-31, ${key}:2026-01 or ${key}:2026-01-01..2026-01-31.`)
    return undefined
  }
  const column = sql.ref<number>(COLUMNS[key])
  // 0 is stored for what was never closed.
  return sql<SqlBool>`(${column} >= ${Math.max(1, range.from)} and ${column} < ${range.below})`
}

function commentCount(value: string, { hints }: Reading): Condition | undefined {
  const range = rangeOf(value, (text) => (/^\d{1,9}$/.test(text) ? { from: Number(text), below: Number(text) + 1 } : undefined))
  if (range) return sql<SqlBool>`(issues.comments_count >= ${range.from} and issues.comments_count < ${range.below})`
  hints.push(`“comments:${value}” is no number: write comments:>5, comments:5..10 or comments:0.`)
  return undefined
}

// --- texts ----------------------------------------------------------------------------------------------------------------------------

const PLACES = ["title", "body", "comments"] as const

function textConditions(
  text: readonly string[],
  phrases: readonly string[],
  within: readonly string[],
  { hints }: Reading,
): readonly Condition[] {
  if (text.length === 0 && phrases.length === 0) return []
  const places = PLACES.filter((place) => within.includes(place) || (place === "comments" && within.includes("comment")))
  for (const other of within.filter((each) => each !== "comment" && !PLACES.some((place) => place === each)))
    hints.push(`“in:${other}” is not known. There are title, body and comments.`)
  const found = worded([...text, ...phrases].join(" "))
  const exact = places.length > 0 ? [...text, ...phrases] : phrases
  return [...(found ? [found] : []), ...exact.map((part) => holds(part, places.length > 0 ? places : PLACES))]
}

const holds = (text: string, places: readonly (typeof PLACES)[number][]): Condition =>
  any(
    places.map((place) => {
      if (place === "title") return contains(sql.ref("issues.title"), text)
      if (place === "body") return contains(sql.ref("issues.content"), text)
      return sql<SqlBool>`exists (select 1 from comments where comments.issue_id = issues.id and comments.kind = 'comment' and ${contains(sql.ref("comments.content"), text)})`
    }),
  )

// --- lists ----------------------------------------------------------------------------------------------------------------------------

// --- what a filter can name -----------------------------------------------------------------------------------------------------------
