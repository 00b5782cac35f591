import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { isUniqueViolation } from "../../../core/database/failures.ts"
import { type Flag, flag, type Seconds } from "../../../core/database/tables/index.ts"
import { type Refusal, refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { findAddressesOf } from "../users/addresses-store.ts"
import { lockUser } from "../users/store.ts"
import { type GpgKey, type GpgKeyPart, readGpgKey, readGpgSignature, UnusableGpgKeyError } from "./openpgp.ts"
import type { CreateGPGKeyOption, VerifyGPGKeyOption } from "./records.ts"
import {
  deleteGpgKey,
  findGpgKeyByKeyId,
  findGpgKeyOf,
  findSignersAmong,
  type GpgKeyRow,
  insertGpgKey,
  insertGpgKeyEmail,
  verifyKeys,
} from "./store.ts"

// --- the text to sign ------------------------------------------------------------------------------------------------------------

/** Seconds after which the text to sign changes. The previous one is accepted as well: the user may be about to sign it. */
const WINDOW = 300

/** The text that the user signs to prove that a key is theirs: 64 hexadecimal digits. */
export const tokenFor = (services: Pick<Services, "secrets" | "now">, user: User): string => tokenOf(services, user, 0)

function tokenOf({ secrets, now }: Pick<Services, "secrets" | "now">, user: User, windowsAgo: number): string {
  const window = Math.floor(now() / WINDOW) - windowsAgo
  return Buffer.from(secrets.mac("gpg key token", `${window}:${user.id}:${user.lower_name}:${user.created_at}`), "base64url").toString(
    "hex",
  )
}

/** Whether the key has signed the text that its owner was asked to sign, with or without a final line break. */
async function hasSignedToken(services: Services, user: User, certificate: string, armoredSignature: string): Promise<boolean> {
  const signature = await readGpgSignature(armoredSignature)
  if (!signature) return false
  const now = new Date(services.now() * 1000)
  for (const token of [tokenOf(services, user, 0), tokenOf(services, user, 1)])
    for (const end of ["", "\n", "\r\n"]) if (await signature.isBy(certificate, Buffer.from(token + end), now)) return true
  return false
}

const signatureRefused = (): Refusal =>
  refuse.invalid("armored_signature", "this is no signature of the key over the present text of /user/gpg_key_token")

// --- adding ----------------------------------------------------------------------------------------------------------------------

const keyTaken = (): Refusal => refuse.invalid("armored_public_key", "a key with the same id is there already")

/**
 * Adds an OpenPGP key to a user. It must carry one of the user's activated addresses, or have signed the text of `tokenFor`. Refuses as
 * `invalid` an unusable key, one that is already registered, and a signature that doesn't match; `notFound` where the key carries none of the
 * addresses and no signature is given.
 */
export async function addGpgKey(services: Services, me: User, asked: CreateGPGKeyOption): Promise<GpgKeyRow> {
  const { database, now } = services
  const key = await readAsked(asked.armored_public_key)
  const signers = [key, ...key.subkeys].filter(({ signs }) => signs).map(({ keyId }) => keyId)
  if ((await findSignersAmong(database.read, { keyIds: signers })).length > 0) throw keyTaken()
  const proven = Boolean(asked.armored_signature)
  if (asked.armored_signature && !(await hasSignedToken(services, me, key.certificate, asked.armored_signature))) throw signatureRefused()
  return database.write(async (tx) => {
    const owner = await lockUser(tx, me.id)
    const addresses = await sharedAddresses(tx, owner, key)
    if (addresses.length === 0 && !proven)
      throw refuse.notFound(
        t`No e-mail address of this key is an activated address of your account. Add and activate one, or send a signature of the key over the token ${tokenFor(services, owner)}.`,
      )
    return insertKey(tx, { owner, key, addresses, proven, now: now() })
  })
}

async function readAsked(armored: string): Promise<GpgKey> {
  try {
    return await readGpgKey(armored)
  } catch (error) {
    if (error instanceof UnusableGpgKeyError) throw refuse.invalid("armored_public_key", t`failed to parse gpg key: ${error.message}`)
    throw error
  }
}

/** The addresses that the key and the account have in common, spelled as in the account. */
async function sharedAddresses(tx: Transaction, { id }: User, { addresses }: GpgKey): Promise<readonly string[]> {
  const named = new Set(addresses.map((address) => address.toLowerCase()))
  const theirs = await findAddressesOf(tx, { userId: id })
  return theirs.filter(({ lower_email, is_activated }) => is_activated === 1 && named.has(lower_email)).map(({ email }) => email)
}

interface Addition {
  readonly owner: User
  readonly key: GpgKey
  readonly addresses: readonly string[]
  readonly proven: boolean
  readonly now: Seconds
}

async function insertKey(tx: Transaction, { owner, key, addresses, proven, now }: Addition): Promise<GpgKeyRow> {
  const common = { owner_id: owner.id, is_verified: flag(proven), created_at: now }
  try {
    const primary = await insertGpgKey(tx, { ...common, primary_id: null, certificate: key.certificate, ...columnsOf(key) })
    for (const subkey of key.subkeys) await insertGpgKey(tx, { ...common, primary_id: primary.id, certificate: "", ...columnsOf(subkey) })
    for (const email of addresses) await insertGpgKeyEmail(tx, { gpgKeyId: primary.id, email })
    publish(tx, { kind: "key.added", key: primary, format: "openpgp", user: owner, actor: owner, at: now })
    return primary
  } catch (error) {
    throw isUniqueViolation(error, ["gpg_keys.key_id"]) ? keyTaken() : error
  }
}

interface Columns {
  readonly key_id: string
  readonly signs: Flag
  readonly can_sign: Flag
  readonly can_encrypt: Flag
  readonly expires_at: Seconds
}

const columnsOf = ({ keyId, signs, canSign, canEncrypt, expiresAt }: GpgKeyPart): Columns => ({
  key_id: keyId,
  signs: flag(signs),
  can_sign: flag(canSign),
  can_encrypt: flag(canEncrypt),
  expires_at: expiresAt ? Math.floor(expiresAt.getTime() / 1000) : 0,
})

// --- verifying, removing ---------------------------------------------------------------------------------------------------------

/**
 * Records that a user has proven to hold one of their keys. Refuses `notFound` for a key that isn't theirs, `invalid` for a signature that doesn't match.
 */
export async function verifyGpgKey(services: Services, me: User, { key_id, armored_signature }: VerifyGPGKeyOption): Promise<GpgKeyRow> {
  const { database } = services
  const keyId = key_id.replace(/^0x/i, "").toUpperCase().padStart(16, "0")
  const [named] = await findGpgKeyByKeyId(database.read, { ownerId: me.id, keyId })
  const primary = named?.primary_id ? await findGpgKeyOf.first(database.read, { ownerId: me.id, id: named.primary_id }) : named
  if (!primary) throw refuse.notFound()
  if (!(await hasSignedToken(services, me, primary.certificate, armored_signature))) throw signatureRefused()
  return database.write(async (tx) => {
    const proven = await verifyKeys(tx, primary.id)
    if (proven.length > 0) publish(tx, { kind: "key.verified", key: primary, format: "openpgp", user: me, actor: me })
    const verified = await findGpgKeyOf.first(tx, { ownerId: me.id, id: primary.id })
    if (!verified) throw refuse.notFound()
    return verified
  })
}

/** Removes a user's key with its subkeys, by its id or that of a subkey. A key that isn't theirs is no error. */
export async function removeGpgKey(tx: Transaction, owner: Pick<User, "id">, id: number): Promise<void> {
  const key = await findGpgKeyOf.first(tx, { ownerId: owner.id, id })
  if (!key) return
  const primaryId = key.primary_id ?? key.id
  const removed = await deleteGpgKey(tx, primaryId)
  if (removed.length > 0) publish(tx, { kind: "key.removed", key: { id: primaryId }, format: "openpgp", user: owner, actor: owner })
}
