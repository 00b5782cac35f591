import type { User } from "../../../../core/actor.ts"
import type { Happened, Id, PerhapsActed, Undated } from "../../../../core/events/event.ts"

declare module "../../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "people/sign-in/credentials": TokenEvent
  }
}

/** What happens to tokens. One that expires is good for some days more, and its owner is to be told. */
type TokenEvent =
  | (Undated<"token.created" | "token.deleted"> & PerhapsActed & { readonly token: { readonly id: number }; readonly user: Id<User> })
  | (Happened<"token.expires"> & { readonly token: { readonly id: number }; readonly user: Id<User> })
