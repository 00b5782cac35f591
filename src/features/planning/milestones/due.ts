import type { Seconds } from "../../../core/database/tables.ts"

/**
 * The due time for an RFC 3339 text: the end of its date in UTC; time of day and offset are ignored. The year 1, which some clients send
 * for "none", gives 0.
 */
export function dueAt(text: string): Seconds {
  const day = text.slice(0, 10)
  return day.startsWith("0001-") ? 0 : Math.floor(Date.parse(`${day}T23:59:59Z`) / 1000)
}
