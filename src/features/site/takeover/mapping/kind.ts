import type { Insertable } from "kysely"
import type { Tables } from "../../../../core/database/tables/index.ts"
import type { StoreName } from "../source/layout.ts"
import type { SourceRow } from "../source/row.ts"
import type { FilePart } from "./file-part.ts"
import type { Table } from "./table.ts"
import type { World } from "./world.ts"

/** How rows of the old server become ours is declared: a record for each of its tables. See docs/takeover.md. */

/** A text that is sealed with our key when its row is written. */
export class Sealed {
  readonly text: string
  readonly context: string

  constructor(text: string, context: string) {
    this.text = text
    this.context = context
  }
}

/** A text to be sealed; none is not. */
export const sealed = (text: string, context: string): Sealed | "" => (text === "" ? "" : new Sealed(text, context))

export type Value = string | number | null | Sealed

/** A row of ours. */
export interface Written {
  readonly table: Table
  readonly values: Readonly<Record<string, Value>>
}

/** Columns that are left out have what the database gives, and keep what they have: they are computed here. */
type Values<T extends Table> = { readonly [C in keyof Insertable<Tables[T]>]?: Insertable<Tables[T]>[C] | Sealed }

/** A row for one of our tables. */
export function put<T extends Table>(table: T, values: Values<T>): Written
export function put(table: Table, values: Written["values"]): Written {
  return { table, values }
}

/** A file that belongs to rows, and is in place before they are. */
export interface TakenFile {
  readonly store: StoreName
  /** Below the folder of that store. */
  readonly path: string
  /** Ours. */
  readonly key: string
  /** How it is packed there: bytes are unpacked, or packed anew, on the way. */
  readonly recode?: "zstd to gzip" | "plain to gzip"
  /** The files that are put into one zip file, of which `path` is the first. */
  readonly parts?: readonly FilePart[]
}

/** What becomes of a row: rows and files of ours, or why it is left out. Undefined for rows that another kind is about. */
export type Outcome = Taken | LeftOut | undefined
export interface Taken {
  readonly rows: readonly Written[]
  readonly files?: readonly TakenFile[]
  /** What is worth telling the operator about it. */
  readonly remark?: string | undefined
}
export interface LeftOut {
  readonly leftOut: string
}

export const leftOut = (why: string): LeftOut => ({ leftOut: why })
export const rows = (...written: readonly Written[]): Taken => ({ rows: written })

/** A table of the old server that is read beside the one of a kind, where its version has it. */
export interface Beside {
  readonly table: string
  readonly columns: string
  readonly join?: string
}

export interface Kind {
  /** In the report. */
  readonly name: string
  /** The table that is read, `x` in what follows. Names in square brackets are quoted as its database does. */
  readonly from: string
  /** A whole number that no two rows share; the id by default. */
  readonly key?: string
  readonly beside?: readonly Beside[]
  /** The table of ours that has a row for each. Its other rows are removed with it. */
  readonly into: Table
  /** Tables whose rows are written anew with each changed one: those with its id in this column. */
  readonly anew?: Readonly<Partial<Record<Table, string>>>
  readonly map: (row: SourceRow, world: World) => Outcome | Promise<Outcome>
}
