import type { Refusal } from "../../../core/errors.ts"
import { attribute, flagged, type Html, html } from "../../../core/html.ts"
import type { Text } from "../../../core/language/message.ts"
import {
  ANSWERS,
  type Answers,
  isChosen,
  isRequired,
  labelOf,
  markOf,
  optionsOf,
} from "../../../features/planning/issue-templates/answers.ts"
import type { IssueFormField } from "../../../features/planning/issue-templates/records.ts"
import { sentence } from "../../../web/problem.ts"

/** The fields of a form for issues as a page shows them. */

interface FormView {
  /** The texts between the fields, rendered, by their places. */
  readonly texts: ReadonlyMap<number, Html>
  /** What was answered before it was refused. */
  readonly answers?: Answers | undefined
  readonly refusal?: Refusal | undefined
}

export const formFields = (fields: readonly IssueFormField[], view: FormView): Html =>
  html`
    ${fields.map((field, at) =>
      field.visible.includes("form") ? (field.type === "markdown" ? view.texts.get(at) : fieldView(field, view)) : undefined,
    )}
  `

/** What the kinds of fields have alike. */
interface Parts {
  readonly field: IssueFormField
  readonly id: string
  readonly values: readonly string[]
  readonly label: Html
  /** Marks for the element: that it must be filled, that it is wrong, and what describes it. */
  readonly marks: Html
  readonly required: Html
  readonly placeholder: Text
  /** Says which field the next answers are of. */
  readonly mark: Html
  /** The hint, and what is wrong. */
  readonly below: Html
}

function partsOf(field: IssueFormField, { answers, refusal }: FormView): Parts {
  const { attributes } = field
  const id = `answer-${field.id}`
  const about = String(attributes["description"] ?? "")
  const fault = refusal?.field === field.id ? sentence(refusal.said) : undefined
  const described = [about && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ")
  return {
    field,
    id,
    values: answers ? (answers.get(field.id) ?? []) : startOf(field),
    label: html`<span dir="auto">${labelOf(field)}</span>${isRequired(field) && REQUIRED}`,
    marks: html`${attribute("aria-invalid", fault ? "true" : undefined)} ${attribute("aria-describedby", described || undefined)}`,
    required: flagged("required", isRequired(field)),
    placeholder: String(attributes["placeholder"] ?? ""),
    mark: html`<input type="hidden" name="${ANSWERS}" value="${markOf(field)}">`,
    below: html`
      ${about !== "" && html`<span class="hint" id="${id}-hint" dir="auto">${about}</span>`}
      ${fault && html`<span class="fault" id="${id}-fault">${fault}</span>`}
    `,
  }
}

const REQUIRED = html` <span class="muted small">required</span>`

function fieldView(field: IssueFormField, view: FormView): Html {
  const parts = partsOf(field, view)
  if (field.type === "textarea") return labelled(parts, textArea(parts))
  if (!isChosen(field)) return labelled(parts, line(parts))
  return field.type === "dropdown" && field.attributes["multiple"] !== true ? labelled(parts, choice(parts)) : boxes(parts)
}

const labelled = ({ id, mark, label, below }: Parts, input: Html): Html =>
  html`
    <div class="field">
      ${mark}<label for="${id}">${label}</label>
      ${input}${below}
    </div>
  `

const textArea = ({ field, id, values: [first = ""], placeholder, required, marks }: Parts): Html =>
  html`
    <textarea
      id="${id}"
      name="${ANSWERS}"
      rows="6"
      class="${field.attributes["render"] === undefined ? "" : "mono"}"
      placeholder="${placeholder}"
      dir="auto"
      ${required}
      ${marks}
    >
      ${"\n"}${first}
    </textarea>
  `

const line = ({ id, values: [first = ""], placeholder, required, marks }: Parts): Html =>
  html`
    <input
      id="${id}"
      name="${ANSWERS}"
      value="${first}"
      placeholder="${placeholder}"
      maxlength="1000"
      autocomplete="off"
      dir="auto"
      ${required}
      ${marks}
    >
  `

const choice = ({ field, id, values, required, marks }: Parts): Html =>
  html`
    <select id="${id}" name="${ANSWERS}" ${required} ${marks}>
      <option value="">Choose one</option>
      ${optionsOf(field).map(
        (option, at) => html`<option value="${at}" ${flagged("selected", values.includes(String(at)))}>${option.label}</option>`,
      )}
    </select>
  `

const boxes = ({ field, id, values, marks, mark, label, below }: Parts): Html =>
  html`
    <fieldset class="field" ${marks}>
      ${mark}
      <legend>${label}</legend>
      ${below}
      ${optionsOf(field).map(
        (option, at) =>
          html`
            <div class="check">
              <input
                id="${id}-${at}"
                type="checkbox"
                name="${ANSWERS}"
                value="${at}"
                ${flagged("checked", values.includes(String(at)))}
                ${flagged("required", option.isRequired)}
              >
              <label for="${id}-${at}" dir="auto">${option.label}${option.isRequired && REQUIRED}</label>
            </div>
          `,
      )}
    </fieldset>
  `

function startOf({ attributes: { value, default: chosen } }: IssueFormField): readonly string[] {
  if (Number.isInteger(chosen)) return [String(chosen)]
  return value === undefined ? [] : [String(value)]
}
