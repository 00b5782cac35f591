import { type Content, type Html, html } from "../../../core/html.ts"
import type { ObjectId } from "../../../git/index.ts"
import { path as pathTo, withQuery } from "../../../web/address.ts"
import { icon } from "../../../web/icon.ts"
import { plural } from "../../../web/time.ts"
import type { FileChange, Hunk, Line } from "./model.ts"

/** Rows of lines, and the ways to see the lines between hunks: both on the page, and in what its script fetches. */

export type LineStyle = "unified" | "split"

export interface ShownLine extends Pick<Line, "kind" | "oldLine" | "newLine" | "html"> {
  readonly noNewline?: boolean
  /** It ends in CR LF, and others beside it don't. */
  readonly showsReturn?: boolean
}

const endOf = ({ noNewline, showsReturn }: ShownLine): Content => [
  showsReturn === true && html`<span class="iv" title="The line ends in CR LF">CR</span>`,
  noNewline === true && html` <span class="ends">${icon("no-entry")}No newline at the end</span>`,
]

/**
 * One row: a line, which is one element, or with `split` the lines of both sides. Numbers are generated from attributes, so that they are not copied with the
 * code: `data-n` is the number that the element's id ends with, `data-o` the one that an unchanged line had before.
 */
export function lineRow(anchor: string, style: LineStyle, left: ShownLine | undefined, right: ShownLine | undefined): Html {
  if (style === "unified") return left ? unified(anchor, left) : html``
  return html`<div class="both">${side(anchor, "L", left)}${side(anchor, "R", right)}</div>`
}

function unified(anchor: string, line: ShownLine): Html {
  const { kind, oldLine, newLine } = line
  if (kind === "added") return html`<div class="a" id="${anchor}R${newLine}" data-n="${newLine}">${line.html}${endOf(line)}</div>`
  if (kind === "deleted") return html`<div class="d" id="${anchor}L${oldLine}" data-n="${oldLine}">${line.html}${endOf(line)}</div>`
  return html`<div id="${anchor}R${newLine}" data-n="${newLine}" data-o="${oldLine}">${line.html}${endOf(line)}</div>`
}

const SIDE_CLASSES = { added: "a", deleted: "d", context: "c" } as const

function side(anchor: string, name: "L" | "R", line: ShownLine | undefined): Html {
  if (!line) return html`<div class="e"></div>`
  const number = name === "L" ? line.oldLine : line.newLine
  return html`<div class="${SIDE_CLASSES[line.kind]}" id="${anchor}${name}${number}" data-n="${number}">${line.html}${endOf(line)}</div>`
}

/** Lines that a difference leaves out, by their numbers in the new file. */
export interface Gap {
  readonly from: number
  readonly to: number
  /** What is added to a number for that of the old file. */
  readonly shift: number
  /** Whether the lines above it were seen, and it is opened downwards. */
  readonly opens: "up" | "down"
}

/** Where a hunk begins and ends: git counts an empty side from the line before it. */
const newFirst = ({ newStart, newCount }: Hunk): number => (newCount === 0 ? newStart + 1 : newStart)
const oldFirst = ({ oldStart, oldCount }: Hunk): number => (oldCount === 0 ? oldStart + 1 : oldStart)

export function gapBefore({ oldId, newId }: FileChange, previous: Hunk | undefined, hunk: Hunk): Gap | undefined {
  const from = previous ? newFirst(previous) + previous.newCount : 1
  const to = newFirst(hunk) - 1
  return oldId === null || newId === null || from > to ? undefined : { from, to, shift: oldFirst(hunk) - newFirst(hunk), opens: "up" }
}

export function gapAfter({ oldId, newId }: FileChange, last: Hunk, lines: number | undefined): Gap | undefined {
  const from = newFirst(last) + last.newCount
  return oldId === null || newId === null || lines === undefined || from > lines
    ? undefined
    : { from, to: lines, shift: oldFirst(last) + last.oldCount - from, opens: "down" }
}

export interface GapFile {
  /** The repository's path. */
  readonly at: string
  readonly blob: ObjectId
  readonly path: string
  readonly anchor: string
  readonly style: LineStyle
  /** The page with the whole file. */
  readonly whole: string
}

/** A link to the whole file, in whose place the script puts some of the lines. */
export function expander(gap: Gap, file: GapFile): Html {
  const { from, to, shift, opens } = gap
  const excerpt = withQuery(`${file.at}/blob_excerpt${pathTo(file.blob)}`, {
    path: file.path,
    from,
    to,
    shift,
    opens,
    style: file.style,
    whole: file.whole,
  })
  const many = to - from + 1
  return html`
    <a
      class="expand"
      rel="nofollow"
      href="${file.whole}#${file.anchor}R${opens === "up" ? to : from}"
      data-excerpt="${excerpt}"
    >
      ${icon(opens === "up" ? "fold-up" : "fold-down")}${plural(many, "line")}
      <span class="hidden-text"> between, show them</span>
    </a>
  `
}
