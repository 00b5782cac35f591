import { DatabaseSync } from "node:sqlite"
import { openDatabase } from "../../src/core/database/open.ts"
import { freshUrl } from "../support/database.ts"

/** Tables that are always small, so that scanning them costs nothing. */
const SMALL = new Set(["schedule", "badges", "schema_migrations"])

export interface Plans {
  /** The large tables that SQLite would scan for this statement. */
  readonly scans: (sql: string) => readonly string[]
  readonly close: () => Promise<void>
}

/** Asks SQLite for the plan of a statement, on a database with all tables and indexes. */
export async function openPlans(): Promise<Plans> {
  const fresh = await freshUrl("sqlite")
  await (await openDatabase({ url: fresh.url })).close()
  const native = new DatabaseSync(fresh.url.slice("sqlite:".length))
  native.function("fold", { deterministic: true }, (text) => text)
  const tables = new Set(
    native
      .prepare("select name from pragma_table_list where schema = 'main' and type = 'table'")
      .all()
      .map(({ name }) => String(name)),
  )

  return {
    scans(sql) {
      const aliases = new Map([...sql.matchAll(/"?(\w+)"? as "?(\w+)"?/g)].map(([, table = "", alias = ""]) => [alias, table]))
      const steps = native
        .prepare(`explain query plan ${sql}`)
        .all()
        .map(({ detail }) => String(detail))
      return steps.flatMap((step) => {
        const [, name = ""] = /^SCAN (\w+)/.exec(step) ?? []
        const table = aliases.get(name) ?? name
        return tables.has(table) && !SMALL.has(table) ? [table] : []
      })
    },
    async close() {
      native.close()
      await fresh.drop()
    },
  }
}
