import { escapeHtml } from "../text/html.ts"
import type { Renderer } from "./renderer.ts"
import type { Rendering, Resolve } from "./rendering.ts"
import type { Task } from "./thread.ts"

/**
 * The one way from a text that users write to HTML: for the API, pages, feeds and mails. It knows no feature: what names of people, issues and
 * commits lead to is asked of a function that the caller gives. The parsers are loaded by the first call.
 */

/** Longer texts, in UTF-16 units, are shown as they are written, and cut there. */
export const LONGEST_MARKUP = 512 * 1024

/**
 * Markdown as HTML that is safe to be put into a page. Time and size are linear in the text; longer texts than `LONGEST_MARKUP`, deeply nested ones
 * and those that take too long come out as they are written, cut at that length. Refuses `busy` where too many texts are waiting.
 */
export const renderMarkdown = async (text: string, { resolve, ...rendering }: Rendering): Promise<string> =>
  render({ kind: "markdown", text, rendering, resolves: resolve !== undefined }, resolve)

/** HTML that a text has, such as the output of a program: what of it is safe. As for Markdown otherwise; nothing in it is a mention. */
export const renderHtml = async (text: string, rendering: Omit<Rendering, "resolve">): Promise<string> =>
  render({ kind: "html", text, rendering }, undefined)

/** Values separated by this character as a table, whose first line is its head. As for Markdown otherwise. */
export const renderTable = async (text: string, separator: string): Promise<string> => render({ kind: "table", text, separator }, undefined)

/**
 * A text in Markdown with one of its task boxes ticked, or open: that of the name that its page had, or on a line, counted from 1. Undefined where it isn't clear which box is meant,
 * or the text is too long.
 */
export const tickTask = async (text: string, box: string, isDone: boolean): Promise<string | undefined> =>
  text.length > LONGEST_MARKUP ? undefined : (await opened()).render({ kind: "tick", text, box, isDone }, undefined)

let renderer: Promise<Renderer> | undefined

function opened(): Promise<Renderer> {
  renderer ??= import("./renderer.ts").then(({ openRenderer }) => openRenderer())
  return renderer
}

async function render(task: Task, resolve: Resolve | undefined): Promise<string> {
  if (task.text.length > LONGEST_MARKUP) return asWritten(task.text)
  return (await (await opened()).render(task, resolve)) ?? asWritten(task.text)
}

/** No longer than what would be rendered: an older text, or a file, may be much longer. */
const asWritten = (text: string): string =>
  text.length > LONGEST_MARKUP
    ? `<pre>${escapeHtml(text.slice(0, LONGEST_MARKUP).toWellFormed())}…</pre>\n`
    : `<pre>${escapeHtml(text)}</pre>\n`
