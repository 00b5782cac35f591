import { siteAdministrator } from "../../access/policies/site.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { undoOperations } from "../../features/site/undo/operations.ts"
import { ADMINISTRATION_PATH, administrationPage } from "../../web/administration.ts"
import { deletedPages } from "../parts/deleted.ts"

export const { pages: administrationDeletedPages } = deletedPages({
  id: "administration",
  address: `${ADMINISTRATION_PATH}/deleted`,
  access: siteAdministrator,
  title: t("Deleted"),
  about: t(
    "All that can be restored on this site. Its owners restore it; here it is deleted for good, as when someone asks for their data to be removed.",
  ),
  list: () => ({}),
  frame: (_, shown) => administrationPage({ part: "deleted", ...shown }),
  purge: named(undoOperations, "adminPurgeDeleted"),
})
