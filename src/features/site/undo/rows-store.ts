import { sql } from "kysely"
import type { Database, Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { findContent, putContent } from "../../code/deletions/store.ts"
import { RETURNING } from "../../code/lifecycle/remains-store.ts"

/*
 * The rows that a deletion takes along, found by the foreign keys of the schema itself: what cascades is captured, what loses a reference is remembered by its id. The same keys
 * say in which order rows can be put back, and which of them no longer fit.
 */

export type Plain = string | number | null
export type Row = Readonly<Record<string, Plain>>

export interface ForeignKey {
  readonly table: string
  readonly column: string
  readonly target: string
  readonly isCascade: boolean
  /** Whether its rows have an id by which they are remembered. */
  readonly hasId: boolean
}

/** Rows by table, and what referred to them: rows that are still there, whose column was emptied. */
export interface Captured {
  readonly tables: readonly (readonly [table: string, rows: readonly Row[]])[]
  readonly links: readonly (readonly [table: string, column: string, target: number, ids: readonly number[]])[]
}

/** Written by triggers, or of no use afterwards: what someone was timing, which files they have seen, and what was to be merged by itself. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "placed_comments",
  "stopwatches",
  "pull_schedules",
  "merge_queue_entries",
  "viewed_files",
  "deletions",
  "kept_files",
])

const known = new WeakMap<Database, readonly ForeignKey[]>()

/** The foreign keys of the schema; each leads to the id of its target. */
export async function foreignKeysOf(database: Database, db: Handle): Promise<readonly ForeignKey[]> {
  const found = known.get(database)
  if (found) return found
  const statement =
    database.kind === "sqlite"
      ? sql<Found>`select m.name as "table", f."from" as "column", f."table" as target, lower(f.on_delete) as rule,
          exists (select 1 from pragma_table_info(m.name) as i where i.name = 'id') as has_id
          from sqlite_master as m, pragma_foreign_key_list(m.name) as f where m.type = 'table' order by 1, 2`
      : sql<Found>`select t.relname as "table", a.attname as "column", g.relname as target,
          case c.confdeltype when 'c' then 'cascade' when 'n' then 'set null' else '' end as rule,
          exists (select 1 from pg_attribute as i where i.attrelid = t.oid and i.attname = 'id' and not i.attisdropped) as has_id
          from pg_constraint as c join pg_class as t on t.oid = c.conrelid join pg_class as g on g.oid = c.confrelid
          join pg_attribute as a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
          where c.contype = 'f' and c.connamespace = current_schema()::regnamespace order by 1, 2`
  const { rows } = await statement.execute(db)
  const keys = rows.map(({ rule, has_id, ...key }) => ({ ...key, isCascade: rule === "cascade", hasId: Boolean(has_id) }))
  known.set(database, keys)
  return keys
}

interface Found {
  readonly table: string
  readonly column: string
  readonly target: string
  readonly rule: string
  readonly has_id: number | boolean
}

/** Rows that are read at once. */
const PAGE = 500

/** Reads rows by a column, until there are too many bytes of them: undefined then. The first columns of each table are its key. */
async function readRows(tx: Handle, { table, column, ids, issueId }: Root, room: Room): Promise<readonly Row[] | undefined> {
  const also = issueId === undefined ? sql`` : sql` and issue_id = ${issueId}`
  const all: Row[] = []
  for (let start = 0; start < ids.length; start += PAGE) {
    const some = sql.join(ids.slice(start, start + PAGE).map((id) => sql.lit(id)))
    for (let offset = 0; ; offset += PAGE) {
      const { rows } = await sql<Row>`select * from ${sql.table(table)} where ${sql.ref(column)} in (${some})${also}
        order by 1, 2 limit ${PAGE} offset ${offset}`.execute(tx)
      all.push(...rows)
      room.left -= rows.reduce((sum, row) => sum + JSON.stringify(row).length, 0)
      if (room.left < 0) return undefined
      if (rows.length < PAGE) break
    }
  }
  return all
}

interface Room {
  left: number
}

const idOf = (row: Row): number | undefined => (typeof row["id"] === "number" ? row["id"] : undefined)

/** Rows of a table to begin with: those that have one of these ids in the column. */
export interface Root {
  readonly table: string
  readonly column: string
  readonly ids: readonly number[]
  /** Only those of this issue, where the column alone has no index. */
  readonly issueId?: number
}

/** The rows that these take along when they are deleted. Undefined where they have more than `most` bytes. */
export async function captureRows(
  tx: Transaction,
  keys: readonly ForeignKey[],
  roots: readonly Root[],
  most: number,
): Promise<Captured | undefined> {
  const tables = new Map<string, Map<string, Row>>()
  const links: (readonly [string, string, number, readonly number[]])[] = []
  const room: Room = { left: most }
  const waiting: Root[] = [...roots]
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const rows = await readRows(tx, next, room)
    if (!rows) return undefined
    const there = tables.get(next.table) ?? new Map<string, Row>()
    tables.set(next.table, there)
    const added = rows.filter((row) => {
      const key = String(idOf(row) ?? JSON.stringify(row))
      return !there.has(key) && there.set(key, { ...row })
    })
    const ids = added.flatMap((row) => idOf(row) ?? [])
    if (ids.length === 0) continue
    for (const { table, column, target, isCascade, hasId } of keys) {
      if (target !== next.table || LEFT_OUT.has(table) || table.endsWith("_totals")) continue
      if (isCascade) waiting.push({ table, column, ids })
      else if (hasId)
        for (const [id, referring] of await findReferring(tx, table, column, ids)) {
          room.left -= referring.length * 12
          links.push([table, column, id, referring])
        }
    }
    if (room.left < 0) return undefined
  }
  return {
    tables: [...tables].map(([table, rows]) => [table, [...rows.values()]] as const).filter(([, rows]) => rows.length > 0),
    // What is captured itself comes back with its own value.
    links: links.map(
      ([table, column, target, ids]) => [table, column, target, ids.filter((id) => !tables.get(table)?.has(String(id)))] as const,
    ),
  }
}

async function findReferring(
  tx: Handle,
  table: string,
  column: string,
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const found = new Map<number, number[]>()
  for (let start = 0; start < ids.length; start += PAGE) {
    const some = sql.join(ids.slice(start, start + PAGE).map((id) => sql.lit(id)))
    const { rows } = await sql<{ readonly id: number; readonly target: number }>`select id, ${sql.ref(column)} as target
      from ${sql.table(table)} where ${sql.ref(column)} in (${some}) order by 1 limit 100000`.execute(tx)
    for (const { id, target } of rows) found.set(target, [...(found.get(target) ?? []), id])
  }
  return found
}

/** Tables in an order in which each comes after those that it refers to. */
function inOrder(captured: Captured, keys: readonly ForeignKey[]): Captured["tables"] {
  const left = new Map(captured.tables)
  const ordered: (readonly [string, readonly Row[]])[] = []
  while (left.size > 0) {
    const free = [...left.keys()].find((table) => !keys.some((key) => key.table === table && key.target !== table && left.has(key.target)))
    const [table = ""] = free === undefined ? left.keys() : [free]
    ordered.push([table, left.get(table) ?? []])
    left.delete(table)
  }
  return ordered
}

/** Those of these ids that a table has. */
async function findThere(tx: Handle, table: string, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const there = new Set<number>()
  for (let start = 0; start < ids.length; start += PAGE) {
    const some = sql.join(ids.slice(start, start + PAGE).map((id) => sql.lit(id)))
    const { rows } = await sql<{ readonly id: number }>`select id from ${sql.table(table)} where id in (${some})`.execute(tx)
    for (const { id } of rows) there.add(id)
  }
  return there
}

/**
 * Puts captured rows back. A row whose parent is gone is left out, an optional reference to what is gone is emptied; returns how many rows of which table were left out.
 * `fits` says of each row whether it may still be put where it was.
 */
export async function putRowsBack(
  tx: Transaction,
  keys: readonly ForeignKey[],
  captured: Captured,
  fits: (table: string, row: Row) => boolean = () => true,
): Promise<ReadonlyMap<string, number>> {
  const leftOut = new Map<string, number>()
  const put = new Map<string, Set<number>>(captured.tables.map(([table]) => [table, new Set()]))
  for (const [table, rows] of inOrder(captured, keys)) {
    const own = keys.filter((key) => key.table === table)
    const there = new Map<string, ReadonlySet<number>>()
    for (const { column, target } of own) {
      const wanted = rows.flatMap((row) => (typeof row[column] === "number" ? row[column] : []))
      const inside = put.get(target)
      const outside = [...new Set(wanted)].filter((id) => !inside?.has(id))
      there.set(column, new Set([...(inside ?? []), ...(await findThere(tx, target, outside))]))
    }
    const mine = put.get(table)
    // The rows of a table that refer to one another come in the order of their ids.
    const sorted = rows.toSorted((one, other) => (idOf(one) ?? 0) - (idOf(other) ?? 0))
    const fitting: Row[] = []
    for (const row of sorted) {
      const changed: Record<string, Plain> = { ...row }
      let isLeft = !fits(table, row)
      for (const { column, target, isCascade } of own) {
        const value = row[column]
        if (typeof value !== "number" || there.get(column)?.has(value) || (target === table && mine?.has(value))) continue
        if (isCascade) isLeft = true
        else changed[column] = null
      }
      if (isLeft) {
        leftOut.set(table, (leftOut.get(table) ?? 0) + 1)
        continue
      }
      fitting.push(changed)
      const id = idOf(row)
      if (id !== undefined) mine?.add(id)
    }
    await insertRows(tx, table, fitting)
  }
  return leftOut
}

/** Places in a statement, of which SQLite takes 32,766. */
const MOST_PLACES = 16_000

async function insertRows(tx: Transaction, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  const most = Math.max(1, Math.floor(MOST_PLACES / Math.max(1, columns.length)))
  for (let start = 0; start < rows.length; start += most) {
    const slice = rows.slice(start, start + most)
    const values = slice.map((row) => sql`(${sql.join(columns.map((column) => sql`${row[column] ?? null}`))})`)
    await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))}) values ${sql.join(values)}
      ${table === "repository_redirects" ? sql`on conflict do nothing` : sql``}`.execute(tx)
  }
}

/** Lets what lost a reference refer again, as far as it is there and refers to nothing else. Issues that are in another repository than this one by now stay as they are. */
export async function putLinksBack(tx: Transaction, captured: Captured, repositoryId: number | null): Promise<void> {
  for (const [table, column, target, ids] of captured.links) {
    for (let start = 0; start < ids.length; start += PAGE) {
      const some = sql.join(ids.slice(start, start + PAGE).map((id) => sql.lit(id)))
      const inside =
        repositoryId === null
          ? sql``
          : table === "issues"
            ? sql` and repository_id = ${repositoryId}`
            : table === "comments"
              ? sql` and issue_id in (select issues.id from issues where issues.repository_id = ${repositoryId})`
              : sql``
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${target}
        where id in (${some}) and ${sql.ref(column)} is null${inside}`.execute(tx)
    }
  }
}

/** Where issues are now. */
export async function findHomes(
  tx: Handle,
  issueIds: readonly number[],
): Promise<ReadonlyMap<number, { readonly repositoryId: number; readonly ownerId: number }>> {
  const homes = new Map<number, { readonly repositoryId: number; readonly ownerId: number }>()
  for (let start = 0; start < issueIds.length; start += PAGE) {
    const rows = await tx
      .selectFrom("issues")
      .innerJoin("repositories", "repositories.id", "issues.repository_id")
      .select(["issues.id", "issues.repository_id", "repositories.owner_id"])
      .where(inList("issues.id", issueIds.slice(start, start + PAGE)))
      .execute()
    for (const { id, repository_id, owner_id } of rows) homes.set(id, { repositoryId: repository_id, ownerId: owner_id })
  }
  return homes
}

export const findLabelRow = (tx: Handle, id: number) => tx.selectFrom("labels").selectAll().where("id", "=", id).executeTakeFirst()

/** Those who have blocked an account, or whom it has blocked. */
export async function findBlockedWith(tx: Handle, userId: number): Promise<ReadonlySet<number>> {
  const rows = await tx
    .selectFrom("blocks")
    .select(["blocker_id", "blocked_id"])
    .where((eb) => eb.or([eb("blocker_id", "=", userId), eb("blocked_id", "=", userId)]))
    .execute()
  return new Set(rows.map(({ blocker_id, blocked_id }) => (blocker_id === userId ? blocked_id : blocker_id)))
}

/** What a repository has as it is stored, or as it is counted: that of now holds. */
const OF_NOW: ReadonlySet<string> = new Set([
  "id",
  "storage",
  "object_format",
  "git_size",
  "lfs_size",
  "stars_count",
  "watchers_count",
  "forks_count",
  "branches_count",
  "open_issues_count",
  "open_pulls_count",
  "releases_count",
  "openness",
])

/** Gives a repository its former columns. */
export async function putRepositoryBack(tx: Transaction, id: number, before: Row): Promise<void> {
  const changes = Object.entries(before)
    .filter(([column]) => !OF_NOW.has(column))
    .map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  await sql`update ${sql.table("repositories")} set ${sql.join(changes)} where id = ${id}`.execute(tx)
}

/** What a repository loses while it can be restored, and gets back: what would act or let somebody in meanwhile, and who and what else has to do with it. Secrets stay sealed. */
const OF_REPOSITORY: readonly string[] = [...RETURNING, "stars", "repository_topics", "packages"]

/** What loses a reference to a repository that is deleted. */
const TIED = [
  ["repositories", "fork_of_id"],
  ["repositories", "template_id"],
  ["pulls", "head_repository_id"],
] as const

/** The same for a repository as a whole, whose other rows stay where they are. */
export async function captureRepository(tx: Transaction, id: number, most: number): Promise<Captured | undefined> {
  const room: Room = { left: most }
  const tables: (readonly [string, readonly Row[]])[] = []
  for (const [table, column] of [["repositories", "id"], ...OF_REPOSITORY.map((each) => [each, "repository_id"] as const)] as const) {
    const rows = await readRows(tx, { table, column, ids: [id] }, room)
    if (!rows) return undefined
    tables.push([table, rows])
    // A key that no repository uses any more is forgotten.
    if (table !== "deploy_keys") continue
    const keyIds = rows.flatMap(({ key_id }) => (typeof key_id === "number" ? key_id : []))
    const keys = await readRows(tx, { table: "public_keys", column: "id", ids: keyIds }, room)
    if (!keys) return undefined
    tables.push(["public_keys", keys])
  }
  const links: (readonly [string, string, number, readonly number[]])[] = []
  for (const [table, column] of TIED) {
    const referring = (await findReferring(tx, table, column, [id])).get(id) ?? []
    room.left -= referring.length * 12
    links.push([table, column, id, referring])
  }
  return room.left < 0 ? undefined : { tables, links }
}

/** Takes the collaborations of these people out of what is kept of a repository. */
export async function dropKeptCollaborations(tx: Transaction, deletionId: number, userIds: ReadonlySet<number>): Promise<void> {
  const kept = await findContent.first(tx, { id: deletionId })
  if (!kept) return
  const { tables, links }: Captured = JSON.parse(kept.content)
  const stays = ({ user_id }: Row) => typeof user_id !== "number" || !userIds.has(user_id)
  const left = tables.map(([table, rows]) => [table, table === "collaborations" ? rows.filter(stays) : rows] as const)
  await putContent(tx, { id: deletionId, content: JSON.stringify({ tables: left, links }) })
}
