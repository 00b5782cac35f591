/** Which snapshots stay, as `backup.keep` says: `last=3 daily=7 weekly=4 monthly=12`. */

export interface KeepRules {
  readonly last: number
  readonly daily: number
  readonly weekly: number
  readonly monthly: number
}

const NAMES = ["last", "daily", "weekly", "monthly"] as const

/** Reads rules; undefined for another text. Without a rule nothing is removed. */
export function readKeep(text: string): KeepRules | undefined {
  const found = { last: 0, daily: 0, weekly: 0, monthly: 0 }
  for (const word of text.split(/[\s,]+/).filter(Boolean)) {
    const [, name, count] = /^(\w+)=(\d{1,4})$/.exec(word) ?? []
    const known = NAMES.find((each) => each === name)
    if (known === undefined) return undefined
    found[known] = Number(count)
  }
  return found
}

export const hasRule = (rules: KeepRules): boolean => NAMES.some((name) => rules[name] > 0)

interface Dated {
  readonly id: string
  /** Seconds since 1970. */
  readonly at: number
}

/** The snapshots that stay: the last ones, and the last of each of the last days, weeks and months that have one (UTC). The newest stays always. */
export function chooseKept(snapshots: readonly Dated[], rules: KeepRules): ReadonlySet<string> {
  const newest = snapshots.toSorted((a, b) => b.at - a.at)
  const kept = new Set(newest.slice(0, Math.max(1, rules.last)).map(({ id }) => id))
  for (const [name, periodOf] of PERIODS) {
    const periods = new Set<string>()
    for (const { id, at } of newest) {
      const period = periodOf(new Date(at * 1000))
      if (periods.has(period)) continue
      if (periods.size >= rules[name]) break
      periods.add(period)
      kept.add(id)
    }
  }
  return kept
}

const DAY_MS = 86_400_000
/** 1970-01-01 was a Thursday; weeks begin on Mondays. */
const MONDAY = 3

const PERIODS: readonly (readonly [keyof KeepRules, (date: Date) => string])[] = [
  ["daily", (date) => date.toISOString().slice(0, 10)],
  ["weekly", (date) => String(Math.floor((date.getTime() / DAY_MS + MONDAY) / 7))],
  ["monthly", (date) => date.toISOString().slice(0, 7)],
]
