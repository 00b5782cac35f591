import type { User } from "../../../core/actor.ts"
import { attribute, type Content, flagged, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { Page } from "../../../core/page.ts"
import type { Offered } from "../../../features/planning/issues/filter-store.ts"
import type { IssueView } from "../../../features/planning/issues/present.ts"
import type { NamedTime } from "../../../features/planning/tracking/store.ts"
import { type Field, formView } from "../../../web/form.ts"
import { type Creates, pickerMarks } from "../picker.ts"
import type { ConversationCall } from "./call.ts"
import type { ConversationForms } from "./forms.ts"

/** What the sections beside a conversation are made of. */

interface SectionOptions {
  /** Said where there is no content. */
  readonly none?: Text
  /** The forms that change it. */
  readonly change?: Content
}

/** One without content says so, and is left out where there is little room. */
export function sideSection(title: Text, content: Content, { none = t("None"), change }: SectionOptions = {}): Html {
  const isUnset = !content && !change
  return html`
    <section
      id="side-${String(title)
        .toLowerCase()
        .replace(/[^a-z]+/g, "-")}"
      data-live
      ${attribute("class", isUnset ? "unset" : undefined)}
    >
      <h2>${title}</h2>
      ${content || html`<p class="muted small">${none}</p>`}
      ${change}
    </section>
  `
}

/** What the reader may change, with what they choose from. */
export interface Choices {
  readonly me: User | undefined
  readonly writes: boolean
  readonly offered: Offered
  readonly candidates: readonly User[]
  readonly books: boolean
  readonly times: readonly NamedTime[]
  /** Since when their stopwatch runs. */
  readonly running: number | undefined
  readonly isSubscribed: boolean
}

export interface Side {
  readonly call: ConversationCall
  readonly view: IssueView
  readonly forms: ConversationForms
  readonly choices: Choices
  /** The path of the repository. */
  readonly at: string
}

/** A form of one field that opens below what it changes. */
export const change = ({ call }: Side, form: Page, words: Text, field: Field): Content =>
  opened(call, form, words, oneField(call, form, field))

const oneField = ({ path, draft }: ConversationCall, form: Page, field: Field): Html =>
  formView(form, { path, draft, submit: t("Save"), look: "small", fields: [field] })

/** The same for what is chosen of many: the module `picker` makes a menu of it, with a search, which saves what was chosen when it is closed. */
export const pick = ({ call }: Side, form: Page, words: Text, field: Field, search: Text, creates?: Creates): Content =>
  html`
    <details class="change picker" ${flagged("open", call.draft?.form === form.id)} ${pickerMarks("save", search, creates)}>
      <summary class="small">${words}</summary>
      ${oneField(call, form, field)}
    </details>
  `

/** A form that is opened by a button; it is open where it was refused. */
export const opened = ({ draft }: ConversationCall, form: Pick<Page, "id">, words: Text, content: Content): Html =>
  html`
    <details class="change" ${flagged("open", draft?.form === form.id)}>
      <summary class="small">${words}</summary>
      ${content}
    </details>
  `
