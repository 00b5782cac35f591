import { isPublicOnlyScope } from "../../../../access/scopes.ts"
import { findUserById } from "../../../../access/store.ts"
import type { SignedIn, Task, TokenCredential } from "../../../../core/actor.ts"
import type { Handle } from "../../../../core/database/database.ts"
import type { Services } from "../../../../core/services.ts"
import { findApplicationTokenById, findChosen, findTokenById } from "./store.ts"
import type { AccessToken } from "./tokens.ts"

/** A repository or an owner that a token is limited to. */
interface ChosenRow {
  readonly id: number
  readonly is_owner: number
}

type Stored = Pick<AccessToken, "id" | "name" | "scopes" | "is_limited" | "expires_at" | "is_task" | "branches" | "operations" | "writes">

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
    ...(token.is_task === 1 && { task: taskIn(token) }),
    ...(chosen && {
      chosen: {
        repositoryIds: chosen.flatMap(({ id, is_owner }) => (is_owner === 0 ? id : [])),
        ownerIds: chosen.flatMap(({ id, is_owner }) => (is_owner === 1 ? id : [])),
      },
    }),
  }
}

/** The task that a token was made for. */
const taskIn = ({ name, branches, operations, writes }: Stored): Task => ({
  name,
  branches: linesOf(branches),
  operations: linesOf(operations),
  ...(writes >= 0 && { writes }),
})

/** What is stored one on each line. */
export const linesOf = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "")

/** Who bears an access token that was checked before, as they and it are now; undefined where it was revoked or has expired, or they may not sign in. */
export async function bearerNow(
  { database, config, now }: Pick<Services, "database" | "config" | "now">,
  bearer: SignedIn,
  { tokenId, applicationId }: TokenCredential,
): Promise<SignedIn | undefined> {
  const [db, moment] = [database.read, now()]
  const user = await findUserById.first(db, { id: bearer.user.id })
  if (!user || user.is_active === 0 || user.prohibit_login === 1) return undefined
  if (applicationId !== undefined) {
    const isGood = config.oauth2.enabled && (await findApplicationTokenById.first(db, { id: tokenId, now: moment })) !== undefined
    return isGood ? { ...bearer, user } : undefined
  }
  const token = await findTokenById.first(db, { id: tokenId })
  const credential = token && (await tokenCredential(db, token, moment))
  return credential && { ...bearer, user, credential }
}
