import { onSelf } from "../../../../access/policies/people.ts"
import { signedIn } from "../../../../access/policies/site.ts"
import { findUserById } from "../../../../access/store.ts"
import type { Actor, Credential, TokenCredential, User } from "../../../../core/actor.ts"
import type { Handle } from "../../../../core/database/database.ts"
import { refuse } from "../../../../core/errors.ts"
import { created, listed, noContent, type Operation, ok, operation, pathNumber } from "../../../../core/operation.ts"
import { rfc3339 } from "../../../../core/record.ts"
import Type from "../../../../core/schema.ts"
import type { Reach } from "./reach.ts"
import { AccessToken, CreateAccessTokenOption, CurrentAccessToken } from "./records.ts"
import { countTokensOf, findTokenById, findTokenByName, findTokensOf } from "./store.ts"
import { linesOf } from "./token-credential.ts"
import { createToken, deleteToken, type AccessToken as TokenRow } from "./tokens.ts"

export const describeToken = (row: TokenRow, { repositories, owners }: Reach) => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes.split(","),
  created_at: rfc3339(row.created_at),
  last_used_at: rfc3339(row.last_used_at || row.created_at),
  last_used_address: row.last_used_address,
  expires_at: row.expires_at === 0 ? null : rfc3339(row.expires_at),
  is_limited: row.is_limited === 1,
  repositories: [...repositories],
  owners: [...owners],
  is_task: row.is_task === 1,
  branches: [...linesOf(row.branches)],
  operations: [...linesOf(row.operations)],
  writes: row.writes < 0 ? null : row.writes,
  writes_left: row.writes < 0 ? null : row.writes_left,
})

/** A token as its owner sees it; `sha1` is the token itself, known only when it is created. */
const present = (row: TokenRow, reach: Reach, sha1 = ""): AccessToken => ({
  ...describeToken(row, reach),
  sha1,
  token_last_eight: row.last_eight,
})

/** Loaded when it is first needed. */
const reachesOf: typeof import("./reach.ts").reachesOf = async (...given) => (await import("./reach.ts")).reachesOf(...given)

const presentAll = async (db: Handle, actor: Actor, rows: readonly TokenRow[]): Promise<AccessToken[]> => {
  const reaches = await reachesOf(db, actor, rows)
  return rows.map((row) => present(row, reaches(row)))
}

/** The user's token with this id or, failing that, this name. Refuses `notFound` where there is none. */
export async function tokenOf(db: Handle, user: User, given: string): Promise<TokenRow> {
  const byId = await findTokenById.first(db, { id: pathNumber(given) })
  const token = byId?.user_id === user.id ? byId : await findTokenByName.first(db, { userId: user.id, name: given })
  if (!token) throw refuse.notFound()
  return token
}

/** A token of an application is no token of this list: it ends at the application's revocation endpoint. */
const isOwnToken = (credential: Credential): credential is TokenCredential =>
  credential.kind === "token" && credential.applicationId === undefined

const ofSelf = {
  tag: "user",
  scope: ["user"],
  access: onSelf,
  /** A leaked token must not be able to create others. */
  basicOnly: true,
} as const

export const authenticationOperations: readonly Operation[] = [
  operation({
    ...ofSelf,
    id: "userGetTokens",
    route: "GET /users/{username}/tokens",
    summary: "List a user's access tokens",
    paged: true,
    answers: { 200: Type.Array(AccessToken) },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, actor, user, page }) => {
      const total = (await countTokensOf.first(db, { userId: user.id }))?.total ?? 0
      const rows = await findTokensOf(db, { userId: user.id, limit: page.limit, offset: page.offset })
      return listed(await presentAll(db, actor, rows), total)
    },
  }),

  operation({
    ...ofSelf,
    id: "userCreateToken",
    route: "POST /users/{username}/tokens",
    summary: "Create an access token",
    description: "The answer is the only place where the token itself is told.",
    body: CreateAccessTokenOption,
    answers: { 201: AccessToken },
    refuses: ["badRequest", "forbidden", "notFound", "invalid"],
    handle: async ({ db, services, actor, user, body }) => {
      const { chosenByNames, expiryOf, taskFrom } = await import("./limits.ts")
      const chosen = await chosenByNames(db, user, body)
      const task = taskFrom(services, body)
      const wanted = {
        userId: user.id,
        name: body.name,
        scopes: body.scopes ?? [],
        now: services.now(),
        chosen,
        task,
        expiresAt: expiryOf(services, body.expires_at, actor.credential),
        by: actor.credential,
        actor: actor.user,
      }
      const { row, token } = await services.database.write((tx) => createToken(tx, wanted))
      const reaches = await reachesOf(services.database.read, actor, [row])
      return created(present(row, reaches(row), token))
    },
  }),

  operation({
    ...ofSelf,
    id: "userDeleteAccessToken",
    route: "DELETE /users/{username}/tokens/{token}",
    summary: "Delete an access token, by its id or its name",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, me, user, path }) => {
      await services.database.write(async (tx) => deleteToken(tx, await tokenOf(tx, user, path.token), me))
      return noContent()
    },
  }),

  operation({
    id: "getCurrentToken",
    route: "GET /token",
    summary: "Get the token of this request",
    tag: "user",
    scope: [],
    access: signedIn,
    answers: { 200: CurrentAccessToken },
    refuses: ["notFound"],
    handle: async ({ db, actor }) => {
      const row = isOwnToken(actor.credential) ? await findTokenById.first(db, { id: actor.credential.tokenId }) : undefined
      const owner = row && (await findUserById.first(db, { id: row.user_id }))
      if (!row || !owner) throw refuse.notFound()
      const reaches = await reachesOf(db, actor, [row])
      return ok({ ...describeToken(row, reaches(row)), user: { id: owner.id, login: owner.name } })
    },
  }),

  operation({
    id: "deleteCurrentToken",
    changesNothing: true,
    route: "DELETE /token",
    summary: "Delete the token of this request",
    tag: "user",
    scope: [],
    access: signedIn,
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, actor }) => {
      const { credential } = actor
      if (!isOwnToken(credential)) throw refuse.notFound()
      await services.database.write(async (tx) => {
        const row = await findTokenById.first(tx, { id: credential.tokenId })
        if (!row) throw refuse.notFound()
        await deleteToken(tx, row, actor.user)
      })
      return noContent()
    },
  }),
]
