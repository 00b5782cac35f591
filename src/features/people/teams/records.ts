import { type ModeName, UNITS } from "../../../access/modes.ts"
import { PLAIN_NAME } from "../../../core/names.ts"
import { int64, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { Organization } from "../organizations/records.ts"
import { VISIBILITIES } from "../users/records.ts"

/** Levels of access, from none to ownership. */
export const ACCESS_MODES = ["none", "read", "write", "admin", "owner"] as const satisfies readonly ModeName[]

export const Team = record("Team", {
  id: int64(),
  name: Type.String(),
  description: Type.String(),
  organization: nullable(Organization),
  includes_all_repositories: Type.Boolean(),
  permission: oneOf(ACCESS_MODES, { description: "owner and admin reach every unit; with any other, units_map says what the team may" }),
  units: nullable(Type.Array(Type.String(), { deprecated: true, description: "the names in units_map" })),
  units_map: Type.Record(Type.String(), Type.String(), { description: "unit name to none, read, write, admin or owner" }),
  can_create_org_repo: Type.Boolean(),
  visibility: oneOf(VISIBILITIES, {
    description: "public: visible to everyone who sees the organisation; limited: its members; private: the team's own members and owners",
  }),
})
export type Team = Static<typeof Team>

/** The answer of a search for teams. */
export const TeamSearchResults = Type.Object({ data: Type.Array(Team), ok: Type.Boolean() })
export type TeamSearchResults = Static<typeof TeamSearchResults>

const TEAM_NAME_LENGTH = 255

const details = {
  description: Type.Optional(Type.String({ maxLength: 255 })),
  includes_all_repositories: Type.Optional(Type.Boolean({ description: "those that are there and those to come" })),
  // Clients read, change and send back whole records, so every mode that can be read can be sent.
  permission: Type.Optional(
    oneOf(["", ...ACCESS_MODES], { description: "admin reaches every unit; with any other, units_map says what the team may" }),
  ),
  units: Type.Optional(
    Type.Array(oneOf(UNITS), { deprecated: true, description: "unit names, all with the mode of permission; use units_map" }),
  ),
  units_map: Type.Optional(
    Type.Record(Type.String(), oneOf(ACCESS_MODES), {
      propertyNames: { enum: [...UNITS] },
      description: "unit name to none, read, write or admin",
    }),
  ),
  can_create_org_repo: Type.Optional(Type.Boolean({ description: "members may create repositories in the organisation" })),
}

export const CreateTeamOption = record("CreateTeamOption", {
  name: Type.String({
    minLength: 1,
    maxLength: TEAM_NAME_LENGTH,
    pattern: PLAIN_NAME.pattern,
    description: "letters, digits, hyphens, underscores and dots; unique in the organisation, whatever the case",
  }),
  ...details,
  visibility: Type.Optional(oneOf(["", ...VISIBILITIES], { description: "empty is private" })),
})
export type CreateTeamOption = Static<typeof CreateTeamOption>

/** Members that are not sent remain unchanged. */
export const EditTeamOption = record("EditTeamOption", {
  // Existing clients know this member as required, and yet leave it out or empty where the name is unchanged.
  name: Type.Optional(
    Type.String({
      maxLength: TEAM_NAME_LENGTH,
      pattern: "^[A-Za-z0-9._-]*$",
      documentedAs: "required",
      description: "empty changes nothing",
    }),
  ),
  ...details,
  visibility: Type.Optional(oneOf(["", ...VISIBILITIES], { description: "empty changes nothing" })),
})
export type EditTeamOption = Static<typeof EditTeamOption>
