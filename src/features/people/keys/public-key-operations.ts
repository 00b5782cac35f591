import { onVisibleUserSignedIn, siteAdministratorOnUser, userVisible } from "../../../access/policies/people.ts"
import { signedIn } from "../../../access/policies/site.ts"
import { findUserById } from "../../../access/store.ts"
import type { SignedIn, User } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { presentPublicKeys } from "./present.ts"
import { addPublicKey, readKeyText, removePublicKey } from "./public-keys.ts"
import { CreateKeyOption, PublicKey } from "./records.ts"
import { findPublicKey, findPublicKeysOf } from "./store.ts"

const mine = { tag: "user", scope: ["user"], access: signedIn, publicOnly: "refused" } as const
const administration = { tag: "admin", scope: ["admin"], access: siteAdministratorOnUser } as const

const filter = { fingerprint: Type.Optional(Type.String({ description: "only the key with this fingerprint" })) }

async function add(
  services: Services,
  actor: SignedIn,
  owner: User,
  { title, key, read_only: readOnly = false }: CreateKeyOption,
): Promise<PublicKey> {
  const text = readKeyText(key)
  const row = await services.database.write((tx) =>
    addPublicKey(tx, owner, { title: title.trim(), text, readOnly, now: services.now(), actor: actor.user }),
  )
  const [record] = presentPublicKeys(services.site, actor, owner, [row])
  if (!record) throw new TypeError("one key gives one record")
  return record
}

/** Keys of people. */
export const publicKeyOperations: readonly Operation[] = [
  operation({
    ...mine,
    id: "userCurrentListKeys",
    route: "GET /user/keys",
    summary: "List the caller's public keys",
    paged: true,
    query: filter,
    answers: { 200: Type.Array(PublicKey) },
    handle: async ({ db, services, actor, me, query, page }) => {
      const { rows, total } = await findPublicKeysOf(db, me.id, query.fingerprint, page)
      return listed(presentPublicKeys(services.site, actor, me, rows), total)
    },
  }),

  operation({
    ...mine,
    id: "userCurrentPostKey",
    route: "POST /user/keys",
    summary: "Add a public key",
    description:
      "ED25519, ECDSA, RSA of at least 3071 bits, and keys of security tokens. It lets its owner in over SSH, and vouches for commits that it signs.",
    body: CreateKeyOption,
    answers: { 201: PublicKey },
    refuses: ["invalid"],
    handle: async ({ services, actor, me, body }) => created(await add(services, actor, me, body)),
  }),

  operation({
    ...mine,
    id: "userCurrentGetKey",
    route: "GET /user/keys/{id}",
    summary: "Get a public key of the caller, or of someone else whom the caller may see",
    answers: { 200: PublicKey },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, path }) => {
      const row = await findPublicKey.first(db, { id: path.id })
      const owner = row?.owner_id ? await findUserById.first(db, { id: row.owner_id }) : undefined
      const [record] = row && owner && (await userVisible(db, actor, owner)) ? presentPublicKeys(services.site, actor, owner, [row]) : []
      if (!record) throw refuse.notFound()
      return ok(record)
    },
  }),

  operation({
    ...mine,
    id: "userCurrentDeleteKey",
    route: "DELETE /user/keys/{id}",
    summary: "Remove a public key",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, me, path }) => {
      await services.database.write((tx) => removePublicKey(tx, me, path.id, me))
      return noContent()
    },
  }),

  operation({
    tag: "user",
    scope: ["user"],
    access: onVisibleUserSignedIn,
    id: "userListKeys",
    route: "GET /users/{username}/keys",
    summary: "List a user's public keys",
    paged: true,
    query: filter,
    answers: { 200: Type.Array(PublicKey) },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, user, query, page }) => {
      const { rows, total } = await findPublicKeysOf(db, user.id, query.fingerprint, page)
      return listed(presentPublicKeys(services.site, actor, user, rows), total)
    },
  }),

  operation({
    ...administration,
    id: "adminCreatePublicKey",
    route: "POST /admin/users/{username}/keys",
    summary: "Add a public key for a user",
    body: CreateKeyOption,
    answers: { 201: PublicKey },
    refuses: ["forbidden", "invalid"],
    handle: async ({ services, actor, user, body }) => created(await add(services, actor, user, body)),
  }),

  operation({
    ...administration,
    id: "adminDeleteUserPublicKey",
    route: "DELETE /admin/users/{username}/keys/{id}",
    summary: "Remove a user's public key",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, me, user, path }) => {
      await services.database.write((tx) => removePublicKey(tx, user, path.id, me))
      return noContent()
    },
  }),
]
