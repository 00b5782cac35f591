import type { User } from "../../../core/actor.ts"
import { SealBroken } from "../../../core/secrets.ts"
import type { Services } from "../../../core/services.ts"
import { formatCommit, isGitError, type NewCommit, type ObjectId, type Person, type Repository } from "../../../git/index.ts"
import { noReplyAddress } from "../../people/users/present.ts"
import { openKey } from "./keys.ts"
import { findCurrentKeys, findOneKeyOf, type SigningKeyRow } from "./keys-store.ts"
import type { SignPayload } from "./signing-key.ts"
import { findAddressesAmong } from "./store.ts"
import { verifications } from "./verification.ts"

/** Signs the commits that the service makes for people. */

/** What a commit is for: each has a setting that says when the site signs. */
export type Purpose = "initial" | "contents" | "wiki" | "merges"

export interface Signing {
  readonly purpose: Purpose
  /** Who has it made. */
  readonly user: User
  readonly repository: Repository
  readonly committer: Pick<Person, "email">
  /** The commits that it is made from. */
  readonly parents: readonly ObjectId[]
}

/** Gives a commit its signature. */
export type Sign = (commit: NewCommit) => Promise<NewCommit>

/**
 * What signs commits made for a user: the key that the site keeps for them, else the site's own where its settings say so; undefined where they are not
 * signed. A committer other than the user gets no signature: it would say that the user is that person. One query, a few more where a setting asks for
 * keys or parents.
 */
export async function signerFor(services: Services, signing: Signing): Promise<Sign | undefined> {
  const { config, database, now } = services
  const { key: kind, keepUserKeys } = config.signing
  if (kind === "none" && !keepUserKeys) return undefined
  const rows = await findCurrentKeys(database.read, { kind, ownerId: signing.user.id })
  if (rows.length === 0 || !(await isTheirs(services, signing))) return undefined
  const kept = keepUserKeys ? rows.find(({ owner_id }) => owner_id !== null) : undefined
  const site = rows.find(({ owner_id }) => owner_id === null)
  const key =
    (kept && (await usable(services, kept))) ?? (site && (await isDue(services, signing)) ? await usable(services, site) : undefined)
  if (!key) return undefined
  return async (commit) => {
    try {
      return { ...commit, signature: await key(formatCommit(commit), new Date(now() * 1000)) }
    } catch (error) {
      // An invalid commit is refused where it is written.
      if (isGitError(error)) throw error
      services.log.error({ err: error }, "a commit can't be signed; hearth doctor says more")
      return commit
    }
  }
}

/** The commit with a signature, where it gets one. */
export async function signed(
  services: Services,
  signing: Pick<Signing, "purpose" | "user" | "repository">,
  commit: NewCommit,
): Promise<NewCommit> {
  const sign = await signerFor(services, { ...signing, committer: commit.committer, parents: commit.parents })
  return sign ? sign(commit) : commit
}

/** A key that can't be read signs nothing: the start and the doctor tell the operator. */
async function usable(services: Services, row: SigningKeyRow): Promise<SignPayload | undefined> {
  try {
    return await openKey(services, row)
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    services.log.error({ key: row.key_id }, "a signing key can't be read, so that commits are not signed with it; hearth doctor says more")
    return undefined
  }
}

async function isTheirs({ database, site }: Services, { user, committer }: Signing): Promise<boolean> {
  const address = committer.email.toLowerCase()
  if (address === user.email.toLowerCase() || address === noReplyAddress(site, user).toLowerCase()) return true
  return !address.includes("\0") && (await findAddressesAmong(database.read, { userIds: [user.id], addresses: [address] })).length > 0
}

async function isDue(services: Services, { purpose, user, repository, parents }: Signing): Promise<boolean> {
  const { config, database, git } = services
  switch (config.signing[purpose]) {
    case "always":
      return true
    case "never":
      return false
    case "keyholders":
      return (await findOneKeyOf.first(database.read, { ownerId: user.id })) !== undefined
    case "parents": {
      const commits = await Promise.all(parents.map((id) => git.objects.readCommit(repository, id)))
      const known = await verifications(database.read, services, commits)
      return commits.every(({ id }) => known.get(id)?.verified === true)
    }
  }
}
