import { sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/types.ts"
import { ensureNobody } from "../../people/users/store.ts"
import { freeOffspring, giveRowToNobody } from "../repositories/store.ts"

/** The rows that are deleted at once. */
export const BATCH = 200

/** What a repository may have very many of, in an order in which little follows by cascade, and the column that a batch is taken by. */
const MANY = [
  ["issues", "id"],
  ["activities", "id"],
  ["notifications", "id"],
  ["commit_statuses", "id"],
  ["action_tasks", "id"],
  ["action_jobs", "id"],
  ["action_artifacts", "id"],
  ["action_caches", "id"],
  ["action_runs", "id"],
  ["releases", "id"],
  ["tags", "id"],
  ["branches", "id"],
  ["code_files", "path"],
  ["code_blobs", "id"],
  ["tree_histories", "path"],
  ["token_commits", "commit_id"],
] as const

/** What would be found or acted upon, though the repository has no owner; and what becomes of it where the repository is kept: queues wait as those of an archived one do. */
const FEW: Readonly<Record<string, "returns" | "removed" | "stays">> = {
  repository_redirects: "returns",
  repository_transfers: "removed",
  team_repositories: "returns",
  collaborations: "returns",
  watches: "returns",
  deploy_keys: "returns",
  webhooks: "returns",
  mirrors: "returns",
  push_mirrors: "returns",
  runners: "returns",
  runner_registrations: "returns",
  action_schedules: "removed",
  action_triggers: "removed",
  merge_queues: "stays",
  lfs_links: "stays",
  lfs_locks: "returns",
}

/** What a repository that is kept loses of these, and gets back. */
export const RETURNING: readonly string[] = Object.keys(FEW).filter((table) => FEW[table] === "returns")

const commentsOf = (id: number) =>
  sql`select comments.id from comments join issues on issues.id = comments.issue_id where issues.repository_id = ${id} limit ${BATCH}`

export const rowsOf = (table: string, key: string, id: number) =>
  sql`select ${sql.ref(key)} from ${sql.table(table)} where repository_id = ${id} limit ${BATCH}`

/** Whether so much belongs to a repository that it isn't deleted at once. */
export async function isLarge(db: Handle, id: number): Promise<boolean> {
  const parts = [commentsOf(id), ...MANY.map(([table, key]) => rowsOf(table, key, id))]
  const counts = parts.map((part) => sql`(select count(*) from (${part}) as part)`)
  const { rows } = await sql<{ readonly total: number }>`select ${sql.join(counts, sql` + `)} as total`.execute(db)
  return Number(rows[0]?.total ?? 0) >= BATCH
}

/** Gives a repository to no one, without what would be found or acted upon. Like its deletion would, it makes pull requests from it, forks and what was generated from it independent. */
export async function detach(tx: Transaction, id: number, now: Seconds, { isKept = false } = {}): Promise<void> {
  await ensureNobody(tx, now)
  for (const [table, ofKept] of Object.entries(FEW))
    if (!isKept || ofKept !== "stays") await sql`delete from ${sql.table(table)} where repository_id = ${id}`.execute(tx)
  await sql`delete from action_jobs where repository_id = ${id} and state in ('blocked', 'waiting', 'running', 'cancelling')`.execute(tx)
  await freeOffspring(tx, id)
  await tx
    .updateTable("pulls")
    .set({ head_repository_id: null })
    .where("head_repository_id", "=", id)
    .where("repository_id", "<>", id)
    .execute()
  await giveRowToNobody(tx, id)
}

/** Statements that each delete a batch of what belongs to a repository, in their order, and say how much they deleted. */
export const batchesOf = (id: number): readonly ((tx: Transaction) => Promise<number>)[] =>
  [
    sql`delete from comments where id in (${commentsOf(id)})`,
    ...MANY.map(
      ([table, key]) => sql`delete from ${sql.table(table)} where repository_id = ${id} and ${sql.ref(key)} in (${rowsOf(table, key, id)})`,
    ),
  ].map((batch) => async (tx) => Number((await batch.execute(tx)).numAffectedRows ?? 0))
