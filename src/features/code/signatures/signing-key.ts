import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject, sign as signBytes } from "node:crypto"
import type { PrivateKey } from "openpgp"
import { fingerprintOf } from "../../people/keys/ssh/public-key.ts"
import { MalformedKeyError, wireBytes, wireReader } from "../../people/keys/ssh/wire.ts"
import { armorSignature, signedText } from "./ssh-signature.ts"

/** Private keys that the service signs with: made, imported, and used. Everything happens in this process. */

const openpgp = () => import("openpgp")

export type KeyKind = "ssh" | "openpgp"

/** A key as it is stored. */
export interface SigningKey {
  readonly kind: KeyKind
  /** An SSH fingerprint, or the id of the OpenPGP key that signs: 16 upper-case hexadecimal digits. */
  readonly keyId: string
  /** A line of OpenSSH, or an OpenPGP certificate in base64. */
  readonly publicKey: string
  /** The private key as text, to be sealed: PEM, or OpenPGP's armour. */
  readonly secret: string
}

/** A text that is no key which can sign here; the message completes a sentence. */
export class UnusableSigningKey extends Error {
  override readonly name = "UnusableSigningKey"
}

/** Signs what is to become a commit; gives the armoured signature. */
export type SignPayload = (payload: Buffer, at: Date) => Promise<string> | string

/** Who the user id of a new OpenPGP key names. */
export interface Identity {
  readonly name: string
  readonly email: string
}

/** A new key of Ed25519, which every git, GnuPG and OpenSSH of the last ten years can verify. */
export async function makeSigningKey(kind: KeyKind, identity: Identity, at: Date): Promise<SigningKey> {
  if (kind === "ssh") return sshKey(generateKeyPairSync("ed25519").privateKey)
  const { generateKey } = await openpgp()
  // The older form of such keys: GnuPG can't read the newer one.
  const curve = "ed25519Legacy"
  const { privateKey } = await generateKey({ type: "ecc", curve, userIDs: [identity], subkeys: [], date: at, format: "object" })
  return gpgKey(privateKey)
}

/** Reads a private key without passphrase: Ed25519 as OpenSSH or PEM writes it, or an armoured OpenPGP key. Throws {@link UnusableSigningKey}. */
export async function readSigningKey(text: string): Promise<SigningKey> {
  if (text.includes("-----BEGIN PGP PRIVATE KEY BLOCK-----")) return readGpgKey(text)
  if (text.includes("-----BEGIN OPENSSH PRIVATE KEY-----")) return sshKey(readOpenSsh(text))
  if (!/-----BEGIN (ENCRYPTED )?PRIVATE KEY-----/.test(text))
    throw new UnusableSigningKey("it holds no private key of OpenSSH, PEM or OpenPGP")
  try {
    return sshKey(createPrivateKey(text))
  } catch (error) {
    if (error instanceof UnusableSigningKey) throw error
    throw new UnusableSigningKey("it is damaged, or has a passphrase, which must be taken off first")
  }
}

/** Makes a stored private key ready to sign. */
export async function openSigningKey(kind: KeyKind, secret: string): Promise<SignPayload> {
  if (kind === "ssh") {
    const key = createPrivateKey(secret)
    const blob = blobOf(key)
    return (payload) => {
      const signature = signBytes(null, signedText(hash("sha512", payload, "buffer")), key)
      return armorSignature(blob, Buffer.concat([wireBytes(ED25519), wireBytes(signature)]))
    }
  }
  const { createMessage, readPrivateKey, sign } = await openpgp()
  const key = await readPrivateKey({ armoredKey: secret })
  return async (payload, at) => {
    const message = await createMessage({ binary: payload, format: "binary" })
    return sign({ message, signingKeys: key, detached: true, format: "armored", date: at })
  }
}

// --- SSH --------------------------------------------------------------------------------------------------------------------------

const ED25519 = "ssh-ed25519"

/** The public half as it is sent over the wire. */
function blobOf(key: KeyObject): Buffer {
  const { x } = createPublicKey(key).export({ format: "jwk" })
  return Buffer.concat([wireBytes(ED25519), wireBytes(Buffer.from(x ?? "", "base64url"))])
}

function sshKey(key: KeyObject): SigningKey {
  if (key.asymmetricKeyType !== "ed25519") throw new UnusableSigningKey("it is of another kind; make one with ssh-keygen -t ed25519")
  const blob = blobOf(key)
  return {
    kind: "ssh",
    keyId: fingerprintOf(blob),
    publicKey: `${ED25519} ${blob.toString("base64")}`,
    secret: key.export({ type: "pkcs8", format: "pem" }).toString(),
  }
}

const MAGIC = "openssh-key-v1\0"
const SEED_BYTES = 32

/** OpenSSH's own format of private keys: PROTOCOL.key. */
function readOpenSsh(text: string): KeyObject {
  const base64 = /-----BEGIN OPENSSH PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END OPENSSH PRIVATE KEY-----/.exec(text)?.[1] ?? ""
  try {
    const reader = wireReader(Buffer.from(base64, "base64"))
    if (reader.take(MAGIC.length).toString("latin1") !== MAGIC) throw new MalformedKeyError()
    const cipher = reader.text()
    if (cipher !== "none") throw new UnusableSigningKey("it has a passphrase; take it off a copy first, with ssh-keygen -p")
    reader.bytes()
    reader.bytes()
    if (reader.uint32() !== 1) throw new MalformedKeyError()
    reader.bytes()
    const inner = wireReader(reader.bytes())
    const [check, again] = [inner.uint32(), inner.uint32()]
    if (check !== again) throw new MalformedKeyError()
    if (inner.text() !== ED25519) throw new UnusableSigningKey("it is of another kind; make one with ssh-keygen -t ed25519")
    const x = inner.bytes()
    const d = inner.bytes().subarray(0, SEED_BYTES)
    const jwk = { kty: "OKP", crv: "Ed25519", x: x.toString("base64url"), d: d.toString("base64url") }
    const key = createPrivateKey({ key: jwk, format: "jwk" })
    // The public half that comes along may be another key's.
    if (
      !blobOf(createPrivateKey(key.export({ type: "pkcs8", format: "pem" })))
        .subarray(-x.length)
        .equals(x)
    )
      throw new MalformedKeyError()
    return key
  } catch (error) {
    if (error instanceof UnusableSigningKey) throw error
    throw new UnusableSigningKey("it is damaged")
  }
}

// --- OpenPGP ----------------------------------------------------------------------------------------------------------------------

async function readGpgKey(text: string): Promise<SigningKey> {
  const { readPrivateKey } = await openpgp()
  const key = await readPrivateKey({ armoredKey: text }).catch((error: unknown) => {
    throw new UnusableSigningKey(error instanceof Error ? error.message : "it is damaged")
  })
  return gpgKey(key)
}

async function gpgKey(key: PrivateKey): Promise<SigningKey> {
  const signer = await key.getSigningKey().catch((error: unknown) => {
    throw new UnusableSigningKey(`it can't sign: ${error instanceof Error ? error.message : String(error)}`)
  })
  if (!("isDecrypted" in signer.keyPacket) || !signer.keyPacket.isDecrypted())
    throw new UnusableSigningKey("it has a passphrase; take it off a copy first, with gpg --edit-key and passwd")
  return {
    kind: "openpgp",
    keyId: signer.getKeyID().toHex().toUpperCase(),
    publicKey: Buffer.from(key.toPublic().write()).toString("base64"),
    secret: key.armor(),
  }
}
