import { type Actor, isSiteAdministrator, jobOf, type SignedIn, type User } from "../../core/actor.ts"
import { refuse } from "../../core/errors.ts"
import type { Access } from "../../core/operation.ts"

/** Policies are separate from the operations, in a file for each subject: each is a rule as data and the function that enforces it. */

export interface Me {
  /** The caller, who has signed in. */
  readonly me: User
  readonly actor: SignedIn
}

function signedInActor(actor: Actor): SignedIn {
  if (actor.kind === "anonymous") throw refuse.unauthenticated()
  return actor
}

/** The caller as a signed-in user; refuses `unauthenticated`. */
export const asMe = (actor: Actor): Me => {
  const signedIn = signedInActor(actor)
  return { me: signedIn.user, actor: signedIn }
}

/** For what belongs to an account. Refuses `forbidden` the service itself, which jobs act as: it has none. */
export function requireAccount({ actor }: Me): void {
  if (jobOf(actor)) throw refuse.forbidden("this needs an account, and the token of a job has none")
}

export const anyone: Access<object> = { rule: { subject: "site", needs: "nothing", signIn: "optional" }, open: () => ({}) }

export const signedIn: Access<Me> = {
  rule: { subject: "site", needs: "signIn", signIn: "required" },
  open: ({ actor }) => asMe(actor),
}

export const siteAdministrator: Access<Me> = {
  rule: { subject: "site", needs: "siteAdministrator", signIn: "required" },
  open: ({ actor }) => {
    const found = asMe(actor)
    if (!isSiteAdministrator(actor)) throw refuse.forbidden("user should be the site admin")
    return found
  },
}
