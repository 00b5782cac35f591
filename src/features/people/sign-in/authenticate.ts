import { hash, randomBytes } from "node:crypto"
import { LRUCache } from "lru-cache"
import { isPublicOnlyScope } from "../../../access/scopes.ts"
import { findUserById, findUserByName } from "../../../access/store.ts"
import { type Actor, anonymous, isSiteAdministrator, type TokenCredential, type User } from "../../../core/actor.ts"
import { identifyCaller } from "../../../core/caller.ts"
import { type Refusal, refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { onFirstUseOf } from "../../../core/memoize.ts"
import type { Services } from "../../../core/services.ts"
import { renewHash } from "../users/store.ts"
import { isApplicationTokenText, isTokenText, type Presented } from "./credentials/credentials.ts"
import { adoptToken } from "./credentials/former-tokens.ts"
import { bearerOfIssued } from "./credentials/issued-tokens.ts"
import { findApplicationToken, findTokenOwner, findTwoFactor, findUserByLogin, noteTokenUse, touchGrant } from "./credentials/store.ts"
import { tokenCredential } from "./credentials/token-credential.ts"
import { tokenDigest } from "./credentials/tokens.ts"
import type { Typed } from "./directories/directories.ts"
import { openPasswordGuesses } from "./guesses/password-guesses.ts"
import { useSecondFactor } from "./second-factor/two-factor.ts"

/** Precision of a token's last use: writing at every request would cost more than the request. */
const LAST_USED_EXACTNESS = 60

export interface SignIn {
  readonly presented: Presented
  /** The X-Gitea-OTP header. */
  readonly code: string | undefined
  /** The client's: guesses are counted by it. */
  readonly address: string
}

export interface Authenticator {
  /**
   * The caller that the credentials identify. Refuses `badCredentials` for credentials that are wrong, even for public resources, and `tooMany`
   * after too many wrong passwords or codes. Tokens, and passwords that are remembered, are not slowed.
   */
  readonly authenticate: (signIn: SignIn) => Promise<Actor>
  /**
   * The user with this login and password, for a form that asks for the second factor afterwards: `useSecondFactor` must follow where there is one.
   * Refuses as `authenticate` does.
   */
  readonly firstFactor: (login: string, password: string, address: string) => Promise<FirstFactor>
}

/** A password that was right, remembered under a digest with a random key known to this process only: neither password nor hash can be read from it. */
interface Remembered {
  readonly userId: number
  /** Void once the user's version has changed: after a change of password, tokens, second factor or state, in any process. */
  readonly version: number
  readonly hasSecondFactor: boolean
}

export interface FirstFactor {
  readonly user: User
  readonly hasSecondFactor: boolean
}

interface Recognized {
  readonly user: User
  readonly hasSecondFactor: boolean
  /** What follows a password that was checked now: once the sign-in is complete, and where the second factor is missing. */
  readonly checked?: { readonly complete: () => Promise<void>; readonly incomplete: () => void; readonly halfway: () => Promise<void> }
}

/** The one of a running forge: all ways to sign in count guesses together. */
export const authenticatorOf = onFirstUseOf(openAuthenticator)

function openAuthenticator(services: Services): Authenticator {
  const { database, config, passwords, signIns, log, now } = services
  const guesses = openPasswordGuesses(services)
  const remembered = new LRUCache<string, Remembered>({ max: 10_000, ttl: Math.max(1, config.security.rememberSignInSeconds * 1000) })
  const salt = randomBytes(32).toString("hex")
  /** Concurrent checks of the same pair are one check. */
  const running = new Map<string, Promise<Recognized | undefined>>()

  async function byToken(token: string, basic: boolean, address: string): Promise<Actor | undefined> {
    if (isApplicationTokenText(token)) return byApplication(token)
    if (!isTokenText(token)) return undefined
    const find = () => findTokenOwner.first(database.read, { digest: tokenDigest(token) })
    // Another call with it may have adopted it meanwhile: it is looked for again in any case.
    const row = (await find()) ?? (await adoptToken(services, token).then(find))
    if (!row) {
      const actor = await bearerOfIssued(services, token)
      if (actor) signIns.count("token", "right")
      return actor && { ...actor, basic }
    }
    const { token_id: id, token_name: name, token_scopes: scopes, token_last_used_at, token_is_limited, token_expires_at, ...rest } = row
    const { token_is_task: is_task, token_branches: branches, token_operations: operations, token_writes: writes, ...user } = rest
    const seen = now()
    const stored = { id, name, scopes, is_limited: token_is_limited, expires_at: token_expires_at, is_task, branches, operations, writes }
    const credential = await tokenCredential(database.read, stored, seen)
    if (!credential) {
      signIns.count("token", "wrong")
      throw refuse.badCredentials("this access token has expired")
    }
    signIns.count("token", "right")
    if (seen - token_last_used_at >= LAST_USED_EXACTNESS) touchToken(id, seen, address)
    return { kind: "user", user, credential, basic }
  }

  /** An access token of OAuth2. Never `basic`: an application must not make itself a token that outlives what it was granted. */
  async function byApplication(token: string): Promise<Actor | undefined> {
    if (!config.oauth2.enabled) return undefined
    const seen = now()
    const row = await findApplicationToken.first(database.read, { digest: tokenDigest(token), now: seen })
    if (!row) return undefined
    signIns.count("token", "right")
    const { token_id, token_scopes, grant_id, application_id, grant_last_used_at, ...user } = row
    if (seen - grant_last_used_at >= LAST_USED_EXACTNESS)
      database
        .write((tx) => touchGrant.changes(tx, { id: grant_id, now: seen, before: seen - LAST_USED_EXACTNESS }))
        .catch((error: unknown) => log.warn({ err: error }, "the last use of a grant could not be noted"))
    return { kind: "user", user, credential: applicationCredential(token_id, application_id, token_scopes), basic: false }
  }

  function touchToken(id: number, seen: number, address: string): void {
    database
      .write((tx) => noteTokenUse(tx, { before: seen - LAST_USED_EXACTNESS, now: seen, id, address }))
      .catch((error: unknown) => log.warn({ err: error }, "the last use of a token could not be noted"))
  }

  async function byPassword(login: string, password: string, address: string): Promise<Recognized | undefined> {
    if (login === "" || password === "" || login.includes("\0")) return undefined
    const lowerLogin = login.toLowerCase()
    const digest = hash("sha256", `${salt}${lowerLogin}\0${password}`)
    const known = remembered.get(digest)
    if (known) {
      const user = await findUserById.first(database.read, { id: known.userId })
      if (user && user.credentials_version === known.version) {
        signIns.count("password", "right")
        return { user, hasSecondFactor: known.hasSecondFactor }
      }
      remembered.delete(digest)
    }
    const key = `${digest} ${address}`
    const going = running.get(key)
    if (going) return going
    const check = checkPassword(lowerLogin, password, digest, address).finally(() => running.delete(key))
    running.set(key, check)
    return check
  }

  async function checkPassword(login: string, password: string, digest: string, address: string): Promise<Recognized | undefined> {
    const known = await findUserByLogin.first(database.read, { login })
    const guess = await guesses.begin(known, login, address)
    const verified = verify(known, { login, password, network: guess.network })
    const user = await verified.catch((error: unknown) => {
      guess.unchecked()
      throw error
    })
    if (!user || user.prohibit_login === 1) {
      await guess.wrong()
      return undefined
    }
    signIns.count("password", "right")
    const hasSecondFactor = (await findTwoFactor.first(database.read, { userId: user.id })) !== undefined
    const finish = async () => {
      // Not before the sign-in is complete: a fast refusal of the next try would tell that the password is right.
      if (config.security.rememberSignInSeconds > 0)
        remembered.set(digest, { userId: user.id, version: user.credentials_version, hasSecondFactor })
      await guess.right()
      if (!passwords.isOurs(user.password_hash)) renew(user, password)
    }
    let finished: Promise<void> | undefined
    const complete = () => {
      finished ??= finish()
      return finished
    }
    return { user, hasSecondFactor, checked: { complete, incomplete: guess.incomplete, halfway: guess.halfway } }
  }

  /** Whose password it is: as a directory says for its people, else by the account's own hash. */
  async function verify(user: User | undefined, typed: Typed): Promise<User | undefined> {
    if (config.signIn.directories.length > 0) {
      const { signInByDirectory } = await import("./directories/directories.ts")
      const asked = await signInByDirectory(services, user, typed)
      if (asked?.kind !== "elsewhere") return asked?.user
    }
    return (await passwords.verify(typed.password, user?.password_hash ?? "", typed.network)) ? user : undefined
  }

  /** Replaces the hash of a server that was taken over by one of ours. Nobody waits for it: the next sign-in does it again. */
  function renew(user: User, password: string): void {
    passwords
      .hash(password)
      .then((made) => database.write((tx) => renewHash.changes(tx, { id: user.id, before: user.password_hash, made })))
      .catch((error: unknown) => log.warn({ err: error }, "the hash of a password could not be renewed"))
  }

  async function authenticate({ presented, code, address }: SignIn): Promise<Actor> {
    switch (presented.kind) {
      case "none":
        return anonymous
      case "token": {
        const actor = await byToken(presented.token, false, address)
        if (!actor) {
          signIns.count("token", "wrong")
          throw refuse.badCredentials()
        }
        return actor
      }
      case "basic": {
        const { login, password } = presented
        const byItself = password === "" || password === "x-oauth-basic"
        const actor = await byToken(byItself ? login : password, true, address)
        if (actor) return actor
        if (byItself) {
          signIns.count("token", "wrong")
          throw refuse.badCredentials()
        }
        const recognized = await byPassword(login, password, address)
        if (!recognized) throw refuse.badCredentials()
        await requireSecondFactor(recognized, code, address)
        if (!recognized.hasSecondFactor && (await needsSecondStep(services, recognized.user)))
          throw refuse.forbidden(
            "a second factor is required beside this password, and a passkey can't be asked for here: use an access token",
          )
        return { kind: "user", user: recognized.user, credential: { kind: "password" }, basic: true }
      }
    }
  }

  async function requireSecondFactor(
    { user, hasSecondFactor, checked }: Recognized,
    code: string | undefined,
    address: string,
  ): Promise<void> {
    try {
      if (hasSecondFactor && !(await useSecondFactor(services, user, code, address))) throw refuse.badCredentials()
    } catch (error) {
      checked?.incomplete()
      throw error
    }
    await checked?.complete()
  }
  return {
    async authenticate(signIn) {
      const actor = await authenticate(signIn)
      if (actor.kind === "user") identifyCaller(actor.user.id)
      return actor
    },
    async firstFactor(login, password, address) {
      const recognized = await byPassword(login, password, address)
      if (!recognized) throw refuse.badCredentials()
      const { user, hasSecondFactor, checked } = recognized
      await (hasSecondFactor ? checked?.halfway() : checked?.complete())
      return { user, hasSecondFactor }
    },
  }
}

/** The credential that an access token of OAuth2 is. */
export function applicationCredential(tokenId: number, applicationId: number, stored: string): TokenCredential {
  const scopes = new Set(stored.split(","))
  return { kind: "token", tokenId, applicationId, scopes, publicOnly: isPublicOnlyScope(scopes) }
}

/** Refuses `forbidden` for accounts that may not act now, and for people who need a second factor by now and have none. */
export async function requireUsable(services: Services, actor: Actor): Promise<void> {
  requireUsableAccount(services, actor)
  if (await mustSetUpFactor(services, actor)) throw factorRefusal(services)
}

/** The page that leads to setting up a second factor. */
export const SECOND_FACTOR_PATH = "/user/second_factor"

/** Whether the caller can do nothing now but set up a second factor. */
export const mustSetUpFactor = async (services: Services, actor: Actor): Promise<boolean> =>
  services.config.security.secondFactor !== "optional" && (await import("./second-factor/required.ts")).isFactorOverdue(services, actor)

/** Whether a password alone is not enough for a person whose only second factor is a passkey. */
export const needsSecondStep = async (services: Services, user: User): Promise<boolean> =>
  user.has_second_factor === 1 && (await import("./second-factor/required.ts")).isRequiredOf(services, user)

/** The refusal for whoever can do nothing but set up a second factor. */
export const factorRefusal = ({ site }: Pick<Services, "site">): Refusal =>
  refuse.forbidden(t`This site requires two-factor authentication. Set it up at: ${site.rootUrl}${SECOND_FACTOR_PATH}`)

/** The same without looking at second factors: for signing in, after which one can be set up. */
export function requireUsableAccount({ site: { rootUrl } }: Pick<Services, "site">, actor: Actor): void {
  if (actor.kind === "anonymous") return
  const { user } = actor
  if (user.prohibit_login === 1)
    throw refuse.forbidden("This account is prohibited from signing in, please contact your site administrator.")
  if (user.is_active === 0) throw refuse.forbidden("This account is not activated.")
  if (user.must_change_password === 1)
    throw refuse.forbidden(t`You must change your password. Change it at: ${rootUrl}/user/change_password`)
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
