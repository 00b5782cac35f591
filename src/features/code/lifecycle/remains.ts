import { rm } from "node:fs/promises"
import { sql } from "kysely"
import { NOBODY_ID } from "../../../access/rules.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64, oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { nextTurn } from "../../../core/work.ts"
import { dropAvatar } from "../../people/avatars/pictures.ts"
import { archivesOf } from "../archives/archive.ts"
import { OBJECT_FORMATS } from "../repositories/records.ts"
import { wikiAt } from "../repositories/wiki-place.ts"

/*
 * Deleting a repository deletes what belongs to it by cascade, in one statement. With thousands of issues that takes seconds, in which nobody else gets an answer. So a large one is
 * given to nobody instead: an account that no one reaches, where it has no name that anybody knows, no collaborators and no units. A job deletes what remains of it in batches.
 */

/** The rows that are deleted at once. */
const BATCH = 200

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
] as const

/** What would be found or acted upon, though the repository is nobody's. */
const FEW = [
  "repository_redirects",
  "repository_transfers",
  "team_repositories",
  "collaborations",
  "watches",
  "deploy_keys",
  "webhooks",
  "mirrors",
  "push_mirrors",
  "runners",
  "runner_registrations",
  "action_schedules",
  "action_triggers",
  "lfs_links",
  "lfs_locks",
] as const

const commentsOf = (id: number) =>
  sql`select comments.id from comments join issues on issues.id = comments.issue_id where issues.repository_id = ${id} limit ${BATCH}`
const rowsOf = (table: string, key: string, id: number) =>
  sql`select ${sql.ref(key)} from ${sql.table(table)} where repository_id = ${id} limit ${BATCH}`

/** Whether so much belongs to a repository that it isn't deleted at once. */
export async function isLarge(db: Handle, id: number): Promise<boolean> {
  const parts = [commentsOf(id), ...MANY.map(([table, key]) => rowsOf(table, key, id))]
  const counts = parts.map((part) => sql`(select count(*) from (${part}) as part)`)
  const { rows } = await sql<{ readonly total: number }>`select ${sql.join(counts, sql` + `)} as total`.execute(db)
  return Number(rows[0]?.total ?? 0) >= BATCH
}

/**
 * Gives a repository to nobody, where no one sees it; a job deletes it. Its row must be locked, and what follows from its deletion for others must be done. Like its
 * deletion would, it makes forks and what was generated from it independent.
 */
export async function giveToNobody(tx: Transaction, { jobs, now }: Pick<Services, "jobs" | "now">, id: number): Promise<void> {
  await tx
    .insertInto("users")
    .values({
      id: NOBODY_ID,
      kind: "nobody",
      name: "(nobody)",
      lower_name: "(nobody)",
      visibility: "private",
      prohibit_login: 1,
      is_active: 0,
      created_at: now(),
      updated_at: now(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  for (const table of FEW) await sql`delete from ${sql.table(table)} where repository_id = ${id}`.execute(tx)
  await sql`delete from action_jobs where repository_id = ${id} and state in ('blocked', 'waiting', 'running', 'cancelling')`.execute(tx)
  await tx.updateTable("repositories").set({ fork_of_id: null }).where("fork_of_id", "=", id).execute()
  await tx.updateTable("repositories").set({ template_id: null }).where("template_id", "=", id).execute()
  await tx
    .updateTable("pulls")
    .set({ head_repository_id: null })
    .where("head_repository_id", "=", id)
    .where("repository_id", "<>", id)
    .execute()
  await tx
    .updateTable("repositories")
    .set((eb) => ({
      owner_id: NOBODY_ID,
      name: eb.ref("storage"),
      lower_name: eb.ref("storage"),
      description: "",
      website: "",
      topics: "[]",
      stars_count: 0,
      is_private: 1,
      is_archived: 1,
      is_mirror: 0,
      is_template: 0,
      fork_of_id: null,
      template_id: null,
      shares_workflows: 0,
      has_code: 0,
      has_issues: 0,
      has_pull_requests: 0,
      has_releases: 0,
      has_wiki: 0,
      has_projects: 0,
      has_packages: 0,
      has_actions: 0,
    }))
    .where("id", "=", id)
    .execute()
  await jobs.enqueue(tx, deleteRemainsJob, { repositoryId: id })
}

/** Removes the files of a deleted repository, and of its wiki. */
export const removeFilesJob = defineJob({
  kind: "repository.removeFiles",
  payload: Type.Object({ storage: Type.String(), format: oneOf(OBJECT_FORMATS), avatar: Type.String() }),
  run: async ({ storage, format, avatar }, { context }) => {
    await context.git.repositories.remove(context.git.at(storage, format))
    await context.git.repositories.remove(wikiAt(context.git, { storage, object_format: format }))
    await rm(archivesOf(context, storage), { recursive: true, force: true })
    if (avatar !== "") await dropAvatar(context, avatar)
  },
})

/** Deletes the row of a repository with what belongs to it; a job removes its files. */
export async function deleteRow(tx: Transaction, jobs: Services["jobs"], id: number): Promise<void> {
  const gone = await tx.deleteFrom("repositories").where("id", "=", id).returning(["storage", "object_format", "avatar"]).executeTakeFirst()
  if (gone) await jobs.enqueue(tx, removeFilesJob, { storage: gone.storage, format: gone.object_format, avatar: gone.avatar })
}

/** Deletes what remains of a repository that is nobody's, in batches of which each is a transaction, so that others have their turn; in the end the repository. */
export const deleteRemainsJob = defineJob({
  kind: "repository.deleteRemains",
  payload: Type.Object({ repositoryId: int64() }),
  timeoutSeconds: 3600,
  run: async ({ repositoryId: id }, { context: { database, jobs }, signal }) => {
    const found = await database.read.selectFrom("repositories").select("owner_id").where("id", "=", id).executeTakeFirst()
    if (found?.owner_id !== NOBODY_ID) return
    const batches = [
      sql`delete from comments where id in (${commentsOf(id)})`,
      ...MANY.map(
        ([table, key]) =>
          sql`delete from ${sql.table(table)} where repository_id = ${id} and ${sql.ref(key)} in (${rowsOf(table, key, id)})`,
      ),
    ]
    for (const batch of batches) {
      for (let deleted = 1; deleted > 0; ) {
        if (signal.aborted) throw new Error("interrupted; the rest is deleted later")
        deleted = await database.write(async (tx) => Number((await batch.execute(tx)).numAffectedRows ?? 0))
        await nextTurn()
      }
    }
    await database.write((tx) => deleteRow(tx, jobs, id))
  },
})
