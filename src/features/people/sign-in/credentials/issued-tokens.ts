import type { JobCredential, SignedIn } from "../../../../core/actor.ts"
import { extensionPoint } from "../../../../core/extensions.ts"
import type { Services } from "../../../../core/services.ts"

/** What is remembered of such a token once it was checked. */
export type IssuedCredential = Pick<JobCredential, "kind" | "taskId">

/** Tokens that a higher feature issues, in the form of access tokens. */
export interface IssuedTokens {
  /** Who bears a token now; undefined if it is none of these, or no longer valid. */
  readonly bearer: (services: Services, token: string) => Promise<SignedIn | undefined>
  /** The same for one that was checked before. */
  readonly stillBearer: (services: Services, credential: IssuedCredential) => Promise<SignedIn | undefined>
}

export const issuedTokens = extensionPoint<IssuedTokens>("issued tokens")

/** The bearer of an issued token. */
export async function bearerOfIssued(services: Services, token: string): Promise<SignedIn | undefined> {
  for (const { bearer } of issuedTokens.of(services)) {
    const actor = await bearer(services, token)
    if (actor) return actor
  }
  return undefined
}

/** The bearer of a credential that was checked before, as they are now; undefined if it is not valid any more. */
export async function stillBearerOfIssued(services: Services, credential: IssuedCredential): Promise<SignedIn | undefined> {
  for (const { stillBearer } of issuedTokens.of(services)) {
    const actor = await stillBearer(services, credential)
    if (actor) return actor
  }
  return undefined
}
