import type { Actor, Credential, SignedIn } from "../../../core/actor.ts"
import { Refusal } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { applicationCredential, requireUsable } from "./authenticate.ts"
import { stillBearerOfIssued } from "./credentials/issued-tokens.ts"
import { findApplicationTokensByIds, findCallers, findChosenOfMany, findTokensByIds } from "./credentials/store.ts"
import { credentialOf } from "./credentials/token-credential.ts"

/**
 * Callers who have signed in before, as they are now, in their order: undefined for those whose password or token is not good any more, or who may not act.
 * At most four statements for any number of them, and those for running jobs.
 */
export async function callersNow(services: Services, actors: readonly Actor[]): Promise<readonly (Actor | undefined)[]> {
  const { config, database, now } = services
  const signedIn = actors.flatMap((actor) => (actor.kind === "user" ? [actor] : []))
  const credentials = signedIn.map(({ credential }) => credential)
  const [own, granted] = [credentials.flatMap(ownToken), config.oauth2.enabled ? credentials.flatMap(grantedToken) : []]
  const [people, tokens, applications] = await Promise.all([
    signedIn.length === 0 ? [] : findCallers(database.read, { ids: distinct(signedIn.map(({ user }) => user.id)) }),
    own.length === 0 ? [] : findTokensByIds(database.read, { ids: distinct(own) }),
    granted.length === 0 ? [] : findApplicationTokensByIds(database.read, { ids: distinct(granted), now: now() }),
  ])
  const limited = tokens.flatMap(({ id, is_limited }) => (is_limited === 1 ? id : []))
  const chosen = limited.length === 0 ? [] : await findChosenOfMany(database.read, { tokenIds: limited })
  const chosenBy = Map.groupBy(chosen, ({ token_id }) => token_id)
  const [byId, tokenById, applicationById] = [mapOf(people), mapOf(tokens), mapOf(applications)]

  /** The credential of someone with this id as it is now. */
  function credentialNow(credential: Credential, userId: number): Credential | undefined {
    if (credential.kind !== "token") return credential.kind === "password" ? credential : undefined
    if (credential.applicationId !== undefined) {
      const row = applicationById.get(credential.tokenId)
      return row?.user_id === userId ? applicationCredential(row.id, row.application_id, row.scopes) : undefined
    }
    const row = tokenById.get(credential.tokenId)
    return row?.user_id === userId ? credentialOf(row, row.is_limited === 1 ? (chosenBy.get(row.id) ?? []) : undefined, now()) : undefined
  }

  async function personNow(before: SignedIn): Promise<SignedIn | undefined> {
    if (before.credential.kind === "job") return stillBearerOfIssued(services, before.credential)
    const user = byId.get(before.user.id)
    const credential = user && credentialNow(before.credential, user.id)
    // A change of the password, of the second factor or of what else a password was checked with voids it.
    const isVoid = before.credential.kind === "password" && user?.credentials_version !== before.user.credentials_version
    return user && credential && !isVoid ? { ...before, user, credential } : undefined
  }

  return Promise.all(
    actors.map(async (before) => {
      if (before.kind === "anonymous") return before
      const actor = await personNow(before)
      return actor && (await isUsable(services, actor)) ? actor : undefined
    }),
  )
}

async function isUsable(services: Services, actor: Actor): Promise<boolean> {
  try {
    await requireUsable(services, actor)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

const ownToken = (credential: Credential) =>
  credential.kind === "token" && credential.applicationId === undefined ? credential.tokenId : []
const grantedToken = (credential: Credential) =>
  credential.kind === "token" && credential.applicationId !== undefined ? credential.tokenId : []

const distinct = (ids: readonly number[]): readonly number[] => [...new Set(ids)]
const mapOf = <Row extends { readonly id: number }>(rows: readonly Row[]): ReadonlyMap<number, Row> =>
  new Map(rows.map((row) => [row.id, row]))
