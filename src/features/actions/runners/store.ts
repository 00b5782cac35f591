import type { Insertable, Selectable } from "kysely"
import { sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { forNoKeyUpdate } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { RunnerRegistrationsTable, RunnersTable } from "../../../core/database/tables/actions.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import type { Page } from "../../../core/operation.ts"
import type { Owning } from "../../../core/owner-scope.ts"
import { ownedBy } from "../scopes.ts"

/** Removes runners for a single job that have had theirs; gives how many. */
export async function removeUsedRunners(
  tx: Transaction,
  { now, limit }: { readonly now: Seconds; readonly limit: number },
): Promise<number> {
  const used = tx
    .selectFrom("runners")
    .select("runners.id")
    .where("is_ephemeral", "=", 1)
    .where("deleted_at", "=", 0)
    .where((eb) => {
      const tasks = eb.selectFrom("action_tasks").select("action_tasks.id").whereRef("action_tasks.runner_id", "=", "runners.id")
      return eb.and([eb.exists(tasks), eb.not(eb.exists(tasks.where("action_tasks.stopped_at", "=", 0)))])
    })
    .limit(limit)
  const { numUpdatedRows } = await tx
    .updateTable("runners")
    .set({ deleted_at: now, updated_at: now })
    .where("id", "in", used)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export type Runner = Selectable<RunnersTable>

/** The runners that an owner scope shows: its own; for the site all runners. */
function runnersOf(db: Handle, owning: Owning) {
  const there = db.selectFrom("runners").where("deleted_at", "=", 0)
  return owning.of === "site" ? there : there.where(ownedBy("runners", owning))
}

/** A page of an owner scope's runners, the most recently online first, and their total number. */
export async function findRunners(db: Handle, owning: Owning, disabled: boolean | undefined, { limit, offset }: Page) {
  const all = runnersOf(db, owning)
  const asked = disabled === undefined ? all : all.where("is_disabled", "=", flag(disabled))
  const { total } = await asked.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await asked.selectAll().orderBy("online_at", "desc").orderBy("id").limit(limit).offset(offset).execute()
  return { rows, total }
}

/** A runner of an owner scope. */
export const findRunner = (db: Handle, owning: Owning, id: number): Promise<Runner | undefined> =>
  runnersOf(db, owning).selectAll().where("id", "=", id).executeTakeFirst()

/** The same, locked. */
export const lockRunnerRow = (tx: Transaction, owning: Owning, id: number): Promise<Runner | undefined> =>
  runnersOf(tx, owning).selectAll().where("id", "=", id).modifyEnd(forNoKeyUpdate).executeTakeFirst()

/** Changes a runner, and gives it as it is then. */
export const changeRunner = (tx: Transaction, id: number, changes: Partial<Runner>): Promise<Runner | undefined> =>
  tx.updateTable("runners").set(changes).where("id", "=", id).returningAll().executeTakeFirst()

/** The labels of the runners that take jobs of a repository, as they are stored, and when each was there last. */
export const findServing = query("actions.findServingRunners", (db, p: Params<{ repositoryId: number; ownerId: number; limit: number }>) =>
  db
    .selectFrom("runners")
    .select(["labels", "online_at"])
    .where("deleted_at", "=", 0)
    .where("is_disabled", "=", 0)
    .where((eb) =>
      eb.or([
        eb("repository_id", "=", p.repositoryId),
        eb("owner_id", "=", p.ownerId),
        eb.and([eb("repository_id", "is", null), eb("owner_id", "is", null)]),
      ]),
    )
    .orderBy("online_at", "desc")
    .orderBy("id")
    .limit(p.limit),
)

/** The registration token of an owner scope. */
export const findRegistrationOf = (db: Handle, owning: Owning) =>
  db.selectFrom("runner_registrations").select("sealed_token").where(ownedBy("runner_registrations", owning)).executeTakeFirst()

/** Adds the registration token of an owner scope, unless a concurrent request has done so. */
export const insertRegistration = (tx: Transaction, row: Insertable<RunnerRegistrationsTable>) =>
  tx
    .insertInto("runner_registrations")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning(sql<number>`1`.as("made"))
    .executeTakeFirst()

export const replaceRegistration = (
  tx: Transaction,
  owning: Owning,
  row: Omit<Insertable<RunnerRegistrationsTable>, "repository_id" | "owner_id">,
) => tx.updateTable("runner_registrations").set(row).where(ownedBy("runner_registrations", owning)).executeTakeFirst()

export const findRegistration = query("actions.findRegistration", (db, p: Params<{ digest: string }>) =>
  db.selectFrom("runner_registrations").select(["repository_id", "owner_id"]).where("digest", "=", p.digest),
)

export const findRunnerByUuid = query("actions.findRunnerByUuid", (db, p: Params<{ uuid: string }>) =>
  db.selectFrom("runners").selectAll().where("uuid", "=", p.uuid).where("deleted_at", "=", 0),
)

export const noteSeen = query("runners.noteSeen", (db, p: Params<{ id: number; now: Seconds; before: Seconds }>) =>
  db.updateTable("runners").set({ online_at: p.now }).where("id", "=", p.id).where("online_at", "<=", p.before),
)

export const noteActive = query("runners.noteActive", (db, p: Params<{ id: number; now: Seconds }>) =>
  db.updateTable("runners").set({ online_at: p.now, active_at: p.now }).where("id", "=", p.id),
)

export const insertRunner = (tx: Transaction, row: Insertable<RunnersTable>) =>
  tx.insertInto("runners").values(row).returningAll().executeTakeFirstOrThrow()

/** The runner, locked, if it is still there and switched on. */
export const lockUsableRunner = (tx: Transaction, id: number) =>
  tx
    .selectFrom("runners")
    .select("id")
    .where("id", "=", id)
    .where("deleted_at", "=", 0)
    .where("is_disabled", "=", 0)
    .modifyEnd(forNoKeyUpdate)
    .executeTakeFirst()
