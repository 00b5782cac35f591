import { findRepositoryById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { nextTurn } from "../../../core/work.ts"
import { deleteRepository } from "../../code/lifecycle/delete.ts"
import { findPackageOf } from "../../packages/packages/store.ts"
import { deleteOrganization, removeMember } from "../../people/organizations/rules.ts"
import { deleteUser, lockToDelete } from "../../people/users/accounts-store.ts"
import { isLastAdministrator, requirePerson } from "../../people/users/rules.ts"
import { findIdsOfRepositories, findOrganizationsOf, findOwnersOf, findRepositoriesOf } from "./store.ts"

/**
 * Deletes a user with their tokens, addresses, stars, watches and follows. The caller deletes the uploaded avatar, see `dropAvatar`.
 * With `purge` it also deletes what would otherwise prevent the deletion: repositories, packages, memberships, and organisations without another owner.
 * Refuses as `invalid`, without `purge`, users who own repositories or packages or belong to an organisation; always organisations and the last
 * administrator; as `notFound` a user who was deleted already.
 */
export async function deletePerson(tx: Transaction, services: Services, user: User, purge: boolean): Promise<void> {
  requirePerson(user)
  await lockForDeletion(tx, user.id)
  await requireNotLast(tx, user)
  await emptyAccount(tx, services, user, purge)
  for (const organization of await findOrganizationsOf(tx, user)) {
    if (!purge)
      throw refuse.invalid("username", t`${user.name} belongs to the organization ${organization.name}; remove it there${OR_PURGE}`)
    if (await isSoleOwner(tx, user, organization)) {
      await emptyAccount(tx, services, organization, purge)
      await deleteOrganization(tx, services, organization.id, { purge })
    } else await removeMember(tx, organization.id, user.id)
  }
  publish(tx, { kind: "account.deleted", user })
  await services.events.deliver(tx)
  // Tokens, addresses, second factor, redirects, blocks, collaborations and the user's feed are deleted with the row.
  await deleteUser(tx, user.id)
}

/**
 * Deletes the repositories of a user who is to be purged, and of organisations that have no other owner, one in a transaction, so that others have their turn: thousands of them take
 * seconds. Refuses like {@link deletePerson}, which then finds few or none; what a process that ends in between leaves is the user's as before.
 */
export async function purgeRepositories(services: Services, user: User): Promise<void> {
  const { database } = services
  requirePerson(user)
  const owners = await database.write(async (tx) => {
    await lockForDeletion(tx, user.id)
    await requireNotLast(tx, user)
    const soleOwned: User[] = []
    for (const organization of await findOrganizationsOf(tx, user))
      if (await isSoleOwner(tx, user, organization)) soleOwned.push(organization)
    return [user, ...soleOwned]
  })
  for (const owner of owners) {
    const repositories = await findIdsOfRepositories(database.read, owner.id)
    for (const { id } of repositories) {
      const repository = await findRepositoryById.first(database.read, { id })
      if (repository?.owner_id === owner.id) await database.write((tx) => deleteRepository(tx, services, repository, owner))
      await nextTurn()
    }
  }
}

/** What ends refusals that purging avoids. */
export const OR_PURGE = t(", or purge")

async function requireNotLast(tx: Transaction, user: User): Promise<void> {
  if (await isLastAdministrator(tx, user)) throw refuse.invalid("username", t`${user.name} is the last administrator who can sign in`)
}

/**
 * Waits for transactions that are adding something to the account, and blocks later ones: PostgreSQL's strongest lock on the row.
 * Refuses `notFound` where the account was deleted meanwhile.
 */
async function lockForDeletion(tx: Transaction, id: number): Promise<void> {
  const locked = await lockToDelete(tx, id)
  if (!locked) throw refuse.notFound()
}

async function emptyAccount(tx: Transaction, services: Services, owner: User, purge: boolean): Promise<void> {
  const repositories = await findRepositoriesOf(tx, owner.id)
  if (repositories.length > 0 && !purge)
    throw refuse.invalid("username", t`${owner.name} owns ${repositories.length} repositories; delete them or hand them over${OR_PURGE}`)
  for (const repository of repositories) await deleteRepository(tx, services, repository, owner)
  // They are deleted with the row of their owner.
  const kept = purge ? undefined : await findPackageOf(tx, owner.id)
  if (kept) throw refuse.invalid("username", t`${owner.name} owns packages; delete them${OR_PURGE}`)
}

async function isSoleOwner(tx: Transaction, user: User, organization: User): Promise<boolean> {
  const owners = await findOwnersOf(tx, organization.id)
  return owners.length === 1 && owners[0]?.user_id === user.id
}
