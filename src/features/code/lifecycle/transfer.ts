import type { Selectable } from "kysely"
import { type Owned, permissionOn, type Repository, reaches } from "../../../access/permission.ts"
import { roleIn } from "../../../access/policies/organization-role.ts"
import { findRepositoryById, findRepositoryByName, findTeamMember, findUserById } from "../../../access/store.ts"
import { type Team, teamVisible } from "../../../access/visibility.ts"
import { signedInAs, type User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { RepositoryTransfersTable } from "../../../core/database/tables/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"
import { attachTeams, detachAllTeams, mayCreateRepositories } from "../../people/teams/rules.ts"
import { noteGrants } from "../../people/users/factors-store.ts"
import { dropCollaborators } from "../collaborators/store.ts"
import { recountOwned } from "../repositories/counters-store.ts"
import { findTeamsByIds, findTransfers, isNameTaken, transferTeamIds, updateRepository } from "../repositories/store.ts"
import { watchAutomatically } from "../watches/automatic-store.ts"
import { requireBelowLimit } from "./establish.ts"
import { dropRedirect, dropTransfer, insertTransfer, redirect } from "./store.ts"

/** Transfers a repository to another owner: at once if the doer may decide, otherwise once the recipient accepts. */

type Transfer = Selectable<RepositoryTransfersTable>

export interface Offer {
  readonly doer: User
  readonly recipient: User
  /** Teams of the recipient that get access to the repository. */
  readonly teamIds: readonly number[]
}

/**
 * Transfers the repository, or offers it. Returns whether the transfer is complete.
 * Refuses `invalid` for teams that the doer may not see or a name that is taken, `forbidden` for teams of other organisations, if the
 * recipient has blocked the doer, and over its limit, `conflict` while another transfer is pending, `notFound` if the repository is gone.
 * A repository of the same name that the doer may not see refuses nothing before the recipient accepts.
 */
export async function transferRepository(tx: Transaction, services: Services, repositoryId: number, offer: Offer): Promise<boolean> {
  const { doer, recipient, teamIds } = offer
  await requireTeamsOf(tx, offer)
  const owned = await lock(tx, repositoryId)
  if (recipient.id === owned.owner.id) throw refuse.invalid("new_owner", t`${recipient.name} owns the repository already`)
  await requireUnblocked(tx, doer, [recipient])
  if (await findOffer(tx, repositoryId)) throw refuse.conflict("a transfer of this repository waits already")
  const decides = await mayDecide(tx, doer, recipient)
  const taken = await findSameName(tx, owned, recipient)
  if (taken && (decides || reaches(await permissionOn(tx, signedInAs(doer), { repository: taken, owner: recipient }))))
    throw nameTaken(recipient, owned.repository.name)
  if (decides) {
    await complete(tx, services, owned, { ...offer, starter: doer })
    return true
  }
  await insertTransfer(tx, {
    repository_id: repositoryId,
    doer_id: doer.id,
    recipient_id: recipient.id,
    team_ids: JSON.stringify(teamIds),
    created_at: services.now(),
  })
  publish(tx, { kind: "repository.transferOffered", ...owned, recipient, actor: doer, at: services.now() })
  return false
}

/**
 * Accepts a pending transfer. Refuses `notFound` if there is none, `forbidden` for callers it wasn't offered to and over the
 * recipient's limit, `invalid` if the recipient has a repository of that name by now.
 */
export async function acceptTransfer(tx: Transaction, services: Services, doer: User, repositoryId: number): Promise<void> {
  const owned = await lock(tx, repositoryId)
  const { transfer, recipient } = await requireOffer(tx, doer, repositoryId)
  if (await findSameName(tx, owned, recipient)) throw nameTaken(recipient, owned.repository.name)
  const starter = await findUserById.first(tx, { id: transfer.doer_id })
  // Teams that were deleted meanwhile are skipped.
  await complete(tx, services, owned, { doer, recipient, teamIds: transferTeamIds(transfer), starter: starter ?? doer })
}

/** Rejects a pending transfer. Refuses like `acceptTransfer`. */
export async function rejectTransfer(tx: Transaction, doer: User, repositoryId: number): Promise<void> {
  const { repository } = await lock(tx, repositoryId)
  const { recipient } = await requireOffer(tx, doer, repositoryId)
  await dropTransfer(tx, repositoryId)
  publish(tx, { kind: "repository.transferRejected", repository, recipient, actor: doer })
}

/** Ends a pending transfer before it is accepted, for those who may offer the repository. Refuses `notFound` if there is none. */
export async function withdrawTransfer(tx: Transaction, doer: User, repositoryId: number): Promise<void> {
  const { repository } = await lock(tx, repositoryId)
  const transfer = await findOffer(tx, repositoryId)
  if (!transfer) throw refuse.notFound()
  await dropTransfer(tx, repositoryId)
  publish(tx, { kind: "repository.transferRejected", repository, recipient: { id: transfer.recipient_id }, actor: doer })
}

/** The owner whom a repository is offered to, for those who may accept it. */
export async function findOfferTo(db: Handle, person: User, repositoryId: number): Promise<User | undefined> {
  const recipient = await findRecipient(db, repositoryId)
  return recipient && (await speaksFor(db, person, recipient)) ? recipient : undefined
}

/** The owner whom a repository is offered to. */
export async function findRecipient(db: Handle, repositoryId: number): Promise<User | undefined> {
  const transfer = await findOffer(db, repositoryId)
  return transfer && findUserById.first(db, { id: transfer.recipient_id })
}

async function lock(tx: Transaction, id: number): Promise<Owned> {
  const repository = await lockRow(tx, "repositories", id)
  const owner = repository && (await findUserById.first(tx, { id: repository.owner_id }))
  if (!repository || !owner) throw refuse.notFound()
  return { repository, owner }
}

async function findOffer(db: Handle, repositoryId: number): Promise<Transfer | undefined> {
  const [transfer] = await findTransfers(db, { repositoryIds: [repositoryId] })
  return transfer
}

async function requireOffer(tx: Transaction, doer: User, repositoryId: number) {
  const transfer = await findOffer(tx, repositoryId)
  const recipient = transfer && (await findUserById.first(tx, { id: transfer.recipient_id }))
  if (!transfer || !recipient) throw refuse.notFound()
  if (!(await speaksFor(tx, doer, recipient))) throw refuse.forbidden("the repository was not offered to you")
  return { transfer, recipient }
}

/** Whether a user may accept or reject for the recipient: the recipient itself, or a member who may create repositories in the organisation. */
const speaksFor = async (db: Handle, person: User, recipient: User): Promise<boolean> =>
  recipient.kind === "organization" ? mayCreateRepositories(db, recipient, person.id) : person.id === recipient.id

/** Whether the doer may complete the transfer without the recipient's consent. */
const mayDecide = async (db: Handle, doer: User, recipient: User): Promise<boolean> =>
  doer.is_admin === 1 || (await speaksFor(db, doer, recipient))

async function requireTeamsOf(db: Handle, { doer, recipient, teamIds: ids }: Offer): Promise<void> {
  if (ids.length === 0) return
  if (recipient.kind !== "organization") throw refuse.invalid("team_ids", t`${recipient.name} is a person and has no teams`)
  const teams = new Map((await findTeamsByIds(db, { ids })).map((team) => [team.id, team]))
  for (const id of ids) {
    const team = teams.get(id)
    if (!team || !(await seesTeam(db, doer, team))) throw refuse.invalid("team_ids", t`there is no team ${id}`)
    if (team.organization_id !== recipient.id) throw refuse.forbidden(t`team ${id} does not belong to ${recipient.name}`)
  }
}

async function seesTeam(db: Handle, doer: User, team: Team): Promise<boolean> {
  const organization = await findUserById.first(db, { id: team.organization_id })
  if (!organization) return false
  const isTeamMember = (await findTeamMember.first(db, { teamId: team.id, userId: doer.id })) !== undefined
  const actor = signedInAs(doer)
  return teamVisible(actor, team, organization, await roleIn(db, actor, organization), isTeamMember)
}

const nameTaken = (recipient: User, name: string) => refuse.invalid("new_owner", t`${recipient.name} has a repository ${name} already`)

/** The recipient's repository that has the name already. */
const findSameName = (db: Handle, { repository }: Owned, recipient: User): Promise<Repository | undefined> =>
  findRepositoryByName.first(db, { ownerId: recipient.id, lowerName: repository.lower_name })

interface Completion extends Offer {
  /** Who started the transfer; they keep watching the repository. */
  readonly starter: User
}

async function complete(tx: Transaction, services: Services, { repository, owner }: Owned, completion: Completion): Promise<void> {
  const { doer, recipient, teamIds, starter } = completion
  const { config, now: clock } = services
  const { id } = repository
  const now = clock()
  await dropTransfer(tx, id)
  await dropRedirect(tx, recipient.id, repository.lower_name)
  await move(tx, { repository, owner: recipient }, now)
  await redirect(tx, owner.id, repository.lower_name, id)
  const counts = await recountOwned(tx, [owner.id, recipient.id])
  requireBelowLimit(services, doer, recipient, counts.get(recipient.id) ?? 0)

  const formerCollaborators = await dropCollaborators(tx, id, recipient)
  const formerTeamMembers = await detachAllTeams(tx, id)
  if (recipient.kind === "organization") {
    await attachTeams(tx, doer, recipient, id, teamIds)
    await noteGrants.changes(tx, { organizationId: recipient.id })
  }
  if (config.users.autoWatchNewRepositories) await watchAutomatically(tx, starter.id, id, now)
  publish(tx, { kind: "access.lost", userIds: [owner.id, starter.id, ...formerCollaborators, ...formerTeamMembers], repositoryIds: [id] })
  const moved = await findRepositoryById.first(tx, { id })
  if (moved)
    publish(tx, {
      kind: "repository.transferred",
      repository: moved,
      owner: recipient,
      actor: doer,
      from: `${owner.name}/${repository.name}`,
      formerOwner: owner,
      at: now,
    })
}

async function move(tx: Transaction, { repository, owner }: Owned, now: number): Promise<void> {
  try {
    await updateRepository(tx, repository.id, { owner_id: owner.id, shares_workflows: 0, updated_at: now })
  } catch (error) {
    if (isNameTaken(error)) throw nameTaken(owner, repository.name)
    throw error
  }
}
