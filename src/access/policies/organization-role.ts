import { type Actor, isSiteAdministrator, type User } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { Mode } from "../modes.ts"
import { findMembership } from "../store.ts"

/** The caller's role in an organisation. */
export interface OrganizationRole {
  readonly isMember: boolean
  readonly isOwner: boolean
  readonly mayCreateRepositories: boolean
}

/** The caller's role in the organisation. A site administrator counts as an owner, but not as a member. */
export async function roleIn(db: Handle, actor: Actor, organization: User): Promise<OrganizationRole> {
  if (actor.kind === "anonymous") return { isMember: false, isOwner: false, mayCreateRepositories: false }
  const membership = await findMembership.first(db, { organizationId: organization.id, userId: actor.user.id })
  const owns = isSiteAdministrator(actor) || membership?.mode === Mode.owner
  return {
    isMember: membership !== undefined,
    isOwner: owns,
    mayCreateRepositories: owns || membership?.can_create_repositories === 1,
  }
}
