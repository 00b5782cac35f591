import { onOrganizationAsOwner } from "../../access/policies/organizations.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { undoOperations } from "../../features/site/undo/operations.ts"
import { deletedPages } from "../parts/deleted.ts"
import { organizationSettings } from "./settings-frame.ts"

export const { pages: organizationDeletedPages } = deletedPages({
  id: "organization",
  address: "/org/{org}/settings/deleted",
  access: onOrganizationAsOwner,
  title: t("Deleted"),
  about: t("Repositories and labels of the organization. What was deleted in a repository is listed there."),
  list: ({ organization }) => ({ ownerId: organization.id }),
  frame: ({ organization }, shown) => organizationSettings(organization, { part: "deleted", ...shown }),
  restore: named(undoOperations, "orgRestoreDeleted"),
  purge: named(undoOperations, "orgPurgeDeleted"),
})
