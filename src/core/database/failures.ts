/** The errors of the database, distinguished in one place for both databases. */

export type RefusalReason = "unreachable" | "foreign" | "newer" | "history" | "outdated" | "migration"

/** The database can't be used as it is. `message` says what is wrong, `advice` what to do next; both are for the operator. */
export class DatabaseRefused extends Error {
  readonly reason: RefusalReason
  readonly advice: string

  constructor(reason: RefusalReason, message: string, advice: string, cause?: unknown) {
    super(message, { cause })
    this.name = "DatabaseRefused"
    this.reason = reason
    this.advice = advice
  }
}

/** A transaction waited for something other than the database and was rolled back, so that it doesn't block others. */
export class TransactionIdle extends Error {
  constructor(milliseconds: number, lastStatement: string) {
    super(
      `A transaction sat for ${milliseconds} ms without a statement and was rolled back. It may await nothing but itself: ` +
        `no file, process, network, timer, nor another transaction. Its last statement: ${lastStatement || "(none)"}`,
    )
    this.name = "TransactionIdle"
  }
}

/** A statement came through a transaction that had already ended: an await is missing, or the handle was kept. */
export class TransactionEnded extends Error {
  constructor(statement: string) {
    super(`The transaction has ended; this statement came too late: ${statement}`)
    this.name = "TransactionEnded"
  }
}

/** What was violated. SQLite names the columns, or the index when it stands on an expression; PostgreSQL names both. */
interface Violation {
  readonly constraint: string | undefined
  readonly columns: readonly string[]
}

// SQLite's extended result codes: https://www.sqlite.org/rescode.html
const sqliteUnique = new Set([1555, 2067, 2579])
const sqliteForeignKey = 787

const textOf = (error: object, key: string): string | undefined => {
  const value: unknown = Reflect.get(error, key)
  return typeof value === "string" ? value : undefined
}

function uniqueViolation(error: unknown): Violation | undefined {
  if (!(error instanceof Error)) return undefined
  if (textOf(error, "code") === "23505") {
    const table = textOf(error, "table") ?? ""
    // The detail is in the server's language; the form "(columns)=(values)" is not translated.
    const columns = /\((.+?)\)=\(/.exec(textOf(error, "detail") ?? "")?.[1]?.split(", ") ?? []
    return { constraint: textOf(error, "constraint"), columns: columns.map((column) => `${table}.${column.replaceAll('"', "")}`) }
  }
  const code: unknown = Reflect.get(error, "errcode")
  if (typeof code !== "number" || !sqliteUnique.has(code)) return undefined
  const index = /index '(.+)'/.exec(error.message)?.[1]
  if (index !== undefined) return { constraint: index, columns: [] }
  return { constraint: undefined, columns: error.message.replace(/^.*?: /, "").split(", ") }
}

/**
 * Whether `error` says that a row would not have been unique; with `where`, whether it was exactly this constraint: all its columns as
 * `"table.column"` in any order, or the name of an index on an expression.
 */
export function isUniqueViolation(error: unknown, where?: string | readonly string[]): boolean {
  const violation = uniqueViolation(error)
  if (violation === undefined || where === undefined) return violation !== undefined
  const wanted = typeof where === "string" ? [where] : where
  if (wanted.length === 1 && wanted[0] === violation.constraint) return true
  return wanted.length === violation.columns.length && wanted.every((column) => violation.columns.includes(column))
}

/** Whether `error` says that a row refers to one that is missing, or that a row was still referred to. */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof Error && (textOf(error, "code") === "23503" || Reflect.get(error, "errcode") === sqliteForeignKey)
}
