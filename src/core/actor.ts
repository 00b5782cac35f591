import type { Selectable } from "kysely"
import type { UsersTable } from "./database/tables.ts"

export type User = Selectable<UsersTable>

/** How the caller signed in. */
export type Credential =
  | { readonly kind: "password" }
  | { readonly kind: "token"; readonly tokenId: number; readonly scopes: ReadonlySet<string>; readonly publicOnly: boolean }
  | { readonly kind: "publicKey"; readonly keyId: number }
  | DeployKeyCredential

/** A key of a repository. Its bearer acts in the name of the repository's owner, and may do with its code what the key may, and nothing else at all. */
export interface DeployKeyCredential {
  readonly kind: "deployKey"
  readonly keyId: number
  readonly repositoryId: number
  readonly isReadOnly: boolean
}

/** Who asks. */
export type Actor =
  | { readonly kind: "anonymous" }
  | {
      readonly kind: "user"
      readonly user: User
      readonly credential: Credential
      /** True where the request came with a Basic header, whatever was in it: the token operations ask for that. */
      readonly basic: boolean
    }

export type SignedIn = Extract<Actor, { kind: "user" }>

export const anonymous: Actor = { kind: "anonymous" }

/** Somebody as they would be if they signed in themselves: what may this person see and do, whoever asks? */
export const signedInAs = (user: User): SignedIn => ({ kind: "user", user, credential: { kind: "password" }, basic: false })

/** The caller's id, or 0. */
export const actorId = (actor: Actor): number => (actor.kind === "user" ? actor.user.id : 0)

/** The key of a repository that the caller shows in place of being somebody; undefined for everybody else. */
export const deployKeyOf = (actor: Actor): DeployKeyCredential | undefined =>
  actor.kind === "user" && actor.credential.kind === "deployKey" ? actor.credential : undefined

export const isSiteAdministrator = (actor: Actor): boolean => actor.kind === "user" && actor.user.is_admin === 1 && !deployKeyOf(actor)

/** A token limited to what everybody may see hides all else, even from its owner. */
export const isPublicOnly = (actor: Actor): boolean =>
  actor.kind === "user" && actor.credential.kind === "token" && actor.credential.publicOnly
