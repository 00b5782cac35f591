import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { usersById } from "../../code/repositories/store.ts"
import { GHOST, presentUser } from "../../people/users/present.ts"
import type { Reaction } from "./records.ts"
import type { ReactionRow } from "./store.ts"

/** Reactions as the caller sees them, in the order given: one query. */
export async function presentReactions(db: Handle, site: Site, actor: Actor, reactions: readonly ReactionRow[]): Promise<Reaction[]> {
  const users = await usersById(
    db,
    reactions.map((reaction) => reaction.user_id),
  )
  return reactions.map((reaction) => ({
    user: presentUser(site, users.get(reaction.user_id) ?? GHOST, actor),
    content: reaction.content,
    created_at: rfc3339(reaction.created_at),
  }))
}
