import type { User } from "../../../core/actor.ts"
import type { Changing, Happened, Id, InRepository, PerhapsActed, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "code/lifecycle": RepositoryEvent
  }
}

/** What happens to repositories. */
type RepositoryEvent =
  /** `isImported`: its content is imported, so that the feed shows it later or not at all. */
  | (Happened<"repository.created"> &
      InRepository & {
        readonly isImported: boolean
        /** The labels that it begins with. */
        readonly labels?: readonly (Pick<Row<"labels">, "name" | "color" | "description"> & { readonly exclusive: boolean })[] | undefined
        /** The template repository whose labels it copies. */
        readonly labelsFrom?: number | undefined
        /** The template repository whose webhooks it copies. */
        readonly webhooksFrom?: number | undefined
      })
  | (Happened<"repository.forked"> & InRepository & { readonly fork: { readonly repository: Row<"repositories">; readonly owner: User } })
  /** Delivered while the repository is still there. `wasPublic`: everyone saw it. `mayBeRestored`: it is kept for a while, if there is room. */
  | (Happened<"repository.deleted"> & InRepository & { readonly wasPublic: boolean; readonly mayBeRestored: boolean })
  | (Happened<"repository.renamed"> & InRepository & { readonly from: string })
  /** `from`: its previous full name. */
  | (Happened<"repository.transferred"> & InRepository & { readonly from: string; readonly formerOwner: User })
  | (Happened<"repository.transferOffered"> & InRepository & { readonly recipient: User })
  /** An offered transfer was rejected or withdrawn, or has ended because owner and recipient blocked one another. */
  | (Undated<"repository.transferRejected"> & {
      readonly repository: Id<Row<"repositories">>
      readonly actor: Id<User>
      readonly recipient: Id<User>
    })
  /** Other columns than those of its archival; `mirror` for how it follows its remote. */
  | (Undated<"repository.edited"> & Changing & { readonly repository: Id<Row<"repositories">>; readonly actor: Id<User> })
  | (Undated<"repository.archived" | "repository.unarchived"> & { readonly repository: Id<Row<"repositories">>; readonly actor: Id<User> })
  | (Happened<"repository.madePrivate" | "repository.madePublic"> & PerhapsActed & { readonly repository: Id<Row<"repositories">> })
  | (Happened<"repository.starred" | "repository.watched"> & InRepository)
  | (Undated<"repository.unstarred" | "repository.unwatched"> & { readonly repository: Id<Row<"repositories">>; readonly actor: Id<User> })
