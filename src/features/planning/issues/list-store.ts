import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from "kysely"
import type { Repository } from "../../../access/permission.ts"
import type { Issue, ReadableKinds } from "../../../access/policies/issues.ts"
import { readableRepositories } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { inList, isOneOf, issuesWithWords } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Flag, Tables } from "../../../core/database/tables/index.ts"
import type { Page } from "../../../core/operation.ts"
import { concerning as repositoriesOf } from "../../code/repositories/search-store.ts"
import { findIssuesByIds } from "./store.ts"

/** A page of a list and the total number of its rows. */
export interface FoundIssues {
  readonly rows: readonly Issue[]
  readonly total: number
}

export type Condition = Expression<SqlBool>
type Searched = "issues" | "repositories"
type Builder = ExpressionBuilder<Tables, Searched>
const eb = (): Builder => expressionBuilder<Tables, Searched>()

const never: Condition = sql<SqlBool>`1 = 0`

// --- conditions ------------------------------------------------------------------------------------------------------------------

/** What selects whole groups of issues that are counted already: the same condition on rows of `issue_totals`. */
const onTotals = new WeakMap<Condition, Condition>()

const ofGroup = (column: "is_closed" | "is_pull" | "repository_id", value: number): Condition => {
  const condition = sql<SqlBool>`issues.${sql.ref(column)} = ${value}`
  onTotals.set(condition, sql<SqlBool>`issue_totals.${sql.ref(column)} = ${value}`)
  return condition
}

/** A condition on the repository alone. */
const ofPlace = (condition: Condition): Condition => {
  onTotals.set(condition, condition)
  return condition
}

/** What few issues meet, and is found without looking at the others. */
const selective = new WeakSet<Condition>()

const few = (condition: Condition): Condition => {
  selective.add(condition)
  return condition
}

export const inState = (isClosed: Flag): Condition => ofGroup("is_closed", isClosed)

export const ofKind = (isPull: Flag): Condition => ofGroup("is_pull", isPull)

export const createdBy = (userId: number): Condition => eb()("issues.author_id", "=", userId)

/** Starts from the user's rows, because few issues concern one user. */
const concerning = (table: "issue_assignees" | "issue_mentions", userId: number): Condition =>
  few(sql<SqlBool>`issues.id in (select issue_id from ${sql.table(table)} where user_id = ${userId})`)

export const assignedTo = (userId: number): Condition => concerning("issue_assignees", userId)
export const mentioning = (userId: number): Condition => concerning("issue_mentions", userId)

/** With a review that the user has submitted. */
export const reviewedBy = (userId: number): Condition =>
  few(
    sql<SqlBool>`issues.id in (select issue_id from reviews where reviewer_id = ${userId} and state in ('APPROVED', 'COMMENT', 'REQUEST_CHANGES'))`,
  )

/** With a review requested from the user or a team of theirs. */
export const awaitingReviewBy = (userId: number): Condition =>
  few(sql<SqlBool>`issues.id in (select issue_id from reviews where state = 'REQUEST_REVIEW' and (reviewer_id = ${userId}
    or reviewer_team_id in (select team_id from team_members where user_id = ${userId})))`)

export const updatedSince = (seconds: number): Condition => eb()("issues.updated_at", ">=", seconds)
export const updatedBefore = (seconds: number): Condition => eb()("issues.updated_at", "<=", seconds)

/** With a label of that name. */
export const labelled = (name: string): Condition => labelledAny([name])

/** With a label of one of these names. */
export const labelledAny = (names: readonly string[]): Condition =>
  eb().exists(
    eb()
      .selectFrom("issue_labels")
      .innerJoin("labels", "labels.id", "issue_labels.label_id")
      .select("issue_labels.issue_id")
      .whereRef("issue_labels.issue_id", "=", "issues.id")
      .where(inList("labels.name", names)),
  )

/** In one of these milestones. */
export const inMilestones = (ids: readonly number[]): Condition => inList("issues.milestone_id", ids)

/** In a milestone of one of these titles, in any letter case. */
export const inMilestonesTitled = (titles: readonly string[]): Condition =>
  eb()(
    "issues.milestone_id",
    "in",
    eb()
      .selectFrom("milestones")
      .select("milestones.id")
      .where(isOneOf(sql.ref("milestones.title"), titles)),
  )

/** Of what `issuesWithWords` gives. */
export const withWords = (words: Expression<number>): Condition => few(sql<SqlBool>`issues.id in ${words}`)

/**
 * With all the words in one of its texts; a number also matches the issue of that number. Undefined for a blank text, which matches
 * everything.
 */
export function worded(text: string): Condition | undefined {
  const sought = text.trim()
  if (sought === "") return undefined
  const words = issuesWithWords(sought)
  const found = words ? withWords(words) : never
  return /^[1-9]\d{0,14}$/.test(sought) ? eb().or([found, eb()("issues.number", "=", Number(sought))]) : found
}

export const inRepository = (repositoryId: number): Condition => ofGroup("repository_id", repositoryId)

export const ofOwner = (ownerId: number): Condition => ofPlace(eb()("repositories.owner_id", "=", ownerId))

export const ofTeam = (teamId: number): Condition =>
  ofPlace(sql<SqlBool>`repositories.id in (select repository_id from team_repositories where team_id = ${teamId})`)

// --- lists -----------------------------------------------------------------------------------------------------------------------

const findNewest = query("issues.findNewest", (db, p: Params<{ repositoryId: number; isClosed: Flag; limit: number; offset: number }>) =>
  db
    .selectFrom("issues")
    .selectAll()
    .where("repository_id", "=", p.repositoryId)
    .where("is_closed", "=", p.isClosed)
    .orderBy("number", "desc")
    .limit(p.limit)
    .offset(p.offset),
)

/**
 * The open issues and pull requests of a repository, newest first. This is the most frequent list, and its total is stored in the
 * repository's row.
 */
export async function listOpen(db: Handle, repository: Repository, { limit, offset }: Page): Promise<FoundIssues> {
  const total = repository.open_issues_count + repository.open_pulls_count
  if (total <= offset) return { rows: [], total }
  return { rows: await findNewest(db, { repositoryId: repository.id, isClosed: 0, limit, offset }), total }
}

/** The issues of a repository that match all conditions, newest first. Numbers follow the order of creation. */
export function listIssues(
  db: Handle,
  repositoryId: number,
  kinds: ReadableKinds,
  conditions: readonly Condition[],
  page: Page,
): Promise<FoundIssues> {
  const readable = kinds.issues && kinds.pulls ? [] : [ofKind(kinds.pulls ? 1 : 0)]
  return pageOf(db, undefined, [inRepository(repositoryId), ...readable, ...conditions], "number", page)
}

/** The issues of all repositories that the caller may read and that match all conditions, newest first. */
export const searchIssues = (db: Handle, actor: Actor, conditions: readonly Condition[], page: Page): Promise<FoundIssues> =>
  pageOf(db, actor, conditions, "created", page)

const unitOf = (table: "issues" | "issue_totals") =>
  sql<string>`case ${sql.ref(`${table}.is_pull`)} when 1 then 'repo.pulls' else 'repo.issues' end`

/** How many of the issues that meet these conditions are open, and closed, if all of them select whole groups. Of those that the reader may read, if there is one. */
export async function countGroups(
  db: Handle,
  reader: Actor | undefined,
  conditions: readonly Condition[],
): Promise<{ readonly open: number; readonly closed: number } | undefined> {
  const groups = conditions.flatMap((condition) => onTotals.get(condition) ?? [])
  if (groups.length < conditions.length) return undefined
  let totals = db
    .selectFrom("issue_totals")
    .innerJoin("repositories", "repositories.id", "issue_totals.repository_id")
    .where("issue_totals.total", ">", 0)
  if (reader) totals = totals.where(readableRepositories(reader, unitOf("issue_totals")))
  const rows = await groups
    .reduce((some, group) => some.where(group), totals)
    .select(["issue_totals.is_closed", sql<number>`cast(sum(issue_totals.total) as bigint)`.as("total")])
    .groupBy("issue_totals.is_closed")
    .execute()
  const of = (isClosed: Flag) => rows.find(({ is_closed }) => is_closed === isClosed)?.total ?? 0
  return { open: of(0), closed: of(1) }
}

async function pageOf(
  db: Handle,
  reader: Actor | undefined,
  conditions: readonly Condition[],
  order: "number" | "created",
  { limit, offset }: Page,
): Promise<FoundIssues> {
  const all = db.selectFrom("issues").innerJoin("repositories", "repositories.id", "issues.repository_id")
  // What selects few is asked before what any row has to be judged by.
  const chosen = conditions.reduce((some, condition) => some.where(condition), all)
  const found = reader ? chosen.where(readableRepositories(reader, unitOf("issues"))) : chosen
  const counted = await countGroups(db, reader, conditions)
  const total = counted
    ? counted.open + counted.closed
    : (await found.select((b) => b.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()).total
  if (total <= offset) return { rows: [], total }
  // In the order of an index, SQLite would look at all issues for the few that are meant.
  const isSelective = conditions.some((condition) => selective.has(condition))
  const column = (name: "number" | "created_at") => (isSelective ? sql`issues.${sql.ref(name)} + 0` : sql.ref(`issues.${name}`))
  const ordered =
    order === "number" ? found.orderBy(column("number"), "desc") : found.orderBy(column("created_at"), "desc").orderBy("issues.id", "desc")
  const ids = (await ordered.select("issues.id").limit(limit).offset(offset).execute()).map(({ id }) => id)
  const rows = new Map((await findIssuesByIds(db, { ids })).map((issue) => [issue.id, issue]))
  return { rows: ids.flatMap((id) => rows.get(id) ?? []), total }
}

/** The issues that someone is told of: they chose so, or have to do with them and did not choose otherwise. */
export function followedBy(userId: number): Condition {
  return sql<SqlBool>`(issues.id in (
      select issue_id from issue_watches where user_id = ${userId} and is_watching = 1
      union select issue_id from issue_assignees where user_id = ${userId}
      union select id from issues as opened where opened.author_id = ${userId}
      union select issue_id from comments where author_id = ${userId} and kind in ('comment', 'code', 'review')
      union select issue_id from reviews where reviewer_id = ${userId} and state = 'REQUEST_REVIEW')
    and not exists (select 1 from issue_watches where issue_watches.issue_id = issues.id and issue_watches.user_id = ${userId} and is_watching = 0))`
}

export const ofMilestone = (milestoneId: number): Condition => eb()("issues.milestone_id", "=", milestoneId)

/** In repositories that concern the user. */
export const inRepositoriesOf = (userId: number): Condition => sql<SqlBool>`${repositoriesOf(userId)}`
