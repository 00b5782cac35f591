import { onVisibleUser } from "../../../access/policies/people.ts"
import { onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { anyone, signedIn } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { rfc3339 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { dropKeyOf, keepKeyFor, publicSiteKeys } from "./keys.ts"
import { findKeptKeysOf, type SigningKeyRow } from "./keys-store.ts"
import { KeptKey } from "./records.ts"
import type { KeyKind } from "./signing-key.ts"

const armored = Type.String({ description: "the public keys, the current one first: former ones vouch for what they have signed" })

/** The public keys of the site as text; refuses `notFound` where there never was one of this kind. */
const publicKeys =
  (kind: KeyKind) =>
  async ({ services }: { readonly services: Services }) => {
    const text = await publicSiteKeys(services, kind)
    if (text === undefined) throw refuse.notFound()
    return ok(text)
  }

const ofSite = { tag: "miscellaneous", scope: [], access: anyone, answers: { 200: armored }, refuses: ["notFound"] } as const

const ofRepository = {
  tag: "repository",
  scope: ["repository"],
  access: onRepositoryUnitRead("code"),
  answers: { 200: armored },
  refuses: ["notFound"],
} as const

const presentKept = ({ key_id, public_key, is_current, created_at }: SigningKeyRow): KeptKey => ({
  fingerprint: key_id,
  key: public_key,
  is_current: is_current === 1,
  created_at: rfc3339(created_at),
})

const mine = { tag: "user", scope: ["user"], access: signedIn, publicOnly: "refused" } as const

export const signingKeyOperations: readonly Operation[] = [
  operation({
    ...ofSite,
    id: "getSigningKey",
    route: "GET /signing-key.gpg",
    summary: "Get the GPG key that the site signs with",
    handle: publicKeys("openpgp"),
  }),
  operation({
    ...ofSite,
    id: "getSigningKeySSH",
    route: "GET /signing-key.pub",
    summary: "Get the SSH key that the site signs with",
    handle: publicKeys("ssh"),
  }),
  operation({
    ...ofRepository,
    id: "repoSigningKey",
    route: "GET /repos/{owner}/{repo}/signing-key.gpg",
    summary: "Get the GPG key that signs a repository's commits made on the site",
    handle: publicKeys("openpgp"),
  }),
  operation({
    ...ofRepository,
    id: "repoSigningKeySSH",
    route: "GET /repos/{owner}/{repo}/signing-key.pub",
    summary: "Get the SSH key that signs a repository's commits made on the site",
    handle: publicKeys("ssh"),
  }),

  operation({
    tag: "user",
    scope: ["user"],
    access: onVisibleUser,
    id: "userListSigningKeys",
    since: "0.2.0",
    route: "GET /users/{username}/signing_keys",
    summary: "List a user's managed signing keys",
    description: "The current one first. Those that are not current vouch for what they have signed.",
    paged: true,
    answers: { 200: Type.Array(KeptKey) },
    refuses: ["notFound"],
    handle: async ({ db, user, page }) => {
      const rows = await findKeptKeysOf(db, { ownerId: user.id })
      return listed(rows.slice(page.offset, page.offset + page.limit).map(presentKept), rows.length)
    },
  }),
  operation({
    ...mine,
    id: "userKeepSigningKey",
    since: "0.2.0",
    route: "POST /user/signing_keys",
    summary: "Create a managed key that signs the caller's commits made on the site",
    description: "An SSH key of Ed25519, which gives access to nothing. Its private half never leaves the site.",
    answers: { 201: KeptKey },
    refuses: ["forbidden", "conflict"],
    handle: async ({ services, me }) => {
      if (!services.config.signing.keepUserKeys) throw refuse.forbidden("the site keeps no keys of its users")
      return created(presentKept(await keepKeyFor(services, me)))
    },
  }),
  operation({
    ...mine,
    id: "userDropSigningKey",
    since: "0.2.0",
    route: "DELETE /user/signing_keys",
    summary: "Delete the caller's managed signing key and its private half",
    description: "What it has signed stays verified.",
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, me }) => {
      await dropKeyOf(services, me)
      return noContent()
    },
  }),
]
