import { stat } from "node:fs/promises"
import { sql } from "kysely"
import type { Config } from "../../core/config.ts"
import type { Database } from "../../core/database/database.ts"
import { DatabaseRefused } from "../../core/database/failures.ts"
import { openDatabase } from "../../core/database/open.ts"
import { countJobs } from "../../core/jobs/store.ts"
import { type Finding, failure, ok, warning } from "./finding.ts"

/** The existing database; undefined where there is none that can be read. */
export interface FoundDatabase {
  readonly database: Database | undefined
  /** Whether there is one at all. */
  readonly there: boolean
  readonly finding: Finding
}

/** Opens the database as it is: nothing is created or migrated. */
export async function findDatabase({ databaseUrl, database: { transactionPooling } }: Config): Promise<FoundDatabase> {
  const file = /^sqlite:(\/.*)$/.exec(databaseUrl)?.[1]
  if (file !== undefined && (await stat(file).catch(() => undefined)) === undefined)
    return { database: undefined, there: false, finding: ok(`database ${file}: not there yet, the first start makes it`) }
  try {
    const database = await openDatabase({ url: databaseUrl, transactionPooling, migrate: false })
    return { database, there: true, finding: ok(`database: ${file ?? "PostgreSQL"}, up to date`) }
  } catch (error) {
    if (!(error instanceof DatabaseRefused)) throw error
    const finding = error.reason === "outdated" ? warning(error.message, error.advice) : failure(error.message, error.advice)
    return { database: undefined, there: error.reason !== "unreachable", finding }
  }
}

/** Whether the file of an embedded database is intact. */
export async function checkIntegrity(database: Database): Promise<Finding> {
  if (database.kind !== "sqlite") return ok("integrity: PostgreSQL's own business")
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(5)`.execute(database.read)
  const faults = rows.map((row) => row.quick_check).filter((line) => line !== "ok")
  if (faults.length === 0) return ok("integrity: the database file is whole")
  return failure(
    `The database file is damaged: ${faults.join("; ")}`,
    "Stop the server, keep a copy of the file, and bring back the last backup.",
  )
}

/** Jobs that failed for good. */
export async function checkJobs(database: Database): Promise<Finding> {
  const failed = (await countJobs(database.read)).filter(({ state }) => state === "failed")
  if (failed.length === 0) return ok("background jobs: none has failed for good")
  const text = failed.map(({ kind, count }) => `${count} × ${kind}`).join(", ")
  return warning(
    `Background jobs failed for good: ${text}.`,
    "The log says why, at level error; so does the column last_error of the table jobs.",
  )
}
