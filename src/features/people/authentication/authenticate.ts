import { hash, randomBytes } from "node:crypto"
import { LRUCache } from "lru-cache"
import { isPublicOnlyScope } from "../../../access/scopes.ts"
import { findUserById, findUserByName } from "../../../access/store.ts"
import { type Actor, anonymous, isSiteAdministrator, type User } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { isTokenText, type Presented } from "./credentials.ts"
import { findTokenOwner, findTwoFactor, findUserByLogin } from "./store.ts"
import { tokenDigest } from "./tokens.ts"
import { useSecondFactor } from "./two-factor.ts"

/** Precision of a token's last use: writing at every request would cost more than the request. */
const LAST_USED_EXACTNESS = 60

export interface SignIn {
  readonly presented: Presented
  /** The X-Gitea-OTP header. */
  readonly code: string | undefined
}

export interface Authenticator {
  /** The caller that the credentials identify. Refuses `badCredentials` for credentials that are wrong, even for public resources. */
  readonly authenticate: (signIn: SignIn) => Promise<Actor>
}

/** A password that was right, remembered under a digest with a random key known to this process only: neither password nor hash can be read from it. */
interface Remembered {
  readonly userId: number
  /** Void once the user's version has changed: after a change of password, tokens, second factor or state, in any process. */
  readonly version: number
  readonly hasSecondFactor: boolean
}

interface Recognized {
  readonly user: User
  readonly hasSecondFactor: boolean
}

export function openAuthenticator(services: Services): Authenticator {
  const { database, config, passwords, log, now } = services
  const remembered = new LRUCache<string, Remembered>({ max: 10_000, ttl: Math.max(1, config.security.rememberSignInSeconds * 1000) })
  const salt = randomBytes(32).toString("hex")
  /** Concurrent checks of the same pair are one check. */
  const running = new Map<string, Promise<Recognized | undefined>>()

  async function byToken(token: string, basic: boolean): Promise<Actor | undefined> {
    if (!isTokenText(token)) return undefined
    const row = await findTokenOwner.first(database.read, { digest: tokenDigest(token) })
    if (!row) return undefined
    const { token_id, token_scopes, token_last_used_at, ...user } = row
    const seen = now()
    if (seen - token_last_used_at >= LAST_USED_EXACTNESS) touchToken(token_id, seen)
    const scopes = new Set(token_scopes.split(","))
    return { kind: "user", user, credential: { kind: "token", tokenId: token_id, scopes, publicOnly: isPublicOnlyScope(scopes) }, basic }
  }

  function touchToken(id: number, seen: number): void {
    database
      .write((tx) =>
        tx
          .updateTable("access_tokens")
          .set({ last_used_at: seen })
          .where("id", "=", id)
          .where("last_used_at", "<=", seen - LAST_USED_EXACTNESS)
          .execute(),
      )
      .catch((error: unknown) => log.warn({ err: error }, "the last use of a token could not be noted"))
  }

  async function byPassword(login: string, password: string): Promise<Recognized | undefined> {
    if (login === "" || password === "" || login.includes("\0")) return undefined
    const lowerLogin = login.toLowerCase()
    const digest = hash("sha256", `${salt}${lowerLogin}\0${password}`)
    const known = remembered.get(digest)
    if (known) {
      const user = await findUserById.first(database.read, { id: known.userId })
      if (user && user.credentials_version === known.version) return { user, hasSecondFactor: known.hasSecondFactor }
      remembered.delete(digest)
    }
    const going = running.get(digest)
    if (going) return going
    const check = checkPassword(lowerLogin, password, digest).finally(() => running.delete(digest))
    running.set(digest, check)
    return check
  }

  async function checkPassword(login: string, password: string, digest: string): Promise<Recognized | undefined> {
    const user = await findUserByLogin.first(database.read, { login })
    const right = await passwords.verify(password, user?.password_hash ?? "")
    if (!user || !right || user.prohibit_login === 1) return undefined
    const twoFactor = await findTwoFactor.first(database.read, { userId: user.id })
    const found = { user, hasSecondFactor: twoFactor !== undefined }
    if (config.security.rememberSignInSeconds > 0)
      remembered.set(digest, { userId: user.id, version: user.credentials_version, hasSecondFactor: found.hasSecondFactor })
    return found
  }

  async function authenticate({ presented, code }: SignIn): Promise<Actor> {
    switch (presented.kind) {
      case "none":
        return anonymous
      case "token": {
        const actor = await byToken(presented.token, false)
        if (!actor) throw refuse.badCredentials()
        return actor
      }
      case "basic": {
        const { login, password } = presented
        const byItself = password === "" || password === "x-oauth-basic"
        const actor = await byToken(byItself ? login : password, true)
        if (actor) return actor
        const recognized = byItself ? undefined : await byPassword(login, password)
        if (!recognized || (recognized.hasSecondFactor && !(await useSecondFactor(services, recognized.user, code))))
          throw refuse.badCredentials()
        return { kind: "user", user: recognized.user, credential: { kind: "password" }, basic: true }
      }
    }
  }
  return { authenticate }
}

/** Refuses `forbidden` for accounts that may not act now. */
export function requireUsable(actor: Actor, rootUrl: string): void {
  if (actor.kind === "anonymous") return
  const { user } = actor
  if (user.prohibit_login === 1)
    throw refuse.forbidden("This account is prohibited from signing in, please contact your site administrator.")
  if (user.is_active === 0) throw refuse.forbidden("This account is not activated.")
  if (user.must_change_password === 1)
    throw refuse.forbidden(`You must change your password. Change it at: ${rootUrl}/user/change_password`)
}

/**
 * Acts as another user, for site administrators. The token's scopes remain those of the caller.
 * Refuses `forbidden` for other callers and `notFound` for an unknown name.
 */
export async function actAs(services: Services, actor: Actor, name: string): Promise<Actor> {
  if (actor.kind === "anonymous" || !isSiteAdministrator(actor)) throw refuse.forbidden("Only administrators allowed to sudo.")
  const user = name.includes("\0") ? undefined : await findUserByName.first(services.database.read, { lowerName: name.toLowerCase() })
  if (user?.kind !== "person") throw refuse.notFound()
  return { ...actor, user }
}
