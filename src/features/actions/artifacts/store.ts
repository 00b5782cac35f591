import type { Selectable } from "kysely"
import { type Insertable, type SqlBool, sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { ActionArtifactsTable } from "../../../core/database/tables/actions.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import type { Page } from "../../../core/operation.ts"

export type Artifact = Selectable<ActionArtifactsTable>

/** A page of the artifacts of a repository or of one of its runs, newest first, and their total number. */
export async function findArtifacts(
  db: Handle,
  { repositoryId, runId, name }: { readonly repositoryId: number; readonly runId?: number; readonly name: string | undefined },
  { limit, offset }: Page,
) {
  let all = db.selectFrom("action_artifacts").where("repository_id", "=", repositoryId)
  if (runId !== undefined) all = all.where("run_id", "=", runId)
  if (name) all = all.where("name", "=", name)
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await all.selectAll().orderBy("id", "desc").limit(limit).offset(offset).execute()
  return { rows, total }
}

export const findArtifact = query("actions.findArtifact", (db, p: Params<{ repositoryId: number; id: number }>) =>
  db.selectFrom("action_artifacts").selectAll().where("id", "=", p.id).where("repository_id", "=", p.repositoryId),
)

// Literal, because partial indexes are only used for the exact condition that they were created with.
const isNotExpired = sql<SqlBool>`is_expired = 0`

/** Artifacts that have expired and whose files are still there, with the storage key of their repositories. */
export const findExpiredArtifacts = (db: Handle, now: Seconds, limit: number) =>
  db
    .selectFrom("action_artifacts")
    .innerJoin("repositories", "repositories.id", "action_artifacts.repository_id")
    .select(["action_artifacts.id", "action_artifacts.file", "repositories.storage"])
    .where(isNotExpired)
    .where("expires_at", "<=", now)
    .limit(limit)
    .execute()

export const expireArtifacts = (tx: Transaction, ids: readonly number[], now: Seconds) =>
  tx.updateTable("action_artifacts").set({ is_expired: 1, file: "", updated_at: now }).where(inList("action_artifacts.id", ids)).execute()

/** The artifact of a name in an attempt, also an expired one. */
export const findNamedArtifact = query("actions.findNamedArtifact", (db, p: Params<{ runId: number; attempt: number; name: string }>) =>
  db.selectFrom("action_artifacts").selectAll().where("run_id", "=", p.runId).where("attempt", "=", p.attempt).where("name", "=", p.name),
)

// Literal, because partial indexes are only used for the exact condition that they were created with.
const isStored = sql<SqlBool>`file <> ''`

const sumOfSizes = sql<number>`cast(coalesce(sum(size), 0) as bigint)`

export const findArtifactUseOfRun = query("actions.findArtifactUseOfRun", (db, p: Params<{ runId: number; except: number }>) =>
  db
    .selectFrom("action_artifacts")
    .select((eb) => [sumOfSizes.as("bytes"), eb.fn.countAll<number>().as("total")])
    .where("run_id", "=", p.runId)
    .where("id", "<>", p.except)
    .where(isStored),
)

export const findArtifactUseOfRepository = query(
  "actions.findArtifactUseOfRepository",
  (db, p: Params<{ repositoryId: number; except: number }>) =>
    db
      .selectFrom("action_artifacts")
      .select(sumOfSizes.as("bytes"))
      .where("repository_id", "=", p.repositoryId)
      .where("id", "<>", p.except)
      .where(isStored),
)

export const removeArtifact = query("actions.removeArtifact", (db, p: Params<{ repositoryId: number; id: number }>) =>
  db.deleteFrom("action_artifacts").where("id", "=", p.id).where("repository_id", "=", p.repositoryId).returning(["file", "run_id"]),
)

export const findArtifactById = query("actions.findArtifactById", (db, p: Params<{ id: number }>) =>
  db.selectFrom("action_artifacts").selectAll().where("id", "=", p.id),
)

/** Changes an artifact. */
export const changeArtifact = (tx: Transaction, id: number, changes: Partial<Artifact>) =>
  tx.updateTable("action_artifacts").set(changes).where("id", "=", id).returningAll().executeTakeFirstOrThrow()

export const insertArtifact = (tx: Transaction, row: Insertable<ActionArtifactsTable>) =>
  tx.insertInto("action_artifacts").values(row).returningAll().executeTakeFirstOrThrow()

export const findArtifactsOfJob = query("actions.findArtifactsOfJob", (db, p: Params<{ runId: number; attempt: number; now: Seconds }>) =>
  db
    .selectFrom("action_artifacts")
    .selectAll()
    .where("run_id", "=", p.runId)
    .where("file", "<>", "")
    .where("expires_at", ">", p.now)
    .where((eb) =>
      eb.or([
        eb("attempt", "=", p.attempt),
        eb(
          "job_id",
          "in",
          eb
            .selectFrom("action_jobs")
            .select("original_id")
            .where("action_jobs.run_id", "=", p.runId)
            .where("action_jobs.attempt", "=", p.attempt)
            .where("original_id", "<>", 0),
        ),
      ]),
    )
    .orderBy("attempt", "desc")
    .orderBy("id", "desc"),
)
