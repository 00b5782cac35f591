import { onOrganizationAsOwner } from "../../access/policies/organizations.ts"
import { refuse } from "../../core/errors.ts"
import { form } from "../../core/forms/form.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { numberIn, type Page, page } from "../../core/page.ts"
import { organizationLabelOperations } from "../../features/planning/labels/organization-operations.ts"
import { presentLabel } from "../../features/planning/labels/present.ts"
import { findLabel, findLabels, ofOrganization } from "../../features/planning/labels/store.ts"
import { path } from "../../web/address.ts"
import { empty, label, pager } from "../../web/components.ts"
import { type Field, formButton, formView } from "../../web/form.ts"
import { icon } from "../../web/icon.ts"
import { beforeDeletion, unlessKept } from "../parts/deleted.ts"
import { organizationSettings } from "./settings-frame.ts"

/** The labels that an organisation shares with all its repositories, in its settings. */

const fields: readonly Field[] = [
  { kind: "line", name: "name", label: t("Name"), required: true, maxlength: 255 },
  {
    kind: "line",
    name: "color",
    label: t("Color"),
    value: "0075ca",
    required: true,
    maxlength: 7,
    hint: t("Six hexadecimal digits, such as d73a4a"),
  },
  { kind: "line", name: "description", label: t("Description"), maxlength: 1000 },
  {
    kind: "box",
    name: "exclusive",
    label: t("Exclusive"),
    hint: t("An issue can have only one label of the same scope (the part before the last slash)."),
  },
]

const takes = ["name", "color", "description", "exclusive"] as const

const labels: Page = page({
  id: "organization.labels",
  address: "GET /org/{org}/settings/labels",
  access: onOrganizationAsOwner,
  rows: 50,
  answer: async (call) => {
    const { db, organization, page: rows, reader, draft } = call
    const found = await findLabels(db, ofOrganization(organization.id), "alphabetically", rows)
    const at = path("org", organization.name, "settings", "labels")
    return organizationSettings(organization, {
      part: "labels",
      title: t("Labels"),
      body: html`
        <h1>Labels</h1>
        <p class="muted">These labels are available in all repositories of the organization.</p>
        ${
          found.rows.length > 0
            ? html`
              <ul class="rows labels">
                ${found.rows.map(
                  ({ id, name, color, description, exclusive, is_archived }) =>
                    html`
                      <li>
                        <div class="main">
                          <p class="bar">
                            ${label(name, color)}
                            ${exclusive === 1 && html`<span class="muted small">one of its kind</span>`}
                            ${is_archived === 1 && html`<span class="chip">Archived</span>`}
                          </p>
                          ${description !== "" && html`<p class="muted break" dir="auto">${description}</p>`}
                        </div>
                        <a class="button small" href="${at}/${id}">
                          ${icon("pencil")}Edit<span class="hidden-text"> ${name}</span>
                        </a>
                      </li>
                    `,
                )}
              </ul>
            `
            : empty("tag", t("No labels yet"))
        }
        ${pager(reader.url, rows, found.total)}
        <h2>New label</h2>
        ${formView(make, { path: call.path, draft, submit: t("Create label"), fields })}
      `,
    })
  },
})

const make = form({
  id: "organization.makeLabel",
  address: "POST /org/{org}/settings/labels",
  does: named(organizationLabelOperations, "orgCreateLabel"),
  on: labels,
  takes,
  done: t("Label created."),
  once: true,
})

const one: Page = page({
  id: "organization.label",
  address: "GET /org/{org}/settings/labels/{id}",
  access: onOrganizationAsOwner,
  answer: async (call) => {
    const { services, db, organization, draft } = call
    const found = await findLabel(db, ofOrganization(organization.id), numberIn(call.path, "id"))
    if (!found) throw refuse.notFound()
    const record = presentLabel(services.site, { owner: organization }, found)
    const archived: Field = {
      kind: "box",
      name: "is_archived",
      label: t("Archived"),
      hint: t("Archived labels can no longer be added."),
    }
    return organizationSettings(organization, {
      part: "labels",
      title: found.name,
      body: html`
        <h1>${label(found.name, found.color)}</h1>
        ${formView(edit, { path: call.path, draft, record, submit: t("Save"), fields: [...fields, archived] })}
        <h2>Delete</h2>
        <p>It is removed from all issues and pull requests of the organization’s repositories.</p>
        ${beforeDeletion(call)}
        ${formButton(remove, call.path, html`${icon("trash")}Delete label`)}
      `,
    })
  },
})

const edit = form({
  id: "organization.editLabel",
  address: "POST /org/{org}/settings/labels/{id}",
  does: named(organizationLabelOperations, "orgEditLabel"),
  on: one,
  reads: named(organizationLabelOperations, "orgGetLabel"),
  guards: ["name", "description"],
  takes: [...takes, "is_archived"],
  done: t("Saved."),
  to: ({ path: { org } }) => path("org", org, "settings", "labels"),
})

const remove = form({
  id: "organization.deleteLabel",
  address: "POST /org/{org}/settings/labels/{id}/delete",
  does: named(organizationLabelOperations, "orgDeleteLabel"),
  on: one,
  done: unlessKept(t("Label deleted.")),
  to: ({ path: { org } }) => path("org", org, "settings", "labels"),
})

export const organizationLabelPages: readonly Page[] = [labels, make, one, edit, remove]
