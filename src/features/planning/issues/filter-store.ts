import { type SelectQueryBuilder, type SqlBool, sql } from "kysely"
import type { ProjectHome } from "../../../access/policies/projects.ts"
import { readableProjects, readableRepositories } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { isOneOf } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Flag, Tables } from "../../../core/database/tables/index.ts"
import type { Page } from "../../../core/operation.ts"
import { type ListState, merged, type Plan } from "./filter-conditions.ts"
import { asCounted, asListed, type Condition, countGroups, type FoundIssues, inRepository, ofKind } from "./list-store.ts"
import { findIssuesByIds } from "./store.ts"

/** A page of a list, and how many there are in each state. */
export interface Filtered extends FoundIssues {
  readonly open: number
  readonly closed: number
  /** Of the closed ones. */
  readonly merged: number
}

export type Searched = SelectQueryBuilder<Tables, "issues" | "repositories", object>

/** The issues, or the pull requests, of a repository that pass a filter. */
export const filterIn = (db: Handle, repositoryId: number, plan: Plan, page: Page, more: readonly Condition[] = []): Promise<Filtered> =>
  filterAll(db, repositoryId, plan, page, [inRepository(repositoryId), ...more], "number")

/** Those of all repositories that the caller may read. */
export const filterEverywhere = (db: Handle, actor: Actor, plan: Plan, page: Page, more: readonly Condition[]): Promise<Filtered> =>
  filterAll(db, actor, plan, page, more, "created_at")

/** The repositories in which most of them are. */
export async function countByRepository(db: Handle, actor: Actor, plan: Plan, more: readonly Condition[]) {
  const all = db.selectFrom("issues").innerJoin("repositories", "repositories.id", "issues.repository_id")
  const conditions = [
    ...more,
    ...(plan.kind === undefined ? [] : [ofKind(plan.kind === "pulls" ? 1 : 0)]),
    ...plan.conditions,
    ...inState(plan.state),
    readableRepositories(actor, unit),
  ]
  return conditions
    .reduce<Searched>((some, condition) => some.where(condition), all)
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .select(["owner.name as owner", "repositories.name as repository", (b) => b.fn.countAll<number>().as("total")])
    .groupBy(["owner.name", "repositories.name"])
    .orderBy("total", "desc")
    .orderBy("owner.name")
    .orderBy("repositories.name")
    .limit(MOST_PLACES)
    .execute()
}

const MOST_PLACES = 15

export const inState = (state: ListState): readonly Condition[] =>
  state === "all" ? [] : [state === "merged" ? merged : sql<SqlBool>`issues.is_closed = ${state === "closed" ? 1 : 0}`]

/** Numbers follow the order of creation in one repository. */
export type Age = "number" | "created_at"

const unit = sql<string>`case issues.is_pull when 1 then 'repo.pulls' else 'repo.issues' end`

/** A repository whose issues the caller may read, or the caller, who searches all that they may read. */
type Scope = number | Actor

async function filterAll(
  db: Handle,
  of: Scope,
  plan: Plan,
  { limit, offset }: Page,
  where: readonly Condition[],
  age: Age,
): Promise<Filtered> {
  const kind = plan.kind === undefined ? [] : [ofKind(plan.kind === "pulls" ? 1 : 0)]
  const conditions = [...where, ...kind, ...plan.conditions]
  const all = db.selectFrom("issues").innerJoin("repositories", "repositories.id", "issues.repository_id")
  const found = (some: readonly Condition[]): Searched => {
    const chosen = some.reduce<Searched>((issues, condition) => issues.where(condition), all)
    return typeof of === "number" ? chosen : chosen.where(readableRepositories(of, unit))
  }
  const { open, closed, merged: mergedCount } = await countStates(db, of, plan, conditions, found(asCounted(conditions)))
  const total = { open, closed, merged: mergedCount, all: open + closed }[plan.state]
  if (total <= offset) return { rows: [], total, open, closed, merged: mergedCount }
  const listed = asListed(conditions, total, age === "number")
  const ids = (
    await ordered(found([...listed.where, ...inState(plan.state)]), plan.order, age, listed.isFew)
      .select("issues.id")
      .limit(limit)
      .offset(offset)
      .execute()
  ).map(({ id }) => id)
  const rows = new Map((await findIssuesByIds(db, { ids })).map((issue) => [issue.id, issue]))
  return { rows: ids.flatMap((id) => rows.get(id) ?? []), total, open, closed, merged: mergedCount }
}

/** Whole groups are counted already; of those who were merged there is an index in each repository, and of issues no one asks. */
async function countStates(db: Handle, of: Scope, plan: Plan, conditions: readonly Condition[], matching: Searched) {
  const isPlaced = typeof of === "number"
  const grouped = isPlaced || plan.kind === "issues" ? await countGroups(db, isPlaced ? undefined : of, conditions) : undefined
  if (grouped) return { ...grouped, merged: isPlaced && plan.kind !== "issues" ? await countMerged(db, of) : 0 }
  const counts = await matching
    .leftJoin("pulls", "pulls.issue_id", "issues.id")
    .select(["issues.is_closed", "pulls.is_merged", (b) => b.fn.countAll<number>().as("total")])
    .groupBy(["issues.is_closed", "pulls.is_merged"])
    .execute()
  const sum = (is: (row: { is_closed: Flag; is_merged: Flag | null }) => boolean) =>
    counts.filter(is).reduce((some, row) => some + row.total, 0)
  return {
    open: sum(({ is_closed }) => is_closed === 0),
    closed: sum(({ is_closed }) => is_closed === 1),
    merged: sum(({ is_merged }) => is_merged === 1),
  }
}

const countMerged = async (db: Handle, repositoryId: number): Promise<number> => (await findMerged.first(db, { repositoryId }))?.total ?? 0

const findMerged = query("issues.countMerged", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("pulls")
    .select((b) => b.fn.countAll<number>().as("total"))
    .where("repository_id", "=", p.repositoryId)
    // Written out as in the index.
    .where(sql<SqlBool>`is_merged = 1`),
)

/** `isFew`: so few issues are found that they are not looked for in the order of an index. */
export function ordered(found: Searched, order: Plan["order"], age: Age, isFew = false): Searched {
  if (typeof order !== "string") {
    const start = `${order.scope}/`
    const name = sql.ref<string>("labels.name")
    // The characters of the name, as both databases count them.
    const before = [...start].length
    const own = sql<string | null>`(select min(labels.name) from issue_labels join labels on labels.id = issue_labels.label_id
      where issue_labels.issue_id = issues.id and labels.exclusive = 1 and ${isOneOf(sql<string>`substr(${name}, 1, ${before})`, [start])}
      and substr(${name}, ${before + 1}) not like '%/%')`
    // Those without such a label come last.
    return found.orderBy(sql`case when ${own} is null then 1 else 0 end`).orderBy(own, order.direction).orderBy("issues.id", "desc")
  }
  const direction = order.endsWith("-asc") ? "asc" : "desc"
  switch (order) {
    case "created-desc":
    case "created-asc":
      return found.orderBy(isFew ? sql`issues.${sql.ref(age)} + 0` : sql.ref(`issues.${age}`), direction).orderBy("issues.id", direction)
    case "updated-desc":
    case "updated-asc":
      return found.orderBy("issues.updated_at", direction).orderBy("issues.id", direction)
    case "comments-desc":
    case "comments-asc":
      return found.orderBy("issues.comments_count", direction).orderBy("issues.id", "desc")
    case "closed-desc":
      return found.orderBy("issues.closed_at", direction).orderBy("issues.id", "desc")
    case "due-asc":
    case "due-desc":
      // Those without a date come last.
      return found
        .orderBy((b) => b.case().when("issues.due_at", "=", 0).then(1).else(0).end())
        .orderBy("issues.due_at", direction)
        .orderBy("issues.id", "desc")
  }
}

/** The most of each that a menu shows. */
export const MOST_OFFERED = 100

export interface Offered {
  readonly labels: readonly {
    readonly id: number
    readonly name: string
    readonly color: string
    readonly description: string
    readonly exclusive: Flag
  }[]
  readonly milestones: readonly { readonly id: number; readonly title: string; readonly is_closed: Flag }[]
  readonly projects: readonly { readonly id: number; readonly title: string }[]
}

/** What the issues of a repository can have: its labels and its organisation's, milestones, and projects that the caller may read. Three queries. */
export async function findOffered(db: Handle, actor: Actor, { repository, owner }: ProjectHome): Promise<Offered> {
  const repositoryId = repository?.id ?? 0
  const labels = await db
    .selectFrom("labels")
    .select(["id", "name", "color", "description", "exclusive"])
    .where((eb) => eb.or([eb("repository_id", "=", repositoryId), eb("organization_id", "=", owner.id)]))
    .where("is_archived", "=", 0)
    .orderBy("name")
    .limit(MOST_OFFERED)
    .execute()
  const milestones = await db
    .selectFrom("milestones")
    .select(["id", "title", "is_closed"])
    .where("repository_id", "=", repositoryId)
    .orderBy("is_closed")
    .orderBy("due_at")
    .orderBy("title")
    .limit(MOST_OFFERED)
    .execute()
  const projects = await db
    .selectFrom("projects")
    .select(["projects.id", "projects.title"])
    .where((eb) => eb.or([eb("projects.repository_id", "=", repositoryId), eb("projects.owner_id", "=", owner.id)]))
    .where("projects.is_closed", "=", 0)
    .where(readableProjects(actor))
    .orderBy("projects.id", "desc")
    .limit(MOST_OFFERED)
    .execute()
  return { labels, milestones, projects }
}
