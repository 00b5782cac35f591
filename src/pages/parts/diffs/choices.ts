import { attribute, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { type Moved, moved, type Reader } from "../../../core/page.ts"
import { oneOf } from "../../../core/record.ts"
import Type, { type Static, type TObject } from "../../../core/schema.ts"
import { withQuery } from "../../../web/address.ts"
import { menu } from "../../../web/components.ts"
import { CHOICES, DIFF_CHOICES_PATH, type DiffChoices, readDiffChoices } from "../../../web/diff-choices.ts"
import { icon } from "../../../web/icon.ts"
import { anchorOf } from "./diffs.ts"
import type { Whitespace } from "./model.ts"

/** How readers want differences. What they choose on a page their browser keeps; the query of an address counts more, for that page. */

/** The query of each page with a difference. */
export const diffFields = {
  style: Type.Optional(oneOf(CHOICES.style)),
  whitespace: Type.Optional(oneOf(CHOICES.whitespace)),
  lines: Type.Optional(oneOf(CHOICES.lines)),
  /** One file on a page of its own. */
  file: Type.Optional(Type.String()),
  /** With `file`: the whole file around the changes. */
  context: Type.Optional(oneOf(["all"])),
  /** Of a difference that is shown in parts: the place of the first file, from 0, and whether the script asks for this part alone. */
  start: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  part: Type.Optional(oneOf(["alone"])),
  // As links of older forges have it.
  files: Type.Optional(Type.Array(Type.String())),
  "skip-to": Type.Optional(Type.String()),
  "file-only": Type.Optional(Type.Boolean()),
}

export type DiffQuery = Static<TObject<typeof diffFields>>

/** The choices for a page. */
export function choicesFor({ query, reader }: { readonly query: DiffQuery; readonly reader: Pick<Reader, "diffs"> }): DiffChoices {
  const { style, whitespace, lines } = query
  const kept = readDiffChoices(reader.diffs)
  return { style: style ?? kept.style, whitespace: whitespace ?? kept.whitespace, lines: lines ?? kept.lines }
}

/** Where an address with the older names of the query leads: to one file alone, or to its place on the page. */
export function fromOlderQuery({ query, reader }: { readonly query: DiffQuery; readonly reader: Pick<Reader, "url"> }): Moved | undefined {
  const { files: [file] = [], "skip-to": next } = query
  const names = { files: undefined, "file-only": undefined, "skip-to": undefined }
  if (file) return moved(withQuery(reader.url, { ...names, file }))
  return next ? moved(`${withQuery(reader.url, names)}#${anchorOf(next)}`) : undefined
}

const WHITESPACE_TEXTS: Readonly<Record<Whitespace, Text>> = {
  "show-all": t("Show whitespace changes"),
  "ignore-change": t("Ignore changes in amount of whitespace"),
  "ignore-all": t("Ignore all whitespace"),
  "ignore-eol": t("Ignore whitespace at line ends"),
}
const LINES_TEXTS = { wrap: t("Wrap long lines"), long: t("Scroll long lines") } as const

/** Buttons for all choices: each is kept, and shows the page again. */
export function choiceForm(chosen: DiffChoices): Html {
  const button = (name: keyof DiffChoices, value: string, text: Text, className = ""): Html =>
    html`
      <button
        class="${className}"
        name="${name}"
        value="${value}"
        ${attribute("aria-pressed", chosen[name] === value ? "true" : "false")}
      >
        ${className === "" && (chosen[name] === value ? icon("check") : html`<span class="icon"></span>`)}${text}
      </button>
    `
  return html`
    <form class="bar" method="post" action="${DIFF_CHOICES_PATH}" aria-label="How differences are shown">
      <div class="group" role="group" aria-label="Style">
        ${button("style", "unified", t("Unified"), "small")}${button("style", "split", t("Split"), "small")}
      </div>
      ${menu(
        html`${icon("gear")}Lines${chosen.whitespace !== "show-all" && t(": whitespace ignored")}`,
        html`
          <p>Whitespace</p>
          ${CHOICES.whitespace.map((value) => button("whitespace", value, WHITESPACE_TEXTS[value]))}
          <hr>
          <p>Long lines</p>
          ${CHOICES.lines.map((value) => button("lines", value, LINES_TEXTS[value]))}
        `,
      )}
    </form>
  `
}
