const plural = (count: number, unit: string): string => (count === 0 ? "" : count === 1 ? `1 ${unit}` : `${count} ${unit}s`)

/** A duration as text: "26 hours 5 minutes"; below a minute "42 seconds", and an empty text for 0. */
export function timeText(seconds: number): string {
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  if (hours + minutes === 0) return plural(seconds, "second")
  return [plural(hours, "hour"), plural(minutes, "minute")].filter((part) => part !== "").join(" ")
}
