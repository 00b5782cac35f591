import type { User } from "../../../core/actor.ts"
import type { Changing, Id, PerhapsActed, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "people/organizations": OrganizationEvent
  }
}

interface OnOrganization extends PerhapsActed {
  readonly organization: User
}

/** What happens to organizations. */
type OrganizationEvent =
  /** With its owners' team, whose only member is `firstOwner`. */
  | (Undated<"organization.created"> & OnOrganization & { readonly firstOwner: Id<User> })
  | (Undated<"organization.renamed"> & OnOrganization & { readonly from: string })
  | (Undated<"organization.edited"> & OnOrganization & Changing)
  /**
   * These users left the organisation, and with it its teams. `repositoryIds`: the repositories of the organisation, of which they may still be able
   * to read some.
   */
  | (Undated<"organization.membersRemoved"> &
      PerhapsActed & {
        readonly organization: Id<User>
        readonly userIds: readonly number[]
        /** "removed" from the organisation, which also ends collaborations there, or from the last of their teams. */
        readonly because: "removed" | "withoutTeam"
        readonly repositoryIds: readonly number[]
      })
  /** Everyone, or only other members, sees from now on that this user is a member. */
  | (Undated<"organization.memberShown" | "organization.memberConcealed"> & {
      readonly organization: Id<User>
      readonly user: Id<User>
      readonly actor: Id<User>
    })
