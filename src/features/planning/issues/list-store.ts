import { type Expression, type ExpressionBuilder, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from "kysely"
import type { Repository } from "../../../access/permission.ts"
import type { Issue, ReadableKinds } from "../../../access/policies/issues.ts"
import { readableRepositories } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { inList, isOneOf, issuesOfWithWords, issuesWithWords } from "../../../core/database/expressions.ts"
import { nearerWindow } from "../../../core/database/nearer-window.ts"
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
const ofPlace = (condition: Condition, afterOthers: Condition): Condition => {
  onTotals.set(condition, condition)
  following.set(condition, afterOthers)
  return condition
}

/** What few issues meet, and is found without looking at the others. */
const selective = new WeakSet<Condition>()

/** Conditions that an index of their own finds: the same without it, for where another one must lead. */
const following = new WeakMap<Condition, Condition>()

const afterOthers = (condition: Condition): Condition => following.get(condition) ?? condition

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

/** With a label of that name, of those that a repository's issues can have. */
export const labelledIn = ({ id, owner_id }: Pick<Repository, "id" | "owner_id">, name: string): Condition =>
  few(sql<SqlBool>`issues.id in (select issue_id from issue_labels where label_id in (
    select id from labels where repository_id = ${id} and name = ${name}
    union select id from labels where organization_id = ${owner_id} and name = ${name}))`)

/** With a label of one of these names. */
export const labelledAny = (names: readonly string[]): Condition =>
  few(
    sql<SqlBool>`issues.id in (select issue_id from labels cross join issue_labels where issue_labels.label_id = labels.id and ${inList("labels.name", names)})`,
  )

/** In one of these milestones. */
export const inMilestones = (ids: readonly number[]): Condition => few(inList("issues.milestone_id", ids))

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
 * everything. `repositoryId` is that of the repository to which other conditions limit the list.
 */
export function worded(text: string, repositoryId?: number): Condition | undefined {
  const sought = text.trim()
  if (sought === "") return undefined
  const words = repositoryId === undefined ? issuesWithWords(sought) : issuesOfWithWords(repositoryId, sought)
  const found = words ? withWords(words) : never
  return /^[1-9]\d{0,14}$/.test(sought) ? eb().or([found, eb()("issues.number", "=", Number(sought))]) : found
}

export function inRepository(repositoryId: number): Condition {
  const condition = ofGroup("repository_id", repositoryId)
  following.set(condition, sql<SqlBool>`issues.repository_id + 0 = ${repositoryId}`)
  return condition
}

export const ofOwner = (ownerId: number): Condition =>
  ofPlace(eb()("repositories.owner_id", "=", ownerId), sql<SqlBool>`repositories.owner_id + 0 = ${ownerId}`)

export function ofTeam(teamId: number): Condition {
  const repositories = sql`(select repository_id from team_repositories where team_id = ${teamId})`
  return ofPlace(sql<SqlBool>`repositories.id in ${repositories}`, sql<SqlBool>`issues.repository_id + 0 in ${repositories}`)
}

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
  pageOf(db, actor, conditions, "created_at", page)

const unitOf = (table: "issues" | "issue_totals" | "groups") =>
  sql<string>`case ${sql.ref(`${table}.is_pull`)} when 1 then 'repo.pulls' else 'repo.issues' end`

/** How many of the issues that meet these conditions are open, and closed, if all of them select whole groups. Of those that the reader may read, if there is one. */
export async function countGroups(
  db: Handle,
  reader: Actor | undefined,
  conditions: readonly Condition[],
): Promise<{ readonly open: number; readonly closed: number } | undefined> {
  const groups = conditions.flatMap((condition) => onTotals.get(condition) ?? [])
  if (groups.length < conditions.length) return undefined
  const isPlaced = conditions.some((condition) => following.has(condition))
  const all = db.selectFrom("issue_totals")
  // SQLite keeps the order of a cross join: few repositories have issues.
  const joined = isPlaced
    ? all.innerJoin("repositories", "repositories.id", "issue_totals.repository_id")
    : all.crossJoin("repositories").whereRef("repositories.id", "=", "issue_totals.repository_id")
  let totals = joined.where("issue_totals.total", ">", 0)
  if (reader) totals = totals.where(readableRepositories(reader, unitOf("issue_totals")))
  const rows = await groups
    .reduce((some, group) => some.where(group), totals)
    .select(["issue_totals.is_closed", sql<number>`cast(sum(issue_totals.total) as bigint)`.as("total")])
    .groupBy("issue_totals.is_closed")
    .execute()
  const of = (isClosed: Flag) => rows.find(({ is_closed }) => is_closed === isClosed)?.total ?? 0
  return { open: of(0), closed: of(1) }
}

/** The conditions as their rows are counted: what selects few leads, where there is such. */
export const asCounted = (conditions: readonly Condition[]): readonly Condition[] =>
  conditions.some((condition) => selective.has(condition)) ? conditions.map(afterOthers) : conditions

/**
 * The conditions as a page of so many rows is read. In the order of an index SQLite would look at all issues for a few that are meant; of many, it comes across enough of them, and what else has
 * an index must not lead: the places, unless the list is of one.
 */
export function asListed(conditions: readonly Condition[], total: number, isOfPlace: boolean) {
  const isFew = total <= FEW && conditions.some((condition) => selective.has(condition))
  return { isFew, where: isFew || (!isOfPlace && total > FEW) ? conditions.map(afterOthers) : conditions }
}

/** So many rows are sorted sooner than they are come across in a million. */
const FEW = 5_000

/** Issues are counted by repository and kind before it is asked whether the reader may read them, which is the same for all of these. */
async function countFound(db: Handle, reader: Actor | undefined, found: SelectQueryBuilder<Tables, Searched, object>): Promise<number> {
  if (!reader) return (await found.select((b) => b.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()).total
  const groups = found
    .select(["issues.repository_id", "issues.is_pull", (b) => b.fn.countAll<number>().as("total")])
    .groupBy(["issues.repository_id", "issues.is_pull"])
  const { total } = await db
    .selectFrom(groups.as("groups"))
    .innerJoin("repositories", "repositories.id", "groups.repository_id")
    .where(readableRepositories(reader, unitOf("groups")))
    .select(sql<number>`cast(coalesce(sum(groups.total), 0) as bigint)`.as("total"))
    .executeTakeFirstOrThrow()
  return total
}

async function pageOf(
  db: Handle,
  reader: Actor | undefined,
  conditions: readonly Condition[],
  order: "number" | "created_at",
  page: Page,
): Promise<FoundIssues> {
  const all = db.selectFrom("issues").innerJoin("repositories", "repositories.id", "issues.repository_id")
  // What any row has to be judged by comes last.
  const found = (some: readonly Condition[]) => some.reduce((issues, condition) => issues.where(condition), all)
  if (conditions.some((condition) => selective.has(condition)))
    return inOrder(db, await pageOfFew(db, reader, found(asCounted(conditions)), order, page))
  const counted = await countGroups(db, reader, conditions)
  const total = counted ? counted.open + counted.closed : await countFound(db, reader, found(conditions))
  if (total <= page.offset) return { rows: [], total }
  const chosen = found(asListed(conditions, total, order === "number").where)
  const readable = reader ? chosen.where(readableRepositories(reader, unitOf("issues"))) : chosen
  const { isReversed, limit, offset } = nearerWindow(page, total)
  const direction = isReversed ? "asc" : "desc"
  const aged = readable.orderBy(`issues.${order}`, direction)
  const ordered = order === "number" ? aged : aged.orderBy("issues.id", direction)
  const ids = (await ordered.select("issues.id").limit(limit).offset(offset).execute()).map(({ id }) => id)
  return inOrder(db, { ids: isReversed ? ids.toReversed() : ids, total })
}

interface FoundIds {
  readonly ids: readonly number[]
  readonly total: number
}

async function inOrder(db: Handle, { ids, total }: FoundIds): Promise<FoundIssues> {
  const rows = new Map((await findIssuesByIds(db, { ids })).map((issue) => [issue.id, issue]))
  return { rows: ids.flatMap((id) => rows.get(id) ?? []), total }
}

/** What few issues meet is looked for once: the same rows are counted and sorted. */
async function pageOfFew(
  db: Handle,
  reader: Actor | undefined,
  found: SelectQueryBuilder<Tables, Searched, object>,
  order: "number" | "created_at",
  { limit, offset }: Page,
): Promise<FoundIds> {
  const rows = await db
    .with(
      (cte) => cte("found").materialized(),
      () => found.select(["issues.id", "issues.repository_id", "issues.is_pull", `issues.${order} as age`]),
    )
    .with(
      (cte) => cte("readable").materialized(),
      (known) => {
        const groups = known
          .selectFrom("found")
          .select(["repository_id", "is_pull", (b) => b.fn.countAll<number>().as("total")])
          .groupBy(["repository_id", "is_pull"])
        const judged = known.selectFrom(groups.as("groups")).select(["groups.repository_id", "groups.is_pull", "groups.total"])
        return reader
          ? judged
              .innerJoin("repositories", "repositories.id", "groups.repository_id")
              .where(readableRepositories(reader, unitOf("groups")))
          : judged
      },
    )
    .selectFrom((b) => b.selectFrom("readable").select(sql<number>`cast(coalesce(sum(total), 0) as bigint)`.as("total")).as("whole"))
    .leftJoin(
      (b) => {
        const listed = reader
          ? b.selectFrom("found").where(sql<SqlBool>`(found.repository_id, found.is_pull) in (select repository_id, is_pull from readable)`)
          : b.selectFrom("found")
        return listed
          .select(["found.id", "found.age"])
          .orderBy("found.age", "desc")
          .orderBy("found.id", "desc")
          .limit(limit)
          .offset(offset)
          .as("page")
      },
      (join) => join.onTrue(),
    )
    .select(["whole.total", "page.id"])
    .orderBy("page.age", "desc")
    .orderBy("page.id", "desc")
    .execute()
  return { ids: rows.flatMap(({ id }) => id ?? []), total: rows[0]?.total ?? 0 }
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

export const ofMilestone = (milestoneId: number): Condition => few(eb()("issues.milestone_id", "=", milestoneId))

/** In repositories that concern the user. */
export const inRepositoriesOf = (userId: number): Condition => {
  const condition = sql<SqlBool>`${repositoriesOf(userId)}`
  return ofPlace(condition, sql<SqlBool>`issues.repository_id + 0 in (select id from repositories where ${condition})`)
}
