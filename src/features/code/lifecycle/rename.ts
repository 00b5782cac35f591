import type { Owned } from "../../../access/permission.ts"
import { findRepositoryByName } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { isUniqueViolation } from "../../../core/database/failures.ts"
import { refuse } from "../../../core/errors.ts"
import { requireRepositoryName } from "../repositories/names.ts"
import { dropRedirect } from "./establish.ts"

/**
 * Renames a repository within its owner; the old name becomes a redirect, unless only the letter case changes.
 * Refuses `invalid` for an invalid name, and one that another repository of the owner has. Returns whether to publish the rename.
 */
export async function renameRepository(tx: Transaction, { repository, owner }: Owned, name: string): Promise<boolean> {
  requireRepositoryName(name)
  const lowerName = name.toLowerCase()
  const isOther = lowerName !== repository.lower_name
  if (isOther && (await findRepositoryByName.first(tx, { ownerId: owner.id, lowerName }))) throw taken(name)
  if (isOther) {
    await dropRedirect(tx, owner.id, lowerName)
    await redirect(tx, owner.id, repository.lower_name, repository.id)
  }
  try {
    await tx.updateTable("repositories").set({ name, lower_name: lowerName }).where("id", "=", repository.id).execute()
  } catch (error) {
    if (isUniqueViolation(error, ["repositories.owner_id", "repositories.lower_name"])) throw taken(name)
    throw error
  }
  return isOther
}

const taken = (name: string) => refuse.invalid("name", `there is a repository ${name} already; choose another name`)

/** Redirects an old name to a repository. */
export async function redirect(tx: Transaction, ownerId: number, lowerName: string, repositoryId: number): Promise<void> {
  await dropRedirect(tx, ownerId, lowerName)
  await tx.insertInto("repository_redirects").values({ owner_id: ownerId, lower_name: lowerName, repository_id: repositoryId }).execute()
}
