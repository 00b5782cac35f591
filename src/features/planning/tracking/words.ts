const plural = (count: number, unit: string): string => (count === 0 ? "" : count === 1 ? `1 ${unit}` : `${count} ${unit}s`)

/** A length of time as people read it: "26 hours 5 minutes"; below a minute "42 seconds", and nothing at all for 0. */
export function timeText(seconds: number): string {
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  if (hours + minutes === 0) return plural(seconds, "second")
  return [plural(hours, "hour"), plural(minutes, "minute")].filter((part) => part !== "").join(" ")
}
