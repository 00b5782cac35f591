import type { User } from "../../../core/actor.ts"
import type { Changing, Happened, Id, PerhapsActed, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "people/users": AccountEvent
  }
}

/** What happens to accounts. */
type AccountEvent =
  /**
   * A mail is to be sent to a user about their own account: that it was made (`welcomeAsked`), or with a code. `to`: the address, in lower case.
   * That there is a new account is `user.created`.
   */
  | (Happened<
      | "account.welcomeAsked"
      | "account.activationNeeded"
      | "account.addressAdded"
      | "account.recoveryAsked"
      | "account.codesGuessed"
      | "account.signUpRepeated"
    > & {
      readonly user: Id<User>
      readonly to: { readonly address: string }
    })
  /** An address is to get a mail with which an account can be made; by itself where its owner asked for it. */
  | (Happened<"account.invited"> & PerhapsActed & { readonly invitation: Id<Row<"invitations">> })
  | (Undated<"user.created"> & PerhapsActed & { readonly user: User })
  | (Undated<"user.renamed"> & PerhapsActed & { readonly user: User; readonly from: string })
  /** `changed` has "emails", "badges", "passkeys" and "linked_accounts" for what is in tables of its own. */
  | (Undated<"user.edited"> & PerhapsActed & Changing & { readonly user: Id<User> })
  /** `user`: a user or an organisation, whom the actor follows. */
  | (Undated<"user.followed" | "user.unfollowed"> & { readonly user: Id<User>; readonly actor: Id<User> })
  /** `by`: the user or the organisation. Blocking also ends follows, stars, watches, collaborations and offered transfers between the two. */
  | (Undated<"user.blocked"> & { readonly user: User; readonly by: User })
  | (Undated<"user.unblocked"> & { readonly user: Id<User>; readonly by: Id<User> })
  /** Of people and organisations, with all that belongs to them; delivered while the account is still there. */
  | (Undated<"account.deleted"> & { readonly user: User })
