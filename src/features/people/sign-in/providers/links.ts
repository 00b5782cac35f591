import { findUserById } from "../../../../access/store.ts"
import type { User } from "../../../../core/actor.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import { isUniqueViolation } from "../../../../core/database/failures.ts"
import { refuse } from "../../../../core/errors.ts"
import { publish } from "../../../../core/events/publish.ts"
import type { Services } from "../../../../core/services.ts"
import type { Acting } from "../../users/accounts.ts"
import { findTypedAddress } from "../../users/addresses.ts"
import { findPasskeysOf } from "../passkeys/store.ts"
import { type GroupRules, requireGroups } from "./groups.ts"
import type { Identity } from "./providers.ts"
import { deleteLink, findLinked, findLinksOf, insertLink, touchLink } from "./store.ts"

/** Accounts elsewhere that let people in here. */

/** The rules for groups of a provider, which may be there no more. */
export const rulesOf = ({ config }: Pick<Services, "config">, name: string): GroupRules =>
  config.signIn.providers.find((each) => each.name === name) ?? {}

/**
 * The person whom an identity lets in: by the link that there is, or, where the provider is trusted with that, by a verified address that is an
 * activated one here; that makes the link. Undefined where no one is known. Refuses `forbidden` who is not known and in none of the required groups.
 */
export async function personBehind(services: Services, identity: Identity): Promise<User | undefined> {
  const { config, database, now } = services
  const { provider, subject, label } = identity
  const linked = await findLinked.first(database.read, { provider, subject })
  if (linked) {
    const { link_id: id, ...user } = linked
    await database.write((tx) => touchLink.changes(tx, { id, label, now: now() }))
    return user
  }
  // Before an address makes a link: who may not come in closes no account.
  requireGroups(rulesOf(services, provider), identity.groups)
  const isTrusted = config.signIn.providers.some((each) => each.name === provider && each.linkByEmail === true)
  const address = isTrusted && identity.verifiedEmail !== "" ? await findTypedAddress(database.read, identity.verifiedEmail) : undefined
  const user = address?.is_activated === 1 ? await findUserById.first(database.read, { id: address.user_id }) : undefined
  if (user?.kind !== "person") return undefined
  await database.write((tx) => link(services, tx, user, identity, user))
  return user
}

/** Lets an account elsewhere sign the person in. Refuses `conflict` where it is another person's. */
export async function link(
  { now }: Pick<Services, "now">,
  tx: Transaction,
  user: Pick<User, "id">,
  identity: Pick<Identity, "provider" | "subject" | "label">,
  actor: Acting,
): Promise<void> {
  const { provider, subject, label } = identity
  const linked = await findLinked.first(tx, { provider, subject })
  if (linked?.id === user.id) return
  if (linked) throw belongsToAnother()
  try {
    await insertLink(tx, { now: now(), userId: user.id, provider, subject, label })
  } catch (error) {
    if (isUniqueViolation(error, ["linked_accounts.provider", "linked_accounts.subject"])) throw belongsToAnother()
    throw error
  }
  publish(tx, { kind: "user.edited", user, actor, changed: ["linked_accounts"], at: now() })
}

const belongsToAnother = () => refuse.conflict("That account signs in someone else here")

/** Takes a link away. Refuses `notFound`, and `conflict` where the person would have nothing left to sign in with. */
export async function unlink({ database, now }: Services, user: User, id: number): Promise<void> {
  await database.write(async (tx) => {
    if ((await deleteLink.changes(tx, { userId: user.id, id })) === 0) throw refuse.notFound()
    const isLast = user.password_hash === "" && (await findLinksOf(tx, { userId: user.id })).length === 0
    if (isLast && (await findPasskeysOf(tx, { userId: user.id })).length === 0)
      throw refuse.conflict("You would have nothing left to sign in with; set a password first")
    publish(tx, { kind: "user.edited", user, actor: user, changed: ["linked_accounts"], at: now() })
  })
}
