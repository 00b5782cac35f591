import { Cron } from "croner"
import type { Seconds } from "../../../core/database/tables.ts"

/** Seconds ahead that are looked at: leap days are at most eight years apart. */
const FARTHEST = 9 * 366 * 86_400
/** Characters of a line that are looked at. */
const LONGEST = 200

/** Five fields of numbers, names, lists, ranges and steps, or a word. What else the library knows can take it long to look for. */
const FIELDS = /^(@[a-z]+|[\w*,/-]+(\s+[\w*,/-]+){4})$/i

/** A line as five fields or a word such as @daily, and where its clock hangs. */
function parse(line: string): { readonly pattern: string; readonly timezone: string } {
  const [, timezone = "UTC", pattern = ""] = /^(?:(?:CRON_)?TZ=(\S+)\s+)?(.*)$/s.exec(line.trim()) ?? []
  return { timezone, pattern }
}

/** When a line of a schedule is due next after a time, in UTC unless it says another zone; undefined where it never is, or can't be read. */
export function nextTime(line: string, after: Seconds): Seconds | undefined {
  if (line.length > LONGEST) return undefined
  const { pattern, timezone } = parse(line)
  if (!FIELDS.test(pattern)) return undefined
  try {
    const next = new Cron(pattern, { paused: true, mode: "5-part", timezone, stopAt: new Date((after + FARTHEST) * 1000) }).nextRun(
      new Date(after * 1000),
    )
    return next === null ? undefined : Math.floor(next.getTime() / 1000)
  } catch {
    // The library says by an exception that it can't read a line or doesn't know a zone; to whoever asks that is the same.
    return undefined
  }
}
