import { addressOf } from "../core/forms/form.ts"
import { digestsOf, SHOWN_FIELD, textIn } from "../core/forms/guards.ts"
import { attribute, type Content, flagged, type Html, html } from "../core/html.ts"
import { type Text, t } from "../core/language/message.ts"
import type { Draft, Page } from "../core/page.ts"
import type { FieldOptions } from "./components.ts"
import { type Composer, composer } from "./composer.ts"
import { problem, sentence } from "./problem.ts"

/** The view of a form that `core/forms/form.ts` declares: fields with their values, and what was typed and is wrong where it was refused. */

interface Common {
  /** The name of the field; that of a member of the operation's body, with dots for members of members. */
  readonly name: string
  readonly label: Text
  readonly hint?: Content
  /** Its value where the record has none. */
  readonly value?: string | boolean | readonly string[]
}

/** value, text, and for radio buttons and boxes a sentence about it, and what stands before it, such as a colour. */
export type Option = readonly [value: string, text: Text, about?: Content, mark?: Content]

export type Field =
  | (Common & { readonly kind: "line" } & Pick<
        FieldOptions,
        "type" | "required" | "placeholder" | "maxlength" | "autocomplete" | "autofocus"
      > & {
        /** What can be chosen, found by typing a part of it. */
        readonly options?: readonly string[]
      })
  | (Common & {
      readonly kind: "text"
      readonly rows?: number
      readonly required?: boolean
      readonly isCode?: boolean
      readonly placeholder?: Text
      /** What names the text that it was made from, for drafts; and whether what the page has is typed and not stored. */
      readonly drafted?: { readonly base: string; readonly isTyped: boolean }
    })
  /** A text in Markdown. The page names the module `composer`. */
  | (Common & { readonly kind: "markdown" } & Pick<Composer, "name" | "repository" | "rows" | "required" | "files">)
  /** A box to tick. */
  | (Common & { readonly kind: "box" })
  /** Several boxes, of one member that is a list. */
  | (Common & { readonly kind: "boxes"; readonly options: readonly Option[] })
  | (Common & { readonly kind: "menu"; readonly options: readonly Option[] })
  /** Radio buttons. */
  | (Common & { readonly kind: "choice"; readonly options: readonly Option[] })
  | { readonly kind: "hidden"; readonly name: string; readonly value: string }
  | {
      readonly kind: "file"
      readonly name: string
      readonly label: Text
      readonly hint?: Content
      readonly accept?: string
      readonly multiple?: boolean
    }
  /** Fields under a heading. */
  | { readonly kind: "group"; readonly label: Text; readonly hint?: Content; readonly fields: readonly Field[] }
  /** A field that is folded, with marks for the module that unfolds it. */
  | { readonly kind: "folded"; readonly summary: Content; readonly marks: Html; readonly field: Field }
  /** Anything else between the fields. */
  | { readonly kind: "content"; readonly content: Content }

interface FormView {
  /** The values of the path, for the address. */
  readonly path?: Readonly<Record<string, string>>
  readonly fields?: readonly Field[]
  /** The record that is changed: members named like fields are their values. */
  readonly record?: unknown
  readonly draft?: Draft | undefined
  /** The words on the button. */
  readonly submit: Content
  /** The look of the button: `primary` unless said otherwise. */
  readonly look?: "primary" | "danger" | "plain" | "small"
  /** For what can't be undone: the name that has to be typed. */
  readonly confirm?: string
  /** Beside the button. */
  readonly beside?: Content
  readonly name?: string
  /** What is typed is kept in the browser until it was sent, see `browser/drafts.ts`. */
  readonly isLong?: boolean
  /** For forms of the rows of a list: what tells this one from the others on the page. */
  readonly key?: string | number
}

/** A form, or its sketch. */
type To = Pick<Page, "id" | "address" | "upload" | "guards">

/** The form, as a POST page declares it, with its fields. */
export function formView(
  to: To,
  { path = {}, fields = [], record, draft, submit, look = "primary", confirm, beside, name = "form", isLong = false, key }: FormView,
): Html {
  const id = `${to.id}${key === undefined ? "" : `-${key}`}`.replaceAll(/[^\w-]/g, "-")
  const isSame = draft?.form === to.id && (draft.path === undefined || addressOf(to, draft.path) === addressOf(to, path))
  const refused = isSame ? draft : undefined
  const all = fields.flatMap((each) => (each.kind === "group" ? each.fields : each.kind === "folded" ? [each.field] : [each]))
  const names = all.flatMap((each) => ("name" in each && each.kind !== "hidden" ? [each.name] : []))
  const atField = refused?.refusal.field !== undefined && [...names, "confirm"].includes(refused.refusal.field)
  const view: View = { id, record, refused }
  return html`
    <form
      class="${name}"
      ${attribute("id", key === undefined && (name === "inline" || !fields.some(({ kind }) => kind !== "hidden")) ? undefined : id)}
      method="post"
      action="${addressOf(to, path)}"
      ${attribute("enctype", to.upload ? "multipart/form-data" : undefined)}
      ${attribute("data-long", isLong ? "true" : undefined)}
    >
      ${!atField && problem(refused?.refusal)}${guardView(to, view, all)}${fields.map((each) => fieldView(view, each))}
      ${confirm !== undefined && confirmField(view, confirm)}
      <div class="bar"><button class="${look === "plain" ? "" : look}">${submit}</button>${beside}</div>
    </form>
  `
}

const confirmField = (view: View, confirm: string): Content =>
  fieldView(view, { kind: "line", name: "confirm", label: t("Type {confirm} to confirm", { confirm }), required: true })

/** What the page shows of the guarded fields. After another refusal than that of the guard, it is still what the reader began with. */
function guardView({ guards = [] }: To, view: View, fields: readonly Field[]): Content {
  const { record, refused } = view
  const guarded = fields.filter((each): each is Extract<Field, Common> => "name" in each && guards.includes(each.name))
  if (guarded.length === 0) return undefined
  const shown = new Map(guarded.map((each) => [each.name, valuesOf({ record, refused: undefined }, each)[0] ?? ""]))
  const isTold = refused?.theirs !== undefined && refused.theirs.length > 0
  const digests = (isTold ? undefined : refused?.typed[SHOWN_FIELD]?.[0]) ?? digestsOf(shown)
  return html`<input type="hidden" name="${SHOWN_FIELD}" value="${digests}">`
}

/** A form of nothing but a button: `formView` without fields, small. It has no id, so that a list may have many of it. */
export const formButton = (
  to: To,
  path: Readonly<Record<string, string>>,
  text: Content,
  hidden: Readonly<Record<string, string>> = {},
  draft?: Draft,
): Html =>
  formView(to, {
    path,
    draft,
    submit: text,
    look: "small",
    name: "inline",
    fields: Object.entries(hidden).map(([name, value]) => ({ kind: "hidden", name, value })),
  })

/** What is seldom wanted, such as a form for what can't be undone: unfolded where the form was refused. */
export const unfold = (to: Pick<Page, "id">, draft: Draft | undefined, title: Text, content: Content): Html =>
  html`
    <details ${flagged("open", draft?.form === to.id)}>
      <summary>${title}</summary>
      <div class="stack">${content}</div>
    </details>
  `

interface View {
  readonly id: string
  readonly record: unknown
  readonly refused: Draft | undefined
}

/** A field; below it what others have written there meanwhile. */
function fieldView(view: View, given: Field): Html {
  const drawn = drawField(view, given)
  if (!("name" in given) || !("label" in given) || view.refused?.theirs?.includes(given.name) !== true) return drawn
  return html`
    ${drawn}
    <section class="theirs" aria-label="${given.label}, as it is now">
      <p class="small muted">Current value, changed while you were editing:</p>
      <pre class="wrapped" dir="auto">${textIn(view.record, given.name)}</pre>
    </section>
  `
}

function drawField(view: View, given: Field): Html {
  switch (given.kind) {
    case "content":
      return html`${given.content}`
    case "hidden":
      return html`<input type="hidden" name="${given.name}" value="${given.value}">`
    case "group":
      return html`
        <fieldset>
          <legend>${given.label}</legend>
          ${given.hint && html`<p class="hint">${given.hint}</p>`}
          ${given.fields.map((each) => fieldView(view, each))}
        </fieldset>
      `
    case "folded":
      return html`
        <details class="picker" ${given.marks}>
          <summary class="button small">${given.summary}</summary>
          ${fieldView(view, given.field)}
        </details>
      `
    case "markdown": {
      const { id, fault } = aroundOf(view, given)
      return composer({ ...given, id, value: firstOf(view, given), fault })
    }
    case "box":
      return boxField(view, given)
    case "choice":
    case "boxes":
      return choiceField(view, given)
    default:
      return labelledField(view, given)
  }
}

interface Around {
  readonly id: string
  readonly fault: Text | undefined
  /** The attributes of the field itself that tell of its hint and its fault. */
  readonly marks: Html
  readonly hint: Content
  readonly faultView: Content
}

/** What is around a field of any kind. */
function aroundOf(view: View, { name, hint }: Pick<Common, "name" | "hint">): Around {
  const id = `${view.id}-${name}`.replaceAll(/[.\s]/g, "-")
  const fault = view.refused?.refusal.field === name ? sentence(view.refused.refusal.said) : undefined
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ")
  return {
    id,
    fault,
    marks: html`${attribute("aria-invalid", fault ? "true" : undefined)} ${attribute("aria-describedby", described || undefined)}`,
    hint: hint && html`<span class="hint" id="${id}-hint">${hint}</span>`,
    faultView: fault && html`<span class="fault" id="${id}-fault">${fault}</span>`,
  }
}

type OfKind<Kind extends Field["kind"]> = Extract<Field, { readonly kind: Kind }>

/** A field below its label. */
function labelledField(view: View, given: OfKind<"line" | "text" | "menu" | "file">): Html {
  const around = aroundOf(view, given)
  return html`
    <div class="field">
      <label for="${around.id}">${given.label}</label>
      ${
        given.kind === "line"
          ? lineInput(view, given, around)
          : given.kind === "text"
            ? textInput(view, given, around)
            : given.kind === "menu"
              ? menuInput(view, given, around)
              : html`
                <input
                  id="${around.id}"
                  type="file"
                  name="${given.name}"
                  required
                  accept="${given.accept ?? ""}"
                  ${flagged("multiple", given.multiple ?? false)}
                  ${around.marks}
                >
              `
      }
      ${around.hint}${around.faultView}
    </div>
  `
}

const lineInput = (view: View, given: OfKind<"line">, { id, marks }: Around): Html =>
  html`
    ${
      given.options &&
      html`
        <datalist id="${id}-options">
          ${given.options.map((each) => html`<option value="${each}"></option>`)}
        </datalist>
      `
    }
    <input
      id="${id}"
      ${attribute("list", given.options && `${id}-options`)}
      name="${given.name}"
      type="${given.type ?? "text"}"
      value="${given.type === "password" ? "" : firstOf(view, given)}"
      placeholder="${given.placeholder ?? ""}"
      autocomplete="${given.autocomplete ?? "off"}"
      maxlength="${given.maxlength ?? 1000}"
      dir="auto"
      ${flagged("required", given.required ?? false)}
      ${flagged("autofocus", given.autofocus ?? false)}
      ${marks}
    >
  `

/** Code is written from left to right. To find a direction, Chromium looks at all lines for each of them: 15 seconds for 1 MiB. */
const textInput = (view: View, given: OfKind<"text">, { id, marks }: Around): Html =>
  html`
    <textarea
      id="${id}"
      name="${given.name}"
      rows="${given.rows ?? 4}"
      class="${given.isCode ? "mono" : ""}"
      placeholder="${given.placeholder ?? ""}"
      dir="${given.isCode ? "ltr" : "auto"}"
      ${flagged("required", given.required ?? false)}
      ${attribute("data-base", given.drafted?.base)}
      ${attribute("data-typed", given.drafted?.isTyped ? "true" : undefined)}
      ${marks}
    >
      ${"\n"}${firstOf(view, given)}
    </textarea>
  `

function menuInput(view: View, given: OfKind<"menu">, { id, marks }: Around): Html {
  const chosen = firstOf(view, given)
  return html`
    <select id="${id}" name="${given.name}" ${marks}>
      ${given.options.map(([value, text]) => html`<option value="${value}" ${flagged("selected", value === chosen)}>${text}</option>`)}
    </select>
  `
}

function boxField(view: View, given: OfKind<"box">): Html {
  const { id, marks, hint, faultView } = aroundOf(view, given)
  return html`
    <div class="field check">
      <input
        id="${id}"
        type="checkbox"
        name="${given.name}"
        value="true"
        ${flagged("checked", firstOf(view, given) === "true")}
        ${marks}
      >
      <label for="${id}">${given.label}</label>${hint}${faultView}
    </div>
  `
}

function choiceField(view: View, given: OfKind<"choice" | "boxes">): Html {
  const { id, hint, faultView } = aroundOf(view, given)
  const values = valuesOf(view, given)
  return html`
    <fieldset class="field">
      <legend>${given.label}</legend>
      ${hint}
      ${given.options.map(
        ([value, text, about, mark], index) =>
          html`
            <div class="check">
              <input
                id="${id}-${index}"
                type="${given.kind === "choice" ? "radio" : "checkbox"}"
                name="${given.name}"
                value="${value}"
                ${flagged("checked", values.includes(value))}
                ${attribute("aria-describedby", about ? `${id}-${index}-hint` : undefined)}
              >
              <label for="${id}-${index}">${mark}${text}</label>
              ${about && html`<span class="hint" id="${id}-${index}-hint">${about}</span>`}
            </div>
          `,
      )}
      ${faultView}
    </fieldset>
  `
}

const firstOf = (view: View, given: Common): string => valuesOf(view, given)[0] ?? ""

/** What was typed before the refusal, else what the record has, else the field's own value. */
function valuesOf({ record, refused }: Pick<View, "record" | "refused">, { name, value }: Common): readonly string[] {
  if (refused) return refused.typed[name] ?? []
  const known = memberOf(record, name.split(".")) ?? value ?? ""
  return Array.isArray(known) ? known.map(String) : [String(known)]
}

function memberOf(record: unknown, [name = "", ...inside]: readonly string[]): unknown {
  if (typeof record !== "object" || record === null) return undefined
  const value = Object.entries(record).find(([key]) => key === name)?.[1] ?? undefined
  return inside.length === 0 ? value : memberOf(value, inside)
}
