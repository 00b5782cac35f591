import { findMembership } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { changedColumns } from "../../../core/events/changed.ts"
import { publish } from "../../../core/events/publish.ts"
import { extensionPoint } from "../../../core/extensions.ts"
import type { Services } from "../../../core/services.ts"
import { block } from "../blocks/rules.ts"
import { insertAccount, renameAccount } from "../users/accounts.ts"
import { deleteUser, lockToDelete, updateUser } from "../users/accounts-store.ts"
import { requireAddress } from "../users/addresses.ts"
import { noteGrants } from "../users/factors-store.ts"
import { findOwnersTeam, removeFromOrganization, removeFromTeams, saveIsPublic } from "./members-store.ts"
import { createOwnersTeam, publishMembersRemoved, requireAnotherOwner } from "./owners.ts"
import type { CreateOrgOption, EditOrgOption } from "./records.ts"

/** The rules of organisations and their members; those of teams are in `people/teams`. */

/** Refuses as `forbidden` users who may not create organisations; site administrators always may. */
export function requireMayCreateOrganizations(user: User): void {
  if (user.allow_create_organization === 0 && user.is_admin === 0) throw refuse.forbidden("not allowed to create org")
}

/**
 * Creates an organisation with its owners' team, whose first member is `owner`; the membership is concealed.
 * Refuses as `invalid` an invalid or taken name and an invalid address.
 */
export async function createOrganization(
  tx: Transaction,
  { actor, owner }: { readonly actor: Pick<User, "id">; readonly owner: Pick<User, "id"> },
  wanted: CreateOrgOption,
  now: Seconds,
): Promise<User> {
  if (wanted.email) requireAddress(wanted.email, "email")
  const organization = await insertAccount(
    tx,
    {
      kind: "organization",
      name: wanted.username,
      full_name: wanted.full_name ?? "",
      email: wanted.email ?? "",
      description: wanted.description ?? "",
      website: wanted.website ?? "",
      location: wanted.location ?? "",
      visibility: wanted.visibility || "public",
      repo_admin_change_team_access: flag(wanted.repo_admin_change_team_access ?? false),
      created_at: now,
      updated_at: now,
    },
    "username",
  )
  await createOwnersTeam(tx, organization.id, owner.id, now)
  publish(tx, { kind: "organization.created", organization, firstOwner: owner, actor, at: now })
  return organization
}

/**
 * Changes the members that are given; an empty visibility changes nothing. Users who can no longer see the organisation's repositories stop
 * watching them. Refuses as `invalid` an invalid address, and that a second factor is required by an owner who has none.
 */
export async function editOrganization(
  tx: Transaction,
  { config }: Pick<Services, "config">,
  actor: User,
  organizationId: number,
  wanted: EditOrgOption,
  now: Seconds,
): Promise<User> {
  if (wanted.email) requireAddress(wanted.email, "email")
  const before = await lockOrganization(tx, organizationId)
  const { repo_admin_change_team_access: changeTeams, visibility, ...texts } = wanted
  if (wanted.two_factor_required && actor.has_second_factor === 0 && actor.is_admin === 0)
    throw refuse.invalid("two_factor_required", "set up two-factor authentication for your own account first")
  const organization = await updateUser(tx, {
    id: organizationId,
    changes: {
      ...(texts.full_name === undefined ? {} : { full_name: texts.full_name }),
      ...(texts.email === undefined ? {} : { email: texts.email }),
      ...(texts.description === undefined ? {} : { description: texts.description }),
      ...(texts.website === undefined ? {} : { website: texts.website }),
      ...(texts.location === undefined ? {} : { location: texts.location }),
      ...(visibility ? { visibility } : {}),
      ...(changeTeams === undefined ? {} : { repo_admin_change_team_access: flag(changeTeams) }),
      ...secondFactorOf(before, wanted, now, config.security.secondFactorGraceSeconds),
    },
    now,
  })
  if (organization.second_factor_due_at > before.second_factor_due_at) await noteGrants.changes(tx, { organizationId })
  const changed = changedColumns(before, organization)
  if (changed.length > 0) publish(tx, { kind: "organization.edited", organization, changed, actor, at: now })
  return organization
}

/** Has the organisation require no second factor, as the operator may. */
export async function liftRequirement(tx: Transaction, { id }: Pick<User, "id">, now: Seconds): Promise<void> {
  await lockOrganization(tx, id)
  await updateUser(tx, { id, changes: { second_factor_due_at: 0, requires_second_factor: 0 }, now })
}

/** From when on a second factor is required: as it was, unless that is changed, or a grace period from now is given. */
function secondFactorOf(
  before: User,
  { two_factor_required: isRequired = before.second_factor_due_at > 0, two_factor_grace_days: days }: EditOrgOption,
  now: Seconds,
  usualGrace: Seconds,
): Partial<Pick<User, "second_factor_due_at" | "requires_second_factor">> {
  if (!isRequired) return { second_factor_due_at: 0, requires_second_factor: 0 }
  if (before.second_factor_due_at > 0 && days === undefined) return {}
  const grace = days === undefined ? usualGrace : days * 86_400
  return { second_factor_due_at: now + grace, requires_second_factor: flag(grace === 0) }
}

/** Renames; the old name redirects to the new one. Refuses as `invalid` an invalid or taken name, as `notFound` a deleted organisation. */
export async function renameOrganization(
  tx: Transaction,
  actor: Pick<User, "id">,
  organizationId: number,
  name: string,
  now: Seconds,
): Promise<User> {
  return renameAccount(tx, await lockOrganization(tx, organizationId), { name, field: "new_name", now, actor })
}

/** Refuses to delete an organisation that something belongs to, unless it is deleted with it: with `purge`. */
export type DeletionRule = (tx: Transaction, organization: User, options: { readonly purge: boolean }) => Promise<void>

/** Called before an organisation is deleted; listed in src/extensions.ts. */
export const deletionRules = extensionPoint<DeletionRule>("rules for deleting organizations")

/** Deletes an organisation with its teams and memberships. Refuses what a deletion rule refuses, and as `notFound` a deleted one. */
export async function deleteOrganization(
  tx: Transaction,
  { events, extensions }: Pick<Services, "events" | "extensions">,
  organizationId: number,
  { purge = false }: { readonly purge?: boolean } = {},
): Promise<void> {
  const organization = await lockToDelete(tx, organizationId)
  if (organization?.kind !== "organization") throw refuse.notFound()
  for (const rule of deletionRules.of({ extensions })) await rule(tx, organization, { purge })
  publish(tx, { kind: "account.deleted", user: organization })
  await events.deliver(tx)
  // Teams, memberships, redirects, blocks and labels are deleted with the row.
  await deleteUser(tx, organizationId)
}

/**
 * Removes a user from the organisation: from all its teams, and from the collaborators and watchers of its repositories.
 * Does nothing for a user who is no member. Refuses as `invalid` the last owner.
 */
export async function removeMember(tx: Transaction, organizationId: number, userId: number, actor?: Pick<User, "id">): Promise<void> {
  await lockOrganization(tx, organizationId)
  const membership = await findMembership.first(tx, { organizationId, userId })
  if (!membership) return
  const owners = await findOwnersTeam.first(tx, { organizationId })
  if (owners) await requireAnotherOwner(tx, owners.id, userId)
  await removeFromTeams(tx, { organizationId, userId })
  await removeFromOrganization(tx, { organizationId, userId })
  await publishMembersRemoved(tx, organizationId, { userIds: [userId], because: "removed", actor })
}

/**
 * Shows a membership to everyone, or to members only. Refuses as `forbidden` other users' memberships unless `mayChangeOthers`, as
 * `notFound` a user who is no member.
 */
export async function showMembership(
  tx: Transaction,
  organizationId: number,
  userId: number,
  change: { readonly isPublic: boolean; readonly byUserId: number; readonly mayChangeOthers: boolean },
): Promise<void> {
  const { isPublic, byUserId } = change
  if (userId !== byUserId && !change.mayChangeOthers) throw refuse.forbidden("Cannot change member visibility")
  const shown = await saveIsPublic(tx, { isPublic, organizationId, userId })
  if (shown) {
    const kind = isPublic ? "organization.memberShown" : "organization.memberConcealed"
    publish(tx, { kind, organization: { id: organizationId }, user: { id: userId }, actor: { id: byUserId } })
  } else if (!(await findMembership.first(tx, { organizationId, userId }))) throw refuse.notFound()
}

/**
 * Blocks a user for the organisation. Refuses as `badRequest` its members, who must be removed first, and organisations.
 */
export async function blockForOrganization(
  tx: Transaction,
  organizationId: number,
  user: User,
  note: string | undefined,
  now: Seconds,
): Promise<void> {
  const organization = await lockOrganization(tx, organizationId)
  if (await findMembership.first(tx, { organizationId, userId: user.id }))
    throw refuse.badRequest("cannot block a member of the organization")
  await block(tx, organization, user, note, now)
}

/** Sets the digest of the avatar, "" for none, and returns the previous one. Refuses as `notFound` a deleted organisation. */
export async function changeAvatar(
  tx: Transaction,
  actor: Pick<User, "id">,
  organizationId: number,
  digest: string,
  now: Seconds,
): Promise<string> {
  const organization = await lockOrganization(tx, organizationId)
  const { avatar } = organization
  await updateUser(tx, { id: organizationId, changes: { avatar: digest }, now })
  if (avatar !== digest) publish(tx, { kind: "organization.edited", organization, changed: ["avatar"], actor, at: now })
  return avatar
}

/** The organisation, locked until the transaction ends. Refuses as `notFound` one that was deleted meanwhile. */
export async function lockOrganization(tx: Transaction, organizationId: number): Promise<User> {
  const organization = await lockRow(tx, "users", organizationId)
  if (organization?.kind !== "organization") throw refuse.notFound()
  return organization
}
