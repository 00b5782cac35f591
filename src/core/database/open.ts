/** Opens a database of either kind, with its tables up to date. */
import { readFileSync } from "node:fs"
import type { Cluster } from "../cluster/cluster.ts"
import { type Share, whole } from "../cluster/share.ts"
import { assetPath } from "../program/assets.ts"
import type { Database, DatabaseLogger, DriverOptions } from "./database.ts"
import { DatabaseRefused } from "./failures.ts"
import { isAt, type MigratingConnection, type Migration, migrateDatabase } from "./migrate.ts"
import { newest } from "./migrations/newest.ts"
import { openSqlite, SCHEMA_CHANNEL } from "./sqlite.ts"
import type { Tables } from "./tables/index.ts"

export interface DatabaseOptions {
  /** `sqlite:/absolute/path/hearth.db`, `sqlite::memory:` or `postgres://user:password@host/name`, with commas between several hosts. */
  readonly url: string
  readonly logger?: DatabaseLogger
  /** Called with what is done to bring the tables up to date, before it is done. */
  readonly progress?: ((state: string) => void) | undefined
  /** True (the default) brings the tables up to date; false refuses a database that is not. */
  readonly migrate?: boolean
  /** Whether it may be one that a restore has not made whole yet; false by default. */
  readonly unfinished?: boolean
  /** The migrations; the project's own unless a test passes others. */
  readonly migrations?: readonly Migration[]
  /** Milliseconds that a transaction may be idle; 1,000 by default. 0 on SQLite: not for one turn of the event loop. */
  readonly idleLimit?: number
  /** PostgreSQL only: the most connections for reading, and the same number for writing; 10 by default. */
  readonly poolSize?: number
  /** PostgreSQL only: it is behind a pooler that gives each transaction another connection; false by default. */
  readonly transactionPooling?: boolean
  /** PostgreSQL only: where to listen; `url` by default. */
  readonly listenUrl?: string | undefined
  /** PostgreSQL only: a replica for reads that may be a second old; none by default. */
  readonly replicaUrl?: string | undefined
  /** Milliseconds that a call waits for the database before it fails with {@link DatabaseUnavailable}; 8,000 by default. */
  readonly waitMs?: number
  /** The other processes of this server. */
  readonly cluster?: Cluster | undefined
  /** This process's part of the connections; all of them by default. */
  readonly share?: Share
}

const silent: DatabaseLogger = { info() {}, warn() {}, error() {} }

/**
 * Opens the database and brings its tables up to date.
 * Fails with {@link DatabaseRefused}, in words for the operator, when it can't be reached, is newer than this program, or doesn't fit its history.
 */
export async function openDatabase<T = Tables>(options: DatabaseOptions): Promise<Database<T>> {
  const driver = driverOptions(options)
  const opened = await openDriver<T>(driver)
  try {
    const isChanged = await bringUpToDate(opened.migrating, options, driver.logger)
    // Processes of an earlier version may go on with the database until they are replaced.
    if (isChanged && driver.cluster) await opened.database.notify(SCHEMA_CHANNEL, "")
  } catch (error) {
    await opened.database.close()
    throw error
  }
  return opened.database
}

/** Returns whether there was anything to do. */
async function bringUpToDate(connection: MigratingConnection, options: DatabaseOptions, logger: DatabaseLogger): Promise<boolean> {
  const { unfinished = false } = options
  const rules = { apply: options.migrate ?? true, logger, progress: options.progress, unfinished }
  if (options.migrations) return migrateDatabase(connection, options.migrations, rules)
  if (await isAt(connection, newest, unfinished)) return false
  const { migrations } = await import("./migrations/index.ts")
  return migrateDatabase(connection, migrations, { ...rules, whole: wholeSchema })
}

export const driverOptions = (options: DatabaseOptions): DriverOptions => ({
  url: options.url,
  logger: options.logger ?? silent,
  idleLimit: options.idleLimit ?? 1_000,
  poolSize: options.poolSize ?? 10,
  transactionPooling: options.transactionPooling ?? false,
  listenUrl: options.listenUrl,
  replicaUrl: options.replicaUrl,
  waitMs: options.waitMs ?? 8_000,
  cluster: options.cluster,
  share: options.share ?? whole,
})

/** See tests/golden/schema.test.ts, which writes it. */
const WHOLE = assetPath("database/sqlite.sql")

/** The script that makes the tables of an empty SQLite database; undefined where it is older than a migration that is being written. */
export function wholeSchema(): string | undefined {
  const text = readFileSync(WHOLE, "utf8")
  const count = Number(/^-- .* (\d+) migrations/.exec(text)?.[1])
  return count === newest.id ? text : undefined
}

export async function openDriver<T>(options: DriverOptions) {
  if (options.url.startsWith("sqlite:")) return openSqlite<T>(options)
  if (/^postgres(ql)?:\/\//.test(options.url)) {
    const { openPostgres } = await import("./postgres.ts")
    return openPostgres<T>(options)
  }
  throw new DatabaseRefused(
    "unreachable",
    "The database URL is neither sqlite: nor postgres://.",
    'Set HEARTH_DATABASE_URL to "sqlite:/path/hearth.db" or "postgres://…".',
  )
}
