import { onOrganizationAsOwner } from "../../access/policies/organizations.ts"
import { form } from "../../core/forms/form.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import { undoOperations } from "../../features/site/undo/operations.ts"
import { path } from "../../web/address.ts"
import { pager } from "../../web/components.ts"
import { formButton, formView } from "../../web/form.ts"
import { deletedList, whereRestored } from "../parts/deleted.ts"
import { organizationSettings } from "./settings-frame.ts"

const deleted: Page = page({
  id: "organization.deleted",
  address: "GET /org/{org}/settings/deleted",
  access: onOrganizationAsOwner,
  changesWithTime: true,
  answer: async (call) => {
    const { db, services, organization, page: rows, reader, draft } = call
    const { listDeleted } = await import("../../features/site/undo/lists.ts")
    const { records, total } = await listDeleted(db, services, { ownerId: organization.id }, rows)
    return organizationSettings(organization, {
      part: "deleted",
      title: t("Deleted"),
      body: html`
        <h1>Deleted</h1>
        <p class="muted">Repositories and labels of the organization. What was deleted in a repository is listed there.</p>
        ${deletedList(services, records, ({ id, kind, name }) => {
          const to = { org: organization.name, id: String(id) }
          const as = { kind: "line", name: "name", label: t("Name"), value: name, required: true, maxlength: 100 } as const
          return html`
            ${
              kind === "repository"
                ? formView(restore, { path: to, draft, submit: t("Restore"), look: "small", key: String(id), fields: [as] })
                : formButton(restore, to, t("Restore"), {}, draft)
            }
            ${formButton(purge, to, t("Delete for good"), {}, draft)}
          `
        })}
        ${pager(reader.url, rows, total)}
      `,
    })
  },
})

const restore = form({
  id: "organization.restoreDeleted",
  address: "POST /org/{org}/settings/deleted/{id}/restore",
  does: named(undoOperations, "orgRestoreDeleted"),
  on: deleted,
  takes: ["name"],
  done: t("Restored."),
  to: ({ path: { org }, record }) => whereRestored(record, path("org", org, "settings", "deleted")),
})

const purge = form({
  id: "organization.purgeDeleted",
  address: "POST /org/{org}/settings/deleted/{id}/purge",
  does: named(undoOperations, "orgPurgeDeleted"),
  on: deleted,
  done: t("Deleted for good."),
})

export const organizationDeletedPages: readonly Page[] = [deleted, restore, purge]
