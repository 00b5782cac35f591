import { Cron } from "croner"
import type { Seconds } from "../../../core/database/tables/index.ts"

/** Seconds ahead that are searched: leap days are at most eight years apart. */
const MOST_SECONDS_AHEAD = 9 * 366 * 86_400
/** The maximum length of a line, in characters. */
const MOST_CHARACTERS = 200

/** Five fields of numbers, names, lists, ranges and steps, or a word. Other syntax of the library can be slow to evaluate. */
const FIELDS = /^(@[a-z]+|[\w*,/-]+(\s+[\w*,/-]+){4})$/i

/** A line as five fields or a word such as @daily, and its time zone. */
function parse(line: string): { readonly pattern: string; readonly timezone: string } {
  const [, timezone = "UTC", pattern = ""] = /^(?:(?:CRON_)?TZ=(\S+)\s+)?(.*)$/s.exec(line.trim()) ?? []
  return { timezone, pattern }
}

/** When a line of a schedule is due next after a time, in UTC unless it names another zone; undefined where it never is, or is invalid. */
export function nextTime(line: string, after: Seconds): Seconds | undefined {
  if (line.length > MOST_CHARACTERS) return undefined
  const { pattern, timezone } = parse(line)
  if (!FIELDS.test(pattern)) return undefined
  try {
    const next = new Cron(pattern, {
      paused: true,
      mode: "5-part",
      timezone,
      stopAt: new Date((after + MOST_SECONDS_AHEAD) * 1000),
    }).nextRun(new Date(after * 1000))
    return next === null ? undefined : Math.floor(next.getTime() / 1000)
  } catch {
    // The library throws for invalid lines and unknown zones; callers treat both alike.
    return undefined
  }
}
