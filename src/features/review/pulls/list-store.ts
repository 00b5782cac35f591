import { type Expression, type ExpressionBuilder, expressionBuilder, type SelectQueryBuilder, type SqlBool } from "kysely"
import type { Repository } from "../../../access/permission.ts"
import type { Handle } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Flag, Tables } from "../../../core/database/tables/index.ts"
import type { Page } from "../../../core/operation.ts"
import { findIssuesByIds } from "../../planning/issues/store.ts"
import type { FoundPull } from "./present.ts"
import { findPullsOfIssues } from "./store.ts"

/** The orders of a list of pull requests. Numbers follow the order of creation. */
export const PULL_SORTS = [
  "newest",
  "oldest",
  "recentupdate",
  "recentclose",
  "leastupdate",
  "mostcomment",
  "leastcomment",
  "priority",
] as const
type PullSort = (typeof PULL_SORTS)[number]

export interface PullFilters {
  /** Undefined for all. */
  readonly isClosed: Flag | undefined
  readonly sort: PullSort
  readonly base?: string
  readonly milestoneId?: number
  /** With one of these labels. */
  readonly labelIds?: readonly number[]
  readonly authorId?: number
}

/** A page of a list and the length of the whole, both of the same rows. */
export interface FoundPulls {
  readonly pulls: readonly FoundPull[]
  readonly total: number
}

type Searched = SelectQueryBuilder<Tables, "issues", object>
type Builder = ExpressionBuilder<Tables, "issues">
const eb = (): Builder => expressionBuilder<Tables, "issues">()

// --- what is asked for most --------------------------------------------------------------------------------------------------------

type Paging = { repositoryId: number; limit: number; offset: number }

const findNewestInState = query("pulls.findNewestInState", (db, p: Params<Paging & { isClosed: Flag }>) =>
  db
    .selectFrom("issues")
    .selectAll()
    .where("repository_id", "=", p.repositoryId)
    .where("is_pull", "=", 1)
    .where("is_closed", "=", p.isClosed)
    .orderBy("number", "desc")
    .limit(p.limit)
    .offset(p.offset),
)

const findNewest = query("pulls.findNewest", (db, p: Params<Paging>) =>
  db
    .selectFrom("issues")
    .selectAll()
    .where("repository_id", "=", p.repositoryId)
    .where("is_pull", "=", 1)
    .orderBy("number", "desc")
    .limit(p.limit)
    .offset(p.offset),
)

const findRecentlyUpdated = query("pulls.findRecentlyUpdated", (db, p: Params<Paging>) =>
  db
    .selectFrom("issues")
    .selectAll()
    .where("repository_id", "=", p.repositoryId)
    .where("is_pull", "=", 1)
    .orderBy("updated_at", "desc")
    .orderBy("number", "desc")
    .limit(p.limit)
    .offset(p.offset),
)

const countPulls = query("pulls.count", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("issues")
    .select((count) => count.fn.countAll<number>().as("total"))
    .where("repository_id", "=", p.repositoryId)
    .where("is_pull", "=", 1),
)

const countInState = query("pulls.countInState", (db, p: Params<{ repositoryId: number; isClosed: Flag }>) =>
  db
    .selectFrom("issues")
    .select((count) => count.fn.countAll<number>().as("total"))
    .where("repository_id", "=", p.repositoryId)
    .where("is_pull", "=", 1)
    .where("is_closed", "=", p.isClosed),
)

/** A list without filters, by prepared queries; undefined for other orders. */
async function listPlainly(
  db: Handle,
  repository: Repository,
  { isClosed, sort }: PullFilters,
  { limit, offset }: Page,
): Promise<FoundPulls | undefined> {
  const paging = { repositoryId: repository.id, limit, offset }
  if (isClosed !== undefined && sort === "newest") {
    // Open ones are counted in the repository's row already.
    const total =
      isClosed === 0 ? repository.open_pulls_count : totalOf(await countInState.first(db, { repositoryId: repository.id, isClosed }))
    return { pulls: total > offset ? await withPulls(db, await findNewestInState(db, { ...paging, isClosed })) : [], total }
  }
  const find =
    isClosed !== undefined ? undefined : sort === "newest" ? findNewest : sort === "recentupdate" ? findRecentlyUpdated : undefined
  if (!find) return undefined
  const total = totalOf(await countPulls.first(db, { repositoryId: repository.id }))
  return { pulls: total > offset ? await withPulls(db, await find(db, paging)) : [], total }
}

const totalOf = (row: { readonly total: number } | undefined): number => row?.total ?? 0

// --- all others --------------------------------------------------------------------------------------------------------------------

const isFiltered = ({ base, milestoneId, labelIds, authorId }: PullFilters): boolean =>
  [base, milestoneId, labelIds, authorId].some((filter) => filter !== undefined)

/** The pull requests of a repository that pass all filters, each once. */
export async function listPulls(db: Handle, repository: Repository, filters: PullFilters, page: Page): Promise<FoundPulls> {
  const plain = isFiltered(filters) ? undefined : await listPlainly(db, repository, filters, page)
  if (plain) return plain
  const all = db.selectFrom("issues").where("issues.repository_id", "=", repository.id).where("issues.is_pull", "=", 1)
  const found = conditions(filters).reduce((some, condition) => some.where(condition), all)
  const { total } = await found.select((b) => b.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  if (total <= page.offset) return { pulls: [], total }
  const ids = await inOrder(found, filters.sort).select("issues.id").limit(page.limit).offset(page.offset).execute()
  const rows = new Map((await findIssuesByIds(db, { ids: ids.map(({ id }) => id) })).map((issue) => [issue.id, issue]))
  return {
    pulls: await withPulls(
      db,
      ids.flatMap(({ id }) => rows.get(id) ?? []),
    ),
    total,
  }
}

function conditions({ isClosed, base, milestoneId, labelIds, authorId }: PullFilters): readonly Expression<SqlBool>[] {
  const where = eb()
  const some: Expression<SqlBool>[] = []
  if (isClosed !== undefined) some.push(where("issues.is_closed", "=", isClosed))
  if (milestoneId !== undefined) some.push(where("issues.milestone_id", "=", milestoneId))
  if (authorId !== undefined) some.push(where("issues.author_id", "=", authorId))
  if (base !== undefined)
    some.push(
      where.exists(
        where.selectFrom("pulls").select("pulls.id").whereRef("pulls.issue_id", "=", "issues.id").where("pulls.base_branch", "=", base),
      ),
    )
  if (labelIds !== undefined)
    some.push(
      where.exists(
        where
          .selectFrom("issue_labels")
          .select("issue_labels.issue_id")
          .whereRef("issue_labels.issue_id", "=", "issues.id")
          .where(inList("issue_labels.label_id", labelIds)),
      ),
    )
  return some
}

function inOrder(found: Searched, sort: PullSort): Searched {
  switch (sort) {
    case "oldest":
      return found.orderBy("issues.number", "asc")
    case "recentupdate":
      return found.orderBy("issues.updated_at", "desc").orderBy("issues.number", "desc")
    case "leastupdate":
      return found.orderBy("issues.updated_at", "asc").orderBy("issues.number", "asc")
    case "recentclose":
      return found.orderBy("issues.closed_at", "desc").orderBy("issues.number", "desc")
    case "mostcomment":
      return found.orderBy("issues.comments_count", "desc").orderBy("issues.number", "desc")
    case "leastcomment":
      return found.orderBy("issues.comments_count", "asc").orderBy("issues.number", "desc")
    // Pull requests have no priority.
    case "priority":
    case "newest":
      return found.orderBy("issues.number", "desc")
  }
}

/** Adds the pull request's row and counts to each issue, in the order given: one query. */
export async function withPulls(db: Handle, issues: readonly FoundPull["issue"][]): Promise<readonly FoundPull[]> {
  if (issues.length === 0) return []
  const rows = await findPullsOfIssues(db, { issueIds: issues.map(({ id }) => id) })
  const pulls = new Map(rows.map((pull) => [pull.issue_id, pull]))
  return issues.flatMap((issue) => {
    const row = pulls.get(issue.id)
    if (!row) return []
    const { base_tip, head_tip, reviews_count, ...pull } = row
    return [{ issue, pull, summary: { base_tip, head_tip, reviews_count } }]
  })
}
