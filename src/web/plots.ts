import { type Html, html } from "../core/html.ts"
import type { Text } from "../core/language/message.ts"
import { dayOf } from "./time.ts"

/** Plots that are drawn here, as one path for each series. What they show must stand beneath them in words or as a table. */

export interface Series {
  /** Its colour: a class of the style sheet. */
  readonly name: "added" | "removed" | "plain"
  /** One for each step, 0 or more. */
  readonly values: readonly number[]
  /** Drawn downwards. */
  readonly isBelow?: boolean
}

/** The height of one direction in units of the drawing, which is stretched. */
const HEIGHT = 100

const path = ({ values, isBelow }: Series, most: number, top: number): string =>
  values
    .map((value, index) => {
      if (value <= 0) return ""
      const height = Math.max(1, (value / most) * HEIGHT).toFixed(1)
      return `M${index + 0.1} ${top}v${isBelow ? "" : "-"}${height}h.8v${isBelow ? "-" : ""}${height}z`
    })
    .join("")

/** Bars from left to right, all series to one scale. */
export function bars(series: readonly Series[], most = mostOf(series)): Html {
  const steps = Math.max(1, ...series.map(({ values }) => values.length))
  const above = reach(
    series.filter(({ isBelow }) => !isBelow),
    most,
  )
  const below = reach(
    series.filter(({ isBelow }) => isBelow),
    most,
  )
  return html`
    <svg class="bars" viewBox="0 0 ${steps} ${above + below}" preserveAspectRatio="none" aria-hidden="true">
      ${series.map((each) => html`<path class="${each.name}" d="${path(each, most, above)}"/>`)}
    </svg>
  `
}

/** How far the bars of one direction go; bars that are given a scale have all of its height. */
const reach = (series: readonly Series[], most: number): number =>
  series.length === 0 ? 0 : series.some(({ isBelow }) => isBelow) ? Math.ceil((mostOf(series) / most) * HEIGHT) : HEIGHT

export const mostOf = (series: readonly Series[]): number =>
  series.reduce((most, { values }) => values.reduce((greater, value) => Math.max(greater, value), most), 1)

/** Bars over a span of time, with what they are and the first and last day, Unix seconds. */
export const timePlot = (caption: Text, series: readonly Series[], from: number, to: number): Html =>
  html`
    <figure class="time-plot">
      <figcaption class="small muted">${caption}</figcaption>
      ${bars(series)}
      <div class="bar small muted"><span>${dayOf(from)}</span><span class="end">${dayOf(to)}</span></div>
    </figure>
  `
