import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { AuthorizationRequest } from "./requests.ts"
import { isWithin, joined, scopesOf, storedScopes } from "./scopes.ts"
import { deleteGrant, findGrant, insertAuthorization, saveGrant } from "./store.ts"
import { digestOf, newText } from "./texts.ts"

/** How long a code is good, in seconds. */
export const CODE_SECONDS = 600

/**
 * Whether the person need not be asked: they have agreed to all of it before, and the application can prove who it is, or its owner said that they need
 * not be asked again (RFC 8252, 8.6).
 */
export async function isAgreed(db: Handle, user: Pick<User, "id">, request: AuthorizationRequest): Promise<boolean> {
  const { application, prompts, scopes } = request
  if (prompts.has("consent") || (application.is_confidential === 0 && application.skips_consent === 0)) return false
  const grant = await findGrant.first(db, { userId: user.id, applicationId: application.id })
  return grant !== undefined && isWithin(scopes, scopesOf(grant.scopes))
}

export interface Agreed {
  readonly user: Pick<User, "id">
  readonly request: AuthorizationRequest
  readonly signedInAt: number
  readonly now: number
}

/** Notes what a person has agreed to, beside what they had agreed to before. */
export async function noteGrant(
  tx: Transaction,
  user: Pick<User, "id">,
  { applicationId, scopes, now }: { readonly applicationId: number; readonly scopes: readonly string[]; readonly now: number },
): Promise<{ readonly id: number }> {
  const known = await findGrant.first(tx, { userId: user.id, applicationId })
  const granted = storedScopes(known ? joined(scopesOf(known.scopes), scopes) : scopes)
  const grant = await saveGrant(tx, { applicationId, userId: user.id, scopes: granted, now })
  if (granted !== known?.scopes) publish(tx, { kind: "grant.given", grant, user, actor: user, at: now })
  return grant
}

/** Notes what the person has agreed to, and issues a code for it. The code is returned only here and stored nowhere. */
export async function issueCode(tx: Transaction, { user, request, signedInAt, now }: Agreed): Promise<string> {
  const { application, scopes, redirectUri, challenge, nonce } = request
  const grant = await noteGrant(tx, user, { applicationId: application.id, scopes, now })
  const code = newText("code")
  await insertAuthorization(tx, {
    grant_id: grant.id,
    scopes: storedScopes(scopes),
    redirect_uri: redirectUri,
    challenge,
    nonce,
    signed_in_at: signedInAt,
    code_digest: digestOf(code),
    code_expires_at: now + CODE_SECONDS,
    code_used_at: 0,
    created_at: now,
    expires_at: now + CODE_SECONDS,
  })
  return code
}

/** Ends what a person has granted: codes and tokens are void at once. Refuses `notFound` for another's grant. */
export async function revokeGrant(tx: Transaction, user: Pick<User, "id">, id: number): Promise<void> {
  if ((await deleteGrant.changes(tx, { id, userId: user.id })) === 0) throw refuse.notFound()
  publish(tx, { kind: "grant.revoked", grant: { id }, user, actor: user })
}
