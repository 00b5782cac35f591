import type { Seconds } from "../../../core/database/tables.ts"

/**
 * The moment up to which something is due, from an RFC 3339 text: the end, in UTC, of the day that the text names, whatever the time of day
 * and offset beside it. The first year of all, which some clients send for "none", gives 0.
 */
export function dueAt(text: string): Seconds {
  const day = text.slice(0, 10)
  return day.startsWith("0001-") ? 0 : Math.floor(Date.parse(`${day}T23:59:59Z`) / 1000)
}
