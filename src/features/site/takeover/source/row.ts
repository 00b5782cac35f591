import { type Flag, flag } from "../../../../core/database/tables/types.ts"

/** A row of the old server, whatever its database. Columns that its version lacks are missing; NULL is 0, false or "". */
export type SourceRow = Readonly<Record<string, unknown>>

/** A whole number; 0 where there is none. */
export function number(row: SourceRow, column: string): number {
  const value = row[column]
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : Math.trunc(value) || 0
  if (typeof value === "bigint" || typeof value === "string") return Number(value) || 0
  return value === true ? 1 : 0
}

/** Bytes that stand for no character, and NUL, which PostgreSQL can't store, are left out. */
export function text(row: SourceRow, column: string): string {
  const value = row[column]
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "") : value
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8").replaceAll("\0", "")
  if (value === null || value === undefined) return ""
  return String(value)
}

export function bytes(row: SourceRow, column: string): Buffer {
  const value = row[column]
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(typeof value === "string" ? value : "", "latin1")
}

export const isOn = (row: SourceRow, column: string): boolean => number(row, column) !== 0 || /^(true|t)$/i.test(text(row, column))

export const onOff = (row: SourceRow, column: string): Flag => flag(isOn(row, column))

/** A moment in seconds: a number, or the words of a column of the type DATETIME. */
export function moment(row: SourceRow, column: string): number {
  const value = row[column]
  if (value instanceof Date) return Math.max(0, Math.floor(value.getTime() / 1000))
  if (typeof value === "string" && /^\d{4}-/.test(value)) return Math.max(0, Math.floor(Date.parse(value) / 1000)) || 0
  return Math.max(0, number(row, column))
}

/** What a column of JSON holds: text, bytes, or what the database has read already. Undefined for none, and for what is none. Sometimes it was encoded twice. */
export function json(row: SourceRow, column: string): unknown {
  const value = row[column]
  if (value === null || value === undefined) return undefined
  if (typeof value === "object" && !(value instanceof Uint8Array)) return value
  return parsed(text(row, column), true)
}

function parsed(written: string, again: boolean): unknown {
  try {
    const read: unknown = JSON.parse(written)
    return typeof read === "string" && again ? parsed(read, false) : (read ?? undefined)
  } catch {
    return undefined
  }
}

/** The ids in a JSON list. */
export function ids(row: SourceRow, column: string): readonly number[] {
  const read = json(row, column)
  return Array.isArray(read) ? read.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0) : []
}

/** The texts in a JSON list. */
export function texts(row: SourceRow, column: string): readonly string[] {
  const read = json(row, column)
  return Array.isArray(read) ? read.map(String) : []
}

/** The members of a JSON object. */
export function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}
}
