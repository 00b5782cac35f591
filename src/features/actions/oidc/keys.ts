import { makeSigningPair, type PublicKey, signJwt } from "../../../core/jws.ts"
import type { Services } from "../../../core/services.ts"
import { findIdentityKey, findIdentityKeys, forgetIdentityKeys, type IdentityKey, insertIdentityKey } from "./store.ts"

/** The keys that sign identity tokens of jobs (RS256). One is made when it is first needed, and a new one every three months. */

/** Seconds for which a key signs. */
const SIGNS_FOR = 90 * 86_400
/** Seconds for which it is shown after that: longer than any token is valid, and than others keep the list of keys. */
const SHOWN_FOR = 86_400

const BITS = 2048
const CONTEXT = "job identity key"

/** The public keys that tokens may have been signed with, newest first. */
export async function publicKeys(services: Services): Promise<readonly PublicKey[]> {
  const rows = await findIdentityKeys(services.database.read, { after: services.now() - SIGNS_FOR - SHOWN_FOR })
  return rows.map(({ public_key }) => JSON.parse(public_key))
}

/** Signs claims as a JWT with the newest key. */
export async function signIdentity(services: Services, claims: Readonly<Record<string, unknown>>): Promise<string> {
  const key = await signingKey(services)
  const { kid }: PublicKey = JSON.parse(key.public_key)
  return signJwt(services.secrets.unseal(key.sealed_key, CONTEXT), kid, claims)
}

async function signingKey(services: Services): Promise<IdentityKey> {
  const { database, now } = services
  const after = () => now() - SIGNS_FOR
  const there = await findIdentityKey.first(database.read, { after: after() })
  if (there) return there
  const made = await makeKey(services)
  // Of several that are made at once the last is used; the others sign what they were made for.
  return database.write(async (tx) => {
    await forgetIdentityKeys(tx, { before: now() - SIGNS_FOR - SHOWN_FOR })
    return insertIdentityKey(tx, { ...made, created_at: now() })
  })
}

async function makeKey({ secrets }: Services): Promise<Pick<IdentityKey, "sealed_key" | "public_key">> {
  const { privateKey, publicKey } = await makeSigningPair(BITS)
  return { sealed_key: secrets.seal(privateKey, CONTEXT), public_key: JSON.stringify(publicKey) }
}
