import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { sql } from "kysely"
import type { Database } from "../database.ts"
import { openLoadable } from "../loadable.ts"
import { openDatabase } from "../open.ts"
import type { Row } from "./rows.ts"
import { readReferences, readShapes } from "./shapes.ts"

/** Rows of an archive, which has a part of a database. */
export interface Filling {
  readonly table: string
  readonly rows: AsyncIterable<Row>
}

const AT_ONCE = 500

/**
 * Makes a SQLite database of rows that may lead to others that are not there: what leads nowhere is emptied, or left out. The tables are those of a step of the migrations, and are brought to this
 * version then. Tables and columns that are not known are left out. Gives it open.
 */
export async function fillSqlite(file: string, step: number, fillings: AsyncIterable<Filling>): Promise<Database> {
  const url = `sqlite:${file}`
  const target = await openLoadable({ url })
  try {
    await target.migrateTo(step)
    const shapes = new Map((await readShapes(target.read)).map((shape) => [shape.name, shape]))
    const references = await readReferences(target.read)
    const native = new DatabaseSync(file, { enableForeignKeyConstraints: false })
    try {
      for await (const { table, rows } of fillings) {
        const shape = shapes.get(table)
        if (!shape) continue
        let batch: Row[] = []
        const put = (): void => {
          native.exec("begin")
          for (const row of batch) {
            const given = shape.columns.filter(({ name }) => row[name] !== undefined)
            const names = given.map(({ name }) => `"${name}"`).join(", ")
            const values = given.map(({ name, type }) => inputOf(row[name], type))
            native.prepare(`insert or ignore into "${table}" (${names}) values (${given.map(() => "?").join(", ")})`).run(...values)
          }
          native.exec("commit")
          batch = []
        }
        for await (const row of rows) {
          batch.push(row)
          if (batch.length >= AT_ONCE) put()
        }
        put()
      }
      // What is left out may be what others lead to.
      for (let changed = 1; changed > 0; ) {
        changed = 0
        for (const { table, column, target: goal } of references) {
          const isNullable = shapes.get(table)?.nullable.includes(column) ?? false
          const leadsNowhere = `"${column}" is not null and "${column}" not in (select id from "${goal}")`
          const statement = isNullable
            ? `update "${table}" set "${column}" = null where ${leadsNowhere}`
            : `delete from "${table}" where ${leadsNowhere}`
          changed += Number(native.prepare(statement).run().changes)
        }
      }
    } finally {
      native.close()
    }
    await target.migrateTo()
    await sql`analyze`.execute(target.read)
  } finally {
    await target.close()
  }
  return openDatabase({ url })
}

/** Throws a TypeError for what no column can have. */
function inputOf(value: unknown, type: string): SQLInputValue {
  if (value === null) return null
  if (type === "bytes" && typeof value === "string") return Buffer.from(value, "base64")
  if (typeof value === "string" || typeof value === "number") return value
  throw new TypeError("a row has a value that is no text and no number")
}
