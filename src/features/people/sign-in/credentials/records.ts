import { dateTime, int64, record } from "../../../../core/record.ts"
import Type, { type Static } from "../../../../core/schema.ts"
import { UserMeta } from "../../users/records.ts"

export const AccessToken = record("AccessToken", {
  id: int64(),
  name: Type.String(),
  sha1: Type.String({ description: "the token itself in the answer to its creation, empty ever after" }),
  token_last_eight: Type.String({ description: "the token's last eight characters, to tell tokens apart" }),
  scopes: Type.Array(Type.String()),
  created_at: dateTime(),
  last_used_at: dateTime({ description: "when it was used last; when it was made where it never was" }),
})
export type AccessToken = Static<typeof AccessToken>

/** The token that a request was signed in with. */
export const CurrentAccessToken = record("CurrentAccessToken", {
  id: int64(),
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  created_at: dateTime(),
  last_used_at: dateTime(),
  user: UserMeta,
})
export type CurrentAccessToken = Static<typeof CurrentAccessToken>

export const CreateAccessTokenOption = record("CreateAccessTokenOption", {
  name: Type.String({ minLength: 1, maxLength: 255, description: "unique among the account's tokens" }),
  scopes: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "at least one of all, public-only, and read:… or write:… with activitypub, admin, issue, misc, notification, organization, package, repository or user",
    }),
  ),
})
export type CreateAccessTokenOption = Static<typeof CreateAccessTokenOption>
