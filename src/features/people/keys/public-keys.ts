import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { isUniqueViolation } from "../../../core/database/failures.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { type Refusal, refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { lockUser } from "../users/store.ts"
import { type KeyText, keyLine, parseKeyText } from "./ssh/key-text.ts"
import { fingerprintOf, UnusableKeyError } from "./ssh/public-key.ts"
import {
  deletePublicKey,
  findPublicKey,
  findPublicKeyByFingerprint,
  findPublicKeyByTitle,
  forgetUnusedKey,
  insertPublicKey,
  type PublicKeyRow,
} from "./store.ts"

/** Parses the text of a public key. Refuses, as `invalid` for `key`, one that can't be used, and says why. */
export function readKeyText(text: string): KeyText {
  try {
    return parseKeyText(text)
  } catch (error) {
    if (error instanceof UnusableKeyError) throw refuse.invalid("key", error.message)
    throw error
  }
}

const titleTaken = (): Refusal => refuse.invalid("title", "another key of this account has the same title")
const keyTaken = (): Refusal => refuse.invalid("key", "this key is in use here already")

export interface NewPublicKey {
  readonly title: string
  readonly text: KeyText
  readonly readOnly: boolean
  readonly now: Seconds
  readonly actor: Pick<User, "id">
}

/**
 * Adds an SSH key to a user, to sign in and to sign commits with; a read-only one fetches and does not push. Refuses as `invalid`: organisations, a key that any user or repository
 * already uses, and a title that another key of the user has. Refuses `notFound` for a user who was deleted.
 */
export async function addPublicKey(
  tx: Transaction,
  user: User,
  { title, text, readOnly, now, actor }: NewPublicKey,
): Promise<PublicKeyRow> {
  const { id, kind } = user
  if (kind !== "person") throw refuse.invalid("username", "an organization has no keys")
  await lockUser(tx, id)
  const fingerprint = fingerprintOf(text.key.blob)
  await forgetUnusedKey(tx, fingerprint)
  if (await findPublicKeyByFingerprint.first(tx, { fingerprint })) throw keyTaken()
  if (await findPublicKeyByTitle.first(tx, { ownerId: id, title })) throw titleTaken()
  const row = { owner_id: id, title, fingerprint, content: keyLine(text), is_read_only: flag(readOnly), created_at: now }
  try {
    const key = await insertPublicKey(tx, row)
    publish(tx, { kind: "key.added", key, format: "ssh", user, actor, at: now })
    return key
  } catch (error) {
    throw isUniqueViolation(error, ["public_keys.fingerprint"]) ? keyTaken() : error
  }
}

/** Removes a user's key. Refuses `notFound` where there is none with this id, `forbidden` where it is another user's. */
export async function removePublicKey(tx: Transaction, owner: Pick<User, "id">, id: number, actor: Pick<User, "id">): Promise<void> {
  const key = await findPublicKey.first(tx, { id })
  if (!key || key.owner_id === null) throw refuse.notFound()
  if (key.owner_id !== owner.id) throw refuse.forbidden("this key belongs to another account")
  await deletePublicKey(tx, id)
  publish(tx, { kind: "key.removed", key: { id }, format: "ssh", user: owner, actor })
}
