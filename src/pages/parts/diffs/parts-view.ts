import { type Html, html } from "../../../core/html.ts"
import { withQuery } from "../../../web/address.ts"
import { notice, pager } from "../../../web/components.ts"
import { count, plural } from "../../../web/time.ts"
import { type FilesPart, partsOf } from "./diffs.ts"
import { type DiffViewOptions, filePage, pathOf, REASON_WORDS, sizeOf } from "./file-words.ts"
import type { DiffOverview, FileChange } from "./model.ts"
import { markOf } from "./tree-view.ts"

/**
 * Differences that are too much to be shown at once: a part of their files with its lines, and in place of each other part a link to it. The script puts the part
 * there when the reader comes near.
 */

/** The part that the reader asked for, that has the file that must be shown, or the first. */
export function shownPart({ files }: DiffOverview, { query, focus }: DiffViewOptions): FilesPart {
  const parts = partsOf(files)
  const at = focus === undefined ? (query.start ?? 0) : files.findIndex(({ path }) => path === focus)
  return parts.find(({ from, to }) => from <= at && at < to) ?? parts[0] ?? { from: 0, to: 0, lines: 0 }
}

type Place = Pick<FilesPart, "from" | "to">

const partAt = ({ url }: DiffViewOptions, { from }: FilesPart): string =>
  withQuery(url, { start: from === 0 ? undefined : from, part: undefined, file: undefined, context: undefined })

/** Where the tree leads: to a file on the page, or to the part that it is in. */
export function hrefOf({ files, isTooMuch }: DiffOverview, options: DiffViewOptions, shown: Place): (file: FileChange) => string {
  if (!isTooMuch) return ({ anchor }) => `#${anchor}`
  const places = new Map(
    partsOf(files).flatMap((part) => {
      const at = part.from === shown.from ? "" : partAt(options, part)
      return files.slice(part.from, part.to).map(({ anchor }) => [anchor, `${at}#${anchor}`] as const)
    }),
  )
  return ({ anchor }) => places.get(anchor) ?? `#${anchor}`
}

export const partsNote = ({ files }: DiffOverview, { from, to }: Place): Html =>
  notice(
    "info",
    html`
      This diff is large. Files ${count(from + 1)} to ${count(to)} of ${count(files.length)} are shown; the others are loaded when you come
      to them.
    `,
  )

/** A link in place of each of the other parts, about as high as the part. */
export const otherParts = ({ files }: DiffOverview, options: DiffViewOptions, isWanted: (part: FilesPart) => boolean): Html =>
  html`
    ${partsOf(files)
      .filter(isWanted)
      .map((part) => {
        const { from, to, lines } = part
        const here = partAt(options, part)
        return html`
          <div class="diff-more" data-start="${from}" data-rows="${lines + 4 * (to - from)}">
            <a class="button" rel="nofollow" href="${here}#files" data-part="${withQuery(here, { part: "alone" })}">
              Show files ${count(from + 1)} to ${count(to)} of ${count(files.length)}
            </a>
            <span class="muted small">${plural(lines, "changed line")}</span>
          </div>
        `
      })}
  `

/** The files of one page of a list of them. */
const FILES_LISTED = 1_000

/** The files alone, each with a page of its own, where there are too many for a tree. */
export function fileList(diff: DiffOverview, options: DiffViewOptions): Html {
  const { number } = options.page
  // Rows of two elements and a few words: more of them than in other lists.
  const rows = { number, limit: FILES_LISTED, offset: (number - 1) * FILES_LISTED }
  return html`
    <div class="card scrolls">
      <table class="data">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col" class="number">Lines</th>
          </tr>
        </thead>
        <tbody>
          ${diff.files.slice(rows.offset, rows.offset + rows.limit).map(
            (file) =>
              html`
                <tr>
                  <td class="break">
                    ${markOf(file)} <a href="${filePage(options, file)}">${pathOf(file)}</a>
                    ${file.reason !== undefined && file.reason !== "large" && html` <span class="chip">${REASON_WORDS[file.reason]}</span>`}
                  </td>
                  <td class="number">${sizeOf(file)}</td>
                </tr>
              `,
          )}
        </tbody>
      </table>
    </div>
    ${pager(options.url, rows, diff.files.length)}
  `
}
