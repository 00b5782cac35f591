import type { Transaction } from "../../../core/database/database.ts"
import type { EventOf } from "../../../core/events/event.ts"
import type { Listener } from "../../../core/events/events.ts"
import { copyLabels, insertLabels } from "../labels/store.ts"
import { leaveOwnersProjects } from "../projects/card-store.ts"
import { dropSharedLabels } from "./labels-store.ts"

/** Gives a new repository its labels, and takes off a transferred one what its previous owner shared with it. */
export const planning: Listener = {
  name: "planning",
  async hear({ tx, events }) {
    for (const event of events) {
      if (event.kind === "repository.created") await giveLabels(tx, event)
      if (event.kind !== "repository.transferred") continue
      const { repository, formerOwner } = event
      if (formerOwner.kind === "organization") await dropSharedLabels(tx, repository.id, formerOwner.id)
      await leaveOwnersProjects(tx, repository.id, formerOwner.id)
    }
  },
}

async function giveLabels(
  tx: Transaction,
  { repository: { id }, labels = [], labelsFrom, at }: EventOf<"repository.created">,
): Promise<void> {
  if (labels.length > 0) await insertLabels(tx, id, labels, at)
  if (labelsFrom !== undefined) await copyLabels(tx, labelsFrom, id, at)
}
