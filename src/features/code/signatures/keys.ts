import { LRUCache } from "lru-cache"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { isUniqueViolation } from "../../../core/database/failures.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { KeyRefused, SealBroken, type Secrets } from "../../../core/secrets.ts"
import type { Services } from "../../../core/services.ts"
import { armorCertificates } from "../../people/keys/openpgp.ts"
import { lockUser } from "../../people/users/store.ts"
import { deleteFormerKey, findKeptKey, findKeptKeysOf, findSiteKeys, putKey, retireKey, type SigningKeyRow } from "./keys-store.ts"
import { type KeyKind, makeSigningKey, openSigningKey, type SigningKey, type SignPayload } from "./signing-key.ts"

/** The stored keys that the service signs with. Private halves are sealed; public ones stay when a key is replaced, so that what it signed verifies. */

const sealContext = (keyId: string): string => `signing key ${keyId}`

type Sealing = Pick<Services, "secrets">

/** Keys that are ready to sign, by what is stored of them: reading one takes longer than signing with it. */
const opened = new WeakMap<Secrets, LRUCache<string, Promise<SignPayload>>>()
const MOST_OPENED = 200

/** Makes a stored key ready to sign. Throws {@link SealBroken}. */
export async function openKey({ secrets }: Sealing, { kind, key_id, sealed_key }: SigningKeyRow): Promise<SignPayload> {
  const known = opened.get(secrets) ?? new LRUCache<string, Promise<SignPayload>>({ max: MOST_OPENED })
  opened.set(secrets, known)
  const ready = known.get(sealed_key) ?? openSigningKey(kind, secrets.unseal(sealed_key, sealContext(key_id)))
  known.set(sealed_key, ready)
  return ready
}

interface Storing {
  readonly ownerId: number | null
  readonly key: SigningKey
  readonly now: number
}

/** Stores a key as the current one; the former one only verifies from now on. A key that was used before becomes current again. */
async function store(tx: Transaction, { secrets }: Sealing, { ownerId, key, now }: Storing): Promise<SigningKeyRow> {
  await retireKey(tx, ownerId, key.kind)
  const row = {
    owner_id: ownerId,
    kind: key.kind,
    key_id: key.keyId,
    public_key: key.publicKey,
    sealed_key: secrets.seal(key.secret, sealContext(key.keyId)),
    is_current: flag(true),
    created_at: now,
  }
  return putKey(tx, row)
}

// --- of the site ------------------------------------------------------------------------------------------------------------------

/** Makes a key the site's current one of its kind. */
export const setSiteKey = ({ database, secrets, now }: Services, key: SigningKey): Promise<SigningKeyRow> =>
  database.write((tx) => store(tx, { secrets }, { ownerId: null, key, now: now() }))

/** Makes a new key of this kind for the site. */
export async function renewSiteKey(services: Services, kind: KeyKind): Promise<SigningKeyRow> {
  return setSiteKey(services, await makeSigningKey(kind, services.site.signer, new Date(services.now() * 1000 - CLOCKS_DIFFER_MS)))
}

/**
 * Makes sure that the site can sign as configured: makes the first key, and otherwise checks that the current one can be read. Throws {@link KeyRefused}, for
 * the operator.
 */
export async function ensureSiteKey(services: Services): Promise<void> {
  const { config, database } = services
  const { key: kind } = config.signing
  if (kind === "none") return
  const current = (await findSiteKeys(database.read)).find((row) => row.kind === kind && row.is_current === 1)
  if (!current) {
    await renewSiteKey(services, kind).catch((error: unknown) => {
      // Another process was first.
      if (!isUniqueViolation(error)) throw error
    })
    return
  }
  const fault = await faultOf(services, current)
  if (fault !== undefined) throw new KeyRefused(fault)
}

/** Why a key can't sign, and what to do about it, for the operator; undefined where it can. */
export async function faultOf(services: Sealing, row: SigningKeyRow): Promise<string | undefined> {
  try {
    await (await openKey(services, row))(Buffer.from("to see whether it signs"), new Date())
    return undefined
  } catch (error) {
    if (error instanceof SealBroken) return unreadable(row.key_id)
    // An imported OpenPGP key may have expired.
    const words = error instanceof Error ? error.message : String(error)
    return `The site's signing key ${row.key_id} can't sign: ${words}. Replace it with: hearth signing-key renew`
  }
}

/** What is wrong with a key that can't be unsealed. */
export const unreadable = (keyId: string): string =>
  `The site's signing key ${keyId} can't be read: it was sealed with another key than the one in use. Bring back secret.key (or security.secretKey) from a backup, or replace the signing key with: hearth signing-key renew`

/** Clocks of several servers differ, and a signature must not be older than its key. */
const CLOCKS_DIFFER_MS = 3_600_000

/** The public halves of all keys that the site signs or has signed with, the current one first: lines of OpenSSH or armoured certificates; undefined where there are none. */
export async function publicSiteKeys({ database }: Pick<Services, "database">, kind: KeyKind): Promise<string | undefined> {
  const keys = (await findSiteKeys(database.read)).filter((row) => row.kind === kind).map(({ public_key }) => public_key)
  if (keys.length === 0) return undefined
  return kind === "ssh" ? `${keys.join("\n")}\n` : armorCertificates(keys)
}

/** Forgets a former key of the site, with which its signatures verify no more; says whether there was one. */
export const forgetSiteKey = ({ database }: Pick<Services, "database">, keyId: string): Promise<boolean> =>
  database.write((tx) => deleteFormerKey(tx, keyId))

// --- of people --------------------------------------------------------------------------------------------------------------------

/** How many keys are kept for a person, with the former ones. */
const MOST_KEPT = 20

/** Makes a key for a person, which signs from now on what the service commits for them. Refuses `conflict` where there is one, or were too many. */
export async function keepKeyFor({ database, secrets, now }: Services, user: User): Promise<SigningKeyRow> {
  const key = await makeSigningKey("ssh", { name: user.name, email: user.email }, new Date(now() * 1000))
  return database.write(async (tx) => {
    await lockUser(tx, user.id)
    if (await findKeptKey(tx, user.id)) throw refuse.conflict("the site keeps a key for you already; delete that one first")
    if ((await findKeptKeysOf(tx, { ownerId: user.id })).length >= MOST_KEPT)
      throw refuse.conflict(t`the site has made ${MOST_KEPT} keys for you, and vouches for no more`)
    const row = await store(tx, { secrets }, { ownerId: user.id, key, now: now() })
    publish(tx, { kind: "key.added", key: row, format: "kept", user, actor: user, at: now() })
    return row
  })
}

/** Ends signing with a person's kept key, and destroys its private half. Refuses `notFound` where there is none. */
export async function dropKeyOf({ database }: Services, user: User): Promise<void> {
  await database.write(async (tx) => {
    await lockUser(tx, user.id)
    const row = await findKeptKey(tx, user.id)
    if (!row || !(await retireKey(tx, user.id, "ssh"))) throw refuse.notFound()
    publish(tx, { kind: "key.removed", key: row, format: "kept", user, actor: user })
  })
}
