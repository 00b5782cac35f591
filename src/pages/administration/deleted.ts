import { siteAdministrator } from "../../access/policies/site.ts"
import { form } from "../../core/forms/form.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import { undoOperations } from "../../features/site/undo/operations.ts"
import { ADMINISTRATION_PATH, administrationPage } from "../../web/administration.ts"
import { pager } from "../../web/components.ts"
import { formButton } from "../../web/form.ts"
import { deletedList } from "../parts/deleted.ts"

const DELETED = `${ADMINISTRATION_PATH}/deleted` as const

const deleted: Page = page({
  id: "administration.deleted",
  address: `GET ${DELETED}`,
  access: siteAdministrator,
  changesWithTime: true,
  rows: 50,
  answer: async (call) => {
    const { db, services, page: rows, reader, draft } = call
    const { listDeleted } = await import("../../features/site/undo/lists.ts")
    const { records, total } = await listDeleted(db, services, {}, rows)
    return administrationPage({
      part: "deleted",
      title: t("Deleted"),
      body: html`
        <h1>Deleted</h1>
        <p class="muted">
          All that can be restored on this site. Its owners restore it; here it is deleted for good, as when someone asks for their data
          to be removed.
        </p>
        ${deletedList(services, records, ({ id }) => formButton(purge, { id: String(id) }, t("Delete for good"), {}, draft))}
        ${pager(reader.url, rows, total)}
      `,
    })
  },
})

const purge = form({
  id: "administration.purgeDeleted",
  address: `POST ${DELETED}/{id}/purge`,
  does: named(undoOperations, "adminPurgeDeleted"),
  on: deleted,
  done: t("Deleted for good."),
})

export const administrationDeletedPages: readonly Page[] = [deleted, purge]
