import { posix } from "node:path"
import type { OnRepository } from "../../../../access/policies/repositories.ts"
import { fileHeadersOf } from "../../../../core/disposition.ts"
import { attribute, type Html, html } from "../../../../core/html.ts"
import { t } from "../../../../core/language/message.ts"
import type { Shown } from "../../../../core/page.ts"
import { readTable } from "../../../../core/text/csv.ts"
import type { Located, OnCode } from "../../../../features/code/contents/locate.ts"
import { findEntry } from "../../../../features/code/contents/paths.ts"
import { isPdf } from "../../../../features/code/contents/raw.ts"
import { openTabs } from "../../../../features/code/editorconfig/tabs.ts"
import { type FoundFile, readmeAmong, specialFiles } from "../../../../features/code/history/special-files.ts"
import { treeHistory } from "../../../../features/code/history/tree-history.ts"
import { POINTER_BYTES, readPointer } from "../../../../features/code/lfs/pointers.ts"
import { type Picture, recognizePicture } from "../../../../features/people/avatars/images.ts"
import { isDamage, isTreeEntryName, type TreeEntry } from "../../../../git/index.ts"
import { codePath, revisionPath } from "../../../../web/address.ts"
import { choices, copyButton, empty, menu, notice, shortcut } from "../../../../web/components.ts"
import { icon } from "../../../../web/icon.ts"
import { bytes, plural } from "../../../../web/time.ts"
import { codeView, countLines, download, INVISIBLE_WARNING, linesData } from "../../../parts/code/lines.ts"
import { headingsIn, type OutlineEntry, symbolsIn } from "../../../parts/code/outline.ts"
import { editing } from "../../../parts/code/parts.ts"
import { renderText } from "../../../parts/texts.ts"
import { largeView } from "./large-view.ts"
import { readNotebook } from "./notebook.ts"
import { notebookView } from "./notebook-view.ts"
import { latestCommit } from "./tree-view.ts"

/** Files up to this size, in bytes, are looked at whole. */
const MOST_BYTES = 2 * 1024 * 1024
/** The most lines of a file whose text is shown whole: each is an element of the page. Longer ones are shown in parts. */
const MOST_LINES = 20_000
/** The bytes that tell whether a file is text. */
const PROBED_BYTES = 8000
/** How long a page waits for colours; later ones come by its script. */
const PATIENCE_MS = 1500

/** The longest path that a symbolic link may hold, in bytes. */
const LONGEST_LINK = 4096

const MARKDOWN = /\.(?:md|markdown|mdown|mkd|livemd)$/i
const NOTEBOOK = /\.ipynb$/i
const DIAGRAM = /\.(?:mmd|mermaid)$/i
const TABLE = /\.(?:csv|(tsv))$/i

export interface FileOptions {
  /** Shows the text of what could be rendered. */
  readonly asSource: boolean
  /** The first line that is shown of a file that is shown in parts. */
  readonly from: number
}

/** A file as far as it is read, and what that says of it. */
interface Read {
  readonly entry: TreeEntry
  readonly size: number
  /** Undefined where it is too large. */
  readonly content: Buffer | undefined
  /** The content as text, where it is one. */
  readonly text: string | undefined
  readonly lines: number | undefined
  readonly isLink: boolean
  readonly pointer: ReturnType<typeof readPointer>
  readonly picture: Picture | undefined
  readonly notebook: ReturnType<typeof readNotebook>
  readonly canBeRendered: boolean
  readonly isRendered: boolean
}

async function readFile({ services }: OnCode, { git }: Located, entry: TreeEntry, asSource: boolean): Promise<Read> {
  const { size } = await services.git.objects.namedInfo(git, entry.id)
  const isLink = entry.mode === "120000"
  const content = size <= MOST_BYTES ? await services.git.objects.readBlob(git, entry.id) : undefined
  const pointer = content && size <= POINTER_BYTES ? readPointer(content) : undefined
  const isText = content !== undefined && pointer === undefined && !content.subarray(0, PROBED_BYTES).includes(0)
  const text = isText ? content.toString("utf8") : undefined
  const notebook = text !== undefined && !isLink && NOTEBOOK.test(entry.name) ? readNotebook(text) : undefined
  const canBeRendered =
    !isLink && (MARKDOWN.test(entry.name) || TABLE.test(entry.name) || DIAGRAM.test(entry.name) || notebook !== undefined)
  return {
    entry,
    size,
    content,
    text,
    lines: isText ? countLines(content) : undefined,
    isLink,
    pointer,
    picture: content && !isLink ? recognizePicture(content) : undefined,
    notebook,
    canBeRendered,
    isRendered: !asSource && canBeRendered,
  }
}

/** What a file shows: its text with numbers, a rendering, a picture, or a way to download it. */
export async function fileView(
  call: OnCode,
  located: Located,
  entry: TreeEntry,
  { asSource, from }: FileOptions,
): Promise<Required<Pick<Shown, "body" | "isUnfinished">>> {
  const file = await readFile(call, located, entry, asSource)
  const media = mediaView(file, codePath(call, "media", located.revision, located.parts))
  const { body, isUnfinished = false } = media ? { body: media } : await contentView(call, located, file, from)
  return {
    isUnfinished,
    body: html`
      <div class="card file" ${linesData(call, located)}>
        ${await lastChange(call, located, entry)}${fileHead(call, located, file, outlineOf(file, body))}${body}
      </div>
    `,
  }
}

/** What the browser shows itself, and large files of Git LFS; nothing for others. */
function mediaView({ entry: { name }, content, isLink, pointer, picture }: Read, media: string): Html | undefined {
  const type = isLink ? "" : fileHeadersOf(name).type
  if (/^image\//.test(type)) return html`<div class="picture"><img src="${media}" alt="${name}" ${picture && sizeOf(picture)}></div>`
  if (/^video\//.test(type))
    return html`
      <div class="picture">
        <video src="${media}" controls></video>
      </div>
    `
  if (!isLink && /\.pdf$/i.test(name) && (content === undefined || pointer || isPdf(name, content))) return documentView(name, media)
  return pointer && download(t("Git LFS file"), t("Stored with Git LFS: {size}.", { size: bytes(pointer.size) }), media)
}

async function contentView(
  call: OnCode,
  located: Located,
  file: Read,
  from: number,
): Promise<{ readonly body: Html; readonly isUnfinished?: boolean }> {
  const { services } = call
  const { git, revision, parts } = located
  const { entry, size, content, text, isRendered } = file
  const tabs = () => openTabs(services.git, git, revision.commit.tree)(parts)
  if (content === undefined || isInParts(file)) return { body: await largeView(call, located, { entry, size, from, tabs: await tabs() }) }
  if (text === undefined)
    return { body: download(t("Binary file"), t("The file has {size}.", { size: bytes(size) }), codePath(call, "raw", revision, parts)) }
  if (isRendered) return { body: await renderedView(call, located, file, text) }
  const code = await services.highlighter.lines({ name: entry.name, text, id: entry.id, patienceMs: PATIENCE_MS })
  // Where colours take longer than the page waits, the script asks for the lines again.
  const body = html`
    <div id="lines" ${attribute("data-again", code.isPending && "1")}>
      ${code.hasInvisible && INVISIBLE_WARNING}${codeView(entry.name, code.lines, { tabs: await tabs() })}
    </div>
  `
  return { body, isUnfinished: code.isPending }
}

async function renderedView(call: OnCode, { revision, parts }: Located, { entry, notebook }: Read, text: string): Promise<Html> {
  const raw = codePath(call, "raw", revision, parts)
  const at = { at: revisionPath(revision), folder: parts.slice(0, -1).join("/") }
  const source = `${codePath(call, "src", revision, parts)}?display=source`
  if (notebook) return notebookView(call, notebook, { id: entry.id, file: at, source })
  if (DIAGRAM.test(entry.name)) return diagramView(text)
  const table = TABLE.exec(entry.name)
  if (table) return tableView(entry.name, text, table[1] === undefined ? "," : "\t", raw)
  return html`<div class="inside">${await renderText(call, text, { style: "document", file: at })}</div>`
}

const isInParts = ({ lines = 0, isRendered }: Read): boolean => !isRendered && lines > MOST_LINES

function outlineOf(file: Read, shown: Html): readonly OutlineEntry[] {
  const { entry, text, isRendered } = file
  if (text === undefined || isInParts(file)) return []
  if (!isRendered) return symbolsIn(entry.name, text)
  return MARKDOWN.test(entry.name) ? headingsIn(String(shown)) : []
}

function fileHead(call: OnCode, located: Located, file: Read, outline: readonly OutlineEntry[]): Html {
  const { revision, parts } = located
  const { entry, text, isLink, canBeRendered, isRendered } = file
  const [raw, here] = [codePath(call, "raw", revision, parts), codePath(call, "src", revision, parts)]
  const edit = isLink ? undefined : editing(call, located)
  return html`
    <div class="head">
      ${
        text !== undefined &&
        canBeRendered &&
        choices(t("View"), [
          { href: here, text: t("Rendered"), current: isRendered },
          { href: `${here}?display=source`, text: t("Source"), current: !isRendered },
        ])
      }
      <span class="muted small">${factsOf(file).join(" · ")}</span>
      <div class="bar end">
        ${outlineMenu(outline)}<a class="button small" href="${raw}" rel="nofollow">Raw</a>
        <a
          class="button small"
          href="${codePath(call, "blame", revision, parts)}"
          rel="nofollow"
          data-keeps-line
          ${shortcut("b")}
        >
          Blame
        </a>
        ${
          text !== undefined &&
          html`<button type="button" class="small" data-copy-from="${raw}">${icon("copy", t("Copy the content"))}</button>`
        }
        <a class="button small" href="${raw}" download="${entry.name}">${icon("download", t("Download"))}</a>
        ${
          edit &&
          text !== undefined &&
          html`<a class="button small" href="${edit.at("_edit")}" rel="nofollow" ${shortcut("e")}>${icon("pencil")}Edit</a>`
        }
        ${moreMenu(call, located, edit?.writes ? edit.at("_delete") : undefined)}
      </div>
    </div>
  `
}

/** What is wanted less often. */
function moreMenu(call: OnCode, { revision, parts }: Located, deletion: string | undefined): Html {
  return menu(
    icon("kebab-horizontal", t("More about this file")),
    html`
      ${copyButton(parts.join("/"), html`${icon("copy")}Copy the path`, "")}
      <a
        href="${codePath(call, "src", { kind: "commit", name: revision.commit.id }, parts)}"
        data-keeps-line
        ${shortcut("y")}
      >
        ${icon("link")}Permalink
      </a>
      <a href="${codePath(call, "commits", revision, parts)}" rel="nofollow">${icon("history")}History</a>
      <button type="button" data-go-to-line ${shortcut("l")} hidden>${icon("hash")}Go to line</button>
      ${deletion !== undefined && html`<hr><a href="${deletion}" rel="nofollow">${icon("trash")}Delete</a>`}
    `,
  )
}

/** The commit that last changed the file. While it is being found, the script asks for this element again. */
async function lastChange(call: OnCode, { revision, git, parts }: Located, { name }: TreeEntry): Promise<Html> {
  const { services, db } = call
  const history = await treeHistory(services, db, call, revision.commit, parts.slice(0, -1))
  const last = history?.entries.find((entry) => entry.name === name)?.last
  const isComplete = history?.isComplete !== false
  const all = html`
    <a class="button small quiet" href="${codePath(call, "commits", revision, parts)}" rel="nofollow">${icon("history")}History</a>
  `
  if (last) return latestCommit(call, await services.git.objects.readCommit(git, last.id), all)
  return html`
    <div class="head latest" id="latest" ${attribute("data-again", !isComplete && "2")}>
      <span class="grow">${!isComplete && html`<span class="muted">The last commit is being looked for.</span>`}</span>${all}
    </div>
  `
}

const factsOf = ({ entry, size, lines, picture, pointer, isLink }: Read): readonly string[] =>
  [
    lines !== undefined && plural(lines, "line"),
    picture && `${picture.width} × ${picture.height}`,
    bytes(pointer?.size ?? size),
    pointer && t("Git LFS"),
    entry.mode === "100755" && "executable",
    isLink && t("symbolic link"),
  ].filter((fact) => typeof fact === "string")

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
        t("A PDF document"),
        t("View it in your browser, or download it."),
        html`<a class="button primary" href="${href}">${t("Open|action")}</a>`,
      )}
    </div>
  `

/** The script draws it in place of the text. */
const diagramView = (text: string): Html => html`<div class="inside prose"><pre><code class="language-mermaid">${text}</code></pre></div>`

/** A table of values, its first row as the head. */
function tableView(name: string, text: string, separator: string, raw: string): Html {
  const { rows, isCut } = readTable(text, separator)
  const [head, ...body] = rows
  if (!head) return empty("file", t("Empty file"))
  const cell = (value: string): Html => html`<td dir="auto">${value}</td>`
  return html`
    ${
      isCut &&
      html`
        <div class="inside">
          ${notice("info", html`Only the beginning of the file is shown. <a href="${raw}">The whole file</a> has more.`)}
        </div>
      `
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
  try {
    return await readmeShown(call, located, folder)
  } catch (error) {
    // The list of files is shown without one that can't be read.
    if (!isDamage(error)) throw error
    return undefined
  }
}

async function readmeShown(call: OnCode & OnRepository, located: Located, folder: TreeEntry): Promise<Html | undefined> {
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
