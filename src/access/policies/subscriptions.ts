import { isSiteAdministrator, type User } from "../../core/actor.ts"
import { refuse } from "../../core/errors.ts"
import type { Access } from "../../core/operation.ts"
import { findUserByName } from "../store.ts"
import { type OnIssue, onIssueSignedIn } from "./issues.ts"
import type { Me } from "./site.ts"

/** The issue of the path's {index} and the person of its {user}, for that person and site administrators: subscriptions. */
export const onIssueSubscription: Access<OnIssue & Me & { readonly user: User }> = {
  rule: { subject: "repository", needs: "issue:self", signIn: "required" },
  open: async (request) => {
    const found = await onIssueSignedIn.open(request)
    const user = await findUserByName.first(request.db, { lowerName: (request.path["user"] ?? "").toLowerCase() })
    if (user?.kind !== "person") throw refuse.notFound("user: there is no such user")
    if (user.id !== found.me.id && !isSiteAdministrator(found.actor))
      throw refuse.forbidden(`${found.me.name} is not permitted to change subscriptions for ${user.name}`)
    return { ...found, user }
  },
}
