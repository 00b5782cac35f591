import type { CreateTableBuilder, Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"

/** A "reference" is deleted with its target; "reference?" may be empty and outlives it; "owned?" may be empty and is deleted with it. */
export type Column = "id" | "integer" | "time" | "flag" | "text" | "reference" | "reference?" | "owned?"
export type Columns = Readonly<Record<string, Column | readonly [Column, number | string]>>

export interface TableMaker {
  /** Makes a table: column → kind, or [kind, default]; `references` names the tables that references lead to, `key` a primary key. */
  readonly table: (name: string, columns: Columns, references?: Readonly<Record<string, string>>, key?: readonly string[]) => Promise<void>
  readonly index: (name: string, table: string, columns: readonly string[], unique?: boolean) => Promise<void>
}

/** Tables as data, for migrations. */
export function tableMaker(db: Kysely<unknown>, types: ColumnTypes): TableMaker {
  const table: TableMaker["table"] = async (name, columns, references = {}, key) => {
    let builder: CreateTableBuilder<string, string> = db.schema.createTable(name)
    for (const [column, described] of Object.entries(columns)) {
      const [kind, initial] = typeof described === "string" ? [described, undefined] : described
      if (kind === "id") {
        builder = builder.addColumn(column, types.id.type, types.id.build)
        continue
      }
      const type = kind === "text" ? types.text : kind === "flag" ? types.flag : kind === "time" ? types.time : types.integer
      builder = builder.addColumn(column, type, (c) => {
        let built = kind === "reference?" || kind === "owned?" ? c : c.notNull()
        const target = references[column]
        if (target !== undefined) built = built.references(`${target}.id`).onDelete(kind === "reference?" ? "set null" : "cascade")
        const value = initial ?? (kind === "text" ? "" : kind === "flag" || kind === "integer" || kind === "time" ? 0 : undefined)
        return value === undefined ? built : built.defaultTo(value)
      })
    }
    if (key) builder = builder.addPrimaryKeyConstraint(`${name}_key`, [...key])
    await builder.execute()
  }
  const index: TableMaker["index"] = (name, tableName, columns, unique = false) => {
    const builder = db.schema
      .createIndex(name)
      .on(tableName)
      .columns([...columns])
    return (unique ? builder.unique() : builder).execute()
  }
  return { table, index }
}
