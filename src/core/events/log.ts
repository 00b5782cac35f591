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
import { deleteOldEvents, insertEvent, insertEvents, type Position, rowsAfter } from "./store.ts"

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

/** Appends events, in their order. One statement for up to two hundred. */
export async function appendToLog(tx: Transaction, events: readonly DomainEvent[], now: Seconds): Promise<void> {
  const rows = events.map((event) => rowOf(event, now))
  const [first] = rows
  if (first && rows.length === 1) await insertEvent(tx, first)
  else for (const slice of slicesOf(rows)) await insertEvents(tx, slice)
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

function rowOf(event: DomainEvent, now: Seconds) {
  const { kind, at, actor, repository, repositoryId, issue, ...rest }: Readonly<Record<string, unknown>> = { ...event }
  const homeOf = typeof issue === "object" && issue !== null && "repository_id" in issue ? issue.repository_id : repositoryId
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

/** What an event is about. */
export type Subject = Pick<StoredEvent, "position" | "kind" | "repositoryId" | "issueId"> & Partial<Pick<StoredEvent, "data">>

/** What the events after a position are about, as `readLog` gives them; data is read only of kinds with these beginnings. */
export async function readSubjects(db: Handle, after: Position, limit: number, withData: readonly string[]): Promise<readonly Subject[]> {
  const isWanted = sql.join(
    withData.map((beginning) => sql`kind like ${sql.lit(`${beginning}%`)}`),
    sql` or `,
  )
  const rows = await rowsAfter(db, after, limit)
    .select([
      "transaction_id",
      "id",
      "kind",
      "repository_id",
      "issue_id",
      sql<string | null>`case when ${isWanted} then data end`.as("data"),
    ])
    .execute()
  return rows.map((row) => ({
    position: { transaction: row.transaction_id, id: row.id },
    kind: row.kind,
    repositoryId: row.repository_id,
    issueId: row.issue_id,
    ...(row.data !== null && { data: JSON.parse(row.data) }),
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
    for (let batch = BATCH; batch === BATCH && !signal.aborted; removed += batch)
      batch = await database.write((tx) => deleteOldEvents.changes(tx, { before, limit: BATCH }))
    return `${removed} removed`
  },
}

/**
 * A database restored from a dump restarts its transaction ids, so that stored ids could come after all new ones: then stored events are moved
 * before all others. To be called before anything is written.
 */
export async function rebaseLog({ database }: Pick<Services, "database">): Promise<void> {
  if (database.kind === "sqlite") return
  await database.write(async (tx) => {
    await sql`update events set transaction_id = 0 where transaction_id <> 0
      and exists (select 1 from events as restored where restored.transaction_id > pg_current_xact_id()::text::bigint)`.execute(tx)
  })
}
