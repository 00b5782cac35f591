const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, μs: 1e-6, ns: 1e-9 }

/** A length of time as clients of this API write it: 8h0m0s, 10m0s, 45s. */
export function formatDuration(seconds: number): string {
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  const rest = `${seconds % 60}s`
  if (hours > 0) return `${hours}h${minutes}m${rest}`
  return minutes > 0 ? `${minutes}m${rest}` : rest
}

/** Parses what `formatDuration` writes, and every Go duration ("1.5h", "90m", "0"). Returns whole seconds, or undefined for invalid text. */
export function parseDuration(text: string): number | undefined {
  if (/^[+-]?0$/.test(text)) return 0
  const [, sign, rest = ""] = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(text) ?? []
  if (rest === "") return undefined
  let seconds = 0
  for (const [, amount, unit = ""] of rest.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g))
    seconds += Number(amount) * (UNIT_SECONDS[unit] ?? 0)
  const whole = Math.floor(seconds)
  return Number.isSafeInteger(whole) ? (sign === "-" ? -whole : whole) : undefined
}
