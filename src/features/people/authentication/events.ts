import type { User } from "../../../core/actor.ts"
import type { Id, PerhapsActed, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "people/authentication": TokenEvent
  }
}

/** What happens to tokens. */
type TokenEvent = Undated<"token.created" | "token.deleted"> &
  PerhapsActed & { readonly token: { readonly id: number }; readonly user: Id<User> }
