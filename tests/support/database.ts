/** New, empty databases for tests, of both kinds. */
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { copyFile, mkdtemp, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { inject } from "vitest"
import type { Database, ObservedStatement } from "../../src/core/database/database.ts"
import { type DatabaseOptions, openDatabase } from "../../src/core/database/open.ts"
import type { Tables } from "../../src/core/database/tables/index.ts"

/** For `describe.each`: both databases that the project supports. */
export const databaseKinds = ["sqlite", "postgres"] as const

/** "memory" is SQLite without a file. */
export type FreshKind = (typeof databaseKinds)[number] | "memory"

export interface FreshUrl {
  readonly url: string
  readonly drop: () => Promise<void>
}

export interface FreshDatabase<T = Tables> extends FreshUrl {
  readonly database: Database<T>
}

/** A new database with up-to-date tables and no rows, opened; `drop` closes and removes it. With `migrations`, those tables instead. */
export async function freshDatabase<T = Tables>(kind: FreshKind, options: Omit<DatabaseOptions, "url"> = {}): Promise<FreshDatabase<T>> {
  const fresh = await freshUrl(kind, { empty: options.migrations !== undefined || options.migrate === false })
  const database = await openDatabase<T>({ poolSize: 5, ...options, url: fresh.url })
  return {
    url: fresh.url,
    database,
    async drop() {
      await database.close()
      await fresh.drop()
    },
  }
}

/** The address of a new database that has not been opened yet; `empty` leaves out the tables too. */
export async function freshUrl(kind: FreshKind, options: { readonly empty?: boolean } = {}): Promise<FreshUrl> {
  if (kind === "memory") return { url: "sqlite::memory:", drop: async () => {} }
  if (kind === "postgres") return freshPostgres(options.empty ?? false)
  const folder = await mkdtemp(join(tmpdir(), "hearth-database-"))
  const file = join(folder, "hearth.db")
  if (!options.empty) await copyFile(await sqliteTemplate(), file)
  return { url: `sqlite:${file}`, drop: () => rm(folder, { recursive: true, force: true }) }
}

/** Runs `work` and gives the statements that the database ran for it meanwhile: for counting the queries of an operation. */
export const statementsOf = async <T>(database: Database<T>, work: () => Promise<unknown>): Promise<readonly ObservedStatement[]> =>
  (await allStatementsOf(database, work)).filter((statement) => !isTouch(statement))

/** Runs `work` and gives all statements that the database ran meanwhile, those of later notes among them. */
export async function allStatementsOf<T>(database: Database<T>, work: () => Promise<unknown>): Promise<readonly ObservedStatement[]> {
  const statements: ObservedStatement[] = []
  const stop = database.observe((statement) => statements.push(statement))
  try {
    await work()
  } finally {
    stop()
  }
  return statements
}

/**
 * What `work` gives in a time in which nothing is written, for tests of what is kept until then: transactions of all databases of a PostgreSQL server
 * count, those of tests that run beside this one too. `work` gets another text each time.
 */
export async function undisturbed<T, R>(database: Pick<Database<T>, "state">, work: (mark: string) => Promise<R>): Promise<R> {
  for (;;) {
    const before = await database.state()
    const given = await work(randomBytes(8).toString("hex"))
    if (before === (await database.state())) return given
  }
}

/** The last use of a token, a grant or a session is stored once in a while, independently of the request. */
export const isTouch = ({ sql }: ObservedStatement): boolean =>
  /^update "(access_tokens|oauth2_grants|sessions)" set "last_used_at"/.test(sql)

async function freshPostgres(empty: boolean): Promise<FreshUrl> {
  const name = `test_${randomBytes(8).toString("hex")}`
  await asAdministrator(async (client) => {
    if (!empty) await makeTemplate(client)
    await client.query(`create database ${name} template ${empty ? "template1" : template} strategy file_copy`)
  })
  return {
    url: urlOf(name),
    drop: () => asAdministrator(async (client) => void (await client.query(`drop database if exists ${name} with (force)`))),
  }
}

/** The tables are made once for a run, here too. */
async function sqliteTemplate(): Promise<string> {
  const file = join(inject("sqliteFolder"), "hearth.db")
  if (existsSync(file)) return file
  const draft = join(inject("sqliteFolder"), randomBytes(8).toString("hex"))
  await (await openDatabase({ url: `sqlite:${draft}` })).close()
  // Two processes may have made one at the same time: either will do.
  await rename(draft, file)
  return file
}

const template = "hearth_template"

/** The tables are made once for a run; every further database is a copy of that one. */
async function makeTemplate(client: pg.Client): Promise<void> {
  await client.query("select pg_advisory_lock(1)")
  try {
    const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [template])
    if (rowCount !== 0) return
    await client.query(`drop database if exists ${template}_new with (force)`)
    await client.query(`create database ${template}_new template template1`)
    await (await openDatabase({ url: urlOf(`${template}_new`) })).close()
    await client.query(`alter database ${template}_new rename to ${template}`)
  } finally {
    await client.query("select pg_advisory_unlock(1)")
  }
}

async function asAdministrator(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: inject("postgresUrl") })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

function urlOf(database: string): string {
  const url = new URL(inject("postgresUrl"))
  url.pathname = `/${database}`
  return url.href
}
