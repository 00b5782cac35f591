import { type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { type Contributions, HEATMAP_SECONDS } from "../../../features/events/feed/heatmap-store.ts"
import { dateFormat, plural } from "../../../web/time.ts"

/** The last year of an account, drawn as weeks of days; beneath it the same as a table, for those who don't see the drawing. */

const DAY = 86_400
const STEP = 13
const SIDE = 11
/** The space over and beside the days, for the names of months and days. */
const TOP = 15
const START = 28

const monthName = dateFormat({ month: "short" })
const monthAndYear = dateFormat({ month: "long", year: "numeric" })
const dayName = dateFormat({ day: "numeric", month: "long", year: "numeric" })

/** A day as it stands in addresses, and how much was done on it. */
interface Day {
  readonly date: string
  readonly at: Date
  readonly many: number
}

export interface HeatmapOf {
  readonly contributions: readonly Contributions[]
  /** Seconds. */
  readonly now: number
  /** The address of what was done on a day. */
  readonly href: (date: string) => string
  /** The day that the page shows. */
  readonly selected?: string | undefined
}

export function heatmap({ contributions, now, href, selected }: HeatmapOf): Html {
  const days = daysOf(contributions, now)
  const total = days.reduce((sum, { many }) => sum + many, 0)
  const most = Math.max(1, ...days.map(({ many }) => many))
  const offset = ((days[0]?.at.getUTCDay() ?? 1) + 6) % 7
  const weeks = Math.ceil((days.length + offset) / 7)
  const drawn = days.map((day, index) => {
    const x = START + Math.floor((index + offset) / 7) * STEP
    const y = TOP + ((index + offset) % 7) * STEP
    const level = day.many === 0 ? 0 : Math.max(1, Math.ceil((day.many / most) * 4))
    const rect = html`
      <rect
        class="level-${level}${day.date === selected ? " selected" : ""}"
        x="${x}"
        y="${y}"
        width="${SIDE}"
        height="${SIDE}"
        rx="2"/
      >
    `
    return day.many === 0
      ? rect
      : html`
        <a href="${href(day.date)}" tabindex="-1">
          ${rect}
          <title>${sentence(day)}</title>
        </a>
      `
  })
  const width = START + weeks * STEP
  return html`
    <section class="heatmap" aria-label="Contributions">
      <h2>${plural(total, "contribution")} in the last year</h2>
      <div class="scrolls" tabindex="0" role="group" aria-label="The last year, drawn">
        <svg
          class="plot"
          viewBox="0 0 ${width} ${TOP + 7 * STEP}"
          width="${width}"
          height="${TOP + 7 * STEP}"
          aria-hidden="true"
        >
          ${monthsOf(days, offset)}
          ${[t("Mon"), t("Wed"), t("Fri")].map((name, index) => html`<text x="0" y="${TOP + index * 2 * STEP + 9}">${name}</text>`)}
          ${drawn}
        </svg>
      </div>
      ${total > 0 && table(days, href)}
    </section>
  `
}

const sentence = ({ at, many }: Day): Text => t("{plural} on {at}", { plural: plural(many, "contribution"), at: dayName(at) })

/** Each day of the period, the first of them first. */
function daysOf(contributions: readonly Contributions[], now: number): readonly Day[] {
  const counts = new Map<number, number>()
  for (const { timestamp, contributions: many } of contributions) {
    const day = Math.floor(timestamp / DAY)
    counts.set(day, (counts.get(day) ?? 0) + many)
  }
  const last = Math.floor(now / DAY)
  const first = last - HEATMAP_SECONDS / DAY + 1
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const at = new Date((first + index) * DAY * 1000)
    return { date: at.toISOString().slice(0, 10), at, many: counts.get(first + index) ?? 0 }
  })
}

/** The names of months, each over the first week that begins in it. */
const monthsOf = (days: readonly Day[], offset: number): readonly Html[] =>
  days.flatMap(({ at }, index) => {
    const week = Math.floor((index + offset) / 7)
    // A month that begins at the very end has no room for its name.
    return at.getUTCDate() === 1 && index < days.length - 14 ? [html`<text x="${START + week * STEP}" y="9">${monthName(at)}</text>`] : []
  })

function table(days: readonly Day[], href: HeatmapOf["href"]): Html {
  const months = Map.groupBy(
    days.filter(({ many }) => many > 0),
    ({ date }) => date.slice(0, 7),
  )
  const rows = [...months.values()].reverse().map((busy) => {
    const [first] = busy
    const sum = busy.reduce((all, { many }) => all + many, 0)
    return html`
      <tr>
        <th scope="row">${first && monthAndYear(first.at)}</th>
        <td class="number">${sum}</td>
        <td class="inline-links">
          ${busy.map((day) => html`<a href="${href(day.date)}" aria-label="${sentence(day)}">${day.at.getUTCDate()}</a> `)}
        </td>
      </tr>
    `
  })
  return html`
    <details class="small">
      <summary>As a table</summary>
      <div class="scrolls">
        <table class="data">
          <thead>
            <tr>
              <th>Month</th>
              <th class="number">Contributions</th>
              <th>Days</th>
            </tr>
          </thead>
          <tbody>${rows}</tbody>
        </table>
      </div>
    </details>
  `
}

/** A day of an address, as the seconds in which it begins and ends; undefined where there is no such day. */
export function dayOfAddress(date: string | undefined): { readonly from: number; readonly to: number } | undefined {
  const from = date !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) / 1000 : Number.NaN
  return Number.isNaN(from) ? undefined : { from, to: from + DAY }
}
