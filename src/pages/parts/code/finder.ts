import { attribute, type Html, html } from "../../../core/html.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import type { FoundPath } from "../../../core/text/fuzzy.ts"
import type { Located, OnCode } from "../../../features/code/contents/locate.ts"
import { codePath, repositoryPath, revisionPath } from "../../../web/address.ts"
import { shortcut } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"

/** Going to a file by some letters of its path: a page, and in its place a dialog by the script `finder`. */

export const finderPath = (call: OnCode, { revision }: Located): string => `${repositoryPath(call)}/find/${revisionPath(revision)}`

/** What the script needs: where the list of paths is, where they lead, and under which name the files that were opened last are kept. */
export function finderData(call: OnCode, { revision }: Located): Html {
  const list = attribute("data-finder", `${repositoryPath(call)}/paths/${revisionPath(revision)}`)
  return html`${list} ${attribute("data-at", `${codePath(call, "src", revision)}/`)} ${attribute("data-repository", repositoryPath(call))}`
}

/** `isFile` where the page shows the file at the path, which is remembered as opened. */
export const finderLink = (call: OnCode, located: Located, isFile = false): Html =>
  html`
    <a
      class="button small"
      href="${finderPath(call, located)}"
      rel="nofollow"
      ${finderData(call, located)}
      ${attribute("data-opened", isFile ? located.parts.join("/") : undefined)}
      ${shortcut("t")}
    >
      ${icon("search")}Go to file
    </a>
  `

/** A path with what was found in it marked, as a link to its file. */
export const foundFile = (call: OnCode, { revision }: Located, { path, marked }: FoundPath): Html =>
  html`
    <li>
      <a class="title" href="${codePath(call, "src", revision)}/${escapePath(path)}">
        ${icon("file")}<bdi>${withMarks(path, marked)}</bdi>
      </a>
    </li>
  `

/** Neighbours are marked together. */
function withMarks(path: string, marked: readonly number[]): readonly Html[] {
  const isMarked = new Set(marked)
  const pieces: { text: string; readonly is: boolean }[] = []
  for (const [at, letter] of path.split("").entries()) {
    const last = pieces.at(-1)
    const is = isMarked.has(at)
    if (last?.is === is) last.text += letter
    else pieces.push({ text: letter, is })
  }
  return pieces.map(({ text, is }) => (is ? html`<mark>${text}</mark>` : html`${text}`))
}
