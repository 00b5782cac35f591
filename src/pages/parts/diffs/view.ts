import { refuse } from "../../../core/errors.ts"
import { plainCode } from "../../../core/highlight/invisible.ts"
import { type Content, flagged, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { Shown } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { openTabs, type TabClassOf } from "../../../features/code/editorconfig/tabs.ts"
import { withQuery } from "../../../web/address.ts"
import { empty, notice } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { plural } from "../../../web/time.ts"
import { choiceForm } from "./choices.ts"
import { besideLines, note } from "./contents-view.ts"
import { diffFiles, type FilesPart, fileDiff } from "./diffs.ts"
import { changeCounts, type DiffViewOptions, filePage, pathOf, sizeOf } from "./file-words.ts"
import { expander, gapAfter, gapBefore, type LineStyle, lineRow } from "./lines-view.ts"
import type { DiffOverview, FileChange, FileDiff, Hunk, Line } from "./model.ts"
import { splitRows } from "./model.ts"
import { fileList, hrefOf, otherParts, partsNote, shownPart } from "./parts-view.ts"
import { fileTree, markOf } from "./tree-view.ts"

/**
 * Differences on pages: the files at the side, and each file with its lines. A line is one element with those of its colours; files, and parts of their lines,
 * are laid out by browsers when they are seen.
 */

/** The most files whose sections are in one page. */
const MOST_SECTIONS = 2_000
/** Lines in one part of a file: as many as a browser lays out within a frame. */
const CHUNK = 50
/** Lines that are sent together. */
const SENT = 2_500
/** git's number of context lines for a whole file. */
const WHOLE = 1_000_000

type Select = Pick<Services, "git" | "highlighter" | "site">

/**
 * A difference for a page: the end of its body, and what follows as it is made. Refuses `notFound` for a file that didn't change. No process starts before the rest is asked
 * for, unless there is one file.
 */
export async function diffView(
  services: Select,
  diff: DiffOverview,
  options: DiffViewOptions,
): Promise<{ readonly body: Html; readonly rest?: NonNullable<Shown["rest"]> }> {
  const { query } = options
  if (query.file !== undefined) return onePage(services, diff, options, query.file)
  if (diff.files.length === 0)
    return { body: html`${diffBar(diff, options)}${empty("file-diff", t("No changes"), t("There are no differences to show."))}` }
  if (diff.files.length > MOST_SECTIONS)
    return {
      body: html`
        ${diffBar(diff, options)}${notice("info", t("The diff is too large to show at once: open the files one by one."))}
        ${fileList(diff, options)}
      `,
    }
  const shown = diff.isTooMuch ? shownPart(diff, options) : { from: 0, to: diff.files.length }
  const tree = { notes: options.notes?.count ?? (() => 0), href: hrefOf(diff, options, shown) }
  return {
    body:
      query.part === undefined
        ? html`${diffBar(diff, options)}${diff.isTooMuch && partsNote(diff, shown)}${page(fileTree(diff.files, tree))}`
        : page(undefined),
    rest: sections(services, diff, options, shown),
  }
}

/** Opens what `sections` closes. */
const page = (tree: Content): Html => html`
  <div class="diff-page">
  ${tree}
  <div class="diff-files">
`
const PAGE_END = html`
  </div>
  </div>
`

async function onePage(services: Select, diff: DiffOverview, options: DiffViewOptions, path: string) {
  const at = diff.files.findIndex((file) => file.path === path)
  const found = await fileDiff(services, diff, path, options.query.context === "all" ? { context: WHOLE } : {})
  if (!found) throw refuse.notFound()
  const link = (file: FileChange | undefined, text: Text, rel: "prev" | "next") =>
    file && html`<a class="button small" rel="${rel}" href="${filePage(options, file)}">${text}</a>`
  const bar = html`
    <nav class="bar" aria-label="Files">
      <a class="button small" href="${withQuery(options.url, { file: undefined, context: undefined })}">
        ${icon("list-unordered")}All ${plural(diff.files.length, "file")}
      </a>
      <span class="muted small">File ${at + 1} of ${diff.files.length}</span><span class="end"></span>
      ${link(diff.files[at - 1], t("Previous"), "prev")}${link(diff.files[at + 1], t("Next"), "next")}
    </nav>
  `
  async function* rest() {
    yield* fileSection(services, diff, found ?? raise(), options, await tabsOf(services, diff))
    yield PAGE_END
  }
  return { body: html`${diffBar(diff, options)}${bar}${page(undefined)}`, rest: rest() }
}

const raise = (): never => {
  throw refuse.notFound()
}

/** The class for the width of tabs, of each file by its path. */
async function tabsOf({ git }: Select, { repository, to }: DiffOverview): Promise<TabClassOf> {
  return openTabs(git, repository, (await git.objects.readCommit(repository, to)).tree)
}

async function* sections(
  services: Select,
  diff: DiffOverview,
  options: DiffViewOptions,
  { from, to }: Pick<FilesPart, "from" | "to">,
): AsyncGenerator<Html> {
  const tabs = await tabsOf(services, diff)
  const files = diff.files.slice(from, to)
  const shown = diffFiles(services, diff, { files })
  const isAlone = options.query.part !== undefined
  if (!isAlone && diff.isTooMuch) yield otherParts(diff, options, (part) => part.to <= from)
  try {
    for (const file of files) {
      if (file.shown !== "inline") {
        yield foldedSection(file, options, diff)
        continue
      }
      const next = await shown.next()
      if (next.done === true) break
      yield* fileSection(services, diff, next.value, options, tabs)
    }
  } finally {
    await shown.return(undefined)
  }
  if (!isAlone && diff.isTooMuch) yield otherParts(diff, options, (part) => part.from >= to)
  yield PAGE_END
}

// --- above, and at the side ---------------------------------------------------------------------------------------------------------

const diffBar = (diff: DiffOverview, { choices, tools }: DiffViewOptions): Html =>
  html`
    <div class="bar diff-bar" id="files">
      <h2>${plural(diff.files.length, "changed file")}${changeCounts(diff.totals)}</h2>
      <span class="end"></span>${tools}${choiceForm(choices)}
    </div>
  `

// --- one file -----------------------------------------------------------------------------------------------------------------------

const REASON_SENTENCES = {
  generated: t("This file is generated."),
  vendored: t("This file is vendored."),
  large: t("This diff is large."),
} as const

const EXECUTABLE = "100755"
const KINDS: Readonly<Record<string, Text>> = { "120000": t("a symbolic link"), "160000": t("a submodule") }
const FILE = t("a file")
const kindOf = (mode: string): Text => KINDS[mode] ?? FILE

/** What became of the file's mode, in words. */
function modeChange({ oldMode, newMode }: FileChange): Text | undefined {
  if (oldMode === undefined || newMode === undefined || oldMode === newMode)
    return newMode === EXECUTABLE && oldMode === undefined ? t("executable") : undefined
  if (kindOf(oldMode) !== kindOf(newMode)) return t("was {oldMode}, is {newMode}", { oldMode: kindOf(oldMode), newMode: kindOf(newMode) })
  return newMode === EXECUTABLE ? t("made executable") : t("no longer executable")
}

interface SectionLook {
  /** About how many lines high it is, until it is seen. */
  readonly rows: number
  /** The class for the width of tabs. */
  readonly tabs?: string | undefined
}

/** Opens the section of a file; `SECTION_END` closes it. */
function sectionHead(file: FileChange, options: DiffViewOptions, diff: DiffOverview, { rows, tabs }: SectionLook): Html {
  const mode = modeChange(file)
  const notes = options.notes?.count(file.path) ?? 0
  const view = file.newId === null ? undefined : `${options.newAt}/src/commit/${diff.to}/${escapePath(file.path)}`
  const isClosed = options.isClosed?.(file) === true
  const viewed = view ?? (diff.from && `${options.oldAt}/src/commit/${diff.from}/${escapePath(file.path)}`)
  return html`
    <section
      class="diff${tabs && ` ${tabs}`}"
      id="${file.anchor}"
      data-rows="${isClosed ? HEAD_ROWS : HEAD_ROWS + rows}"
      aria-labelledby="${file.anchor}-path"
    >
    <div class="file-tools">
      ${options.fileTools?.(file)}
      <a href="${filePage(options, file)}">View alone<span class="hidden-text">: ${plainCode(file.path)}</span></a>
      ${viewed && file.content !== "submodule" && html`<a href="${viewed}">${file.newId === null ? t("View before") : t("View file")}</a>`}
    </div>
    <details ${flagged("open", !isClosed)}>
    <summary>
      ${icon("triangle-down")}${markOf(file)}<span class="path" id="${file.anchor}-path">${pathOf(file)}</span>
      ${mode !== undefined && html`<span class="chip">${mode}</span>`}
      ${
        notes > 0 &&
        html`
          <span class="muted small">${icon("comment")} ${notes}<span class="hidden-text"> comments</span></span>
        `
      }
      <span class="end">${sizeOf(file)}</span>
    </summary>
  `
}
/** The height of a head, in lines. */
const HEAD_ROWS = 2
const SECTION_END = html`
  </details>
  </section>
`

function foldedSection(file: FileChange, options: DiffViewOptions, diff: DiffOverview): Html {
  const changed = file.additions + file.deletions
  const why = REASON_SENTENCES[file.reason ?? "large"]
  const lines = t("{count, plural, one {# changed line is} other {# changed lines are}} not shown here.", { count: changed })
  const said = note(html`${why} ${lines} <a href="${filePage(options, file)}">Show them</a>`)
  return html`${sectionHead(file, options, diff, { rows: 2 })}${said}${SECTION_END}`
}

async function* fileSection(
  services: Select,
  diff: DiffOverview,
  found: FileDiff,
  options: DiffViewOptions,
  tabs: TabClassOf,
): AsyncGenerator<Html> {
  const { file, hunks } = found
  const rows = hunks.reduce((sum, hunk) => sum + hunk.lines.length + 1, 1)
  const parts: Html[] = [sectionHead(file, options, diff, { rows, tabs: await tabs(file.path.split("/")) })]
  if (found.hasInvisible) parts.push(note(html`${icon("alert")} This contains invisible characters. They are shown by their code points.`))
  const about = await besideLines(services, diff, found, options)
  if (about) parts.push(about)
  const notes = new Map(options.notes?.of(file.path))
  const lines = options.query.context === "all" ? undefined : contextOf(found, options)
  let sent = 0
  const isLong = hunks.length > 0 && options.choices.lines === "long"
  // Lines that aren’t wrapped are scrolled together, also by keys.
  if (isLong) parts.push(html`<div class="long-lines" tabindex="0" role="group" aria-labelledby="${file.anchor}-path">`)
  for (const [at, hunk] of hunks.entries()) {
    parts.push(hunkHead(hunk, lines && gapBefore(file, hunks[at - 1], hunk), lines))
    for (const chunk of chunksOf(hunk, file, options.choices.style, notes)) {
      parts.push(chunk.html)
      sent += chunk.lines
      if (sent < SENT) continue
      yield html`${parts}`
      parts.length = 0
      sent = 0
    }
  }
  const last = hunks.at(-1)
  const below = last && lines && !found.isCut ? gapAfter(file, last, found.newLines) : undefined
  if (below && lines) parts.push(html`<div class="gap">${expander(below, lines)}</div>`)
  if (isLong) parts.push(html`</div>`)
  if (found.isCut) parts.push(note(t("The rest is too long to show. Download the diff to see all of it.")))
  if (notes.size > 0)
    parts.push(
      html`
        <div class="said">
          <p class="muted small">Outside of the diff</p>
          ${[...notes].map(
            ([line, content]) =>
              html`
                <p class="small muted">Line ${line.slice(1)}${line.startsWith("L") && t(" before the change")}</p>
                ${content}
              `,
          )}
        </div>
      `,
    )
  parts.push(SECTION_END)
  yield html`${parts}`
}

const contextOf = ({ file }: FileDiff, options: DiffViewOptions) =>
  file.newId === null || file.status === "added"
    ? undefined
    : {
        at: options.newAt,
        blob: file.newId,
        path: file.path,
        anchor: file.anchor,
        style: options.choices.style,
        whole: withQuery(options.url, { file: file.path, context: "all" }),
      }

/** The line between hunks, with a way to see what is there. */
const hunkHead = (
  { oldStart, oldCount, newStart, newCount, context }: Hunk,
  gap: ReturnType<typeof gapBefore>,
  lines: ReturnType<typeof contextOf>,
): Html =>
  html`
    <div class="gap">
      ${gap && lines && expander(gap, lines)}
      <span>@@ −${oldStart},${oldCount} +${newStart},${newCount} @@ ${plainCode(context)}</span>
    </div>
  `

// --- lines --------------------------------------------------------------------------------------------------------------------------

interface Chunk {
  readonly html: Html
  readonly lines: number
}

/** The lines of a hunk in parts. Notes on its lines follow them, and are taken out of the map. */
function* chunksOf(hunk: Hunk, file: FileChange, style: LineStyle, notes: Map<string, Content>): Generator<Chunk> {
  const take = (key: string): Content => {
    const found = notes.get(key)
    notes.delete(key)
    return found !== undefined && html`<div class="noted">${found}</div>`
  }
  const notesOf = (left: Line | undefined, right: Line | undefined): Content =>
    notes.size > 0 && [left?.oldLine !== undefined && take(`L${left.oldLine}`), right?.newLine !== undefined && take(`R${right.newLine}`)]
  const rows = style === "split" ? splitRows(hunk.lines) : hunk.lines.map((line) => ({ left: line, right: line }))
  const isMixed = hunk.lines.some(({ hasReturn }) => hasReturn) && hunk.lines.some(({ hasReturn }) => !hasReturn)
  const shown = (line: Line | undefined) => (isMixed && line?.hasReturn ? { ...line, showsReturn: true } : line)
  for (let at = 0; at < rows.length; at += CHUNK) {
    const part = rows.slice(at, at + CHUNK)
    yield {
      lines: part.length,
      html: html`
        <div class="diff-lines" data-rows="${part.length}">
          ${part.map(({ left, right }) => html`${lineRow(file.anchor, style, shown(left), shown(right))}${notesOf(left, right)}`)}
        </div>
      `,
    }
  }
}
