import { createMessage, generateKey, type PrivateKey, readPrivateKey, sign } from "openpgp"

/** For tests: OpenPGP keys and what they sign. */

export interface GpgTestKey {
  readonly armored: string
  readonly keyId: string
  /** The ids of its subkeys, in order. */
  readonly subkeyIds: readonly string[]
  /** A detached signature, armoured. */
  readonly sign: (data: Uint8Array | string, options?: { readonly at?: Date }) => Promise<string>
  readonly privateKey: PrivateKey
}

export interface GpgTestOptions {
  readonly emails: readonly string[]
  readonly madeAt?: Date
  /** Seconds. */
  readonly lasts?: number
}

/** A key of Ed25519 with a subkey that signs and one that only encrypts. */
export async function makeGpgKey({ emails, madeAt, lasts }: GpgTestOptions): Promise<GpgTestKey> {
  const { privateKey, publicKey } = await generateKey({
    type: "curve25519",
    userIDs: emails.map((email) => ({ name: "Ada", email })),
    subkeys: [{ sign: true }, { sign: false }],
    format: "object",
    ...(madeAt && { date: madeAt }),
    ...(lasts !== undefined && { keyExpirationTime: lasts }),
  })
  const key = await readPrivateKey({ armoredKey: privateKey.armor() })
  return {
    armored: publicKey.armor(),
    keyId: publicKey.getKeyID().toHex().toUpperCase(),
    subkeyIds: publicKey.subkeys.map((subkey) => subkey.getKeyID().toHex().toUpperCase()),
    privateKey,
    sign: async (data, { at } = {}) =>
      sign({
        message: await createMessage({ binary: Buffer.from(data), format: "binary" }),
        signingKeys: key,
        detached: true,
        format: "armored",
        ...(at && { date: at }),
      }),
  }
}
