import { refuse } from "../../../core/errors.ts"
import { t, type Words } from "../../../core/language/message.ts"
import { unixLines } from "../../../core/text/lines.ts"
import { compileRegex } from "../../../core/text/regex.ts"
import { isMapping } from "../../../core/yaml.ts"
import type { IssueFormField, IssueTemplate } from "./records.ts"

/** What people answer to the fields of a form, and the text of the issue that is made of it. */

/** The values of each field, by its id. Those of menus and boxes are the numbers of the chosen options. */
export type Answers = ReadonlyMap<string, readonly string[]>

type Fields = IssueTemplate["body"]

/** The name of each field's input, and of the mark before it. A page declares the names of its fields; these come from a file of the repository. */
export const ANSWERS = "answers"
export const markOf = ({ id }: Pick<IssueFormField, "id">): string => `#${id}`

export interface FormOption {
  readonly label: string
  readonly isRequired: boolean
}

export const optionsOf = ({ attributes: { options } }: IssueFormField): readonly FormOption[] =>
  (Array.isArray(options) ? options : []).map((option: unknown) =>
    isMapping(option)
      ? { label: String(option["label"] ?? ""), isRequired: option["required"] === true }
      : { label: String(option), isRequired: false },
  )

export const labelOf = ({ attributes: { label } }: IssueFormField): string => String(label ?? "")
export const isRequired = ({ validations: { required } }: IssueFormField): boolean => required === true
export const isChosen = ({ type }: IssueFormField): boolean => type === "dropdown" || type === "checkboxes"

/** Reads what was sent: each field's mark, and its values behind it. A text is exactly one value, whatever it says; the empty choice of a menu is none. */
export function readAnswers(fields: Fields, sent: readonly string[]): Answers {
  const answers = new Map<string, readonly string[]>()
  let at = 0
  for (const field of fields) {
    if (field.type === "markdown") continue
    if (sent[at] !== markOf(field)) continue
    at += 1
    const from = at
    if (isChosen(field)) while (/^\d{0,4}$/.test(sent[at] ?? "-")) at += 1
    else at += 1
    const values = sent.slice(from, at).map((text) => unixLines(text))
    answers.set(field.id, isChosen(field) ? values.filter((value) => value !== "") : values)
  }
  return answers
}

/** Refuses as `invalid` what a field does not take; the name is the field's id. */
export function checkAnswers(fields: Fields, answers: Answers): void {
  for (const field of fields) {
    if (field.type === "markdown" || !field.visible.includes("form")) continue
    const values = (answers.get(field.id) ?? []).filter((value) => value.trim() !== "")
    const wrong = isChosen(field) ? wrongChoice(field, values) : wrongText(field, values[0] ?? "")
    if (wrong !== undefined) throw refuse.invalid(field.id, wrong)
  }
}

function wrongChoice(field: IssueFormField, values: readonly string[]): Words | undefined {
  const options = optionsOf(field)
  if (values.some((value) => Number(value) >= options.length)) return t("must be one of the options")
  if (field.attributes["multiple"] !== true && field.type === "dropdown" && values.length > 1) return t("takes one option")
  const missing = options.findIndex((option, at) => option.isRequired && !values.includes(String(at)))
  if (missing >= 0) return t`needs a tick at “${options[missing]?.label ?? ""}”`
  return isRequired(field) && values.length === 0 ? t("must be answered") : undefined
}

function wrongText(field: IssueFormField, value: string): Words | undefined {
  const { is_number: isNumber, regex } = field.validations
  if (value === "") return isRequired(field) ? t("must be answered") : undefined
  if (field.type !== "input") return undefined
  if (isNumber === true && !/^[+-]?\d+(\.\d+)?$/.test(value.trim())) return t("must be a number")
  const matches = typeof regex === "string" && regex !== "" ? compileRegex(regex) : undefined
  return matches && !matches(value) ? t`must match ${String(regex)}` : undefined
}

/** The text of the issue: a heading for each field that is to be seen in it, and its answer. */
export function markdownOf(fields: Fields, answers: Answers): string {
  return fields
    .filter(({ visible }) => visible.includes("content"))
    .map((field) =>
      field.type === "markdown"
        ? String(field.attributes["value"] ?? "")
        : `### ${labelOf(field)}\n\n${answerText(field, answers.get(field.id) ?? []) || "_No response_"}`,
    )
    .join("\n\n")
}

function answerText(field: IssueFormField, values: readonly string[]): string {
  const options = optionsOf(field)
  if (field.type === "checkboxes")
    return options.map(({ label }, at) => `- [${values.includes(String(at)) ? "x" : " "}] ${label}`).join("\n")
  if (field.type === "dropdown") return values.flatMap((value) => options[Number(value)]?.label ?? []).join(", ")
  const text = (values[0] ?? "").trim()
  const { render } = field.attributes
  return text !== "" && typeof render === "string" ? fenced(text, render) : text
}

/** As a block of code, whose fence is longer than any in it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
