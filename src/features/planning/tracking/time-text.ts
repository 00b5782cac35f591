const plural = (count: number, unit: string): string => (count === 0 ? "" : count === 1 ? `1 ${unit}` : `${count} ${unit}s`)

/** A duration as text: "26 hours 5 minutes"; below an hour with its seconds, "1 minute 40 seconds", and an empty text for 0. */
export function timeText(seconds: number): string {
  const hours = Math.floor(seconds / 3600)
  const minutes = plural(Math.floor((seconds % 3600) / 60), "minute")
  const parts = hours > 0 ? [plural(hours, "hour"), minutes] : [minutes, plural(seconds % 60, "second")]
  return parts.filter((part) => part !== "").join(" ")
}

const SECONDS = { w: 604_800, d: 86_400, h: 3_600, m: 60, s: 1 } as const
type Unit = keyof typeof SECONDS
const isUnit = (text: string): text is Unit => text in SECONDS

/** The seconds of a duration as people write it, such as `1h 30m`, `1.5h` or `1:30`; undefined where it can't be read. */
export function secondsIn(text: string): number | undefined {
  const written = text.trim().toLowerCase()
  const [, hours, minutes] = /^(\d{1,5}):([0-5]\d)$/.exec(written) ?? []
  if (hours !== undefined && minutes !== undefined) return Number(hours) * 3_600 + Number(minutes) * 60
  if (!/^(?:\d{1,6}(?:\.\d{1,3})?\s*[wdhms]\s*)+$/.test(written)) return undefined
  let seconds = 0
  for (const [, amount = "", unit = ""] of written.matchAll(/([\d.]+)\s*([wdhms])/g))
    if (isUnit(unit)) seconds += Number(amount) * SECONDS[unit]
  return Math.round(seconds)
}
