import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { migrations } from "../../src/core/database/migrations/index.ts"
import { openDatabase } from "../../src/core/database/open.ts"
import { assetPath } from "../../src/core/program/assets.ts"

/** A new SQLite database gets its tables from one script, which is what the migrations make: `npm run golden` writes it. */

const FILE = assetPath("database/sqlite.sql")
const HEADER = `-- Made by \`npm run golden\` from what the ${migrations.length} migrations make of an empty database; read the difference in review.\n`

test("the script of a new database makes what the migrations make", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hearth-schema-"))
  try {
    const migrated = await contentOf(join(folder, "migrated.db"), migrations)
    if (process.env["UPDATE_GOLDEN"]) await writeFile(FILE, HEADER + migrated.script)
    expect(await readFile(FILE, "utf8"), "assets/database/sqlite.sql is older than the migrations: `npm run golden` writes it").toBe(
      HEADER + migrated.script,
    )
    expect(await contentOf(join(folder, "whole.db"), undefined)).toEqual(migrated)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** What a new database holds: the script of its tables and their rows, and its versions, without the time at which each came. */
async function contentOf(file: string, given: typeof migrations | undefined) {
  await (await openDatabase({ url: `sqlite:${file}`, ...(given && { migrations: given }) })).close()
  const database = new DatabaseSync(file)
  try {
    const all = <Row>(sql: string): Row[] =>
      database
        .prepare(sql)
        .all()
        .map((row) => Object.assign(Object.create(null), row))
    // Made by SQLite itself for what it searches texts with.
    const shadows = new Set(
      all<{ name: string; type: string }>("pragma table_list").flatMap(({ name, type }) => (type === "shadow" ? [name] : [])),
    )
    const made = all<{ name: string; type: string; sql: string | null }>("select name, type, sql from sqlite_master order by rowid").filter(
      ({ name }) => !name.startsWith("sqlite_") && !shadows.has(name),
    )
    const tables = made.filter(({ type, sql }) => type === "table" && !/^create virtual/i.test(sql ?? ""))
    const rows = tables
      .filter(({ name }) => name !== "schema_versions")
      .flatMap(({ name }) => all<Record<string, unknown>>(`select * from "${name}"`).map((row) => insertOf(name, row)))
    return {
      script: `${[...made.map(({ sql }) => sql), ...rows].join(";\n")};\n`,
      versions: all("select id, name from schema_versions order by id"),
    }
  } finally {
    database.close()
  }
}

function insertOf(table: string, row: Readonly<Record<string, unknown>>): string {
  const values = Object.values(row).map((value) =>
    value === null ? "null" : typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value),
  )
  return `insert into "${table}" (${Object.keys(row).join(", ")}) values (${values.join(", ")})`
}
