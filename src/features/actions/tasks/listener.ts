import type { DomainEvent } from "../../../core/events/event.ts"
import type { Listener } from "../../../core/events/events.ts"
import { signalWork } from "./signals.ts"

/** Tells runners that wait for work when there may be some. */
export const runners: Listener = {
  name: "runners",
  onlyTells: true,
  async hear({ tx, services: { database }, events }) {
    if (events.some(givesWork)) await signalWork(database, tx)
  },
}

/** Whether a runner may have to look again: a job waits, or it may take jobs that were not for it before. */
function givesWork(event: DomainEvent): boolean {
  switch (event.kind) {
    case "run.changed":
      return event.jobs.some(({ state }) => state === "waiting")
    case "runner.enabled":
    case "runner.declared":
    case "repository.unarchived":
    case "repository.transferred":
      return true
    case "repository.edited":
      return event.changed.some((column) => column === "has_actions")
    default:
      return false
  }
}
