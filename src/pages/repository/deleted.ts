import { Mode } from "../../access/modes.ts"
import { restorableKinds } from "../../access/policies/deletions.ts"
import { onRepositorySignedIn } from "../../access/policies/repositories.ts"
import { refuse } from "../../core/errors.ts"
import { form } from "../../core/forms/form.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import { undoOperations } from "../../features/site/undo/operations.ts"
import { path } from "../../web/address.ts"
import { pager } from "../../web/components.ts"
import { formButton } from "../../web/form.ts"
import { problem } from "../../web/problem.ts"
import { deletedList, lastDeleted, whereRestored } from "../parts/deleted.ts"
import { repositoryPage } from "./frame.ts"

const deleted: Page = page({
  id: "repository.deleted",
  address: "GET /{owner}/{repo}/deleted",
  access: onRepositorySignedIn,
  changesWithTime: true,
  rows: 50,
  answer: async (call) => {
    const { db, services, me, repository, permission, page: rows, reader, draft } = call
    const { listDeleted } = await import("../../features/site/undo/lists.ts")
    const filter = { repositoryId: repository.id, kinds: restorableKinds(call), commentsBy: me.id }
    const { records, total } = await listDeleted(db, services, filter, rows)
    return repositoryPage(call, {
      tab: "code",
      title: t("Deleted"),
      unlisted: true,
      body: html`
        <h1>Deleted</h1>
        <p class="muted">What you may restore in this repository. It comes back with all that belonged to it.</p>
        ${draft?.form === undo.id && problem(draft.refusal)}
        ${deletedList(services, records, ({ id }) => {
          const to = { ...call.path, id: String(id) }
          return html`
            ${formButton(restore, to, t("Restore"), {}, draft)}
            ${permission.mode >= Mode.admin && formButton(purge, to, t("Delete for good"), {}, draft)}
          `
        })}
        ${pager(reader.url, rows, total)}
      `,
    })
  },
})

const restore = form({
  id: "repository.restoreDeleted",
  address: "POST /{owner}/{repo}/deleted/{id}/restore",
  does: named(undoOperations, "repoRestoreDeleted"),
  on: deleted,
  done: t("Restored."),
  to: ({ path: { owner, repo }, record }) => whereRestored(record, path(owner, repo, "deleted")),
})

const purge = form({
  id: "repository.purgeDeleted",
  address: "POST /{owner}/{repo}/deleted/{id}/purge",
  does: named(undoOperations, "repoPurgeDeleted"),
  on: deleted,
  done: t("Deleted for good."),
})

/** The button beside "deleted": what the person deleted last of its kind comes back. */
const undo = form({
  id: "repository.undoDelete",
  address: "POST /{owner}/{repo}/deleted/undo",
  does: named(undoOperations, "repoRestoreDeleted"),
  on: deleted,
  also: ["kind"],
  picks: async (values, field, request) => {
    const { repository } = await onRepositorySignedIn.open(request)
    const last = await lastDeleted(request, repository.owner_id, field("kind"))
    if (last.repository_id !== repository.id) throw refuse.notFound()
    return { ...values, id: String(last.id) }
  },
  missing: ["kind", t("was restored already, or its time is over")],
  done: t("Restored."),
  to: ({ path: { owner, repo }, record }) => whereRestored(record, path(owner, repo, "deleted")),
})

export const deletedPages: readonly Page[] = [deleted, restore, purge, undo]
