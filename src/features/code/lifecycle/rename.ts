import type { Owned } from "../../../access/permission.ts"
import { findRepositoryByName } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { requireRepositoryName } from "../repositories/names.ts"
import { isNameTaken, updateRepository } from "../repositories/store.ts"
import { dropRedirect, redirect } from "./store.ts"

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
    await updateRepository(tx, repository.id, { name, lower_name: lowerName })
  } catch (error) {
    if (isNameTaken(error)) throw taken(name)
    throw error
  }
  return isOther
}

const taken = (name: string) => refuse.invalid("name", t`there is a repository ${name} already; choose another name`)
