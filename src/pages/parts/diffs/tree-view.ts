import { plainCode } from "../../../core/highlight/invisible.ts"
import { type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { icon } from "../../../web/icon.ts"
import type { IconName } from "../../../web/icon-names.ts"
import type { FileChange } from "./model.ts"

/** The files of a difference as a tree, at the side of their lines. */

interface Mark {
  readonly icon: IconName
  readonly tone: string
  readonly text: Text
}

const MARKS: Readonly<Record<FileChange["status"], Mark>> = {
  added: { icon: "diff-added", tone: "success", text: t("Added") },
  deleted: { icon: "diff-removed", tone: "failure", text: t("Deleted") },
  modified: { icon: "diff-modified", tone: "pending", text: t("Changed") },
  renamed: { icon: "diff-renamed", tone: "info", text: t("Renamed") },
  copied: { icon: "copy", tone: "info", text: t("Copied") },
  typechanged: { icon: "diff-modified", tone: "pending", text: t("Changed its type") },
}

/** What became of the file, as an icon. */
export const markOf = ({ status }: FileChange): Html => {
  const { icon: name, tone, text } = MARKS[status]
  return html`<span class="${tone}">${icon(name, text)}</span>`
}

interface Folder {
  readonly folders: Map<string, Folder>
  readonly files: { readonly name: string; readonly file: FileChange }[]
}

function treeOf(files: readonly FileChange[]): Folder {
  const root: Folder = { folders: new Map(), files: [] }
  for (const file of files) {
    const parts = file.path.split("/")
    const name = parts.pop() ?? ""
    let folder = root
    for (const part of parts) {
      const below: Folder = folder.folders.get(part) ?? { folders: new Map(), files: [] }
      folder.folders.set(part, below)
      folder = below
    }
    folder.files.push({ name, file })
  }
  return root
}

/** From this many files on, there is a field that filters them. Its script does so: without scripts it isn't shown. */
const FILTERED = 4

/** What the tree says of a file. */
interface InTree {
  /** How many comments it has. */
  readonly notes: (path: string) => number
  readonly href: (file: FileChange) => string
}

export const fileTree = (files: readonly FileChange[], inTree: InTree): Html =>
  html`
    <nav class="diff-tree" aria-label="Changed files">
      <details open>
        <summary>Files</summary>
        ${
          files.length >= FILTERED &&
          html`
            <div class="tree-filter">
              <input
                type="search"
                placeholder="Filter files"
                aria-label="Filter files"
                autocomplete="off"
                spellcheck="false"
              >
              <p class="hidden-text" role="status"></p>
            </div>
          `
        }
        ${treeList(treeOf(files), inTree)}
      </details>
    </nav>
  `

function treeList({ folders, files }: Folder, inTree: InTree): Html {
  const folderItem = ([name, folder]: readonly [string, Folder]): Html => {
    const names = [name]
    let below = folder
    // Folders that have nothing but one folder stand in one line.
    while (below.files.length === 0 && below.folders.size === 1)
      for (const [only, next] of below.folders) {
        names.push(only)
        below = next
      }
    return html`
      <li>
        <details open>
          <summary>${icon("file-directory-fill")}<bdi>${plainCode(names.join("/"))}</bdi></summary>
          ${treeList(below, inTree)}
        </details>
      </li>
    `
  }
  return html`
    <ul>
      ${[...folders].map(folderItem)}
      ${files.map(({ name, file }) => {
        const notes = inTree.notes(file.path)
        return html`
          <li>
            <a href="${inTree.href(file)}">
              ${markOf(file)}<bdi>${plainCode(name)}</bdi>
              ${notes > 0 && html`<span class="count">${notes}<span class="hidden-text"> comments</span></span>`}
            </a>
          </li>
        `
      })}
    </ul>
  `
}
