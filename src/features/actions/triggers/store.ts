import { type Insertable, type SqlBool, sql } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { ActionSchedulesTable, ActionTriggersTable } from "../../../core/database/tables/actions.ts"

/** The number of the next run of a repository. */
export const nextNumber = query("actions.nextNumber", (db, p: Params<{ repositoryId: number }>) =>
  db
    .insertInto("action_counters")
    .values({ repository_id: p.repositoryId, last_number: 1 })
    .onConflict((conflict) =>
      conflict.column("repository_id").doUpdateSet((eb) => ({ last_number: eb("action_counters.last_number", "+", 1) })),
    )
    .returning("last_number"),
)

// Literal, because a partial index is only used for the exact condition that it was created with.
const isCaused = sql<SqlBool>`cause <> ''`

/** A run that was started for this event. */
export const findCaused = query("actions.findCaused", (db, p: Params<{ cause: string }>) =>
  db.selectFrom("action_runs").select("id").where("cause", "=", p.cause).where(isCaused).limit(1),
)

export const findTriggers = query("actions.findTriggers", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("action_triggers").select("event").where("repository_id", "=", p.repositoryId),
)

/** A row where a workflow of the default branch listens to an event. */
export const findListening = query("actions.findListening", (db, p: Params<{ repositoryId: number; event: string }>) =>
  db.selectFrom("action_triggers").select("event").where("repository_id", "=", p.repositoryId).where("event", "=", p.event),
)

export const removeTriggers = (tx: Transaction, repositoryId: number, events: readonly string[]) =>
  tx.deleteFrom("action_triggers").where("repository_id", "=", repositoryId).where("event", "in", events).execute()

export const insertTriggers = (tx: Transaction, rows: readonly Insertable<ActionTriggersTable>[]) =>
  tx
    .insertInto("action_triggers")
    .values([...rows])
    .onConflict((conflict) => conflict.doNothing())
    .execute()

export const findMergedPull = query("actions.hasMerged", (db, p: Params<{ repositoryId: number; authorId: number }>) =>
  db
    .selectFrom("pulls")
    .innerJoin("issues", "issues.id", "pulls.issue_id")
    .select("pulls.id")
    .where("pulls.repository_id", "=", p.repositoryId)
    .where("pulls.is_merged", "=", 1)
    .where("issues.author_id", "=", p.authorId)
    .limit(1),
)

export const findSchedules = query("actions.findSchedules", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("action_schedules").selectAll().where("repository_id", "=", p.repositoryId).orderBy("id"),
)

export const findDueSchedules = query("actions.findDueSchedules", (db, p: Params<{ now: number; limit: number }>) =>
  db.selectFrom("action_schedules").selectAll().where("next_at", "<=", p.now).orderBy("next_at").orderBy("id").limit(p.limit),
)

export type DueSchedule = Awaited<ReturnType<typeof findDueSchedules>>[number]

export const moveSchedule = query("actions.moveSchedule", (db, p: Params<{ id: number; from: number; next: number }>) =>
  db.updateTable("action_schedules").set({ next_at: p.next }).where("id", "=", p.id).where("next_at", "=", p.from),
)

export const removeSchedule = query("actions.removeSchedule", (db, p: Params<{ id: number; from: number }>) =>
  db.deleteFrom("action_schedules").where("id", "=", p.id).where("next_at", "=", p.from),
)

// Literal, because a partial index is only used for the exact condition that it was created with.
const isUntaken = sql<SqlBool>`action_runs.state in ('waiting', 'blocked')`

export const findUntakenSchedules = query("actions.findUntaken", (db, p: Params<{ repositoryId: number; workflow: string; ref: string }>) =>
  db
    .selectFrom("action_jobs")
    .innerJoin("action_runs", "action_runs.id", "action_jobs.run_id")
    .select(["action_jobs.id", "action_jobs.run_id"])
    .where("action_runs.repository_id", "=", p.repositoryId)
    .where("action_runs.workflow", "=", p.workflow)
    .where("action_runs.ref", "=", p.ref)
    .where("action_runs.event", "=", "schedule")
    .where(isUntaken)
    .where("action_jobs.state", "in", ["waiting", "blocked"])
    .where("action_runs.started_at", "=", 0),
)

export const removeSchedules = (tx: Transaction, ids: readonly number[]) =>
  tx.deleteFrom("action_schedules").where(inList("action_schedules.id", ids)).execute()

export const insertSchedules = (tx: Transaction, rows: readonly Insertable<ActionSchedulesTable>[]) =>
  tx
    .insertInto("action_schedules")
    .values([...rows])
    .execute()
