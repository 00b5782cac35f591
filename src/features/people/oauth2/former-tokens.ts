import { createPublicKey, createSecretKey, type KeyObject } from "node:crypto"
import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { findValue, putValue } from "../../../core/values/store.ts"
import type { Application } from "./applications.ts"
import { findGrantById, insertFormerAuthorization } from "./store.ts"
import { digestOf } from "./texts.ts"

/*
 * Refresh tokens of a server that was taken over are signed texts, of which there is no row. The first use makes one of each, as if it had been given here: from
 * then on the application has tokens of this server.
 */

/** What such tokens are verified with. */
export interface FormerKey {
  /** RS256, ES256, EdDSA, HS256 and the like. */
  readonly algorithm: string
  /** A public key in PEM, or the secret in base64url. */
  readonly key: string
  /** A refresh token is void once it was used: then its counter is that of its grant. */
  readonly isOnce: boolean
}

const NAME = "former oauth2 key"

/** Stores the key of the server that was taken over. */
export async function keepFormerKey(
  { database, secrets }: Pick<Services, "database" | "secrets">,
  key: FormerKey,
): Promise<"brought" | "same"> {
  const there = await findFormerKey({ database, secrets })
  if (there && JSON.stringify(there) === JSON.stringify(key)) return "same"
  const value = secrets.seal(JSON.stringify(key), NAME)
  await database.write((tx) => putValue(tx, { name: NAME, value }))
  return "brought"
}

async function findFormerKey({ database, secrets }: Pick<Services, "database" | "secrets">): Promise<FormerKey | undefined> {
  const row = await findValue.first(database.read, { name: NAME })
  return row && JSON.parse(secrets.unseal(row.value, NAME))
}

const isSignedText = (text: string): boolean => text.length <= 4_096 && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)

const keyObjectOf = ({ algorithm, key }: FormerKey): KeyObject =>
  algorithm.startsWith("HS") ? createSecretKey(Buffer.from(key, "base64url")) : createPublicKey(key)

/** The type of a refresh token, as such tokens say it. */
const REFRESH = 1

export interface FormerGrant {
  readonly grantId: number
  readonly expiresAt: number
}

/** The grant that a refresh token of the former server is for; undefined for what is none, or no longer good. Reads no row of the token: whether it was used is seen there. */
export async function formerGrant(
  services: Pick<Services, "database" | "secrets" | "now">,
  text: string,
): Promise<FormerGrant | undefined> {
  if (!isSignedText(text)) return undefined
  const former = await findFormerKey(services)
  if (!former) return undefined
  try {
    const { jwtVerify } = await import("jose")
    const { payload } = await jwtVerify(text, keyObjectOf(former), {
      algorithms: [former.algorithm],
      currentDate: new Date(services.now() * 1000),
    })
    const { gnt, tt, exp } = payload
    return typeof gnt === "number" && tt === REFRESH && typeof exp === "number" ? { grantId: gnt, expiresAt: exp } : undefined
  } catch {
    return undefined
  }
}

/** Makes the rows of such a token, as if it had been given here; false where its grant is gone, or another application's. */
export async function adoptFormer(
  tx: Transaction,
  application: Application,
  text: string,
  { grantId, expiresAt }: FormerGrant,
  now: number,
): Promise<boolean> {
  const grant = await findGrantById.first(tx, { id: grantId })
  if (!grant || grant.application_id !== application.id) return false
  await insertFormerAuthorization(tx, { grant, digest: digestOf(text), expiresAt, now })
  return true
}
