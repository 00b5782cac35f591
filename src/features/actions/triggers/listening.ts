import type { Transaction } from "../../../core/database/database.ts"
import type { Workflow } from "../definitions/workflow.ts"
import { DEFAULT_BRANCH_EVENTS, type DefaultBranchEvent } from "../external/names.ts"
import { findTriggers, insertTriggers, removeTriggers } from "./store.ts"

/**
 * The events that the workflows of a repository's default branch listen to are stored, so that an event that no workflow waits for costs
 * neither a job nor a look into git.
 */

/** The events that workflows listen to, of those that are stored. */
export const listenedTo = (workflows: readonly Workflow[]): readonly DefaultBranchEvent[] =>
  DEFAULT_BRANCH_EVENTS.filter((event) => workflows.some(({ events }) => events.has(event)))

/** Stores the events that the workflows of a repository's default branch listen to. */
export async function replaceTriggers(tx: Transaction, repositoryId: number, events: readonly DefaultBranchEvent[]): Promise<void> {
  const before = (await findTriggers(tx, { repositoryId })).map(({ event }) => event)
  const gone = before.filter((event) => !events.some((each) => each === event))
  const rows = events.filter((event) => !before.includes(event)).map((event) => ({ repository_id: repositoryId, event }))
  if (gone.length > 0) await removeTriggers(tx, repositoryId, gone)
  if (rows.length > 0) await insertTriggers(tx, rows)
}
