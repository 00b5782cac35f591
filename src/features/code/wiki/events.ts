import type { Happened, InRepository } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "code/wiki": WikiEvent
  }
}

/** A page of a wiki, by its address; after a rename, by the new one. `comment` is the message of the commit, and empty for a page that was deleted. */
type WikiEvent = Happened<"wiki.created" | "wiki.edited" | "wiki.deleted"> &
  InRepository & { readonly page: string; readonly comment: string }
