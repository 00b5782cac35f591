/**
 * The log of events: an append-only table, written in the transaction of the change, so that readers (streams, receivers that were offline) can
 * continue from a position after a crash.
 *
 * Positions must follow the order in which rows become visible: a reader that has seen position 7 must never meet a new 6. SQLite has one writer, so ids
 * are in commit order. On PostgreSQL a transaction that began earlier may commit later, so each row also has the id of its transaction, rows are
 * read in the order of (transaction, id), and only those whose transaction is older than every transaction that still runs: nothing can come
 * before them any more. Writers take no lock; a reader is behind by the longest writing transaction on the PostgreSQL server at most.
 */

import { sql } from "kysely"
import type { Handle, Transaction } from "../database/database.ts"
import { slicesOf } from "../database/slices.ts"
import type { Seconds } from "../database/tables/index.ts"
import type { Task } from "../jobs/schedule.ts"
import type { Services } from "../services.ts"
import type { DomainEvent } from "./event.ts"
import { deleteOldEvents, findLog, forgetLog, insertEvent, insertEvents, notePruned, type Position, rowsAfter } from "./store.ts"

export interface StoredEvent {
  readonly position: Position
  /** An `EventKind`, or one that an earlier version wrote. */
  readonly kind: string
  /** 0 where it happened by itself. */
  readonly actorId: number
  /** 0 where it happened in no repository. */
  readonly repositoryId: number
  /** 0 where it is about no issue or pull request. */
  readonly issueId: number
  /** The other members of the event: ids of rows, numbers and words, and the names of columns that have changed. */
  readonly data: Readonly<Record<string, unknown>>
  readonly at: Seconds
}

/** Appends events, in their order, and gives their positions. One statement for up to two hundred. */
export async function appendToLog(tx: Transaction, events: readonly DomainEvent[], now: Seconds): Promise<readonly Position[]> {
  const rows = events.map((event) => rowOf(event, now))
  const [first] = rows
  const appended = first && rows.length === 1 ? await insertEvent(tx, first) : []
  if (rows.length > 1) for (const slice of slicesOf(rows)) appended.push(...(await insertEvents(tx, slice)))
  // Ids are given in the order of the rows, but not every database returns them in it.
  return appended.map(({ transaction_id: transaction, id }) => ({ transaction, id })).toSorted((a, b) => a.id - b.id)
}

const idOf = (value: unknown): number | undefined =>
  typeof value === "object" && value !== null && "id" in value && typeof value.id === "number" ? value.id : undefined

/** The members of events whose words are stored: names of references and columns, ids of commits, how one thing refers to another. */
const WORDS: ReadonlySet<string> = new Set([
  "action",
  "after",
  "before",
  "branch",
  "by",
  "changed",
  "commitId",
  "commits",
  "format",
  "newId",
  "oldId",
  "ref",
  "tip",
])

/** The value that is stored for a member of an event; undefined for what was written by people, which is never stored. */
function digest(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => digest(name, each))
  if (typeof value === "string") return WORDS.has(name) ? value : undefined
  if (typeof value !== "object" || value === null) return value
  return idOf(value) ?? Object.keys(value)
}

const homeIn = (row: unknown): unknown =>
  typeof row === "object" && row !== null && "repository_id" in row ? row.repository_id : undefined

function rowOf(event: DomainEvent, now: Seconds) {
  const { kind, at, actor, repository, repositoryId, issue, ...rest }: Readonly<Record<string, unknown>> = { ...event }
  const homeOf = homeIn(issue) ?? homeIn(rest["release"]) ?? homeIn(rest["run"]) ?? repositoryId
  return {
    kind: event.kind,
    actor_id: idOf(actor) ?? 0,
    repository_id: idOf(repository) ?? (typeof homeOf === "number" ? homeOf : 0),
    issue_id: idOf(issue) ?? 0,
    data: JSON.stringify(Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, digest(name, value)]))),
    created_at: event.at ?? now,
  }
}

/** The events after a position, oldest first: at most `limit`, and none that an event committed later could precede. */
export async function readLog(db: Handle, after: Position, limit: number): Promise<readonly StoredEvent[]> {
  return (await rowsAfter(db, after, limit).selectAll().execute()).map((row) => ({
    position: { transaction: row.transaction_id, id: row.id },
    kind: row.kind,
    actorId: row.actor_id,
    repositoryId: row.repository_id,
    issueId: row.issue_id,
    data: JSON.parse(row.data),
    at: row.created_at,
  }))
}

/** Rows that are removed in one transaction: few enough that other writers don't wait long. */
const BATCH = 1_000

/** Deletes events after the configured time. */
export const pruneEvents: Task = {
  name: "prune_events",
  cron: "40 3 * * *",
  run: async ({ config, database, now }, signal) => {
    const before = now() - config.events.keepSeconds
    let removed = 0
    for (let batch = BATCH; batch === BATCH && !signal.aborted; removed += batch) batch = await database.write((tx) => prune(tx, before))
    return `${removed} removed`
  },
}

/** Removes a batch of events from before a time, and notes up to where: who was there is told that what follows is not there any more. */
async function prune(tx: Transaction, before: Seconds): Promise<number> {
  const removed = await deleteOldEvents(tx, { before, limit: BATCH })
  const log = await findLog.first(tx)
  const positions = [
    ...removed.map(({ transaction_id: transaction, id }) => ({ transaction, id })),
    ...(log ? [{ transaction: log.pruned_transaction, id: log.pruned_id }] : []),
  ]
  const newest = positions.toSorted((a, b) => b.transaction - a.transaction || b.id - a.id)[0]
  if (removed.length > 0 && newest) await notePruned(tx, newest)
  return removed.length
}

/**
 * A database restored from a dump restarts its transaction ids, so that stored ids could come after all new ones: then stored events are moved
 * before all others, and its positions are those of another log. To be called before anything is written.
 */
export async function rebaseLog({ database }: Pick<Services, "database">): Promise<void> {
  if (database.kind === "sqlite") return
  await database.write(async (tx) => {
    const { numAffectedRows = 0n } = await sql`update events set transaction_id = 0 where transaction_id <> 0
      and exists (select 1 from events as restored where restored.transaction_id > pg_current_xact_id()::text::bigint)`.execute(tx)
    if (numAffectedRows > 0n) await forgetLog(tx)
  })
}
