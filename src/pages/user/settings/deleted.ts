import { signedIn } from "../../../access/policies/site.ts"
import { findUserByName } from "../../../access/store.ts"
import { refuse } from "../../../core/errors.ts"
import { form } from "../../../core/forms/form.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Page, page } from "../../../core/page.ts"
import { undoOperations } from "../../../features/site/undo/operations.ts"
import { pager } from "../../../web/components.ts"
import { formButton, formView } from "../../../web/form.ts"
import { problem } from "../../../web/problem.ts"
import { deletedList, lastDeleted, whereRestored } from "../../parts/deleted.ts"
import { personalSettings, SETTINGS_PATH } from "./frame.ts"

const DELETED = `${SETTINGS_PATH}/deleted` as const

const deleted: Page = page({
  id: "personal.deleted",
  address: `GET ${DELETED}`,
  access: signedIn,
  changesWithTime: true,
  answer: async (call) => {
    const { db, services, me, page: rows, reader, draft } = call
    const { listDeleted } = await import("../../../features/site/undo/lists.ts")
    const { records, total } = await listDeleted(db, services, { ownerId: me.id }, rows)
    return personalSettings({
      part: "repositories",
      title: t("Deleted repositories"),
      body: html`
        <h1>Deleted repositories</h1>
        <p class="muted">They come back with code, issues, collaborators and stars; without secrets, keys, webhooks and mirrors.</p>
        ${draft?.form === undo.id && problem(draft.refusal)}
        ${deletedList(services, records, ({ id, name }) => {
          const to = { id: String(id) }
          return html`
            ${formView(restore, {
              path: to,
              draft,
              submit: t("Restore"),
              look: "small",
              key: String(id),
              fields: [{ kind: "line", name: "name", label: t("Name"), value: name, required: true, maxlength: 100 }],
            })}
            ${formButton(purge, to, t("Delete for good"), {}, draft)}
          `
        })}
        ${pager(reader.url, rows, total)}
      `,
    })
  },
})

const restore = form({
  id: "personal.restoreDeleted",
  address: `POST ${DELETED}/{id}/restore`,
  does: named(undoOperations, "userRestoreDeleted"),
  on: deleted,
  takes: ["name"],
  done: t("Restored."),
  to: ({ record }) => whereRestored(record, DELETED),
})

const purge = form({
  id: "personal.purgeDeleted",
  address: `POST ${DELETED}/{id}/purge`,
  does: named(undoOperations, "userPurgeDeleted"),
  on: deleted,
  done: t("Deleted for good."),
})

/** The button beside "deleted": one's own repository, or one of an organisation. */
const undo = form({
  id: "personal.undoDelete",
  address: `POST ${DELETED}/undo`,
  does: named(undoOperations, "userRestoreDeleted"),
  on: deleted,
  also: ["owner"],
  instead: (field, { actor }) =>
    actor.kind === "user" && actor.user.name !== field("owner") ? named(undoOperations, "orgRestoreDeleted") : undefined,
  picks: async (_, field, request) => {
    const owner = await findUserByName.first(request.db, { lowerName: field("owner").toLowerCase() })
    if (!owner) throw refuse.notFound()
    return { org: owner.name, id: String((await lastDeleted(request, owner.id, "repository")).id) }
  },
  missing: ["owner", t("was restored already, or its time is over")],
  done: t("Restored."),
  to: ({ record }) => whereRestored(record, DELETED),
})

export const ownDeletedPages: readonly Page[] = [deleted, restore, purge, undo]
