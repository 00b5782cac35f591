import { type ColumnBuilderCallback, type RawBuilder, sql } from "kysely"
import type { DatabaseKind } from "./database.ts"

/**
 * The column types that a migration may use. Truth values are integers 0 and 1 and times are whole seconds since 1970 on both databases, so
 * that one SQL text and one row type serve both.
 */
export interface ColumnTypes {
  readonly kind: DatabaseKind
  /** The key: `.addColumn("id", types.id.type, types.id.build)`. Ids are never reused, not even after the newest row was deleted. */
  readonly id: { readonly type: "integer" | "bigint"; readonly build: ColumnBuilderCallback }
  /** Whole numbers up to 2^53 − 1. */
  readonly integer: "integer" | "bigint"
  readonly real: "real" | "double precision"
  /** Texts are ordered by their bytes on both databases, whatever language the server was set up for. */
  readonly text: "text" | RawBuilder<unknown>
  readonly flag: "integer" | "smallint"
  readonly time: "integer" | "bigint"
  readonly bytes: "blob" | "bytea"
}

const sqlite: ColumnTypes = {
  kind: "sqlite",
  id: { type: "integer", build: (column) => column.primaryKey().autoIncrement() },
  integer: "integer",
  real: "real",
  text: "text",
  flag: "integer",
  time: "integer",
  bytes: "blob",
}

const postgres: ColumnTypes = {
  kind: "postgres",
  id: { type: "bigint", build: (column) => column.generatedByDefaultAsIdentity().primaryKey() },
  integer: "bigint",
  real: "double precision",
  text: sql`text collate "C"`,
  flag: "smallint",
  time: "bigint",
  bytes: "bytea",
}

/** The column types of one database. */
export const columnTypes = (kind: DatabaseKind): ColumnTypes => (kind === "sqlite" ? sqlite : postgres)
