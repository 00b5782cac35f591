import { onVisibleUserSignedIn } from "../../../access/policies/people.ts"
import { signedIn } from "../../../access/policies/site.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { addGpgKey, removeGpgKey, tokenFor, verifyGpgKey } from "./gpg-keys.ts"
import { presentGpgKeys, presentSubkey } from "./present.ts"
import { CreateGPGKeyOption, GPGKey, VerifyGPGKeyOption } from "./records.ts"
import { findGpgKeyOf, findGpgKeysOf, type GpgKeyRow } from "./store.ts"

const mine = { tag: "user", scope: ["user"], access: signedIn, publicOnly: "refused" } as const

async function presentOne(db: Handle, row: GpgKeyRow): Promise<GPGKey> {
  const primary = row.primary_id === null ? undefined : await findGpgKeyOf.first(db, { ownerId: row.owner_id, id: row.primary_id })
  const [record] = primary ? [await presentSubkey(row, primary)] : await presentGpgKeys(db, [row])
  if (!record) throw new TypeError("one key gives one record")
  return record
}

/** OpenPGP keys of people. */
export const gpgKeyOperations: readonly Operation[] = [
  operation({
    ...mine,
    id: "userCurrentListGPGKeys",
    route: "GET /user/gpg_keys",
    summary: "List the caller's GPG keys",
    paged: true,
    answers: { 200: Type.Array(GPGKey) },
    handle: async ({ db, me, page }) => {
      const { rows, total } = await findGpgKeysOf(db, me.id, page)
      return listed(await presentGpgKeys(db, rows), total)
    },
  }),

  operation({
    ...mine,
    id: "userCurrentPostGPGKey",
    route: "POST /user/gpg_keys",
    summary: "Add a GPG key",
    description: "It must carry an activated address of the account, or come with its signature over the text of /user/gpg_key_token.",
    body: CreateGPGKeyOption,
    answers: { 201: GPGKey },
    refuses: ["notFound", "invalid"],
    handle: async ({ db, services, me, body }) => created(await presentOne(db, await addGpgKey(services, me, body))),
  }),

  operation({
    ...mine,
    id: "userCurrentGetGPGKey",
    route: "GET /user/gpg_keys/{id}",
    summary: "Get a GPG key of the caller, or one of its subkeys",
    answers: { 200: GPGKey },
    refuses: ["notFound"],
    handle: async ({ db, me, path }) => {
      const row = await findGpgKeyOf.first(db, { ownerId: me.id, id: path.id })
      if (!row) throw refuse.notFound()
      return ok(await presentOne(db, row))
    },
  }),

  operation({
    ...mine,
    id: "userCurrentDeleteGPGKey",
    route: "DELETE /user/gpg_keys/{id}",
    summary: "Remove a GPG key with its subkeys",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, me, path }) => {
      await services.database.write((tx) => removeGpgKey(tx, me, path.id))
      return noContent()
    },
  }),

  operation({
    ...mine,
    id: "getVerificationToken",
    route: "GET /user/gpg_key_token",
    summary: "Get a token to sign with a GPG key for its verification",
    description: "It changes every five minutes; each is accepted for at least five.",
    changesWithTime: true,
    answers: { 200: Type.String() },
    refuses: ["notFound"],
    handle: ({ services, me }) => ok(tokenFor(services, me)),
  }),

  operation({
    ...mine,
    id: "userVerifyGPGKey",
    route: "POST /user/gpg_key_verify",
    summary: "Verify a GPG key",
    body: VerifyGPGKeyOption,
    answers: { 201: GPGKey },
    refuses: ["notFound", "invalid"],
    handle: async ({ db, services, me, body }) => created(await presentOne(db, await verifyGpgKey(services, me, body))),
  }),

  operation({
    tag: "user",
    scope: ["user"],
    access: onVisibleUserSignedIn,
    id: "userListGPGKeys",
    route: "GET /users/{username}/gpg_keys",
    summary: "List a user's GPG keys",
    paged: true,
    answers: { 200: Type.Array(GPGKey) },
    refuses: ["notFound"],
    handle: async ({ db, user, page }) => {
      const { rows, total } = await findGpgKeysOf(db, user.id, page)
      return listed(await presentGpgKeys(db, rows), total)
    },
  }),
]
