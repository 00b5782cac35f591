import { posix } from "node:path"
import type { OnRepository } from "../../../../access/policies/repositories.ts"
import { fileHeadersOf } from "../../../../core/disposition.ts"
import { type Html, html } from "../../../../core/html.ts"
import { readTable } from "../../../../core/text/csv.ts"
import type { Located, OnCode } from "../../../../features/code/contents/locate.ts"
import { findEntry } from "../../../../features/code/contents/paths.ts"
import { isPdf } from "../../../../features/code/contents/raw.ts"
import { openTabs } from "../../../../features/code/editorconfig/tabs.ts"
import { type FoundFile, readmeAmong, specialFiles } from "../../../../features/code/history/special-files.ts"
import { POINTER_BYTES, readPointer } from "../../../../features/code/lfs/pointers.ts"
import { type Picture, recognizePicture } from "../../../../features/people/avatars/images.ts"
import { isTreeEntryName, type TreeEntry } from "../../../../git/index.ts"
import { codePath, revisionPath } from "../../../../web/address.ts"
import { choices, empty, menu, notice } from "../../../../web/components.ts"
import { icon } from "../../../../web/icon.ts"
import { bytes, plural } from "../../../../web/time.ts"
import { codeView, countLines, download, INVISIBLE_WARNING } from "../../../parts/code/lines.ts"
import { editing } from "../../../parts/code/parts.ts"
import { renderText } from "../../../parts/texts.ts"
import { largeView } from "./large-view.ts"
import { readNotebook } from "./notebook.ts"
import { notebookView } from "./notebook-view.ts"
import { headingsIn, type OutlineEntry, symbolsIn } from "./outline.ts"

/** Files up to this size, in bytes, are looked at whole. */
const MOST_BYTES = 2 * 1024 * 1024
/** The most lines of a file whose text is shown whole: each is an element of the page. Longer ones are shown in parts. */
const MOST_LINES = 20_000
/** The bytes that tell whether a file is text. */
const PROBED_BYTES = 8000
/** How long a page waits for colours; the next reader has them. */
const PATIENCE_MS = 1500

/** The longest path that a symbolic link may hold, in bytes. */
const LONGEST_LINK = 4096

const MARKDOWN = /\.(?:md|markdown|mdown|mkd|livemd)$/i
const NOTEBOOK = /\.ipynb$/i
const TABLE = /\.(?:csv|(tsv))$/i

export interface FileOptions {
  /** Shows the text of what could be rendered. */
  readonly asSource: boolean
  /** The first line that is shown of a file that is shown in parts. */
  readonly from: number
}

/** What a file shows: its text with numbers, a rendering, a picture, or a way to download it. */
export async function fileView(call: OnCode, located: Located, entry: TreeEntry, { asSource, from }: FileOptions): Promise<Html> {
  const { services } = call
  const { git, revision, parts } = located
  const { size } = await services.git.objects.namedInfo(git, entry.id)
  const raw = codePath(call, "raw", revision, parts)
  const media = codePath(call, "media", revision, parts)
  const here = codePath(call, "src", revision, parts)
  const isLink = entry.mode === "120000"
  const content = size <= MOST_BYTES ? await services.git.objects.readBlob(git, entry.id) : undefined
  const pointer = content && size <= POINTER_BYTES ? readPointer(content) : undefined
  const isText = content !== undefined && pointer === undefined && !content.subarray(0, PROBED_BYTES).includes(0)
  const notebook = isText && !isLink && NOTEBOOK.test(entry.name) ? readNotebook(content.toString("utf8")) : undefined
  const canBeRendered = !isLink && (MARKDOWN.test(entry.name) || TABLE.test(entry.name) || notebook !== undefined)
  const isRendered = !asSource && canBeRendered
  const { type } = fileHeadersOf(entry.name)
  const tabs = openTabs(services.git, git, revision.commit.tree)
  const picture = content && !isLink ? recognizePicture(content) : undefined
  const lines = isText ? countLines(content) : undefined
  const body = async (): Promise<Html> => {
    if (!isLink && /^image\//.test(type))
      return html`<div class="picture"><img src="${media}" alt="${entry.name}" ${picture && sizeOf(picture)}></div>`
    if (!isLink && /^video\//.test(type))
      return html`
        <div class="picture">
          <video src="${media}" controls></video>
        </div>
      `
    if (!isLink && /\.pdf$/i.test(entry.name) && (content === undefined || pointer || isPdf(entry.name, content)))
      return documentView(entry.name, media)
    if (pointer) return download("Git LFS file", `Stored with Git LFS: ${bytes(pointer.size)}.`, media)
    const isLong = isText && !isRendered && (lines ?? 0) > MOST_LINES
    if (content === undefined || isLong) return largeView(call, located, { entry, size, from, tabs: await tabs(parts) })
    if (!isText) return download("Binary file", `The file has ${bytes(size)}.`, raw)
    const text = content.toString("utf8")
    if (!isRendered) {
      const code = await services.highlighter.lines({ name: entry.name, text, id: entry.id, patienceMs: PATIENCE_MS })
      return html`${code.hasInvisible && INVISIBLE_WARNING}${codeView(entry.name, code.lines, { tabs: await tabs(parts) })}`
    }
    const file = { at: revisionPath(revision), folder: parts.slice(0, -1).join("/") }
    if (notebook) return notebookView(call, notebook, { id: entry.id, file, source: `${here}?display=source` })
    const table = TABLE.exec(entry.name)
    if (table) return tableView(entry.name, text, table[1] === undefined ? "," : "\t", raw)
    return html`<div class="inside">${await renderText(call, text, { style: "document", file })}</div>`
  }
  const facts = [
    lines !== undefined && plural(lines, "line"),
    picture && `${picture.width} × ${picture.height}`,
    bytes(pointer?.size ?? size),
    pointer && "Git LFS",
    entry.mode === "100755" && "executable",
    isLink && "symbolic link",
  ].filter((fact) => typeof fact === "string")
  const shown = await body()
  const outline = (): readonly OutlineEntry[] => {
    if (!isText) return []
    if (!isRendered) return (lines ?? 0) > MOST_LINES ? [] : symbolsIn(entry.name, content.toString("utf8"))
    return MARKDOWN.test(entry.name) ? headingsIn(String(shown)) : []
  }
  const edit = isLink ? undefined : editing(call, located)
  const permalink = codePath(call, "src", { ...revision, kind: "commit", name: revision.commit.id }, parts)
  return html`
    <div class="card file">
      <div class="head">
        ${
          isText &&
          canBeRendered &&
          choices("View", [
            { href: here, text: "Rendered", current: isRendered },
            { href: `${here}?display=source`, text: "Source", current: !isRendered },
          ])
        }
        <span class="muted small">${facts.join(" · ")}</span>
        <div class="bar end">
          ${outlineMenu(outline())}<a class="button small" href="${raw}" rel="nofollow">Raw</a>
          <a class="button small" href="${codePath(call, "blame", revision, parts)}" rel="nofollow">Blame</a>
          <a class="button small" href="${codePath(call, "commits", revision, parts)}" rel="nofollow">
            ${icon("history")}History
          </a>
          <a class="button small" href="${permalink}" data-key="y">${icon("link")}Permalink</a>
          <a class="button small" href="${raw}" download="${entry.name}">${icon("download", "Download")}</a>
          ${edit && isText && html`<a class="button small" href="${edit.at("_edit")}" rel="nofollow">${icon("pencil")}Edit</a>`}
          ${edit?.writes && html`<a class="button small" href="${edit.at("_delete")}" rel="nofollow">${icon("trash", "Delete")}</a>`}
        </div>
      </div>
      ${shown}
    </div>
  `
}

/** Nothing where there is only one place to go to. */
const outlineMenu = (entries: readonly OutlineEntry[]): Html | undefined =>
  entries.length < 2
    ? undefined
    : menu(
        html`${icon("list-unordered")}Outline`,
        html`
          <div class="outline">
            ${entries.map(
              ({ anchor, name, kind, level }) =>
                html`
                  <a class="level-${level}" href="#${anchor}">
                    ${kind !== "" && html`<span class="muted">${kind}</span> `}<bdi>${name}</bdi>
                  </a>
                `,
            )}
          </div>
        `,
      )

/** Room for a picture before it is there. */
const sizeOf = ({ width, height }: Picture): Html => html`width="${width}" height="${height}"`

/** A document that the browser shows: beside the rest of the page where it can, which the script finds out, and on its own. */
const documentView = (name: string, href: string): Html =>
  html`
    <div class="document" data-document="${href}" data-name="${name}">
      ${empty(
        "file",
        "A PDF document",
        "Open it in your browser, or download it.",
        html`<a class="button primary" href="${href}">Open</a>`,
      )}
    </div>
  `

/** A table of values, its first row as the head. */
function tableView(name: string, text: string, separator: string, raw: string): Html {
  const { rows, isCut } = readTable(text, separator)
  const [head, ...body] = rows
  if (!head) return empty("file", "The file is empty")
  const cell = (value: string): Html => html`<td dir="auto">${value}</td>`
  return html`
    ${
      isCut &&
      html`<div class="inside">${notice("info", html`Only the beginning is shown. <a href="${raw}">The whole file</a> has more.`)}</div>`
    }
    <div class="scrolls" role="region" aria-label="${name}" tabindex="0">
      <table class="data values">
        <thead>
          <tr>
            ${head.map((value) => html`<th scope="col" dir="auto">${value}</th>`)}
          </tr>
        </thead>
        <tbody>${body.map((row) => html`<tr>${row.map(cell)}</tr>`)}</tbody>
      </table>
    </div>
  `
}

/** The file that explains a folder, rendered; nothing where there is none. */
export async function readmeView(call: OnCode & OnRepository, located: Located, folder: TreeEntry): Promise<Html | undefined> {
  const { git, revision, parts } = located
  const { objects } = call.services.git
  const found = await findReadme(call, located, folder)
  const entry = found && (await followed(call, located, found))
  if (!entry || (await objects.namedInfo(git, entry.id)).size > MOST_BYTES) return undefined
  const { name } = found.entry
  const text = (await objects.readBlob(git, entry.id)).toString("utf8")
  const path = [...parts, ...found.path.split("/")]
  const shown = MARKDOWN.test(name)
    ? await renderText(call, text, { style: "document", file: { at: revisionPath(revision), folder: path.slice(0, -1).join("/") } })
    : html`<pre class="prose">${text}</pre>`
  return html`
    <section class="card" aria-label="${name}">
      <div class="head">${icon("book")}<a href="${codePath(call, "src", revision, path)}">${found.path}</a></div>
      <div class="inside">${shown}</div>
    </section>
  `
}

async function findReadme(call: OnCode, { git, parts }: Located, folder: TreeEntry): Promise<FoundFile | undefined> {
  if (parts.length === 0) return (await specialFiles(call.services.git, git, folder.id)).readme
  const entry = readmeAmong(await call.services.git.objects.readTree(git, folder.id))
  return entry && { path: entry.name, entry }
}

/** The file that a README is, or that a link names in the same repository. */
async function followed(call: OnCode, { git, revision, parts }: Located, { path, entry }: FoundFile): Promise<TreeEntry | undefined> {
  if (entry.mode !== "120000") return entry
  const { objects } = call.services.git
  if ((await objects.namedInfo(git, entry.id)).size > LONGEST_LINK) return undefined
  const target = (await objects.readBlob(git, entry.id)).toString("utf8")
  const from = posix.dirname([...parts, path].join("/"))
  const names = posix.join(from, target).split("/")
  if (target.startsWith("/") || !names.every(isTreeEntryName)) return undefined
  const found = await findEntry(call.services.git, git, revision.commit.tree, names)
  return found?.mode === "100644" || found?.mode === "100755" ? found : undefined
}
