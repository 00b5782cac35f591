import type { Listener } from "../../../core/events/events.ts"
import { leaveOwnersProjects } from "../projects/card-store.ts"
import { dropSharedLabels } from "./labels-store.ts"

/** Removes from a transferred repository what its previous owner shared with it. */
export const planning: Listener = {
  name: "planning",
  async hear({ tx, events }) {
    for (const event of events) {
      if (event.kind !== "repository.transferred") continue
      const { repository, formerOwner } = event
      if (formerOwner.kind === "organization") await dropSharedLabels(tx, repository.id, formerOwner.id)
      await leaveOwnersProjects(tx, repository.id, formerOwner.id)
    }
  },
}
