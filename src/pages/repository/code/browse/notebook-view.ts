import { plainCode } from "../../../../core/highlight/invisible.ts"
import { type Html, html } from "../../../../core/html.ts"
import { t } from "../../../../core/language/message.ts"
import { linesOf } from "../../../../core/text/lines.ts"
import type { OnCode } from "../../../../features/code/contents/locate.ts"
import { empty, notice } from "../../../../web/components.ts"
import { renderForeignHtml, renderTexts, type TextContext } from "../../../parts/texts.ts"
import type { Notebook, NotebookCell, Output } from "./notebook.ts"

/** Cells of a notebook that are shown. */
const MOST_CELLS = 500
/** How long a page waits for its texts and colours; what comes after is shown as it is written. */
const PATIENCE_MS = 3000

export interface NotebookFile {
  /** The id of the blob. */
  readonly id: string
  readonly file: NonNullable<TextContext["file"]>
  /** The address of the source. */
  readonly source: string
}

/** All texts in Markdown, of the cells and of what their code gave, in the order in which they are shown. */
const textsOf = (cells: readonly NotebookCell[]): readonly string[] =>
  cells.slice(0, MOST_CELLS).flatMap((cell) => {
    if (cell.kind === "code") return cell.outputs.flatMap((output) => (output.kind === "markdown" ? output.text : []))
    return cell.kind === "markdown" ? cell.text : []
  })

/** A notebook: its texts rendered, its code with colours, and what the code gave. */
export async function notebookView(call: OnCode, { language, cells }: Notebook, { id, file, source }: NotebookFile): Promise<Html> {
  const { highlighter } = call.services
  const until = performance.now() + PATIENCE_MS
  const left = (): number => Math.max(0, until - performance.now())
  const pre = (text: string, kind = ""): Html =>
    html`<pre class="output${kind}" dir="ltr" tabindex="0">${linesOf(text).map((line) => html`${plainCode(line)}${"\n"}`)}</pre>`
  const context: TextContext = { style: "document", file }
  const rendered = (await renderTexts(call, textsOf(cells), { ...context, isOneDocument: true })).values()
  const nextMarkdown = (): Html => html`<div class="text">${rendered.next().value}</div>`
  const output = async (each: Output): Promise<Html> => {
    switch (each.kind) {
      case "text":
        return pre(each.text, each.isError ? " failed" : "")
      case "picture":
        return html`<div class="output"><img src="data:${each.type};base64,${each.base64}" alt="A picture that the code made"></div>`
      case "markdown":
        return nextMarkdown()
      default:
        return left() === 0 ? pre(each.text) : html`<div class="text">${await renderForeignHtml(call, each.text, context)}</div>`
    }
  }
  const cell = async (each: NotebookCell, index: number): Promise<Html> => {
    if (each.kind === "markdown") return html`<div class="cell">${nextMarkdown()}</div>`
    if (each.kind !== "code") return html`<div class="cell">${pre(each.text)}</div>`
    const code = await highlighter.lines({ language, text: each.text, id: `${id}.${index}`, patienceMs: left() })
    const outputs: Html[] = []
    for (const one of each.outputs) outputs.push(await output(one))
    return html`
      <div class="cell">
        <div class="number muted small">${each.count !== undefined && `[${each.count}]`}</div>
        <pre class="source" dir="ltr" tabindex="0">${code.lines.map((line) => html`${line}${"\n"}`)}</pre>
        ${outputs}
      </div>
    `
  }
  if (cells.length === 0) return empty("file", t("The notebook is empty"))
  const shown: Html[] = []
  for (const [index, each] of cells.slice(0, MOST_CELLS).entries()) shown.push(await cell(each, index))
  return html`
    <div class="notebook">${shown}</div>
    ${
      cells.length > MOST_CELLS &&
      html`
        <div class="inside">
          ${notice("info", html`Only the first ${MOST_CELLS} cells are shown. <a href="${source}">The source</a> has the others.`)}
        </div>
      `
    }
  `
}
