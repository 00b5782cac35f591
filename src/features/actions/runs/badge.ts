import type { ActionState } from "../../../core/database/tables/actions.ts"
import { escapeHtml } from "../../../core/text/html.ts"

/** Badges: pictures that say how the last run of a workflow ended. */

const COLOURS: Readonly<Record<ActionState | "no status", string>> = {
  success: "#4c1",
  failure: "#e05d44",
  cancelled: "#fe7d37",
  cancelling: "#fe7d37",
  running: "#dfb317",
  waiting: "#dfb317",
  blocked: "#dfb317",
  skipped: "#dfb317",
  "no status": "#9f9f9f",
}

/** Characters of a label; a longer one is cut. */
const LONGEST_LABEL = 100
/** Pixels of a character of the font, on average, and beside a text. */
const CHARACTER = 6.5
const MARGIN = 5

export type BadgeStyle = "flat" | "flat-square"

/** A badge as SVG. */
export function badgeOf(label: string, state: ActionState | undefined, style: BadgeStyle): string {
  const word = state ?? "no status"
  const left = Array.from(label).slice(0, LONGEST_LABEL).join("")
  const widthOf = (text: string) => Math.ceil(Array.from(text).length * CHARACTER) + 2 * MARGIN
  const [first, second] = [widthOf(left), widthOf(word)]
  const text = (x: number, value: string) => `<text x="${x}" y="14">${escapeHtml(value)}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${first + second}" height="20" role="img" aria-label="${escapeHtml(`${left}: ${word}`)}">`,
    `<title>${escapeHtml(`${left}: ${word}`)}</title>`,
    `<clipPath id="r"><rect width="${first + second}" height="20" rx="${style === "flat" ? 3 : 0}" fill="#fff"/></clipPath>`,
    `<g clip-path="url(#r)"><rect width="${first}" height="20" fill="#555"/><rect x="${first}" width="${second}" height="20" fill="${COLOURS[word]}"/></g>`,
    `<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">`,
    `${text(first / 2, left)}${text(first + second / 2, word)}</g></svg>`,
  ].join("")
}
