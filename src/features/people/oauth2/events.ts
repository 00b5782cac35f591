import type { User } from "../../../core/actor.ts"
import type { Id, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "people/oauth2": ApplicationEvent
  }
}

/** What happens to applications. */
type ApplicationEvent =
  /** OAuth2 applications of users; what was granted to one ends with it. */
  | (Undated<"application.created" | "application.edited" | "application.deleted"> & {
      readonly application: { readonly id: number }
      readonly user: Id<User>
      readonly actor: Id<User>
    })
  /** A person has agreed that an application acts for them, newly or to more than before; or has taken it back. */
  | (Undated<"grant.given" | "grant.revoked"> & {
      readonly grant: { readonly id: number }
      readonly user: Id<User>
      readonly actor: Id<User>
    })
