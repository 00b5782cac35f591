import { type Expression, type ExpressionBuilder, type Insertable, type Selectable, type SqlBool, sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Tables } from "../../../core/database/tables/index.ts"
import type { CommitStatusesTable } from "../../../core/database/tables/protections.ts"
import type { Page } from "../../../core/operation.ts"
import type { StatusSort } from "./records.ts"

export type Status = Selectable<CommitStatusesTable>

interface OfCommit {
  readonly repositoryId: number
  readonly commitId: string
}

/** The number of the commit's last status. The repository must be locked. */
export const findLastNumber = query("statuses.findLastNumber", (db, p: Params<OfCommit>) =>
  db
    .selectFrom("commit_statuses")
    .select((eb) => eb.fn.max<number | null>("number").as("number"))
    .where("repository_id", "=", p.repositoryId)
    .where("commit_id", "=", p.commitId),
)

/** Of the statuses that a commit has in a context, the last. */
const isNewest = ({ eb, not, exists }: ExpressionBuilder<Tables & { readonly status: CommitStatusesTable }, "status">) =>
  not(
    exists(
      eb
        .selectFrom("commit_statuses as later")
        .select("later.id")
        .whereRef("later.repository_id", "=", "status.repository_id")
        .whereRef("later.commit_id", "=", "status.commit_id")
        .whereRef("later.context", "=", "status.context")
        .whereRef("later.number", ">", "status.number"),
    ),
  )

const newest = query("statuses.findLatest", (db, p: Params<OfCommit>) =>
  db
    .selectFrom("commit_statuses as status")
    .selectAll("status")
    .where("status.repository_id", "=", p.repositoryId)
    .where("status.commit_id", "=", p.commitId)
    .where(isNewest)
    .orderBy("status.number"),
)

/** The newest status of each context of a commit, in chronological order. */
export const latestStatuses = (db: Handle, repositoryId: number, commitId: string): Promise<readonly Status[]> =>
  newest(db, { repositoryId, commitId })

export interface StatusFilter {
  readonly sort?: StatusSort | undefined
  readonly state?: string | undefined
}

/** A page of the statuses of a commit, and how many there are. */
export async function listStatuses(
  db: Handle,
  { repositoryId, commitId }: OfCommit,
  { sort, state }: StatusFilter,
  page: Page,
): Promise<{ readonly rows: readonly Status[]; readonly total: number }> {
  const statuses = db
    .selectFrom("commit_statuses")
    .where("repository_id", "=", repositoryId)
    .where("commit_id", "=", commitId)
    .$if(state !== undefined, (all) => all.where("state", "=", state ?? ""))
  const { total } = await statuses.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  // A status never changes and numbers are chronological, so every sort is by number. Clients expect the names of the sorts the wrong way round.
  const rising = sort === "oldest" || sort === "leastupdate" || sort === "highestindex"
  const rows = await statuses
    .selectAll()
    .orderBy("number", rising ? "asc" : "desc")
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}

const FAILED: readonly string[] = ["error", "failure", "warning"]
const PASSED: readonly string[] = ["success", "skipped"]

/** The combined state of the newest statuses: failure if one failed, success if all succeeded or were skipped, else pending. */
export function combine(states: readonly string[]): "failure" | "success" | "pending" {
  if (states.some((state) => FAILED.includes(state))) return "failure"
  return states.length > 0 && states.every((state) => PASSED.includes(state)) ? "success" : "pending"
}

/** Whether the commit of these columns has statuses that combine to this state: `combine` as a condition. */
export function combinesTo(
  state: ReturnType<typeof combine>,
  repositoryId: Expression<number>,
  commitId: Expression<string>,
): Expression<SqlBool> {
  const has = (condition: Expression<SqlBool>) => sql<SqlBool>`exists (select 1 from commit_statuses as status
    where status.repository_id = ${repositoryId} and status.commit_id = ${commitId} and ${condition}
    and not exists (select 1 from commit_statuses as later where later.repository_id = status.repository_id
      and later.commit_id = status.commit_id and later.context = status.context and later.number > status.number))`
  const isFailed = inList(sql.ref<string>("status.state"), FAILED)
  const isPassed = inList(sql.ref<string>("status.state"), PASSED)
  if (state === "failure") return has(isFailed)
  if (state === "success") return sql<SqlBool>`(${has(isPassed)} and not ${has(sql<SqlBool>`not ${isPassed}`)})`
  return sql<SqlBool>`(${has(sql<SqlBool>`not ${isPassed}`)} and not ${has(isFailed)})`
}

/** What all statuses of a commit say together, and how many contexts there are. */
export interface CombinedStatus {
  readonly state: ReturnType<typeof combine>
  readonly contexts: number
}

interface OfCommits {
  readonly repositoryIds: readonly number[]
  readonly commitIds: readonly string[]
}

const newestOfCommits = query("statuses.findLatestOfCommits", (db, p: Params<OfCommits>) =>
  db
    .selectFrom("commit_statuses as status")
    .select(["status.repository_id", "status.commit_id", "status.state"])
    .where("status.repository_id", "in", p.repositoryIds)
    .where("status.commit_id", "in", p.commitIds)
    .where(isNewest),
)

/** The combined statuses of those of the commits that have any. One query. */
export async function findCombinedStatuses(
  db: Handle,
  repositoryId: number,
  commitIds: readonly string[],
): Promise<ReadonlyMap<string, CombinedStatus>> {
  const combinedOf = await combinedStatuses(
    db,
    commitIds.map((commitId) => ({ repositoryId, commitId })),
  )
  return new Map(
    commitIds.flatMap((commitId) => {
      const combined = combinedOf({ repositoryId, commitId })
      return combined ? [[commitId, combined]] : []
    }),
  )
}

/** The same for commits of several repositories, as a function. One query. */
export async function combinedStatuses(
  db: Handle,
  commits: readonly OfCommit[],
): Promise<(commit: OfCommit) => CombinedStatus | undefined> {
  if (commits.length === 0) return () => undefined
  const keyOf = (repositoryId: number, commitId: string): string => `${repositoryId} ${commitId}`
  const rows = await newestOfCommits(db, {
    repositoryIds: [...new Set(commits.map(({ repositoryId }) => repositoryId))],
    commitIds: [...new Set(commits.map(({ commitId }) => commitId))],
  })
  const states = Map.groupBy(rows, ({ repository_id, commit_id }) => keyOf(repository_id, commit_id))
  return ({ repositoryId, commitId }) => {
    const each = states.get(keyOf(repositoryId, commitId))?.map(({ state }) => state)
    return each && { state: combine(each), contexts: each.length }
  }
}

/** Stores statuses, and returns them as they are stored. */
export const insertStatuses = (tx: Transaction, rows: readonly Insertable<CommitStatusesTable>[]): Promise<readonly Status[]> =>
  tx.insertInto("commit_statuses").values(rows).returningAll().execute()
