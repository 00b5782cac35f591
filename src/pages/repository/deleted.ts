import { Mode } from "../../access/modes.ts"
import { restorableKinds } from "../../access/policies/deletions.ts"
import { onRepositorySignedIn } from "../../access/policies/repositories.ts"
import { refuse } from "../../core/errors.ts"
import { form } from "../../core/forms/form.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import type { Page } from "../../core/page.ts"
import { undoOperations } from "../../features/site/undo/operations.ts"
import { lastDeleted, deletedPages as pagesOf, whereRestored } from "../parts/deleted.ts"
import { repositoryPage } from "./frame.ts"

const { deleted, pages } = pagesOf({
  id: "repository",
  address: "/{owner}/{repo}/deleted",
  access: onRepositorySignedIn,
  title: t("Deleted"),
  about: t("What you may restore in this repository. It comes back with all that belonged to it."),
  list: (call) => ({ repositoryId: call.repository.id, kinds: restorableKinds(call), commentsBy: call.me.id }),
  frame: (call, shown) => repositoryPage(call, { tab: "code", unlisted: true, ...shown }),
  restore: named(undoOperations, "repoRestoreDeleted"),
  purge: named(undoOperations, "repoPurgeDeleted"),
  mayPurge: ({ permission }) => permission.mode >= Mode.admin,
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
  to: whereRestored,
})

export const deletedPages: readonly Page[] = [...pages, undo]
