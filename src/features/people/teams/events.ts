import type { User } from "../../../core/actor.ts"
import type { Changing, Id, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "people/teams": TeamEvent
  }
}

interface OnTeam {
  readonly team: Row<"teams">
  readonly organization: Id<User>
  readonly actor: Id<User>
}

/** What happens to teams and access. */
type TeamEvent =
  /** Members of these teams were given more rights, limited to these people or repositories where given. */
  | (Undated<"access.granted"> & {
      readonly teamIds: readonly number[]
      readonly userIds?: readonly number[]
      readonly repositoryIds?: readonly number[]
    })
  /** Access was taken away: these people, or all people if they are left out, may no longer see these repositories. */
  | (Undated<"access.lost"> & { readonly repositoryIds: readonly number[]; readonly userIds?: readonly number[] })
  /** What goes with a deleted team is not told one by one. */
  | (Undated<"team.created" | "team.deleted"> & OnTeam)
  /** `changed` has "units" where the team's rights in units of repositories were changed. */
  | (Undated<"team.edited"> & OnTeam & Changing)
  /** An address was invited, perhaps again; the invitation was accepted, declined or withdrawn. */
  | (Undated<"team.invited" | "team.uninvited"> & OnTeam & { readonly invitation: Id<Row<"team_invitations">> })
  | (Undated<"team.memberAdded" | "team.memberRemoved"> & OnTeam & { readonly user: Id<User> })
  /** Not published for repositories that a team has because it includes all. */
  | (Undated<"team.repositoryAdded" | "team.repositoryRemoved"> & OnTeam & { readonly repository: Id<Row<"repositories">> })
