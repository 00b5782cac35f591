import {
  findRepositoryById,
  findRepositoryByName,
  findRepositoryRedirect,
  findUserById,
  findUserByName,
  findUserRedirect,
} from "../../../access/store.ts"
import type { SignedIn } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { findGrant, type PublicKeyRow, touchPublicKey } from "./store.ts"

/** The user that owns the key; undefined for deploy keys. Doesn't check whether the account may be used now. */
export async function findKeyOwner(db: Handle, { id, owner_id, is_read_only }: PublicKeyRow): Promise<SignedIn | undefined> {
  const user = owner_id === null ? undefined : await findUserById.first(db, { id: owner_id })
  return user && { kind: "user", user, credential: { kind: "publicKey", keyId: id, isReadOnly: is_read_only === 1 }, basic: false }
}

/**
 * The user that a deploy key acts as: the owner of its repository. Undefined where the key isn't a deploy key of the repository, and where the
 * owner may not act. The repository is found by its former names as well; one that the key isn't for counts as missing.
 */
export async function findDeployKeyUser(
  db: Handle,
  { id: keyId }: PublicKeyRow,
  ownerName: string,
  name: string,
): Promise<SignedIn | undefined> {
  const repositoryId = await repositoryIdOf(db, ownerName.toLowerCase(), name.toLowerCase())
  const grant = repositoryId === undefined ? undefined : await findGrant.first(db, { keyId, repositoryId })
  const repository = grant && (await findRepositoryById.first(db, { id: grant.repository_id }))
  const user = repository && (await findUserById.first(db, { id: repository.owner_id }))
  if (!user || user.is_active === 0 || user.prohibit_login === 1) return undefined
  const credential = { kind: "deployKey", keyId, repositoryId: repository.id, isReadOnly: grant.is_read_only === 1 } as const
  return { kind: "user", user, credential, basic: false }
}

async function repositoryIdOf(db: Handle, lowerOwner: string, lowerName: string): Promise<number | undefined> {
  const owner = (await findUserByName.first(db, { lowerName: lowerOwner })) ?? (await findUserRedirect.first(db, { lowerName: lowerOwner }))
  if (!owner) return undefined
  const repository = await findRepositoryByName.first(db, { ownerId: owner.id, lowerName })
  return repository?.id ?? (await findRepositoryRedirect.first(db, { ownerId: owner.id, lowerName }))?.repository_id
}

/** Precision of a key's last use, in seconds: writing at every connection would cost more than the connection. */
const LAST_USED_EXACTNESS = 60

/** Records that a key was used. Doesn't wait for the write, and never fails. */
export function recordKeyUse({ database, log, now }: Services, { id, last_used_at }: PublicKeyRow): void {
  const seen = now()
  const before = seen - LAST_USED_EXACTNESS
  if (last_used_at > before) return
  database
    .write((tx) => touchPublicKey.changes(tx, { id, now: seen, before }))
    .catch((error: unknown) => log.warn({ err: error }, "the last use of a key could not be noted"))
}
