import { generateKeyPair, hash, type JsonWebKey, type KeyLike, sign } from "node:crypto"
import { promisify } from "node:util"

/** JSON Web Signatures with RSA keys (RS256), for tokens that others verify. */

/** A public key as a JWK. */
export type PublicKey = JsonWebKey & { readonly kid: string; readonly alg: "RS256"; readonly use: "sig" }

export interface SigningPair {
  /** PEM, to be sealed where it is stored. */
  readonly privateKey: string
  readonly publicKey: PublicKey
}

const makePair = promisify(generateKeyPair)

/** Makes a key, whose id is its thumbprint. */
export async function makeSigningPair(bits: number): Promise<SigningPair> {
  const { publicKey, privateKey } = await makePair("rsa", { modulusLength: bits })
  const jwk = publicKey.export({ format: "jwk" })
  const { e, kty, n } = jwk
  // RFC 7638: the members in this order, without blanks.
  const kid = hash("sha256", JSON.stringify({ e, kty, n }), "base64url")
  return {
    privateKey: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    publicKey: { ...jwk, kid, alg: "RS256", use: "sig" },
  }
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A JWT of these claims, in its compact form. */
export function signJwt(key: KeyLike, keyId: string, claims: object): string {
  const text = `${encoded({ alg: "RS256", kid: keyId, typ: "JWT" })}.${encoded(claims)}`
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`
}
