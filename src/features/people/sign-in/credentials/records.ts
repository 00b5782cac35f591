import { dateTime, int64, nullable, record } from "../../../../core/record.ts"
import Type, { type Static } from "../../../../core/schema.ts"
import { UserMeta } from "../../users/records.ts"

/** The most repositories, and the most owners, that one token may be limited to. */
const MOST_CHOSEN = 100

/** The most patterns of branches of one token. */
const MOST_PATTERNS = 20

/** Members that every record of a token has. */
const limits = {
  last_used_address: Type.String({ description: "the address of the client that used it then; empty where that is not known" }),
  expires_at: nullable(dateTime({ description: "from when on it is refused; null for never" })),
  is_limited: Type.Boolean({ description: "whether it reads what is public, and has all else in `repositories` and `owners` alone" }),
  repositories: Type.Array(Type.String(), { description: "the full names of those that the caller may see" }),
  owners: Type.Array(Type.String(), { description: "owners all of whose repositories are chosen" }),
  is_task: Type.Boolean({ description: "whether it was made for one task: what it changes is listed, and marked with its name" }),
  branches: Type.Array(Type.String(), { description: "patterns of the branches and references that it may change; empty for any" }),
  operations: Type.Array(Type.String(), { description: "ids of operations, and names of toolsets, that it may use; empty for any" }),
  writes: nullable(int64({ description: "how many changes it may make in all; null where they are not counted" })),
  writes_left: nullable(int64({ description: "how many of these are left" })),
}

export const AccessToken = record("AccessToken", {
  id: int64(),
  name: Type.String(),
  sha1: Type.String({ description: "the token itself in the answer to its creation, empty ever after" }),
  token_last_eight: Type.String({ description: "the token's last eight characters, to tell tokens apart" }),
  scopes: Type.Array(Type.String()),
  created_at: dateTime(),
  last_used_at: dateTime({ description: "when it was used last, exact to a minute; when it was made where it never was" }),
  ...limits,
})
export type AccessToken = Static<typeof AccessToken>

/** The token that a request was signed in with. */
export const CurrentAccessToken = record("CurrentAccessToken", {
  id: int64(),
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  created_at: dateTime(),
  last_used_at: dateTime(),
  ...limits,
  user: UserMeta,
})
export type CurrentAccessToken = Static<typeof CurrentAccessToken>

/** A token of anyone, for administrators. */
export const SiteAccessToken = record("SiteAccessToken", {
  id: int64(),
  name: Type.String(),
  token_last_eight: Type.String(),
  scopes: Type.Array(Type.String()),
  created_at: dateTime(),
  last_used_at: dateTime(),
  ...limits,
  user: UserMeta,
})
export type SiteAccessToken = Static<typeof SiteAccessToken>

export const CreateAccessTokenOption = record("CreateAccessTokenOption", {
  name: Type.String({ minLength: 1, maxLength: 255, description: "unique among the account's tokens" }),
  scopes: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "at least one of all, public-only, and read:… or write:… with activitypub, admin, issue, misc, notification, organization, package, repository or user",
    }),
  ),
  expires_at: Type.Optional(dateTime({ description: "by default never, or as late as the site allows" })),
  repositories: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MOST_CHOSEN,
      description: "full names; with these or `owners` the token changes nothing else, and of all else reads what is public",
    }),
  ),
  owners: Type.Optional(
    Type.Array(Type.String(), { maxItems: MOST_CHOSEN, description: "oneself, or organizations, with all of their repositories" }),
  ),
  branches: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      maxItems: MOST_PATTERNS,
      description:
        "patterns such as bot/*, or refs/tags/v*: the token changes no other branches and tags. With this, `operations` or `writes` the token is for one task, and must have an end, and `repositories` or `owners`",
    }),
  ),
  operations: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: MOST_CHOSEN,
      description: "ids of operations, git.fetch, git.push, and names of toolsets: the token uses no others",
    }),
  ),
  writes: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, description: "how many changes the token may make in all; a push is one" }),
  ),
})
export type CreateAccessTokenOption = Static<typeof CreateAccessTokenOption>

/** A change that was made, or tried, with a token for one task. */
export const TokenDeed = record("TokenDeed", {
  id: int64(),
  token_id: int64(),
  token_name: Type.String(),
  user: UserMeta,
  operation: Type.String({ description: "the id of the operation, or git.push" }),
  path: Type.String({ description: "what it was about; of a push with the references that it changed" }),
  status: Type.Integer({ description: "of the answer; 0 while it is done, and where the server died meanwhile" }),
  created_at: dateTime(),
})
export type TokenDeed = Static<typeof TokenDeed>
