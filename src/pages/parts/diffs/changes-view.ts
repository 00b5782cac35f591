import { type Html, html } from "../../../core/html.ts"
import type { Services } from "../../../core/services.ts"
import { keptParts } from "../../../core/text/intraline.ts"
import { linesOf } from "../../../core/text/lines.ts"
import { lineRow, type ShownLine } from "./lines-view.ts"

/** What a text that isn't committed yet changes. Computed in this process, as git knows nothing of the text. */

/** Beyond this number of lines that come or go, they are not looked for. */
const MOST_EDITS = 800
/** The most lines that are shown. */
const MOST_SHOWN = 2000
/** Lines around a change. */
const CONTEXT = 3

/** The lines that differ, with some around them; colours go by the file's name. */
export async function changesView(
  { highlighter }: Pick<Services, "highlighter">,
  name: string,
  [before, after]: readonly [before: string, after: string],
): Promise<Html> {
  if (before === after) return html`<p class="said">No changes.</p>`
  const [old, made] = [linesOf(before), linesOf(after)]
  const kept = keptParts(comparable(before, old), comparable(after, made), undefined, MOST_EDITS)
  if (!kept) return html`<p class="said">The changes are too large to show.</p>`
  const [oldLines, newLines] = [
    (await highlighter.lines({ name, text: before })).lines,
    (await highlighter.lines({ name, text: after })).lines,
  ]
  const rows: ShownLine[] = []
  for (let [x, y] = [0, 0]; x < old.length || y < made.length; ) {
    const isOld = x < old.length && kept.a[x] !== true
    const isNew = !isOld && y < made.length && kept.b[y] !== true
    rows.push({
      kind: isOld ? "deleted" : isNew ? "added" : "context",
      oldLine: isNew ? undefined : x + 1,
      newLine: isOld ? undefined : y + 1,
      html: (isOld ? oldLines[x] : newLines[y]) ?? html``,
      noNewline: isOld ? x === old.length - 1 && !before.endsWith("\n") : y === made.length - 1 && !after.endsWith("\n"),
    })
    if (!isNew) x++
    if (!isOld) y++
  }
  const near = nearChanges(rows)
  const shown: Html[] = []
  for (const [at, row] of rows.entries()) {
    if (!near[at]) continue
    if (shown.length >= MOST_SHOWN) {
      shown.push(html`<div class="gap">More lines are not shown.</div>`)
      break
    }
    if (at > 0 && !near[at - 1]) shown.push(html`<div class="gap">Line ${row.newLine ?? row.oldLine}</div>`)
    shown.push(lineRow("change-", "unified", row, undefined))
  }
  return html`
    <div class="diff">
      <div class="diff-lines">${shown}</div>
    </div>
  `
}

/** A last line without a newline is another one than with it. */
const comparable = (text: string, lines: readonly string[]): readonly string[] =>
  text === "" || text.endsWith("\n") ? lines : [...lines.slice(0, -1), `${lines.at(-1)}\n`]

function nearChanges(rows: readonly ShownLine[]): readonly boolean[] {
  const near = rows.map(() => false)
  for (const [at, { kind }] of rows.entries())
    if (kind !== "context") near.fill(true, Math.max(0, at - CONTEXT), Math.min(rows.length, at + CONTEXT + 1))
  return near
}
