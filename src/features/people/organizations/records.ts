import { ACCOUNT_NAME } from "../../../core/names.ts"
import { dateTime, int64, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { ACCOUNT_NAME_LENGTH, EMAIL_LENGTH, PROFILE_WEBSITE_PATTERN, VISIBILITIES } from "../users/records.ts"

export const Organization = record("Organization", {
  id: int64(),
  name: Type.String(),
  username: Type.String({ deprecated: true, description: "the same as name" }),
  full_name: Type.String(),
  email: Type.String(),
  avatar_url: Type.String({ format: "uri" }),
  description: Type.String(),
  website: Type.String(),
  location: Type.String(),
  visibility: oneOf(VISIBILITIES),
  repo_admin_change_team_access: Type.Boolean({ description: "administrators of a repository may give teams access to it and take it" }),
  two_factor_required: Type.Boolean({ description: "members without a second factor have no access, from two_factor_due_at on" }),
  two_factor_due_at: nullable(dateTime({ description: "null where none is required" })),
})
export type Organization = Static<typeof Organization>

/** What a user may do in an organisation. */
export const OrganizationPermissions = record("OrganizationPermissions", {
  is_owner: Type.Boolean(),
  is_admin: Type.Boolean(),
  can_write: Type.Boolean(),
  can_read: Type.Boolean(),
  can_create_repository: Type.Boolean(),
})
export type OrganizationPermissions = Static<typeof OrganizationPermissions>

const details = {
  full_name: Type.Optional(Type.String({ maxLength: 100 })),
  // Clients send an empty text for none, which the format "email" would not accept.
  email: Type.Optional(
    Type.String({ maxLength: EMAIL_LENGTH, pattern: "^$|^[^\\s@]+@[^\\s@]+$", description: "contact address; empty for none" }),
  ),
  description: Type.Optional(Type.String({ maxLength: 255 })),
  website: Type.Optional(
    Type.String({ maxLength: 255, pattern: PROFILE_WEBSITE_PATTERN, description: "http or https address; empty for none" }),
  ),
  location: Type.Optional(Type.String({ maxLength: 50 })),
  repo_admin_change_team_access: Type.Optional(
    Type.Boolean({ description: "administrators of a repository may give teams access to it and take it" }),
  ),
}

const organizationName = (description: string) =>
  Type.String({ minLength: 1, maxLength: ACCOUNT_NAME_LENGTH, pattern: ACCOUNT_NAME.pattern, description })

export const CreateOrgOption = record("CreateOrgOption", {
  username: organizationName("name of the organisation"),
  ...details,
  visibility: Type.Optional(oneOf(["", ...VISIBILITIES], { description: "empty is public" })),
})
export type CreateOrgOption = Static<typeof CreateOrgOption>

/** Members that are not sent remain unchanged. */
export const EditOrgOption = record("EditOrgOption", {
  ...details,
  visibility: Type.Optional(oneOf(["", ...VISIBILITIES], { description: "empty changes nothing" })),
  two_factor_required: Type.Optional(
    Type.Boolean({ description: "whether members and collaborators need a second factor; for owners who have one themselves" }),
  ),
  two_factor_grace_days: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 90,
      description: "for how many days from now they keep access without; by default as the site has it",
    }),
  ),
})
export type EditOrgOption = Static<typeof EditOrgOption>

export const RenameOrgOption = record("RenameOrgOption", { new_name: organizationName("the new name; the old one leads there") })
export type RenameOrgOption = Static<typeof RenameOrgOption>
