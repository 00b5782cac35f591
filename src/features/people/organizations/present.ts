import type { Actor, User } from "../../../core/actor.ts"
import { rfc3339, type Shape } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { avatarUrl } from "../users/present.ts"
import type { Organization as OrganizationRecord } from "./records.ts"

/** An organisation as `viewer` may see it: its address is only for signed-in users; without a viewer, the caller counts as signed in. */
export function presentOrganization(site: Site, organization: User, viewer?: Actor): Shape<typeof OrganizationRecord> {
  return {
    id: organization.id,
    name: organization.name,
    username: organization.name,
    full_name: organization.full_name,
    email: viewer?.kind === "anonymous" ? "" : organization.email,
    avatar_url: avatarUrl(site, organization),
    description: organization.description,
    website: organization.website,
    location: organization.location,
    visibility: organization.visibility,
    repo_admin_change_team_access: organization.repo_admin_change_team_access === 1,
    two_factor_required: organization.second_factor_due_at > 0,
    two_factor_due_at: organization.second_factor_due_at > 0 ? rfc3339(organization.second_factor_due_at) : null,
  }
}
