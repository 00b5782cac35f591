import { randomInt } from "node:crypto"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { networkOf } from "../../../core/networks.ts"
import { SealBroken } from "../../../core/secrets.ts"
import type { Services } from "../../../core/services.ts"
import type { Session } from "../sign-in/sessions/sessions.ts"
import type { Application } from "./applications.ts"
import { DEVICE_PATH } from "./device-paths.ts"
import {
  allowDevice,
  countDeviceCodes,
  deleteDeviceCode,
  denyDevice,
  findDeviceCode,
  findTypedCode,
  findWaitingCode,
  insertDeviceCode,
  noteDevicePoll,
} from "./device-store.ts"
import { OAuth2Error } from "./errors.ts"
import { noteGrant } from "./grants.ts"
import { readScopes, scopesOf, storedScopes } from "./scopes.ts"
import { insertSpentAuthorization } from "./store.ts"
import { digestOf, newText } from "./texts.ts"
import { answer, badGrant, type Field, issueTokens, type Outcome, type TokenAnswer, usableUser } from "./tokens.ts"

/**
 * Devices without a browser (RFC 8628): the device shows a short code, a person types it at /login/device in a browser where they are signed in, and the
 * device asks meanwhile with a long code of its own.
 */

/** How long both codes are good, in seconds. */
const CODE_SECONDS = 900
/** How long a device waits between two questions, in seconds, and by how much longer after one that came too early. */
const INTERVAL = 5
const LONGEST_INTERVAL = 60
/** How many devices may wait, in all and from one network. */
const MOST_WAITING = 10_000
const MOST_HERE = 20

/** Consonants, so that no words come about, and none that look alike (RFC 8628, 6.1): 20^8 codes. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
const LENGTH = 8

/** What the endpoint answers to a device. */
export interface DeviceAnswer {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete: string
  readonly expires_in: number
  readonly interval: number
}

/** What a person typed, as it was shown: letters in two halves. */
const plainCode = (typed: string): string => typed.toUpperCase().replace(/[^A-Z]/g, "")
export const shownCode = (typed: string): string =>
  plainCode(typed)
    .slice(0, LENGTH)
    .replace(/^(.{4})(?=.)/, "$1-")

const digestOfTyped = ({ secrets }: Pick<Services, "secrets">, typed: string): string => secrets.mac("device user code", plainCode(typed))

/**
 * Begins with two codes, which are returned only here and stored nowhere. Refuses `unauthorized_client` for an application that doesn't do this,
 * `invalid_scope`, and `slow_down` where too many wait already.
 */
export async function beginDevice(services: Services, application: Application, field: Field, address: string): Promise<DeviceAnswer> {
  const { database, now, site } = services
  if (application.allows_device === 0 || application.is_confidential === 1)
    throw new OAuth2Error("unauthorized_client", "this application is not registered for codes of devices (device_flow)")
  const scopes = readScopes(field("scope") ?? "")
  if (!scopes) throw new OAuth2Error("invalid_scope", "scope has a word that is unknown here")
  const moment = now()
  const network = networkOf(address)
  const typed = Array.from({ length: LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length))).join("")
  const device = newText("device")
  const isFull = await database.write(async (tx) => {
    const waiting = await countDeviceCodes.first(tx, { network, now: moment })
    if ((waiting?.total ?? 0) >= MOST_WAITING || (waiting?.here ?? 0) >= MOST_HERE) return true
    await insertDeviceCode(tx, {
      application_id: application.id,
      grant_id: null,
      scopes: storedScopes(scopes),
      device_digest: digestOf(device),
      user_digest: digestOfTyped(services, typed),
      network,
      interval_seconds: INTERVAL,
      created_at: moment,
      expires_at: moment + CODE_SECONDS,
    })
    return false
  })
  if (isFull) throw new OAuth2Error("slow_down", "too many devices wait for their codes to be typed", 429, INTERVAL * 12)
  const page = site.rootUrl + DEVICE_PATH
  const shown = shownCode(typed)
  return {
    device_code: device,
    user_code: shown,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${shown}`,
    expires_in: CODE_SECONDS,
    interval: INTERVAL,
  }
}

/**
 * Exchanges the code of a device for tokens, once a person has agreed; it works once. Refuses `authorization_pending` and `slow_down` while none has,
 * `access_denied`, `expired_token`, and `invalid_grant` for what is no code of this application.
 */
export async function redeemDevice(services: Services, application: Application, field: Field): Promise<TokenAnswer> {
  const { config, database, now } = services
  const code = field("device_code")
  if (code === undefined) throw new OAuth2Error("invalid_request", "device_code is missing")
  const outcome = await database.write(async (tx): Promise<Outcome> => {
    const moment = now()
    const found = await findDeviceCode.first(tx, { digest: digestOf(code) })
    if (!found || found.application_id !== application.id) return { refused: badGrant("the code is unknown, used, or not for this client") }
    const { id, grant_id: grantId, interval_seconds: interval } = found
    if (found.is_denied === 1) return { refused: new OAuth2Error("access_denied", "the person said no") }
    if (found.expires_at <= moment) return { refused: new OAuth2Error("expired_token", "no one has typed the code in time") }
    if (grantId === null || found.user_id === null) {
      // Times are whole seconds: a device that waits as long as it should may seem to be one early.
      const isEarly = moment - found.polled_at < interval - 1
      await noteDevicePoll.changes(tx, { id, now: moment, interval: isEarly ? Math.min(LONGEST_INTERVAL, interval + INTERVAL) : interval })
      return {
        refused: isEarly
          ? new OAuth2Error("slow_down", "wait five seconds longer between two questions from now on")
          : new OAuth2Error("authorization_pending", "no one has typed the code yet"),
      }
    }
    const user = await usableUser(tx, found.user_id)
    if (!user) return { refused: badGrant("the account can't be used") }
    // A second request at the same time has found it too.
    if ((await deleteDeviceCode.changes(tx, { id })) === 0) return { refused: badGrant("the code was used") }
    const authorizationId = await insertSpentAuthorization(tx, {
      grantId,
      scopes: found.scopes,
      signedInAt: found.signed_in_at,
      codeDigest: `device ${found.device_digest}`,
      createdAt: moment,
      expiresAt: moment + config.oauth2.refreshTokenSeconds,
    })
    const scopes = [...scopesOf(found.scopes)]
    const issued = { authorizationId, user, scopes, nonce: "", signedInAt: found.signed_in_at }
    return { tokens: await issueTokens(services, tx, authorizationId, { access: scopes, refresh: scopes }), issued }
  })
  return answer(services, application, outcome)
}

/** A device that waits for a person's answer. */
export interface WaitingDevice {
  readonly id: number
  readonly name: string
  readonly owner_id: number | null
  readonly scopes: string
  readonly network: string
  readonly created_at: number
}

/** How many wrong codes a person, and a network, may type before each further one has to wait. */
const FREE_CODES = { person: 5, network: 20 }

/** The device whose code was typed. Refuses `invalid` for a code that none waits with, and `tooMany` after several wrong ones. */
export async function findDevice(services: Services, { user }: Session, typed: string, address: string): Promise<WaitingDevice> {
  const { database, now, signIns } = services
  // A right one forgives nothing: someone who guesses could type codes of their own device in between.
  const limits = [
    { key: `device codes of ${user.id}`, free: FREE_CODES.person, forgives: false },
    { key: `device codes ${networkOf(address)}`, free: FREE_CODES.network, forgives: false },
  ]
  const end = signIns.waits.begin(limits, now())
  if (typeof end === "number") throw refuse.tooSoon(t`There were too many wrong codes. Try again in ${end} seconds.`, end)
  let found: WaitingDevice | undefined
  try {
    found = await findTypedCode.first(database.read, { digest: digestOfTyped(services, typed), now: now() })
  } catch (error) {
    end("unchecked", now())
    throw error
  }
  end(found ? "right" : "wrong", now())
  if (!found) throw refuse.invalid("user_code", "must be what the device shows now; it is good for fifteen minutes, and once")
  return found
}

const contextOf = ({ id }: Session): string => `oauth2 device:${id}`

/** What the form of the answer carries: it is good for this session alone. */
export const sealDevice = ({ secrets }: Services, session: Session, { id }: WaitingDevice): string =>
  secrets.seal(String(id), contextOf(session))

/** Takes a person's answer. False for a form that is too old, was shown to another session, or was answered already. */
export async function answerDevice(
  services: Services,
  session: Session,
  { sealed, isGranted }: { readonly sealed: string; readonly isGranted: boolean },
): Promise<boolean> {
  const { database, now, secrets } = services
  let id: number
  try {
    id = Number(secrets.unseal(sealed, contextOf(session)))
  } catch (error) {
    if (error instanceof SealBroken) return false
    throw error
  }
  return database.write(async (tx) => {
    const found = await findWaitingCode.first(tx, { id, now: now() })
    if (!found) return false
    if (!isGranted) return (await denyDevice.changes(tx, { id })) > 0
    const scopes = [...scopesOf(found.scopes)]
    const grant = await noteGrant(tx, session.user, { applicationId: found.application_id, scopes, now: now() })
    return (await allowDevice.changes(tx, { id, grantId: grant.id, signedInAt: session.signedInAt })) > 0
  })
}
