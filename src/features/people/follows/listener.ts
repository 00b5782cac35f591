import type { Listener } from "../../../core/events/events.ts"
import { recountFollows } from "../users/store.ts"
import { deleteFollowsBetween, deleteFollowsOf } from "./store.ts"

/** Blocking ends following in both directions; those whom a deleted account followed, or who followed it, are counted anew. */
export const following: Listener = {
  name: "following",
  async hear({ tx, events }) {
    for (const event of events) {
      if (event.kind === "account.deleted") {
        const ended = await deleteFollowsOf(tx, event.user.id)
        await recountFollows(tx, [...new Set(ended.flatMap((row) => [row.follower_id, row.followed_id]))])
      }
      if (event.kind !== "user.blocked") continue
      const between = [event.by.id, event.user.id]
      await deleteFollowsBetween(tx, between)
      await recountFollows(tx, between)
    }
  },
}
