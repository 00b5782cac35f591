/** The errors of the database, distinguished in one place for both databases. */

export type RefusalReason =
  | "unreachable"
  | "foreign"
  | "newer"
  | "history"
  | "outdated"
  | "migration"
  | "locked"
  | "unfinished"
  | "occupied"
  | "different"

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

/** The database does not answer, can't be reached, is locked by another program, or can't be written: the same call may succeed later. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown, message = "The database is not available") {
    super(`${message}${cause === undefined ? "" : `: ${messageOf(cause)}`}`, { cause })
    this.name = "DatabaseUnavailable"
  }
}

/**
 * The database was lost during a commit: whether the transaction is stored is not known, so that it must neither be answered as done nor be run
 * again.
 */
export class CommitUnknown extends DatabaseUnavailable {
  constructor(cause: unknown) {
    super(cause, "The database was lost during a commit")
    this.name = "CommitUnknown"
  }
}

/** Work that was to be in one transaction, see `hold`, does something that no rollback takes back. Nothing of it was done. */
export class ActsOutside extends Error {
  constructor(what: string) {
    super(`This can't be part of a transaction: ${what}`)
    this.name = "ActsOutside"
  }
}

/** The disk or the quota of the database is full. The transaction is rolled back. */
export class DatabaseFull extends Error {
  constructor(cause: unknown) {
    super(`The disk of the database is full: ${messageOf(cause)}`, { cause })
    this.name = "DatabaseFull"
  }
}

/** An error with several causes (IPv4 and IPv6) has no message of its own. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ")
  return error instanceof Error ? error.message : String(error)
}

// SQLite's result codes without their extensions: busy, locked, read-only, I/O error, full, can't open, locking protocol.
const sqliteFull = 13
const sqliteUnavailable = new Set([5, 6, 8, 10, 14, 15])

/** SQLite's result code without its extension: https://www.sqlite.org/rescode.html */
export function resultCode(error: unknown): number | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, "errcode") : undefined
  return typeof code === "number" ? code & 0xff : undefined
}

/** What an error of SQLite is for callers: unavailable, full, or itself. */
export function sqliteFailure(error: unknown): unknown {
  const code = resultCode(error)
  if (code === sqliteFull) return new DatabaseFull(error)
  return code !== undefined && sqliteUnavailable.has(code) ? new DatabaseUnavailable(error) : error
}

// https://www.postgresql.org/docs/15/errcodes-appendix.html: the disk is full; connection exceptions, insufficient resources, a server that is stopping or
// starting, I/O errors, a server that has become a read-only standby, and one that has ended a transaction, see below.
const postgresFull = "53100"
const postgresUnavailable = /^(08|53|57P0[1-5]$|58030$|25006$|25P03$)/

/** The server has ended a transaction, with its connection, because its process stood still: nothing of it is stored. */
export const ENDED = "25P03"

/** PostgreSQL's code of an error, SQLSTATE; empty for every other error. */
export const stateOf = (error: unknown): string => (error instanceof Error ? (textOf(error, "code") ?? "") : "")

/** What an error of PostgreSQL is for callers. `answered` says that the server itself sent it; every other failure of a statement is one of the connection. */
export function postgresFailure(error: unknown, answered: boolean): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable || error instanceof RangeError || error instanceof TypeError)
    return error
  if (!answered) return new DatabaseUnavailable(error)
  const code = stateOf(error)
  if (code === postgresFull) return new DatabaseFull(error)
  return postgresUnavailable.test(code) ? new DatabaseUnavailable(error) : error
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
