import type { Selectable } from "kysely"
import type { UsersTable } from "./database/tables.ts"

export type User = Selectable<UsersTable>

/** How the caller signed in. */
export type Credential =
  | { readonly kind: "password" }
  | { readonly kind: "token"; readonly tokenId: number; readonly scopes: ReadonlySet<string>; readonly publicOnly: boolean }
  | { readonly kind: "publicKey"; readonly keyId: number }
  | DeployKeyCredential

/** A deploy key. Its holder acts in the name of the repository's owner, and has access to the code of this repository only. */
export interface DeployKeyCredential {
  readonly kind: "deployKey"
  readonly keyId: number
  readonly repositoryId: number
  readonly isReadOnly: boolean
}

/** The caller. */
export type Actor =
  | { readonly kind: "anonymous" }
  | {
      readonly kind: "user"
      readonly user: User
      readonly credential: Credential
      /** True if the request had a Basic header, with any kind of credential: the token operations require that. */
      readonly basic: boolean
    }

export type SignedIn = Extract<Actor, { kind: "user" }>

export const anonymous: Actor = { kind: "anonymous" }

/** The actor that a user is when signed in by password: to decide what this user may see and do, independent of the caller. */
export const signedInAs = (user: User): SignedIn => ({ kind: "user", user, credential: { kind: "password" }, basic: false })

/** The caller's id, or 0. */
export const actorId = (actor: Actor): number => (actor.kind === "user" ? actor.user.id : 0)

/** The deploy key that the caller authenticated with, or undefined. */
export const deployKeyOf = (actor: Actor): DeployKeyCredential | undefined =>
  actor.kind === "user" && actor.credential.kind === "deployKey" ? actor.credential : undefined

export const isSiteAdministrator = (actor: Actor): boolean => actor.kind === "user" && actor.user.is_admin === 1 && !deployKeyOf(actor)

/** A token that is limited to public things hides all else, even from its owner. */
export const isPublicOnly = (actor: Actor): boolean =>
  actor.kind === "user" && actor.credential.kind === "token" && actor.credential.publicOnly
