import { type Html, html } from "../../../../core/html.ts"
import { escapePath } from "../../../../core/text/escape-path.ts"
import type { Located, OnCode } from "../../../../features/code/contents/locate.ts"
import type { ObjectId, TreeEntry } from "../../../../git/index.ts"
import { codePath, repositoryPath, revisionPath } from "../../../../web/address.ts"
import { icon } from "../../../../web/icon.ts"
import { number } from "../../../../web/time.ts"

/** The files beside a file: the folders on the way to it are open, others are links to their pages, which the script `files` opens in place. */

/** Entries of one folder that are listed; its page has the others. */
const MOST_ENTRIES = 300

const isFolder = ({ mode }: TreeEntry): boolean => mode === "40000"

/** The tree with the folders on the way to a file open. Reads the trees that finding the file has read. */
export const fileTree = async (call: OnCode, located: Located): Promise<Html> =>
  html`
    <nav class="file-tree" aria-label="Files">
      <details open>
        <summary class="small muted">Files</summary>
        ${await folderList(call, located, located.revision.commit.tree, 0)}
      </details>
    </nav>
  `

/** The entries of a folder as a list, with those of the folders below it that are on the way to the path. */
export async function folderList(call: OnCode, located: Located, tree: ObjectId, depth: number): Promise<Html> {
  const { git, revision, parts } = located
  const entries = await call.services.git.objects.readTree(git, tree)
  const sorted = [...entries.filter(isFolder), ...entries.filter((entry) => !isFolder(entry))]
  const onTheWay = sorted.find(({ name }) => name === parts[depth])
  const first = sorted.slice(0, MOST_ENTRIES)
  const shown = onTheWay && !first.includes(onTheWay) ? [...first, onTheWay] : first
  const folder = parts.slice(0, depth)
  const rows: Html[] = []
  for (const entry of shown) {
    const path = [...folder, entry.name]
    const href = codePath(call, "src", revision, path)
    if (entry.mode === "160000") rows.push(html`<li><span>${icon("file-submodule")}<bdi>${entry.name}</bdi></span></li>`)
    else if (!isFolder(entry))
      rows.push(
        entry === onTheWay
          ? html`<li><a href="${href}" aria-current="page">${icon("file")}<bdi>${entry.name}</bdi></a></li>`
          : html`<li><a href="${href}">${icon("file")}<bdi>${entry.name}</bdi></a></li>`,
      )
    else if (entry === onTheWay)
      rows.push(
        html`
          <li>
            <details open>
              <summary>${icon("file-directory-fill")}<bdi>${entry.name}</bdi></summary>
              ${await folderList(call, located, entry.id, depth + 1)}
            </details>
          </li>
        `,
      )
    else
      rows.push(
        html`
          <li>
            <a
              href="${href}"
              data-list="${repositoryPath(call)}/tree-list/${revisionPath(revision)}/${escapePath(path.join("/"))}"
            >
              ${icon("file-directory-fill")}<bdi>${entry.name}</bdi>
            </a>
          </li>
        `,
      )
  }
  const left = sorted.length - shown.length
  return html`
    <ul>
      ${rows}
      ${left > 0 && html`<li><a href="${codePath(call, "src", revision, folder)}">${number(left)} more</a></li>`}
    </ul>
  `
}
