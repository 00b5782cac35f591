/** Migrates the tables to the version of this program, each step in one transaction. */
import { type Kysely, sql } from "kysely"
import { type ColumnTypes, columnTypes } from "./columns.ts"
import type { DatabaseKind, DatabaseLogger } from "./database.ts"
import { DatabaseRefused } from "./failures.ts"

/** One migration. Once released it is never changed: corrections are further migrations. */
export interface Migration {
  /** 1, 2, 3 … without a gap. */
  readonly id: number
  readonly name: string
  readonly up: (db: Kysely<unknown>, types: ColumnTypes) => Promise<void>
}

/** What a driver provides for migrating. */
export interface MigratingConnection {
  readonly kind: DatabaseKind
  readonly read: Kysely<unknown>
  /** One transaction that holds the lock against every other process that migrates. */
  write<R>(work: (tx: Kysely<unknown>) => Promise<R>): Promise<R>
  /** Copies the database as it is before migration `id`; undefined in memory and on PostgreSQL, where the operator's own backups serve. */
  readonly copyBefore: ((id: number) => void) | undefined
  /** Runs a script of several statements in the transaction of `write`; undefined where there are no scripts. */
  readonly script: ((text: string) => void) | undefined
}

export interface MigrationRules {
  /** False only checks that the tables are up to date. */
  readonly apply: boolean
  readonly logger: DatabaseLogger
  /** Called with what is done next. */
  readonly progress?: ((state: string) => void) | undefined
  /** What the migrations make of an empty database, as a script, which takes a tenth of their time; undefined where there is none for all of them. */
  readonly whole?: (() => string | undefined) | undefined
  /** Whether the database may be one that a restore has not finished yet: only restores go on with it. */
  readonly unfinished?: boolean
}

interface Version {
  readonly id: number
  readonly name: string
}

const versionsTable = "schema_versions"

/** Whether this is the newest migration that the database has had. */
export async function isAt({ kind, read }: MigratingConnection, { id, name }: Version, unfinished = false): Promise<boolean> {
  const last = (await readHistory(kind, read, unfinished)).at(-1)
  return last?.id === id && last.name === name
}

/** Marks a database that a restore has not made whole yet: see portable/load.ts. */
export const UNFINISHED_TABLE = "unfinished_restore"

/**
 * Compares the database's history with the program's, and runs the missing migrations, each in one transaction with its version row. Returns whether there
 * were any. Throws {@link DatabaseRefused}; a step that fails leaves the database as it was before that step.
 */
export async function migrateDatabase(
  connection: MigratingConnection,
  migrations: readonly Migration[],
  rules: MigrationRules,
): Promise<boolean> {
  for (const [index, migration] of migrations.entries()) {
    if (migration.id !== index + 1) throw new Error(`Migration ${migration.name} has the number ${migration.id} in place ${index + 1}.`)
  }
  const first = nextStep(await readHistory(connection.kind, connection.read, rules.unfinished), migrations)
  if (first === undefined) return false
  if (!rules.apply) {
    throw new DatabaseRefused(
      "outdated",
      `The database is older than this program: migration ${first.id} (${first.name}) is missing.`,
      "Start the server once; it brings the database up to date.",
    )
  }
  if (first.id === 1 && (await takeWhole(connection, migrations, rules))) return true
  let copied = false
  for (let more = true; more; ) {
    more = await connection.write(async (tx) => {
      // Read again under the lock: another process may have done it meanwhile.
      const step = nextStep(await readHistory(connection.kind, tx, rules.unfinished), migrations)
      if (step === undefined) return false
      if (!copied && step.id > 1 && connection.copyBefore) {
        rules.progress?.("keeping a copy of the database as it is")
        connection.copyBefore(step.id)
      }
      copied = true
      rules.progress?.(`bringing the database up to date: step ${step.id} of ${migrations.length}`)
      await take(tx, connection.kind, step)
      rules.logger.info({ id: step.id, name: step.name }, "the database was migrated")
      return true
    })
  }
  return true
}

/** Makes all tables of an empty database at once. False where there is no script, or the database is no longer empty. */
async function takeWhole(
  { kind, write, script }: MigratingConnection,
  migrations: readonly Migration[],
  { whole, logger }: MigrationRules,
): Promise<boolean> {
  const text = script && whole?.()
  if (text === undefined) return false
  return write(async (tx) => {
    if (nextStep(await readHistory(kind, tx), migrations)?.id !== 1) return false
    script?.(text)
    const now = Math.floor(Date.now() / 1_000)
    for (const { id, name } of migrations) await recordVersion(tx, { id, name }, now)
    logger.info({ migrations: migrations.length }, "the tables of the database were made")
    return true
  })
}

const recordVersion = (tx: Kysely<unknown>, { id, name }: Version, now: number) =>
  sql`insert into ${sql.table(versionsTable)} (id, name, applied_at) values (${id}, ${name}, ${now})`.execute(tx)

async function take(tx: Kysely<unknown>, kind: DatabaseKind, step: Migration): Promise<void> {
  const types = columnTypes(kind)
  try {
    if (step.id === 1) {
      await tx.schema
        .createTable(versionsTable)
        .addColumn("id", types.integer, (column) => column.primaryKey())
        .addColumn("name", types.text, (column) => column.notNull())
        .addColumn("applied_at", types.time, (column) => column.notNull())
        .execute()
    }
    await step.up(tx, types)
    await recordVersion(tx, step, Math.floor(Date.now() / 1_000))
  } catch (error) {
    throw new DatabaseRefused(
      "migration",
      `Migration ${step.id} (${step.name}) failed: ${error instanceof Error ? error.message : String(error)}`,
      "The database is as it was before this step. Run the version that it had until now, and report this.",
      error,
    )
  }
}

/** The first missing migration. Throws when the history isn't a prefix of the program's own. */
function nextStep(history: readonly Version[], migrations: readonly Migration[]): Migration | undefined {
  const newest = history.at(-1)
  if (newest !== undefined && newest.id > migrations.length) {
    throw new DatabaseRefused(
      "newer",
      `The database is newer than this program: it has migration ${newest.id} (${newest.name}), this program knows ${migrations.length}.`,
      "Start the newer version again; or, to go back, restore the copy of the database made before its migration (hearth.db.before-…).",
    )
  }
  for (const [index, version] of history.entries()) {
    const known = migrations[index]
    if (known !== undefined && known.id === version.id && known.name === version.name) continue
    throw new DatabaseRefused(
      "history",
      `The database's history doesn't fit this program: in place ${index + 1} it has migration ${version.id} (${version.name}), ` +
        `and this program has ${known === undefined ? "none" : `${known.id} (${known.name})`}.`,
      "Start the version that wrote this database, or restore a backup; nothing was changed.",
    )
  }
  return migrations[history.length]
}

/** The migrations done so far, in order; none in an empty database. Throws when there are tables without a history. */
async function readHistory(kind: DatabaseKind, db: Kysely<unknown>, unfinished = false): Promise<readonly Version[]> {
  const tables =
    kind === "sqlite"
      ? await sql<{ name: string }>`select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'`.execute(
          db,
        )
      : await sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`.execute(db)
  const names = tables.rows.map((row) => row.name)
  if (!unfinished && names.includes(UNFINISHED_TABLE))
    throw new DatabaseRefused(
      "unfinished",
      "A restore into this database, or a move to it, has not come to its end.",
      "Run the same `hearth restore` or `hearth database move` again; it goes on. Or use another database.",
    )
  const versions = names.includes(versionsTable)
    ? (await sql<Version>`select id, name from ${sql.table(versionsTable)} order by id`.execute(db)).rows
    : []
  if (versions.length === 0 && names.length > 0) {
    throw new DatabaseRefused(
      "foreign",
      `The database holds tables (${names.slice(0, 5).join(", ")}) but no record of how they came about: it is half-migrated or another program's.`,
      "Point HEARTH_DATABASE_URL at an empty database, or restore a backup; nothing was changed.",
    )
  }
  return versions
}
