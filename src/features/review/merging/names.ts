import type { Issue } from "../../../access/policies/issues.ts"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Merging } from "./checks.ts"

/** How messages name a pull request and its head. */

/** The reference to an issue or pull request. Where issues are kept elsewhere, `#1` means one of those. */
export const reference = ({ repository }: Merging, { number }: Pick<Issue, "number">): string =>
  `${repository.has_issues === 1 && repository.external_tracker_url !== "" ? "!" : "#"}${number}`

/** The head's repository by its current name; empty where it is gone. */
export async function headName(db: Handle, { repository, owner, pull }: Merging) {
  if (pull.head_repository_id === repository.id) return { isOwn: true, owner: owner.name, name: repository.name }
  const head = pull.head_repository_id === null ? undefined : await findRepositoryById.first(db, { id: pull.head_repository_id })
  const headOwner = head && (await findUserById.first(db, { id: head.owner_id }))
  return { isOwn: false, owner: headOwner?.name ?? "", name: head?.name ?? "" }
}
