import { execFileSync } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "kysely"
import { afterAll, beforeAll, expect, it } from "vitest"
import { freshUrl } from "../../../../tests/support/database.ts"
import { openLoadable } from "../loadable.ts"
import { openDatabase } from "../open.ts"
import { dumpOf } from "./dump.ts"
import { finish, loadDump, markOf } from "./load.ts"
import { digestTable } from "./rows.ts"
import { readSequences, readShapes } from "./shapes.ts"

/** A database that an earlier version has written, see tests/stored. */
let folder: string
let stored: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hearth-portable-"))
  execFileSync("tar", ["xzf", join(import.meta.dirname, "../../../../tests/stored/0.1.0.tar.gz"), "-C", folder, "./hearth.db"])
  stored = `sqlite:${join(folder, "hearth.db")}`
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Copies all rows; gives the digests of the copy. */
async function copy(from: string, to: string): Promise<Readonly<Record<string, string>>> {
  const source = await openDatabase({ url: from })
  const target = await openLoadable({ url: to })
  try {
    await target.migrateTo()
    await source.snapshot(async (read) => loadDump(target, await dumpOf(read)))
    await finish(target)
  } finally {
    await target.close()
    await source.close()
  }
  return digests(to)
}

async function digests(url: string): Promise<Readonly<Record<string, string>>> {
  const database = await openDatabase({ url })
  try {
    const found: Record<string, string> = {}
    for (const shape of await readShapes(database.read)) {
      const { rows, sha256 } = await digestTable(database.read, shape)
      found[shape.name] = `${rows} ${sha256}`
    }
    const totals: Record<string, number> = {}
    for (const table of ["activity_totals", "issue_totals", "repository_totals", "branch_totals", "tag_totals"]) {
      const { rows } = await sql<{ readonly total: number }>`select coalesce(sum(total), 0) as total from ${sql.table(table)}`.execute(
        database.read,
      )
      totals[table] = rows[0]?.total ?? 0
    }
    const sequences = await readSequences(database.read)
    return {
      ...found,
      totals: JSON.stringify(totals),
      lastIssue: String(sequences.get("issues")),
      lastUser: String(sequences.get("users")),
    }
  } finally {
    await database.close()
  }
}

it("has the same rows in both kinds of database, there and back, with what triggers make of them", async () => {
  const [postgres, sqlite] = [await freshUrl("postgres", { empty: true }), await freshUrl("sqlite", { empty: true })]
  try {
    const there = await copy(stored, postgres.url)
    expect(there).toEqual(await digests(stored))
    expect(there["issues"]).toMatch(/^2 /)
    expect(JSON.parse(there["totals"] ?? "")).toMatchObject({ issue_totals: 2 })
    expect(await copy(postgres.url, sqlite.url)).toEqual(there)
    await expect(copy(stored, postgres.url)).rejects.toMatchObject({ reason: "occupied" })
  } finally {
    await postgres.drop()
    await sqlite.drop()
  }
})

it("leaves an unfinished database to who goes on with it", async () => {
  const fresh = await freshUrl("sqlite", { empty: true })
  try {
    const source = await openDatabase({ url: stored })
    const target = await openLoadable({ url: fresh.url })
    await target.migrateTo()
    await source.snapshot(async (read) => loadDump(target, await dumpOf(read), { mark: "from afar" }))
    expect(await markOf(target.read)).toBe("from afar")
    await expect(openDatabase({ url: fresh.url })).rejects.toMatchObject({ reason: "unfinished" })
    await finish(target)
    expect(await markOf(target.read)).toBeUndefined()
    await Promise.all([source.close(), target.close()])
    await (await openDatabase({ url: fresh.url })).close()
  } finally {
    await fresh.drop()
  }
})

it("stores nothing of rows that came out different, and names the table", async () => {
  const fresh = await freshUrl("sqlite", { empty: true })
  const source = await openDatabase({ url: stored })
  const target = await openLoadable({ url: fresh.url })
  try {
    await target.migrateTo()
    const dump = await dumpOf(source.read)
    const altered = {
      ...dump,
      tables: dump.tables.map((table) => ({
        ...table,
        async *lines() {
          for await (const line of table.lines()) yield table.shape.name === "labels" ? line.replace("bug", "bog") : line
        },
      })),
    }
    await expect(loadDump(target, altered, { mark: "test" })).rejects.toThrow("The table labels came out different: 1 rows")
    expect(await markOf(target.read)).toBeUndefined()
    expect(
      (
        await digestTable(
          target.read,
          (await readShapes(target.read)).find(({ name }) => name === "users") ?? { name: "", columns: [], key: [] },
        )
      ).rows,
    ).toBe(0)
  } finally {
    await Promise.all([source.close(), target.close()])
    await fresh.drop()
  }
})

it("shows one moment, whatever is written meanwhile", async () => {
  const database = await openDatabase({ url: stored })
  try {
    await database.snapshot(async (read) => {
      const before = await read.selectFrom("labels").select("name").execute()
      await database.write(async (tx) => void (await tx.updateTable("labels").set({ name: "other" }).execute()))
      expect(await read.selectFrom("labels").select("name").execute()).toEqual(before)
      await expect(read.deleteFrom("labels").execute()).rejects.toThrow()
    })
    expect(await database.read.selectFrom("labels").select("name").execute()).toEqual([{ name: "other" }])
  } finally {
    await database.close()
  }
})
