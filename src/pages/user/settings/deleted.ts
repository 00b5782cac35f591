import { signedIn } from "../../../access/policies/site.ts"
import { findUserByName } from "../../../access/store.ts"
import { refuse } from "../../../core/errors.ts"
import { form } from "../../../core/forms/form.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import type { Page } from "../../../core/page.ts"
import { undoOperations } from "../../../features/site/undo/operations.ts"
import { deletedPages, lastDeleted, whereRestored } from "../../parts/deleted.ts"
import { personalSettings, SETTINGS_PATH } from "./frame.ts"

const DELETED = `${SETTINGS_PATH}/deleted` as const

const { deleted, pages } = deletedPages({
  id: "personal",
  address: DELETED,
  access: signedIn,
  title: t("Deleted repositories"),
  about: t("They come back with all that they had, as far as it still fits."),
  list: ({ me }) => ({ ownerId: me.id }),
  frame: (_, shown) => personalSettings({ part: "repositories", ...shown }),
  restore: named(undoOperations, "userRestoreDeleted"),
  purge: named(undoOperations, "userPurgeDeleted"),
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
  to: whereRestored,
})

export const ownDeletedPages: readonly Page[] = [...pages, undo]
