import { ACCOUNT_NAME } from "../../../core/names.ts"
import { dateTime, fileContent, int64, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

/** Who may see the account: everyone, signed-in users, or members and collaborators. */
export const VISIBILITIES = ["public", "limited", "private"] as const

/**
 * Account names: letters and digits, with single hyphens, underscores or dots between them. Users and organisations share them.
 * Reserved names are checked by the rules.
 */
export const ACCOUNT_NAME_LENGTH = 40

/** The website in a profile: empty for none, else http or https. */
export const PROFILE_WEBSITE_PATTERN = "^$|^[Hh][Tt][Tt][Pp][Ss]?://[^\\s]+$"

/** Longest deliverable e-mail address (RFC 5321, section 4.5.3.1.3, without the angle brackets). */
export const EMAIL_LENGTH = 254

// --- answers -------------------------------------------------------------------------------------------------------------------------

export const User = record("User", {
  id: int64(),
  login: Type.String({ description: "name of the account" }),
  username: Type.String({ description: "the same as login, which older clients read" }),
  login_name: Type.String({ description: "name at the external authenticator; shown to the account itself and to site administrators" }),
  source_id: int64({ description: "authentication source, 0 is the built-in one; shown to the account itself and to site administrators" }),
  full_name: Type.String(),
  email: Type.String({ description: "a no-reply address where a person hides their own; empty for an organization without one" }),
  avatar_url: Type.String({ format: "uri" }),
  html_url: Type.String({ format: "uri", description: "web page of the account" }),
  language: Type.String({ description: "locale; shown to the account itself and to site administrators" }),
  is_admin: Type.Boolean({ description: "site administrator; shown to the account itself and to site administrators" }),
  last_login: dateTime({ description: "year 1 where the caller may not know it, 1970 for never" }),
  created: dateTime(),
  restricted: Type.Boolean({ description: "sees only what it was explicitly given" }),
  active: Type.Boolean({ description: "shown to the account itself and to site administrators" }),
  prohibit_login: Type.Boolean({ description: "shown to the account itself and to site administrators" }),
  location: Type.String(),
  website: Type.String(),
  description: Type.String(),
  visibility: oneOf(VISIBILITIES),
  followers_count: int64(),
  following_count: int64(),
  starred_repos_count: int64(),
})
export type User = Static<typeof User>

export const UserMeta = record("UserMeta", { id: int64(), login: Type.String() })
export type UserMeta = Static<typeof UserMeta>

/** The answer of a search for users. */
export const UserSearchResults = Type.Object({ data: Type.Array(User), ok: Type.Boolean() })
export type UserSearchResults = Static<typeof UserSearchResults>

/** What the settings of a person who has chosen none say; the name is one that clients know. */
export const DEFAULT_THEME = "gitea-auto"

export const UserSettings = record("UserSettings", {
  full_name: Type.String(),
  website: Type.String(),
  description: Type.String(),
  location: Type.String(),
  language: Type.String({ description: "locale" }),
  theme: Type.String(),
  diff_view_style: Type.String({ description: "unified or split; empty where none was chosen" }),
  hide_email: Type.Boolean({ description: "others see a no-reply address" }),
  hide_activity: Type.Boolean({ description: "others see nothing of the account in feeds" }),
})
export type UserSettings = Static<typeof UserSettings>

export const Email = record("Email", {
  email: Type.String({ format: "email" }),
  verified: Type.Boolean(),
  primary: Type.Boolean({ description: "the address that the account is written to" }),
  user_id: int64(),
  username: Type.String(),
})
export type Email = Static<typeof Email>

export const Badge = record("Badge", {
  id: int64(),
  slug: Type.String({ description: "name that the badge is given and taken by" }),
  description: Type.String(),
  image_url: Type.String(),
})
export type Badge = Static<typeof Badge>

export const UserHeatmapData = record("UserHeatmapData", {
  timestamp: int64({ description: "start of the quarter of an hour, in seconds since 1970" }),
  contributions: int64(),
})
export type UserHeatmapData = Static<typeof UserHeatmapData>

// --- requests ----------------------------------------------------------------------------------------------------------------------

const profile = {
  full_name: Type.Optional(Type.String({ maxLength: 100 })),
  website: Type.Optional(
    Type.String({ maxLength: 255, pattern: PROFILE_WEBSITE_PATTERN, description: "http or https address; empty clears it" }),
  ),
  description: Type.Optional(Type.String({ maxLength: 255 })),
  location: Type.Optional(Type.String({ maxLength: 50 })),
}

const accountName = (description: string) =>
  Type.String({ minLength: 1, maxLength: ACCOUNT_NAME_LENGTH, pattern: ACCOUNT_NAME.pattern, description })

/** Members that are not sent remain unchanged. */
export const UserSettingsOptions = record("UserSettingsOptions", {
  ...profile,
  language: Type.Optional(Type.String({ maxLength: 35, description: "locale, such as en-US" })),
  theme: Type.Optional(Type.String({ maxLength: 255 })),
  diff_view_style: Type.Optional(oneOf(["", "unified", "split"])),
  hide_email: Type.Optional(Type.Boolean()),
  hide_activity: Type.Optional(Type.Boolean()),
})
export type UserSettingsOptions = Static<typeof UserSettingsOptions>

export const CreateEmailOption = record("CreateEmailOption", {
  emails: Type.Array(Type.String({ format: "email", maxLength: EMAIL_LENGTH }), { minItems: 1 }),
})
export type CreateEmailOption = Static<typeof CreateEmailOption>

export const DeleteEmailOption = record("DeleteEmailOption", { emails: Type.Array(Type.String()) })
export type DeleteEmailOption = Static<typeof DeleteEmailOption>

export const CreateUserOption = record("CreateUserOption", {
  username: accountName("name of the account"),
  email: Type.String({ minLength: 1, maxLength: EMAIL_LENGTH, format: "email" }),
  password: Type.Optional(Type.String({ maxLength: 255, description: "needed unless an external source signs the account in" })),
  must_change_password: Type.Optional(Type.Boolean({ description: "the account can do nothing else before; true where it is not sent" })),
  full_name: Type.Optional(Type.String({ maxLength: 100 })),
  login_name: Type.Optional(Type.String({ maxLength: 254, description: "name at the external authenticator" })),
  source_id: Type.Optional(int64({ minimum: 0, description: "authentication source, 0 is the built-in one" })),
  restricted: Type.Optional(Type.Boolean()),
  visibility: Type.Optional(oneOf(["", ...VISIBILITIES], { description: "empty is the site's default" })),
  send_notify: Type.Optional(Type.Boolean({ description: "tell the person by mail" })),
  created_at: Type.Optional(dateTime({ description: "when the account was made elsewhere; now where it is not sent" })),
})
export type CreateUserOption = Static<typeof CreateUserOption>

/** Members that are not sent remain unchanged. */
export const EditUserOption = record("EditUserOption", {
  ...profile,
  login_name: Type.String({ minLength: 1, maxLength: 254, description: "name at the external authenticator; for the built-in one, any" }),
  // Existing clients know this member as required, and yet leave it out.
  source_id: Type.Optional(
    Type.Integer({ format: "int64", minimum: 0, documentedAs: "required", description: "authentication source, 0 is the built-in one" }),
  ),
  // Checked by the rules, since clients expect another answer than this check would give.
  email: Type.Optional(Type.String({ maxLength: EMAIL_LENGTH })),
  password: Type.Optional(Type.String({ maxLength: 255, description: "empty changes nothing" })),
  must_change_password: Type.Optional(Type.Boolean()),
  active: Type.Optional(Type.Boolean()),
  admin: Type.Optional(Type.Boolean({ description: "site administrator" })),
  allow_git_hook: Type.Optional(Type.Boolean()),
  allow_import_local: Type.Optional(Type.Boolean()),
  allow_create_organization: Type.Optional(Type.Boolean()),
  max_repo_creation: Type.Optional(int64({ minimum: -1, description: "how many repositories it may own; -1 is the site's default" })),
  prohibit_login: Type.Optional(Type.Boolean()),
  restricted: Type.Optional(Type.Boolean()),
  visibility: Type.Optional(oneOf(["", ...VISIBILITIES], { description: "empty changes nothing" })),
})
export type EditUserOption = Static<typeof EditUserOption>

export const RenameUserOption = record("RenameUserOption", { new_username: accountName("the new name; the old one leads there") })
export type RenameUserOption = Static<typeof RenameUserOption>

export const UpdateUserAvatarOption = record("UpdateUserAvatarOption", {
  image: fileContent({ minLength: 1, description: "the picture's bytes in base64" }),
})
export type UpdateUserAvatarOption = Static<typeof UpdateUserAvatarOption>

export const UserBadgeOption = record("UserBadgeOption", { badge_slugs: Type.Array(Type.String({ minLength: 1 })) })
export type UserBadgeOption = Static<typeof UserBadgeOption>
