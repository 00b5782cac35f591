import { attribute, type Content, flagged, type Html, html } from "../core/html.ts"
import { type Text, t } from "../core/language/message.ts"
import { menu } from "./components.ts"
import { icon } from "./icon.ts"
import type { IconName } from "./icon-names.ts"

/** Where people write a text in Markdown: with a preview, and with scripts a toolbar, completion of names, and drafts. The page names the module `composer`. */

/** How the field of a text may be named: the preview knows these. */
export const COMPOSED = ["body", "content", "description", "message", "note", "text"] as const

/** The button that sends the form to attach files, with the name of the text's field; and the field of the files. See `servers/web/pages/attach.ts`. */
export const ATTACH = "attach"
export const FILES = "attach_files"

export interface Composer {
  readonly name: (typeof COMPOSED)[number]
  readonly label: Text
  readonly value?: string
  /** The path of the repository that the text belongs to. */
  readonly repository: string
  /** Where a page has several: unique on it. The name unless said otherwise. */
  readonly id?: string
  readonly rows?: number
  readonly required?: boolean
  readonly autofocus?: boolean
  readonly hint?: Content
  /** Whether files can be attached to the text: those of issues, comments and reviews. */
  readonly files?: boolean
  /** What is wrong with the text, as a sentence. */
  readonly fault?: Text | undefined
  /** Texts that the writer has saved, and where they are kept. The form's address takes the number of one in `reply`, and shows the page with it in the field. */
  readonly replies?: { readonly saved: readonly { readonly id: number; readonly name: string }[]; readonly at: string } | undefined
}

const TOOLS: readonly (readonly [tool: Text, name: IconName, label: Text])[] = [
  ["heading", "heading", t("Heading")],
  ["bold", "bold", t("Bold")],
  ["italic", "italic", t("Italic")],
  ["quote", "quote", t("Quote")],
  ["code", "code", t("Code")],
  ["link", "link", t("Link|markup")],
  ["bullets", "list-unordered", t("List")],
  ["numbers", "list-ordered", t("Numbered list")],
  ["tasks", "tasklist", t("Task list")],
]

/** The menu of saved texts. Without scripts, its buttons send the form. */
const repliesMenu = ({ saved, at }: NonNullable<Composer["replies"]>): Html =>
  menu(
    t("Saved replies"),
    html`
      ${saved.map(
        ({ id, name }) =>
          html`<button class="quiet" name="reply" value="${id}" formnovalidate data-reply="${at}/${id}/text"><bdi>${name}</bdi></button>`,
      )}
      <a href="${at}" rel="nofollow">${icon("gear")}${saved.length > 0 ? t("Change them") : t("Save one")}</a>
    `,
    { starts: true },
  )

const HINT = t("Markdown is supported. @name mentions a user, #1 an issue.")

/** The buttons of `browser/markdown-tools.ts`. */
export const formatTools = (): Html =>
  html`
    <div class="tools" role="group" aria-label="Format">
      ${TOOLS.map(
        ([tool, picture, words]) =>
          html`
            <button type="button" class="quiet small" data-tool="${tool}" aria-label="${words}" title="${words}">
              ${icon(picture)}
            </button>
          `,
      )}
    </div>
  `

/** The field, to stand in a form that posts. */
export function composer(options: Composer): Html {
  const { name, label, value = "", repository, id = name, rows = 8, hint = HINT, fault } = options
  const described = `${id}-hint${fault ? ` ${id}-fault` : ""}`
  // The first button of a form is pressed by Enter in any of its fields: that must not be the preview.
  return html`
    <div class="field composer" data-complete="${repository}/complete">
      <button hidden>Send</button><label for="${id}">${label}</label>
      ${formatTools()}
      <div class="write">
        <textarea
          id="${id}"
          name="${name}"
          rows="${rows}"
          dir="auto"
          autocomplete="off"
          ${flagged("required", options.required ?? false)}
          ${flagged("autofocus", options.autofocus ?? false)}
          ${attribute("aria-invalid", fault ? "true" : undefined)}
          aria-describedby="${described}"
        >
          ${"\n"}${value}
        </textarea>
      </div>
      <div class="bar between">
        <span class="hint" id="${id}-hint">${hint}</span>
        <span class="bar">
          ${options.replies && repliesMenu(options.replies)}
          <button
            class="small"
            formaction="${repository}/preview"
            formtarget="_blank"
            formnovalidate
            name="preview"
            value="${name}"
          >
            Preview
          </button>
        </span>
      </div>
      ${options.files && attaching(id, name, repository)}
      ${fault && html`<span class="fault" id="${id}-fault">${fault}</span>`}
    </div>
  `
}

/** The files are chosen and sent with the whole form, which is then shown again; with scripts they are sent at once, also when they are pasted or dropped. */
const attaching = (id: string, name: string, repository: string): Html =>
  html`
    <div class="bar attach" data-attach="${repository}/attachments">
      <input class="small" id="${id}-files" type="file" name="${FILES}" multiple>
      <label class="button small" for="${id}-files">${icon("paperclip")} Attach files</label>
      <span class="hint">or paste and drop them into the text</span>
      <button class="small" name="${ATTACH}" value="${name}" formenctype="multipart/form-data" formnovalidate>
        Attach
      </button>
    </div>
  `
