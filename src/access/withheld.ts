import { sql } from "kysely"

/** To whom organisations have granted something, which may be withheld (`IS_WITHHELD` in `rules.ts`): ids of people, for `in`. */

/** The members of an organisation, and the collaborators of its repositories. */
export const belongingTo = (organizationId: unknown) =>
  sql<number>`(select user_id from organization_members where organization_id = ${organizationId}
    union select collaborations.user_id from repositories join collaborations on collaborations.repository_id = repositories.id
      where repositories.owner_id = ${organizationId})`

/** The same of all organisations that require a second factor, or will. */
export const belongingToRequiring = () =>
  sql<number>`(select organization_members.user_id from users as organization
      join organization_members on organization_members.organization_id = organization.id
      where organization.kind = 'organization' and organization.second_factor_due_at > 0
    union select collaborations.user_id from users as organization
      join repositories on repositories.owner_id = organization.id
      join collaborations on collaborations.repository_id = repositories.id
      where organization.kind = 'organization' and organization.second_factor_due_at > 0)`
