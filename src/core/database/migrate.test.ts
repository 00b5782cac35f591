/**
 * In other forges, failed migrations that still incremented the version number, and incomplete ones that then failed with "duplicate column", have
 * locked operators out of their data. Here each step is atomic, and a database that doesn't fit is refused before anything is changed.
 */
import { existsSync } from "node:fs"
import { stat } from "node:fs/promises"
import { sql } from "kysely"
import { afterEach, describe, expect, it } from "vitest"
import { databaseKinds, type FreshUrl, freshDatabase, freshUrl } from "../../../tests/support/database.ts"
import { type Shelf, shelfMigrations } from "../../../tests/support/shelf.ts"
import type { Migration } from "./migrate.ts"
import { migrations as projectMigrations } from "./migrations/index.ts"
import { newest } from "./migrations/newest.ts"
import { openDatabase } from "./open.ts"

interface Labelled extends Shelf {
  labels: { name: string }
}

const labels: Migration = {
  id: 2,
  name: "labels",
  async up(db, types) {
    await db.schema.createTable("labels").addColumn("name", types.text).execute()
    await sql`insert into labels (name) values ('first')`.execute(db)
  },
}
const broken: Migration = {
  id: 2,
  name: "labels",
  async up(db, types) {
    await labels.up(db, types)
    await sql`update shelves set size = 99`.execute(db)
    await sql`alter table nowhere add column x integer`.execute(db)
  },
}
const withLabels = [...shelfMigrations, labels]

describe.each(databaseKinds)("migrations: %s", (kind) => {
  let fresh: FreshUrl | undefined
  afterEach(async () => {
    await fresh?.drop()
    fresh = undefined
  })

  const open = async (migrations: readonly Migration[], migrate = true) => {
    fresh ??= await freshUrl(kind, { empty: true })
    return openDatabase<Labelled>({ url: fresh.url, migrations, migrate })
  }
  const close = async (migrations: readonly Migration[]) => (await open(migrations)).close()

  /** The state of the database, read without the check of its history. */
  const history = async () => {
    const { rows } = await raw(
      sql<{ id: number; name: string; applied_at: number }>`select id, name, applied_at from schema_versions order by id`,
    )
    return rows.map(({ id, name }) => ({ id, name }))
  }
  const raw = async <R>(statement: ReturnType<typeof sql<R>>) => {
    const database = await open([])
      .catch(() => open(shelfMigrations))
      .catch(() => open(withLabels))
    try {
      return await database.write((tx) => statement.execute(tx))
    } finally {
      await database.close()
    }
  }

  it("makes the tables of an empty database, and does nothing the second time", async () => {
    const before = Math.floor(Date.now() / 1_000)
    const first = await open(withLabels)
    const versions = await sql<{ id: number; name: string; applied_at: number }>`select * from schema_versions order by id`.execute(
      first.read,
    )
    expect(versions.rows.map(({ id, name }) => [id, name])).toEqual([
      [1, "shelves"],
      [2, "labels"],
    ])
    expect(versions.rows[0]?.applied_at).toBeGreaterThanOrEqual(before)
    await first.close()
    const second = await open(withLabels)
    expect(await second.read.selectFrom("labels").select("name").execute()).toEqual([{ name: "first" }])
    await second.close()
  })

  it("runs only the missing migration, and keeps the rows", async () => {
    const first = await open(shelfMigrations)
    await first.write((tx) => tx.insertInto("shelves").values({ name: "A", lower_name: "a" }).execute())
    await first.close()
    const second = await open(withLabels)
    expect(await second.read.selectFrom("shelves").select("name").execute()).toEqual([{ name: "A" }])
    expect(await second.read.selectFrom("labels").select("name").execute()).toEqual([{ name: "first" }])
    await second.close()
  })

  it("refuses a database that is newer than the program", async () => {
    await close(withLabels)
    await expect(open(shelfMigrations)).rejects.toMatchObject({
      name: "DatabaseRefused",
      reason: "newer",
      message: "The database is newer than this program: it has migration 2 (labels), this program knows 1.",
      advice: expect.stringContaining("hearth.db.before-"),
    })
    expect(await history()).toHaveLength(2)
  })

  it("refuses a history with another name in it", async () => {
    await close(withLabels)
    await expect(open([...shelfMigrations, { ...labels, name: "tags" }])).rejects.toMatchObject({
      reason: "history",
      message: /2 \(labels\).*2 \(tags\)/,
    })
  })

  it("refuses a history with a gap", async () => {
    await close(withLabels)
    await raw(sql`delete from schema_versions where id = 1`)
    await expect(open(withLabels)).rejects.toMatchObject({ name: "DatabaseRefused", reason: "history" })
  })

  it("refuses tables without a history, and touches nothing", async () => {
    await close(withLabels)
    await raw(sql`drop table schema_versions`)
    await expect(open(withLabels)).rejects.toMatchObject({ reason: "foreign", message: /half-migrated/ })
    await expect(open([])).rejects.toMatchObject({ reason: "foreign" })
  })

  it("refuses an outdated database when it may not migrate", async () => {
    await close(shelfMigrations)
    await expect(open(withLabels, false)).rejects.toMatchObject({ reason: "outdated" })
    await (await open(shelfMigrations, false)).close()
  })

  it("rolls a failing step back whole, with its version row, and can go on from there", async () => {
    const first = await open(shelfMigrations)
    await first.write((tx) => tx.insertInto("shelves").values({ name: "A", lower_name: "a", size: 1 }).execute())
    await first.close()
    await expect(open([...shelfMigrations, broken])).rejects.toMatchObject({
      reason: "migration",
      message: /^Migration 2 \(labels\) failed: .*nowhere/,
    })
    expect(await history()).toEqual([{ id: 1, name: "shelves" }])
    const after = await open(withLabels)
    expect(await after.read.selectFrom("shelves").select("size").execute()).toEqual([{ size: 1 }])
    expect(await after.read.selectFrom("labels").select("name").execute()).toEqual([{ name: "first" }])
    await after.close()
  })

  it("migrates once when several processes start together", async () => {
    fresh = await freshUrl(kind, { empty: true })
    const opened = await Promise.all(Array.from({ length: 4 }, () => open(withLabels)))
    expect(await opened[0]?.read.selectFrom("labels").select("name").execute()).toEqual([{ name: "first" }])
    await Promise.all(opened.map((database) => database.close()))
  })

  it("makes the project's own tables", async () => {
    const { database, drop } = await freshDatabase(kind)
    const { rows } = await sql<{ id: number; name: string }>`select id, name from schema_versions order by id`.execute(database.read)
    expect(rows).toEqual(projectMigrations.map(({ id, name }) => ({ id, name })))
    expect(await database.read.selectFrom("users").selectAll().execute()).toEqual([])
    await drop()
  })
})

describe("a migration of SQLite", () => {
  it("leaves a copy of the database as it was, readable by its owner alone", async () => {
    const { url, drop } = await freshUrl("sqlite", { empty: true })
    const file = url.slice("sqlite:".length)
    const copy = `${file}.before-2`
    try {
      const first = await openDatabase<Shelf>({ url, migrations: shelfMigrations })
      await first.write((tx) => tx.insertInto("shelves").values({ name: "A", lower_name: "a" }).execute())
      await first.close()
      expect(existsSync(`${file}.before-1`)).toBe(false)
      await expect(openDatabase({ url, migrations: [...shelfMigrations, broken] })).rejects.toMatchObject({ reason: "migration" })
      const states: string[] = []
      await (await openDatabase({ url, migrations: withLabels, progress: (state) => states.push(state) })).close()
      expect(states).toEqual(["keeping a copy of the database as it is", "bringing the database up to date: step 2 of 2"])
      expect((await stat(copy)).mode & 0o777).toBe(0o600)
      expect((await stat(file)).mode & 0o777).toBe(0o600)

      // To go back, the copy replaces the database: the older program opens it and finds its rows.
      const older = await openDatabase<Shelf>({ url: `sqlite:${copy}`, migrations: shelfMigrations, migrate: false })
      expect(await older.read.selectFrom("shelves").select("name").execute()).toEqual([{ name: "A" }])
      await older.close()
    } finally {
      await drop()
    }
  })

  it("refuses a step that leaves references to nothing", async () => {
    const { url, drop } = await freshUrl("sqlite", { empty: true })
    const orphan: Migration = {
      id: 2,
      name: "orphan",
      up: async (db) => void (await sql`insert into books (shelf_id, place, title) values (77, 1, 'Orphan')`.execute(db)),
    }
    try {
      await expect(openDatabase({ url, migrations: [...shelfMigrations, orphan] })).rejects.toThrow("refer to rows that are missing")
      const database = await openDatabase<Shelf>({ url, migrations: shelfMigrations })
      expect(await database.read.selectFrom("books").selectAll().execute()).toEqual([])
      await database.close()
    } finally {
      await drop()
    }
  })
})

it("knows the newest of the project's migrations without loading them", () => {
  const { id, name } = projectMigrations.at(-1) ?? {}
  expect(newest).toEqual({ id, name })
})
