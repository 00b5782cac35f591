import { type Insertable, type Selectable, type SqlBool, sql, type Updateable } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { MergeQueueEntriesTable, MergeQueuesTable, MergeTrialsTable } from "../../../core/database/tables/pulls.ts"
import type { Page } from "../../../core/operation.ts"

export type Queue = Selectable<MergeQueuesTable>
export type Trial = Selectable<MergeTrialsTable>
export type Entry = Selectable<MergeQueueEntriesTable>

/** The states of a trial that has not ended. */
const OPEN = ["building", "testing", "passed"] as const

export const isOpen = ({ state }: Trial): boolean => OPEN.some((open) => open === state)

// --- queues -----------------------------------------------------------------------------------------------------------------------

export const findQueue = query("queue.find", (db, p: Params<{ id: number }>) =>
  db.selectFrom("merge_queues").selectAll().where("id", "=", p.id),
)

/** The queues in which something waits. */
export const findBusyQueues = query("queue.findBusy", (db) =>
  db.selectFrom("merge_queue_entries").select("queue_id as id").distinct().orderBy("queue_id"),
)

/** Stores the queue of a branch, unless there is one. */
export const insertQueue = query("queue.insert", (db, p: Params<{ repositoryId: number; branch: string }>) =>
  db
    .insertInto("merge_queues")
    .values({ repository_id: p.repositoryId, branch: p.branch })
    .onConflict((conflict) => conflict.columns(["repository_id", "branch"]).doNothing()),
)

export async function updateQueue(tx: Transaction, id: number, changes: Updateable<MergeQueuesTable>): Promise<void> {
  await tx.updateTable("merge_queues").set(changes).where("id", "=", id).execute()
}

// --- entries ----------------------------------------------------------------------------------------------------------------------

/** The entries of a queue in their order. */
export const findEntries = query("queue.findEntries", (db, p: Params<{ queueId: number }>) =>
  db.selectFrom("merge_queue_entries").selectAll().where("queue_id", "=", p.queueId).orderBy("priority", "desc").orderBy("id"),
)

/** A page of them, with the pull requests; and how many there are. */
export async function listEntries(db: Handle, queueId: number, page: Page) {
  const all = db.selectFrom("merge_queue_entries as entry").where("entry.queue_id", "=", queueId)
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await all
    .innerJoin("pulls", "pulls.id", "entry.pull_id")
    .innerJoin("issues", "issues.id", "pulls.issue_id")
    .selectAll("entry")
    .select(["issues.number", "issues.title"])
    .orderBy("entry.priority", "desc")
    .orderBy("entry.id")
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}

export const findEntry = query("queue.findEntry", (db, p: Params<{ pullId: number }>) =>
  db.selectFrom("merge_queue_entries").selectAll().where("pull_id", "=", p.pullId),
)

/** How many entries come before one. */
export const countBefore = query("queue.countBefore", (db, p: Params<{ queueId: number; priority: number; id: number }>) =>
  db
    .selectFrom("merge_queue_entries")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("queue_id", "=", p.queueId)
    .where((eb) => eb.or([eb("priority", ">", p.priority), eb.and([eb("priority", "=", p.priority), eb("id", "<", p.id)])])),
)

export const countEntries = query("queue.countEntries", (db, p: Params<{ queueId: number }>) =>
  db
    .selectFrom("merge_queue_entries")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("queue_id", "=", p.queueId),
)

/** How often an issue's pull request has lined up since then. */
export const countQueuedSince = query("queue.countQueuedSince", (db, p: Params<{ issueId: number; since: number }>) =>
  db
    .selectFrom("comments")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("issue_id", "=", p.issueId)
    .where("kind", "=", "pull_queued")
    .where("created_at", ">=", p.since),
)

export const insertEntry = query(
  "queue.insertEntry",
  (db, p: Params<{ queueId: number; pullId: number; userId: number; headId: string; deleteBranch: 0 | 1; now: number }>) =>
    db
      .insertInto("merge_queue_entries")
      .values({
        queue_id: p.queueId,
        pull_id: p.pullId,
        user_id: p.userId,
        head_id: p.headId,
        delete_branch: p.deleteBranch,
        created_at: p.now,
      })
      .onConflict((conflict) => conflict.column("pull_id").doNothing()),
)

export const findEntryById = query("queue.findEntryById", (db, p: Params<{ id: number }>) =>
  db.selectFrom("merge_queue_entries").selectAll().where("id", "=", p.id),
)

export const removeEntry = query("queue.removeEntry", (db, p: Params<{ id: number }>) =>
  db.deleteFrom("merge_queue_entries").where("id", "=", p.id),
)

export async function updateEntries(tx: Transaction, ids: readonly number[], changes: Updateable<MergeQueueEntriesTable>): Promise<void> {
  if (ids.length > 0) await tx.updateTable("merge_queue_entries").set(changes).where(inList("merge_queue_entries.id", ids)).execute()
}

// --- trials -----------------------------------------------------------------------------------------------------------------------

export const findTrial = query("queue.findTrial", (db, p: Params<{ id: number }>) =>
  db.selectFrom("merge_trials").selectAll().where("id", "=", p.id),
)

/** The trial of a queue that has not ended. */
export const findOpenTrial = query("queue.findOpenTrial", (db, p: Params<{ queueId: number }>) =>
  db.selectFrom("merge_trials").selectAll().where("queue_id", "=", p.queueId).where("state", "in", ["building", "testing", "passed"]),
)

/** The last trials of a queue that have ended, newest first. */
export const findEndedTrials = query("queue.findEndedTrials", (db, p: Params<{ queueId: number; limit: number }>) =>
  db
    .selectFrom("merge_trials")
    .selectAll()
    .where("queue_id", "=", p.queueId)
    .where("state", "in", ["landed", "failed", "dropped"])
    .orderBy("id", "desc")
    .limit(p.limit),
)

/** Gives a row while the push that lands a trial is under way, which can't be stopped any more. */
export const findLanding = query("queue.findLanding", (db, p: Params<{ trialId: number }>) =>
  db
    .selectFrom("merge_trials")
    .innerJoin("jobs", "jobs.id", "merge_trials.landing_entry")
    .select("merge_trials.id")
    .where("merge_trials.id", "=", p.trialId)
    .where("jobs.state", "in", ["waiting", "running"]),
)

export const insertTrial = (tx: Transaction, row: Insertable<MergeTrialsTable>): Promise<Trial> =>
  tx.insertInto("merge_trials").values(row).returningAll().executeTakeFirstOrThrow()

export async function updateTrial(tx: Transaction, id: number, changes: Updateable<MergeTrialsTable>): Promise<void> {
  await tx.updateTable("merge_trials").set(changes).where("id", "=", id).execute()
}

// Literal, because a partial index is only used for the exact condition that it was created with.
const isEnded = sql<SqlBool>`ended_at > 0`

/** Removes trials that ended before then. */
export const removeOldTrials = query("queue.removeOldTrials", (db, p: Params<{ before: number }>) =>
  db.deleteFrom("merge_trials").where("ended_at", "<", p.before).where(isEnded),
)
