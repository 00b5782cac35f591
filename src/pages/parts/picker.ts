import type { User } from "../../core/actor.ts"
import { attribute, type Content, type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import type { Offered } from "../../features/planning/issues/filter-store.ts"
import { avatar, dot } from "../../web/components.ts"
import type { Field, Option } from "../../web/form.ts"

/** What an issue is given: labels, people, a milestone and projects, as fields of a form, of which the module `picker` makes menus with a search. */

/** Where something new is made of what was typed, with the words for it; `{name}` stands for what was typed. */
export interface Creates {
  readonly address: string
  readonly words: Text
}

export const labelsCreatedAt = (repository: string): Creates => ({
  address: `${repository}/labels/new`,
  words: t("Create the label “{name}”", { name: "{name}" }),
})

/** What the module finds at the `details` of a menu: whether it saves by itself, and its words. */
export const pickerMarks = (kind: "save" | "field", search: Text, creates?: Creates): Html =>
  html`${[
    attribute("data-picker", kind),
    attribute("data-search", search),
    attribute("data-nothing", "Nothing matches"),
    attribute("data-create", creates?.address),
    attribute("data-create-words", creates?.words),
  ].map((each) => html`${each} `)}`

/** A field of a longer form as a menu; what is chosen stands beside its name. */
export const pickerField = (name: Text, chosen: Content, field: Field, search: Text, creates?: Creates): Field => ({
  kind: "folded",
  summary: html`${name} <span class="chosen muted">${chosen}</span>`,
  marks: pickerMarks("field", search, creates),
  field,
})

type Boxes = Extract<Field, { readonly kind: "boxes" }>

type Label = Pick<Offered["labels"][number], "id" | "name" | "color" | "description">

export const labelsField = (offered: readonly Label[], chosen: readonly Label[], repository: string): Boxes => ({
  kind: "boxes",
  name: "labels",
  label: t("Labels"),
  value: chosen.map(({ id }) => String(id)),
  options: united(offered, chosen, ({ id, name, color, description }) => [
    String(id),
    name,
    description === "" ? undefined : description,
    dot(`#${color.replace(/^#/, "")}`),
  ]),
  hint: offered.length === 0 && html`No labels yet: <a href="${repository}/labels">create one</a>.`,
})

export const peopleField = (offered: readonly User[], chosen: readonly User[]): Boxes => ({
  kind: "boxes",
  name: "assignees",
  label: t("Assignees"),
  value: chosen.map(({ name }) => name),
  options: united(offered, chosen, (user) => [user.name, user.name, user.full_name === "" ? undefined : user.full_name, avatar(user, 18)]),
})

export const milestoneField = (
  offered: Offered["milestones"],
  chosen: { readonly id: number; readonly title: string } | undefined,
): Field => ({
  kind: "choice",
  name: "milestone",
  label: t("Milestone"),
  value: String(chosen?.id ?? 0),
  options: [
    ["0", t("None")],
    ...united(
      offered.filter(({ is_closed }) => is_closed === 0),
      chosen ? [chosen] : [],
      ({ id, title }) => [String(id), title],
    ),
  ],
})

type Titled = { readonly id: number; readonly title: string }

export const projectsField = (offered: readonly Titled[], chosen: readonly Titled[]): Field => ({
  kind: "boxes",
  name: "projects",
  label: t("Projects"),
  value: chosen.map(({ id }) => String(id)),
  options: united(offered, chosen, ({ id, title }) => [String(id), title]),
})

/** Those that are chosen, and the others that can be. */
function united<Each>(offered: readonly Each[], chosen: readonly Each[], option: (each: Each) => Option): readonly Option[] {
  const first = chosen.map(option)
  return [...first, ...offered.map(option).filter(([value]) => !first.some(([other]) => other === value))]
}
