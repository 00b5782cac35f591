import { findChosenRepositories } from "../../../../access/tokens-store.ts"
import type { Actor } from "../../../../core/actor.ts"
import type { Handle } from "../../../../core/database/database.ts"
import { findChosenOwners } from "./store.ts"
import type { AccessToken } from "./tokens.ts"

/** What a token is limited to, by names. */
export interface Reach {
  readonly repositories: readonly string[]
  readonly owners: readonly string[]
}

const NOTHING: Reach = { repositories: [], owners: [] }

type Token = Pick<AccessToken, "id" | "is_limited">

/** What each of the tokens is limited to, as far as the caller may see it: two statements for any number of them, and none where none is limited. */
export async function reachesOf(db: Handle, actor: Actor, tokens: readonly Token[]): Promise<(token: Token) => Reach> {
  const tokenIds = tokens.flatMap(({ id, is_limited }) => (is_limited === 1 ? [id] : []))
  if (tokenIds.length === 0) return () => NOTHING
  const [repositories, owners] = [await findChosenRepositories(db, actor, tokenIds), await findChosenOwners(db, { tokenIds })]
  return ({ id }) => ({
    repositories: repositories.flatMap(({ token_id, owner, name }) => (token_id === id ? [`${owner}/${name}`] : [])),
    owners: owners.flatMap(({ token_id, name }) => (token_id === id ? [name] : [])),
  })
}
