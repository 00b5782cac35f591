import type { Refusal } from "../../../core/errors.ts"
import { attribute, flagged, type Html, html } from "../../../core/html.ts"
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

function fieldView(field: IssueFormField, { answers, refusal }: FormView): Html {
  const { attributes } = field
  const id = `answer-${field.id}`
  const values = answers ? (answers.get(field.id) ?? []) : startOf(field)
  const about = String(attributes["description"] ?? "")
  const fault = refusal?.field === field.id ? sentence(refusal.message) : undefined
  const described = [about && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ")
  const marks = html`${attribute("aria-invalid", fault ? "true" : undefined)} ${attribute("aria-describedby", described || undefined)}`
  const mark = html`<input type="hidden" name="${ANSWERS}" value="${markOf(field)}">`
  const label = html`<span dir="auto">${labelOf(field)}</span>${isRequired(field) && html` <span class="muted small">required</span>`}`
  const hint = about !== "" && html`<span class="hint" id="${id}-hint" dir="auto">${about}</span>`
  const below = html`${hint}${fault && html`<span class="fault" id="${id}-fault">${fault}</span>`}`
  const placeholder = String(attributes["placeholder"] ?? "")
  const required = flagged("required", isRequired(field))
  const [first = ""] = values
  if (field.type === "textarea")
    return html`
      <div class="field">
        ${mark}<label for="${id}">${label}</label>
        <textarea
          id="${id}"
          name="${ANSWERS}"
          rows="6"
          class="${attributes["render"] === undefined ? "" : "mono"}"
          placeholder="${placeholder}"
          dir="auto"
          ${required}
          ${marks}
        >
          ${"\n"}${first}
        </textarea>
        ${below}
      </div>
    `
  if (!isChosen(field))
    return html`
      <div class="field">
        ${mark}<label for="${id}">${label}</label>
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
        ${below}
      </div>
    `
  const options = optionsOf(field)
  if (field.type === "dropdown" && attributes["multiple"] !== true)
    return html`
      <div class="field">
        ${mark}<label for="${id}">${label}</label>
        <select id="${id}" name="${ANSWERS}" ${required} ${marks}>
          <option value="">Choose one</option>
          ${options.map(
            (option, at) => html`<option value="${at}" ${flagged("selected", values.includes(String(at)))}>${option.label}</option>`,
          )}
        </select>
        ${below}
      </div>
    `
  return html`
    <fieldset class="field" ${marks}>
      ${mark}
      <legend>${label}</legend>
      ${below}
      ${options.map(
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
              <label for="${id}-${at}" dir="auto">
                ${option.label}${option.isRequired && html` <span class="muted small">required</span>`}
              </label>
            </div>
          `,
      )}
    </fieldset>
  `
}

function startOf({ attributes: { value, default: chosen } }: IssueFormField): readonly string[] {
  if (Number.isInteger(chosen)) return [String(chosen)]
  return value === undefined ? [] : [String(value)]
}
