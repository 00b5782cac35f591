import type { OnPull } from "../../../access/policies/pulls.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Draft } from "../../../core/page.ts"
import { takesFiles } from "../../../features/planning/attachments/keep.ts"
import { repositoryPath, withQuery } from "../../../web/address.ts"
import { type Field, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { type ConversationCall, conversationPath } from "../../parts/conversation/call.ts"
import { lineComment } from "./review-forms.ts"
import { linesIn } from "./reviews-view.ts"

/** The form for a comment on lines: a box below them, or with fields where the lines are still to be chosen. */

type Call = ConversationCall & OnPull & { readonly draft?: Draft | undefined }

/** The lines of a file that a comment is about. */
export interface Lines {
  readonly path: string
  readonly side: "L" | "R"
  readonly first: number
  /** 0 where they are not chosen yet. */
  readonly last: number
}

const PLACE = /^(.+):([LR]):(\d{1,9})(?:-(\d{1,9}))?$/

/** Lines as addresses have them: `path:R:3-7`, or `path:R:0` where they are to be chosen. */
export function linesAsked(text: string | undefined): Lines | undefined {
  const [, path, side, from = "", to = from] = PLACE.exec(text ?? "") ?? []
  if (path === undefined) return undefined
  const [first, last] = [Math.min(Number(from), Number(to)), Math.max(Number(from), Number(to))]
  return { path, side: side === "L" ? "L" : "R", first: first === 0 ? last : first, last }
}

/** The lines of a form that was refused. */
export function linesRefused(draft: Draft | undefined): Lines | undefined {
  if (draft?.form !== lineComment.id) return undefined
  const typed = (name: string): string => draft.typed[name]?.[0] ?? ""
  const [first, last] = [Number(typed("first")) || 0, Number(typed("last")) || Number(typed("first")) || 0]
  const [from, to] = [Math.min(first, last), Math.min(Math.max(first, last), 1_000_000_000)]
  return typed("path") === "" ? undefined : { path: typed("path"), side: typed("side") === "L" ? "L" : "R", first: from, last: to }
}

/** The address of the page about these lines. */
export const linesPath = (call: Call, { path, side, first, last }: Lines): string =>
  withQuery(`${conversationPath(call)}/lines`, { comment: `${path}:${side}:${first}-${last}` })

interface Options {
  /** The reader has a review that is not submitted yet: the comment becomes a part of it. */
  readonly isPending: boolean
  /** What the text begins with. */
  readonly text?: string
}

/** The box for a comment on these lines. The script makes others of the one that a page has as a template. */
export function lineBox(call: Call, lines: Lines, { isPending, text = "" }: Options): Html {
  const { path, side, first, last } = lines
  return lineFormView(call, { isPending, text }, [
    { kind: "hidden", name: "path", value: path },
    { kind: "hidden", name: "side", value: side },
    { kind: "hidden", name: "first", value: String(first) },
    { kind: "hidden", name: "last", value: String(last) },
    {
      kind: "content",
      content: html`
        <div class="bar between">
          <span class="strong small" data-lines>${linesIn(side === "L" ? -last : last, last - first + 1)}</span>
          ${
            side === "R" &&
            html`
              <a
                class="button small"
                data-suggest
                ${path !== "" && html`href="${withQuery(linesPath(call, lines), { suggest: true })}"`}
                rel="nofollow"
                title="Suggest a change of these lines (Ctrl+G)"
              >
                ${icon("file-diff")}Suggest a change
              </a>
            `
          }
        </div>
      `,
    },
  ])
}

/** The form with fields for the lines: where they are not chosen yet, and where it was refused. */
export function linesForm(call: Call, { path, side, first, last }: Lines, options: Options): Html {
  const number = (line: number): string => (line > 0 ? String(line) : "")
  return lineFormView(
    call,
    options,
    [
      { kind: "hidden", name: "path", value: path },
      {
        kind: "content",
        content: html`
        <p class="mono break small"><bdi>${path}</bdi></p>
        <div class="bar lines">
      `,
      },
      { kind: "line", name: "first", label: t("From line"), type: "number", value: number(first), required: true },
      { kind: "line", name: "last", label: "to", type: "number", value: number(last) },
      {
        kind: "menu",
        name: "side",
        label: t("of the"),
        value: side,
        options: [
          ["R", t("new file")],
          ["L", t("old file")],
        ],
      },
      { kind: "content", content: html`</div>` },
    ],
    "lines",
  )
}

const HINT = t("Markdown is supported; code fenced as ```suggestion replaces the lines.")

function lineFormView(call: Call, { isPending, text }: Options, about: readonly Field[], key?: string): Html {
  const { path, draft, services } = call
  return formView(lineComment, {
    path,
    draft,
    ...(key !== undefined && { key }),
    name: "form line-form",
    submit: isPending ? t("Add to your review") : t("Start a review"),
    beside: !isPending && single,
    fields: [
      ...about,
      { kind: "hidden", name: "action", value: "review" },
      {
        kind: "markdown",
        name: "text",
        label: t("Comment"),
        value: text ?? "",
        rows: 4,
        required: true,
        repository: repositoryPath(call),
        files: takesFiles(services),
        hint: HINT,
      },
    ],
  })
}

const single: Content = html`
  <button name="action" value="comment" data-with-shift title="Add single comment (Ctrl+Shift+Enter)">
    Add single comment
  </button>
`

/** Code in a fence that is longer than those in it. */
export function suggestionOf(lines: readonly string[]): string {
  const longest = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([ticks]) => ticks.length)))
  const fence = "`".repeat(longest + 1)
  return [`${fence}suggestion`, ...lines, fence, ""].join("\n")
}
