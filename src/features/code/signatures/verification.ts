import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import type { Commit, ObjectId, Signature, Tag } from "../../../git/index.ts"
import { type GpgSignature, readGpgSignature } from "../../people/keys/openpgp.ts"
import { noReplyAddress } from "../../people/users/present.ts"
import { findKeptSigners, findSiteSigners } from "./keys-store.ts"
import type { Verification } from "./records.ts"
import { type FileSignature, isSshSignature, readFileSignature } from "./ssh-signature.ts"
import { findAddressesAmong, findKeyOwners, findSigners } from "./store.ts"

/** Verifies the signatures of commits and tags. */

/** The verification of an unsigned commit or tag. */
export const UNSIGNED: Verification = { verified: false, reason: "gpg.error.not_signed_commit", signature: "", signer: null, payload: "" }

/** Why a signature isn't verified, with the values that clients expect. */
const UNREADABLE = "gpg.error.extract_sign"
const UNKNOWN_KEY = "gpg.error.no_gpg_keys_found"
const WRONG_SIGNATURE = "gpg.error.probable_bad_signature"
const OTHER_ADDRESS = "gpg.error.no_committer_account"

/**
 * The verifications of commits and tags, by their ids: at most five queries, and none if nothing is signed. A signature is verified if the site's
 * own key made it, present or former, or if a key of a user did whose activated address is that of the committer (the tagger).
 */
export async function verifications(
  db: Handle,
  services: Pick<Services, "site" | "now">,
  signed: readonly (Commit | Tag)[],
): Promise<ReadonlyMap<ObjectId, Verification>> {
  if (signed.every(({ signature }) => signature === undefined)) return new Map(signed.map(({ id }) => [id, UNSIGNED]))
  const claims = await Promise.all(signed.map(readClaim))
  const keys = await findKeys(db, claims)
  const owns = await addressesOf(db, services, claims, keys)
  const now = new Date(services.now() * 1000)
  const checked = claims.map(
    async (claim): Promise<readonly [ObjectId, Verification]> => [claim.id, await verify(claim, services, keys, owns, now)],
  )
  return new Map(await Promise.all(checked))
}

// --- claims -----------------------------------------------------------------------------------------------------------------------

/** The signature of a commit or tag, before it is verified. */
interface Claim {
  readonly id: ObjectId
  /** The address of the committer or tagger, in lower case. */
  readonly address: string
  readonly email: string
  readonly signature: Signature | undefined
  readonly gpg: GpgSignature | undefined
  readonly ssh: FileSignature | undefined
}

async function readClaim(object: Commit | Tag): Promise<Claim> {
  const { id, signature } = object
  const email = ("committer" in object ? object.committer : object.tagger)?.email ?? ""
  const isSsh = signature !== undefined && isSshSignature(signature.text)
  return {
    id,
    email,
    address: email.toLowerCase(),
    signature,
    gpg: signature && !isSsh ? await readGpgSignature(signature.text) : undefined,
    ssh: isSsh ? readFileSignature(signature.text) : undefined,
  }
}

// --- keys -------------------------------------------------------------------------------------------------------------------------

/** A key of a user or of the site. */
interface Key {
  /** Undefined for the site's. */
  readonly owner: User | undefined
  /** Its displayed name: the id, or the fingerprint. */
  readonly name: string
  readonly isSignerOf: (claim: Claim, now: Date) => Promise<boolean> | boolean
}

/** The keys named in the claims, by key id and by fingerprint, which can't collide. */
async function findKeys(db: Handle, claims: readonly Claim[]): Promise<ReadonlyMap<string, Key>> {
  const keyIds = [...new Set(claims.flatMap(({ gpg }) => gpg?.issuers ?? []))]
  const fingerprints = [...new Set(claims.flatMap(({ ssh }) => ssh?.fingerprint ?? []))]
  const keys = new Map<string, Key>()
  for (const { key_id, certificate, ...owner } of keyIds.length === 0 ? [] : await findSigners(db, { keyIds }))
    keys.set(key_id, gpgKey(owner, key_id, certificate))
  for (const { fingerprint, ...owner } of fingerprints.length === 0 ? [] : await findKeyOwners(db, { fingerprints }))
    keys.set(fingerprint, sshKey(owner, fingerprint))
  // Last: no one takes the service's keys over by registering their public halves.
  const made = [...keyIds, ...fingerprints]
  for (const { key_id, ...owner } of fingerprints.length === 0 ? [] : await findKeptSigners(db, { keyIds: fingerprints }))
    keys.set(key_id, sshKey(owner, key_id))
  for (const { key_id, kind, public_key } of made.length === 0 ? [] : await findSiteSigners(db, { keyIds: made }))
    keys.set(key_id, kind === "ssh" ? sshKey(undefined, key_id) : gpgKey(undefined, key_id, public_key))
  return keys
}

const gpgKey = (owner: User | undefined, name: string, certificate: string): Key => ({
  owner,
  name,
  isSignerOf: async ({ gpg, signature }, now) =>
    gpg !== undefined && signature !== undefined && gpg.isBy(certificate, signature.payload, now),
})

const sshKey = (owner: User | undefined, name: string): Key => ({
  owner,
  name,
  isSignerOf: ({ ssh, signature }) => ssh !== undefined && signature !== undefined && ssh.isOver(signature.payload),
})

/** Whether a user owns an address. */
type Owns = (owner: User, address: string) => boolean

async function addressesOf(
  db: Handle,
  { site }: Pick<Services, "site">,
  claims: readonly Claim[],
  keys: ReadonlyMap<string, Key>,
): Promise<Owns> {
  const userIds = [...new Set([...keys.values()].flatMap(({ owner }) => owner?.id ?? []))]
  // PostgreSQL can't store NUL characters, so no user has such an address.
  const addresses = [...new Set(claims.map(({ address }) => address))].filter((address) => !address.includes("\0"))
  const rows = userIds.length === 0 || addresses.length === 0 ? [] : await findAddressesAmong(db, { userIds, addresses })
  const owned = new Set(rows.map(({ user_id, lower_email }) => `${user_id} ${lower_email}`))
  return (owner, address) => owned.has(`${owner.id} ${address}`) || address === noReplyAddress(site, owner).toLowerCase()
}

// --- verification -----------------------------------------------------------------------------------------------------------------

async function verify(
  claim: Claim,
  { site }: Pick<Services, "site">,
  keys: ReadonlyMap<string, Key>,
  owns: Owns,
  now: Date,
): Promise<Verification> {
  const { signature, gpg, ssh, address, email } = claim
  if (!signature) return UNSIGNED
  const shown = { signature: signature.text, payload: signature.payload.toString("utf8") }
  const refused = (reason: string): Verification => ({ verified: false, reason, signer: null, ...shown })
  if (!gpg && !ssh) return refused(UNREADABLE)
  const named = (ssh ? [ssh.fingerprint] : (gpg?.issuers ?? [])).flatMap((name) => keys.get(name) ?? [])
  if (named.length === 0) return refused(UNKNOWN_KEY)
  for (const key of named) {
    if (!(await key.isSignerOf(claim, now))) continue
    // The site signs only what it has made itself, for the committer.
    if (!key.owner)
      return { verified: true, reason: `${site.signer.name} / ${key.name}`, signer: { ...site.signer, username: "" }, ...shown }
    if (!owns(key.owner, address)) return refused(OTHER_ADDRESS)
    const { name } = key.owner
    return { verified: true, reason: `${name} / ${key.name}`, signer: { name, email, username: name }, ...shown }
  }
  return refused(WRONG_SIGNATURE)
}
