import { createHash } from "node:crypto"
import { LRUCache } from "lru-cache"
import type { AnyPacket, Key, PublicKey, Signature, Subkey } from "openpgp"

/**
 * OpenPGP, by a library that takes a tenth of a second to load: it is loaded on first use, which many sites never reach.
 */
const library = () => import("openpgp")

/** Why an OpenPGP key can't be used, in words that complete a sentence. */
export class UnusableGpgKeyError extends Error {
  constructor(words: string) {
    super(words)
    this.name = "UnusableGpgKeyError"
  }
}

/** Properties of primary keys and subkeys alike. */
export interface GpgKeyPart {
  /** 16 upper-case hexadecimal digits. */
  readonly keyId: string
  /** Whether its signatures are accepted: it is bound to its primary key as a signing key, and flagged as one. */
  readonly signs: boolean
  /** What the key's algorithm can do. */
  readonly canSign: boolean
  readonly canEncrypt: boolean
  /** Undefined for keys that don't expire. */
  readonly expiresAt: Date | undefined
}

export interface GpgKey extends GpgKeyPart {
  /** The whole certificate, in base64. */
  readonly certificate: string
  /** The addresses in those user ids that the key itself has signed and not revoked. */
  readonly addresses: readonly string[]
  readonly subkeys: readonly GpgKeyPart[]
}

/** Characters of a key with its whole certificate. */
const LONGEST_KEY = 256 * 1024
const LONGEST_SIGNATURE = 64 * 1024
const MOST_SUBKEYS = 50
const MOST_USERS = 100

/** Reads an armoured public key. Throws {@link UnusableGpgKeyError}. */
export async function readGpgKey(armored: string): Promise<GpgKey> {
  const key = await onlyKey(armored)
  if (key.isPrivate()) throw new UnusableGpgKeyError("the provided key is a private key")
  if (key.subkeys.length > MOST_SUBKEYS || key.users.length > MOST_USERS)
    throw new UnusableGpgKeyError(`the key has more than ${MOST_SUBKEYS} subkeys or ${MOST_USERS} user ids`)
  if (await key.isRevoked()) throw new UnusableGpgKeyError("the key is revoked")
  const subkeys: GpgKeyPart[] = []
  for (const subkey of key.subkeys) {
    const part = await subkeyPart(key, subkey)
    if (part) subkeys.push(part)
  }
  return {
    ...(await part(key, await key.getExpirationTime().catch(() => null))),
    // Whatever its flags say: the id of a primary key must not be registered by two users.
    signs: true,
    certificate: Buffer.from(key.toPublic().write()).toString("base64"),
    addresses: await addressesOf(key),
    subkeys,
  }
}

async function onlyKey(armored: string): Promise<Key> {
  if (armored.length > LONGEST_KEY) throw new UnusableGpgKeyError(`the text is longer than ${LONGEST_KEY} characters`)
  const { readKeys } = await library()
  const [key, ...others] = await readKeys({ armoredKeys: armored }).catch((error: unknown) => {
    throw new UnusableGpgKeyError(error instanceof Error ? error.message : "it can't be read")
  })
  if (key === undefined) throw new UnusableGpgKeyError("there is no key in it")
  if (others.length > 0) throw new UnusableGpgKeyError("there are several keys in it; add them one by one")
  return key
}

/** A subkey; undefined for one that the primary key has not bound to itself: anyone could have added it. */
async function subkeyPart(key: Key, subkey: Subkey): Promise<GpgKeyPart | undefined> {
  const latest = subkey.bindingSignatures.reduce<Date | undefined>(
    (last, { created }) => (created !== null && (last === undefined || created > last) ? created : last),
    undefined,
  )
  // An expired key is returned with its expiry, not left out.
  const bound = latest !== undefined && (await succeeds(subkey.verify(latest)))
  if (!bound) return undefined
  const signs = await succeeds(key.getSigningKey(subkey.getKeyID(), latest))
  return { ...(await part(subkey, await subkey.getExpirationTime(latest).catch(() => null))), signs }
}

async function part(key: Key | Subkey, expires: Date | number | null): Promise<Omit<GpgKeyPart, "signs">> {
  const { enums } = await library()
  const { rsaEncryptSign, rsaEncrypt, rsaSign, elgamal, dsa, ecdh, ecdsa, eddsaLegacy, x25519, x448, ed25519, ed448 } = enums.publicKey
  const { algorithm } = key.keyPacket
  return {
    keyId: key.getKeyID().toHex().toUpperCase(),
    canSign: [rsaEncryptSign, rsaSign, dsa, ecdsa, eddsaLegacy, ed25519, ed448].some((known) => known === algorithm),
    canEncrypt: [rsaEncryptSign, rsaEncrypt, elgamal, ecdh, x25519, x448].some((known) => known === algorithm),
    expiresAt: expires instanceof Date ? expires : undefined,
  }
}

async function addressesOf(key: Key): Promise<readonly string[]> {
  const checked = await key.verifyAllUsers()
  return key.users.flatMap(({ userID }, index) => (checked[index]?.valid && userID?.email ? userID.email : []))
}

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  )

/** A signature that was parsed, but not verified. */
export interface GpgSignature {
  /** The claimed issuers: ids of keys, 16 upper-case hexadecimal digits each. */
  readonly issuers: readonly string[]
  /** Whether the key, given by the certificate of its `GpgKey` in base64, made the signature over the data while it was valid. */
  readonly isBy: (certificate: string, data: Uint8Array, now: Date) => Promise<boolean>
}

/*
 * Reading and checking takes milliseconds, and the same commits are shown again and again. The caches depend on the bytes alone, so they are valid
 * for every server in this process. A refusal is kept for a minute only: a signature made by a clock that is ahead becomes valid.
 */
const signatures = new LRUCache<string, GpgSignature>({
  max: 10_000,
  maxSize: 16 * 2 ** 20,
  sizeCalculation: (_, armored) => armored.length,
})
const certificates = new LRUCache<string, PublicKey>({ max: 200 })
const verdicts = new LRUCache<string, boolean>({ max: 50_000 })
const REFUSED_MS = 60_000

/** Parses an armoured detached signature; undefined for anything else. */
export async function readGpgSignature(armored: string): Promise<GpgSignature | undefined> {
  if (armored.length > LONGEST_SIGNATURE) return undefined
  const known = signatures.get(armored)
  if (known) return known
  const { readSignature } = await library()
  const signature: Signature | undefined = await readSignature({ armoredSignature: armored }).catch(() => undefined)
  if (signature === undefined || signature.packets.length === 0) return undefined
  const issuers = [...new Set(signature.getSigningKeyIDs().map((id) => id.toHex().toUpperCase()))]
  const isBy: GpgSignature["isBy"] = async (certificate, data, now) => {
    const digest = createHash("sha256").update(`${armored.length} ${certificate.length} ${armored}${certificate}`).update(data)
    const question = digest.digest("base64")
    const answer = verdicts.get(question) ?? (await isSignedBy(certificate, signature, data, now))
    verdicts.set(question, answer, answer ? {} : { ttl: REFUSED_MS, noUpdateTTL: true })
    return answer
  }
  const read = { issuers, isBy }
  signatures.set(armored, read)
  return read
}

async function isSignedBy(certificate: string, signature: Signature, data: Uint8Array, now: Date): Promise<boolean> {
  const { createMessage, verify } = await library()
  const message = await createMessage({ binary: data, format: "binary" })
  const options = { message, signature, verificationKeys: await certificateOf(certificate), date: now, format: "binary" } as const
  // Certificates that the library can't read verify nothing.
  const checked = await verify(options).catch(() => undefined)
  for (const { verified } of checked?.signatures ?? []) if (await succeeds(verified)) return true
  return false
}

async function certificateOf(certificate: string): Promise<PublicKey> {
  const known = certificates.get(certificate)
  if (known) return known
  const { readKey } = await library()
  const key = await readKey({ binaryKey: Buffer.from(certificate, "base64") })
  certificates.set(certificate, key)
  return key
}

/**
 * What of a certificate is needed to import one of its subkeys alone, both in base64: the primary key, one of its user ids with what the key has
 * signed of it, and the subkey.
 */
export async function certificateOfSubkey(certificate: string, keyId: string): Promise<string> {
  const { PacketList } = await library()
  const key = await certificateOf(certificate)
  const packets = new PacketList<AnyPacket>()
  packets.push(key.keyPacket)
  const user = (await key.getPrimaryUser().catch(() => undefined))?.user ?? key.users[0]
  const name = user?.userID ?? user?.userAttribute
  if (user && name) packets.push(name, ...user.selfCertifications)
  for (const subkey of key.subkeys)
    if (subkey.getKeyID().toHex().toUpperCase() === keyId)
      packets.push(subkey.keyPacket, ...subkey.revocationSignatures, ...subkey.bindingSignatures)
  return Buffer.from(packets.write()).toString("base64")
}

/** Certificates, each in base64 as in `GpgKey`, armoured together; "" where there are none. */
export async function armorCertificates(certificates: readonly string[]): Promise<string> {
  if (certificates.length === 0) return ""
  const { armor, enums } = await library()
  const bytes = Buffer.concat(certificates.map((certificate) => Buffer.from(certificate, "base64")))
  // With a checksum: without one GnuPG 2.2 reads the last line as data where nothing pads what is before it.
  return armor(enums.armor.publicKey, bytes, undefined, undefined, undefined, true)
}
