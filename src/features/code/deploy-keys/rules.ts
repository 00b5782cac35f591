import type { Repository } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { type KeyText, keyLine } from "../../people/keys/ssh/key-text.ts"
import { fingerprintOf } from "../../people/keys/ssh/public-key.ts"
import { type DeployKeyRow, findDeployKeyByTitle, findGrant, forgetUnusedKey, putSharedKey } from "../../people/keys/store.ts"
import { deleteDeployKey, findDeployed, insertDeployKey } from "./store.ts"

export interface NewDeployKey {
  readonly title: string
  readonly text: KeyText
  readonly readOnly: boolean
  readonly actor: Pick<User, "id">
  readonly now: Seconds
}

/**
 * Lets a key fetch from a repository, and push to it unless it is read-only. One key may be used by several repositories. Refuses `invalid` for a user's
 * key, one that the repository has already, and a title that another of its keys has.
 */
export async function addDeployKey(
  tx: Transaction,
  { id: repositoryId }: Repository,
  { title, text, readOnly, actor, now }: NewDeployKey,
): Promise<DeployKeyRow> {
  const fingerprint = fingerprintOf(text.key.blob)
  const key = await putSharedKey(tx, { fingerprint, content: keyLine(text), created_at: now })
  if (key.owner_id !== null) throw refuse.invalid("key", "this key is in use as the key of an account")
  if (await findGrant.first(tx, { keyId: key.id, repositoryId })) throw refuse.invalid("key", "the repository has this key already")
  if (await findDeployKeyByTitle.first(tx, { repositoryId, title }))
    throw refuse.invalid("title", "another key of this repository has the same title")
  const access = { key_id: key.id, repository_id: repositoryId, title, is_read_only: flag(readOnly), created_at: now }
  const grant = await insertDeployKey(tx, access)
  publish(tx, { kind: "deployKey.added", repositoryId, deployKey: grant, actor, at: now })
  return { ...grant, content: key.content, fingerprint }
}

/** Removes a key from a repository, and deletes it if it is unused elsewhere. A missing key is no error; refuses `forbidden` for another repository's. */
export async function removeDeployKey(tx: Transaction, { id: repositoryId }: Repository, id: number, actor: User): Promise<void> {
  const grant = await findDeployed(tx, id)
  if (!grant) return
  if (grant.repository_id !== repositoryId) throw refuse.forbidden("this key belongs to another repository")
  const removed = await deleteDeployKey(tx, id)
  await forgetUnusedKey(tx, grant.fingerprint)
  for (const deployKey of removed) publish(tx, { kind: "deployKey.removed", repositoryId, deployKey, actor })
}
