import { createPrivateKey, type KeyObject } from "node:crypto"
import type { JWK } from "jose"

/** JSON Web Signatures with RSA keys (RS256), for tokens that others verify. The library is loaded with the first of them. */

const ALGORITHM = "RS256"

/** A public key as a JWK. */
export type PublicKey = JWK & { readonly kid: string; readonly alg: "RS256"; readonly use: "sig" }

export interface SigningPair {
  /** PEM, to be sealed where it is stored. */
  readonly privateKey: string
  readonly publicKey: PublicKey
}

/** Makes a key, whose id is its thumbprint. */
export async function makeSigningPair(bits: number): Promise<SigningPair> {
  const { calculateJwkThumbprint, exportJWK, exportPKCS8, generateKeyPair } = await import("jose")
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { modulusLength: bits, extractable: true })
  const jwk = await exportJWK(publicKey)
  return {
    privateKey: await exportPKCS8(privateKey),
    publicKey: { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: ALGORITHM, use: "sig" },
  }
}

/** A JWT of these claims, in its compact form. */
export async function signJwt(key: string | KeyObject, keyId: string, claims: Readonly<Record<string, unknown>>): Promise<string> {
  const { SignJWT } = await import("jose")
  const header = { alg: ALGORITHM, kid: keyId, typ: "JWT" }
  return new SignJWT(claims).setProtectedHeader(header).sign(typeof key === "string" ? createPrivateKey(key) : key)
}
