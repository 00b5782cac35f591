import { type Html, html } from "../core/html.ts"
import { inEach, t, Words } from "../core/language/message.ts"

export { number, plural } from "../core/language/message.ts"

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const WEEK = 7 * DAY

/** English has its days in the British order. */
const dated = (code: string): string => (code === "en" ? "en-GB" : code)
const relative = inEach((code) => new Intl.RelativeTimeFormat(code, { numeric: "auto" }))

/** A form of dates, in UTC. */
export function dateFormat(options: Intl.DateTimeFormatOptions): (date: Date) => Words {
  const formats = inEach((code) => new Intl.DateTimeFormat(dated(code), { ...options, timeZone: "UTC" }))
  return (date) => new Words((language) => formats(language).format(date))
}

const day = dateFormat({ day: "numeric", month: "short", year: "numeric" })

/**
 * A moment in seconds: relative for a week, then the day. The title has the exact time, which the script `page` puts into the reader's zone.
 * Nothing for a moment that is not known (0 or null).
 */
export function time(at: number | null | undefined, now: number = Date.now() / 1000): Html {
  if (!at) return html``
  const date = new Date(at * 1000)
  const iso = date.toISOString()
  return html`<time datetime="${iso}" title="${day(date)}, ${iso.slice(11, 19)} UTC">${since(now - at, date)}</time>`
}

/** A day without a time, such as one that something is due on. */
export const dayOf = (at: number): Html => {
  const date = new Date(at * 1000)
  return html`<time datetime="${date.toISOString().slice(0, 10)}">${day(date)}</time>`
}

function since(seconds: number, date: Date): Words {
  const size = Math.abs(seconds)
  if (size < MINUTE) return seconds < 0 ? t("in a moment") : t("just now")
  const [length, unit] = size < HOUR ? [MINUTE, "minute" as const] : size < DAY ? [HOUR, "hour" as const] : [DAY, "day" as const]
  return size < WEEK ? new Words((language) => relative(language).format(-Math.trunc(seconds / length), unit)) : day(date)
}

/** A length of time in words: `1h 5m`, `12s`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < MINUTE) return `${whole}s`
  const [days, hours, minutes] = [Math.floor(whole / DAY), Math.floor((whole % DAY) / HOUR), Math.floor((whole % HOUR) / MINUTE)]
  if (days > 0) return hours > 0 ? `${days}d ${hours}h` : `${days}d`
  if (hours > 0) return minutes > 0 ? `${hours}h ${minutes}m` : `${hours}h`
  return whole % MINUTE > 0 && minutes < 10 ? `${minutes}m ${whole % MINUTE}s` : `${minutes}m`
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const

/** A number of bytes in words. */
export function bytes(size: number): string {
  const step = Math.min(units.length - 1, size <= 0 ? 0 : Math.floor(Math.log2(size) / 10))
  const value = size / 1024 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`
}

const compact = inEach((code) => new Intl.NumberFormat(code, { notation: "compact", maximumFractionDigits: 1 }))

/** A count, short: 1234 is 1.2K. */
export const count = (many: number): Words => new Words((language) => compact(language).format(many))
