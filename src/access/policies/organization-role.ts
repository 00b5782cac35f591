import { type Actor, isSiteAdministrator, type User } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { key } from "../../core/language/message.ts"
import { isChosenOwner } from "../../core/limited-token.ts"
import { Mode } from "../modes.ts"
import { isWithheld } from "../permission.ts"
import { findMembership } from "../store.ts"

/** The caller's role in an organisation. */
export interface OrganizationRole {
  readonly isMember: boolean
  readonly isOwner: boolean
  readonly mayCreateRepositories: boolean
  /** True for members who have no role until they have the second factor that the organisation requires. */
  readonly isWithheld: boolean
}

export const NO_ROLE: OrganizationRole = { isMember: false, isOwner: false, mayCreateRepositories: false, isWithheld: false }

export const FACTOR_MISSING = key("this organization requires two-factor authentication: set it up for your account to have access again")

/**
 * The caller's role in the organisation. A site administrator counts as an owner, but not as a member. A token that is limited to some repositories has no role
 * where the organisation was not chosen.
 */
export async function roleIn(db: Handle, actor: Actor, organization: User): Promise<OrganizationRole> {
  if (actor.kind === "anonymous" || !isChosenOwner(actor, organization)) return NO_ROLE
  const membership = await findMembership.first(db, { organizationId: organization.id, userId: actor.user.id })
  if (membership && !isSiteAdministrator(actor) && isWithheld(actor, organization)) return { ...NO_ROLE, isWithheld: true }
  const owns = isSiteAdministrator(actor) || membership?.mode === Mode.owner
  return {
    isMember: membership !== undefined,
    isOwner: owns,
    mayCreateRepositories: owns || membership?.can_create_repositories === 1,
    isWithheld: false,
  }
}
