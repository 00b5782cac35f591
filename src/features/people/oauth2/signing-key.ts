import { createPrivateKey } from "node:crypto"
import { makeSigningPair, signJwt } from "../../../core/jws.ts"
import type { Services } from "../../../core/services.ts"
import { findKey, insertKey } from "./store.ts"

/** The key that id tokens are signed with (RS256), made when it is first asked for. All processes on a database use the same one. */

const BITS = 3072
const CONTEXT = "oauth2 signing key"

export interface SigningKey {
  /** The JWK for others to verify with. */
  readonly publicKey: Readonly<Record<string, unknown>>
  /** A JWS of these claims, in its compact form. */
  readonly signed: (claims: Readonly<Record<string, unknown>>) => Promise<string>
}

export async function openSigningKey(services: Pick<Services, "database" | "secrets" | "now">): Promise<SigningKey> {
  const { database, secrets } = services
  const row = (await findKey.first(database.read)) ?? (await makeKey(services))
  const key = createPrivateKey(secrets.unseal(row.sealed_key, CONTEXT))
  return { publicKey: JSON.parse(row.public_key), signed: (claims) => signJwt(key, row.key_id, claims) }
}

async function makeKey({ database, secrets, now }: Pick<Services, "database" | "secrets" | "now">) {
  const { privateKey, publicKey } = await makeSigningPair(BITS)
  const made = {
    purpose: "id token",
    key_id: publicKey.kid,
    sealed_key: secrets.seal(privateKey, CONTEXT),
    public_key: JSON.stringify(publicKey),
    created_at: now(),
  } as const
  return database.write(async (tx) => {
    await insertKey(tx, made)
    // Another process may have been faster.
    return (await findKey.first(tx)) ?? made
  })
}
