/**
 * What all domain events have in common. A verb changes rows and publishes one; the listeners (src/listeners.ts) do the rest. Events contain the
 * rows that the verb has read, so that listeners query as little as possible; the log (log.ts) stores ids only.
 */
import type { Selectable } from "kysely"
import type { User } from "../actor.ts"
import type { Seconds, Tables } from "../database/tables/index.ts"

export type Row<Table extends keyof Tables> = Selectable<Tables[Table]>
export type Id<Of extends { readonly id: number }> = Pick<Of, "id">

type Repository = Row<"repositories">
type Issue = Row<"issues">

/** Of several kinds each is an event of its own, so that {@link EventOf} finds it. */
export type Happened<Kind extends string> = Kind extends string ? { readonly kind: Kind; readonly at: Seconds } : never

/** Events published without a time; the log adds it. */
export type Undated<Kind extends string> = Kind extends string ? { readonly kind: Kind; readonly at?: Seconds } : never

/** Events in a repository, with the rows that listeners show. */
export interface InRepository {
  readonly repository: Repository
  readonly owner: User
  readonly actor: User
}

/** Events of an issue or a pull request. */
export interface OnIssue extends InRepository {
  readonly issue: Issue
}

/** Events of an issue that cause no notifications: the issue alone is enough. */
export interface AboutIssue {
  readonly issue: Pick<Issue, "id" | "repository_id" | "is_pull">
  readonly actor: User
}

/** The names of the columns that have new values. */
export interface Changing {
  readonly changed: readonly string[]
}

/** Events of what belongs to a repository, to a person or organisation, or (neither) to the site. */
export interface OfOwner {
  readonly repositoryId: number | null
  readonly ownerId: number | null
  readonly actor: Id<User>
}

/** Events of what belongs to a repository. */
export interface OfRepository {
  readonly repositoryId: number
  readonly actor: Id<User>
}

/** Events that only the issue's timeline shows. */
export interface InTimeline {
  readonly issue: Pick<Issue, "id" | "repository_id">
  readonly actor: Id<User>
}

/** The people mentioned in the new text. */
export interface Mentioning {
  readonly mentioned: readonly Id<User>[]
}

export interface AtColumn {
  readonly projectId: number
  readonly columnId: number
}

/** `actor` is missing for what is done at the command line and at the start of the server. */
export interface PerhapsActed {
  readonly actor?: Id<User> | undefined
}

/** The events of each feature, which adds its own beside what publishes them: see `features/planning/issues/events.ts`. */
// biome-ignore lint/suspicious/noEmptyInterface: features add to it
export interface DomainEvents {}

export type DomainEvent = DomainEvents[keyof DomainEvents]

export type EventKind = DomainEvent["kind"]

/** The events of these kinds. */
export type EventOf<Kind extends EventKind> = Extract<DomainEvent, { readonly kind: Kind }>
