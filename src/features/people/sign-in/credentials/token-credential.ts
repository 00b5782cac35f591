import { isPublicOnlyScope } from "../../../../access/scopes.ts"
import type { TokenCredential } from "../../../../core/actor.ts"
import type { Handle } from "../../../../core/database/database.ts"
import { findChosen } from "./store.ts"
import type { AccessToken } from "./tokens.ts"

/** A repository or an owner that a token is limited to. */
interface ChosenRow {
  readonly id: number
  readonly is_owner: number
}

type Stored = Pick<AccessToken, "id" | "scopes" | "is_limited" | "expires_at">

/** The credential that a person's token is now; undefined where it has expired. A statement more for one that is limited to some repositories. */
export async function tokenCredential(db: Handle, token: Stored, now: number): Promise<TokenCredential | undefined> {
  return credentialOf(token, token.is_limited === 1 ? await findChosen(db, { tokenId: token.id }) : undefined, now)
}

/** The same from what it is limited to. */
export function credentialOf(token: Stored, chosen: readonly ChosenRow[] | undefined, now: number): TokenCredential | undefined {
  if (token.expires_at !== 0 && token.expires_at <= now) return undefined
  const scopes = new Set(token.scopes.split(","))
  return {
    kind: "token",
    tokenId: token.id,
    scopes,
    publicOnly: isPublicOnlyScope(scopes),
    ...(token.expires_at !== 0 && { expiresAt: token.expires_at }),
    ...(chosen && {
      chosen: {
        repositoryIds: chosen.flatMap(({ id, is_owner }) => (is_owner === 0 ? id : [])),
        ownerIds: chosen.flatMap(({ id, is_owner }) => (is_owner === 1 ? id : [])),
      },
    }),
  }
}
