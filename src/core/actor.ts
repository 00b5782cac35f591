import type { Selectable } from "kysely"
import type { UsersTable } from "./database/tables/people.ts"

export type User = Selectable<UsersTable>

/** How the caller signed in. */
export type Credential =
  | { readonly kind: "password" }
  | TokenCredential
  | { readonly kind: "publicKey"; readonly keyId: number; readonly isReadOnly: boolean }
  | DeployKeyCredential
  | JobCredential

/** An access token: one that a person made, or one that an application got by OAuth2. */
export interface TokenCredential {
  readonly kind: "token"
  /** The id among the tokens of people, or among those of applications. */
  readonly tokenId: number
  readonly scopes: ReadonlySet<string>
  readonly publicOnly: boolean
  /** Where it is limited to some: in all else it reads what is public, and changes nothing. */
  readonly chosen?: Chosen
  /** Where it was made for one task: what it may do in what was chosen. */
  readonly task?: Task
  /** When it ends, where it does: what it makes ends no later. */
  readonly expiresAt?: number
  /** The application that acts for the person, where it is a token of OAuth2. */
  readonly applicationId?: number
}

/** The repositories that a token is limited to, by ids; and the owners with all of theirs. */
export interface Chosen {
  readonly repositoryIds: readonly number[]
  readonly ownerIds: readonly number[]
}

/** What a token for one task is held to, in the repositories that it is limited to. See `task-token.ts`. */
export interface Task {
  /** The token's name, which is shown on what it makes. */
  readonly name: string
  /** Patterns of the branches, or of whole references, that it may move; any where there are none. */
  readonly branches: readonly string[]
  /** Ids of operations, and names of toolsets; any where there are none. */
  readonly operations: readonly string[]
  /** How many changes it may make in all, where they are counted. */
  readonly writes?: number
}

/** A deploy key. Its holder acts in the name of the repository's owner, and has access to the code of this repository only. */
export interface DeployKeyCredential {
  readonly kind: "deployKey"
  readonly keyId: number
  readonly repositoryId: number
  readonly isReadOnly: boolean
}

/**
 * The token of a running job. Its holder acts as the service, in the repository of the job, and otherwise reads what is public, and the code that others
 * share with it.
 */
export interface JobCredential {
  readonly kind: "job"
  readonly taskId: number
  readonly repositoryId: number
  /** The owner whose repositories may share their workflows with it; 0 for none. */
  readonly ownerId: number
  /** The modes that it has in units of the repository, by their names. */
  readonly units: Readonly<Record<string, number>>
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

/** Whether the caller authenticated with a key that may fetch and not push. */
export const isReadOnlyKey = (actor: Actor): boolean =>
  actor.kind === "user" && "isReadOnly" in actor.credential && actor.credential.isReadOnly

/** The caller's id, or 0. */
export const actorId = (actor: Actor): number => (actor.kind === "user" ? actor.user.id : 0)

/** Who calls, for events: the user of the request itself, by whom it is known where it came from (origin.ts). */
export const whoCalls = (actor: Actor): Pick<User, "id"> => (actor.kind === "user" ? actor.user : { id: 0 })

/** The deploy key that the caller authenticated with, or undefined. */
export const deployKeyOf = (actor: Actor): DeployKeyCredential | undefined =>
  actor.kind === "user" && actor.credential.kind === "deployKey" ? actor.credential : undefined

/** The job whose token the caller authenticated with, or undefined. */
export const jobOf = (actor: Actor): JobCredential | undefined =>
  actor.kind === "user" && actor.credential.kind === "job" ? actor.credential : undefined

/** What the caller's token is limited to, or undefined where it is not. */
export const chosenOf = (actor: Actor): Chosen | undefined =>
  actor.kind === "user" && actor.credential.kind === "token" ? actor.credential.chosen : undefined

/** The task that the caller's token was made for, or undefined. */
export const taskOf = (actor: Actor): Task | undefined =>
  actor.kind === "user" && actor.credential.kind === "token" ? actor.credential.task : undefined

export const isSiteAdministrator = (actor: Actor): boolean =>
  actor.kind === "user" && actor.user.is_admin === 1 && !deployKeyOf(actor) && !chosenOf(actor)

/** A token that is limited, to what is public or to what was chosen, hides all else, even from its owner. What was chosen is added by the rules. */
export const isPublicOnly = (actor: Actor): boolean =>
  actor.kind === "user" && actor.credential.kind === "token" && (actor.credential.publicOnly || actor.credential.chosen !== undefined)

/** The same for what belongs to an account itself, which a token may have been limited to. */
export const isPublicOnlyIn = (actor: Actor, owner: Pick<User, "id">): boolean => {
  const chosen = chosenOf(actor)
  return isPublicOnly(actor) && (!chosen?.ownerIds.includes(owner.id) || hasPublicOnlyScope(actor))
}

/** Whether the scopes of the caller's token have "public-only", which holds for what was chosen as well. */
export const hasPublicOnlyScope = (actor: Actor): boolean =>
  actor.kind === "user" && actor.credential.kind === "token" && actor.credential.publicOnly
