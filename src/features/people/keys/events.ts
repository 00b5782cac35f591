import type { User } from "../../../core/actor.ts"
import type { Id, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "people/keys": KeyEvent
  }
}

/** `key`: the id in the table of its format. An OpenPGP key has its subkeys with it; a kept one is signed with by the service. */
type KeyEvent = Undated<"key.added" | "key.verified" | "key.removed"> & {
  readonly key: { readonly id: number }
  readonly format: "ssh" | "openpgp" | "kept"
  readonly user: Id<User>
  readonly actor: Id<User>
}
