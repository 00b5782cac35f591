import { findRepositoryById } from "../../../access/store.ts"
import type { Handle } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { isMapping, membersOf } from "../../../core/yaml.ts"
import { branchRef, isRefName } from "../../../git/index.ts"
import { beginFiltering, startsOn, type Trigger } from "../definitions/triggers.ts"
import { findRunsByIds } from "../runs/store.ts"
import { findCaused } from "./store.ts"
import { commitOf, judge, readWorkflows, startAll } from "./triggered.ts"

/** Starts the workflows of the default branch, of a tag or of a new branch for an event. */

const StartForEvent = Type.Object({
  /** Identifies the event, so that its workflows are not started twice. */
  cause: Type.String(),
  /** Its name in workflows. */
  event: Type.String(),
  repositoryId: int64(),
  actorId: int64(),
  /** The full reference whose workflows are read; "" for the default branch. */
  ref: Type.String(),
  /** What their filters are asked about, and the payload; as JSON. */
  trigger: Type.String(),
  payload: Type.String(),
  /** The title of the runs; "" for that of the commit. */
  title: Type.String(),
  /** The run that it is about; 0 for none. */
  runId: int64(),
})

/** The most runs that follow from each other by `workflow_run`: workflows that wait for each other would run for ever. */
const LONGEST_CHAIN = 5

export const startForEventJob = defineJob({
  kind: "actions.startForEvent",
  payload: StartForEvent,
  run: async ({ cause, event, repositoryId, actorId, ref: given, trigger: text, payload, title, runId }, { context: services }) => {
    const { database } = services
    const row = await findRepositoryById.first(database.read, { id: repositoryId })
    if (!row || row.has_actions === 0 || row.is_archived === 1) return
    const ref = given || branchRef(row.default_branch)
    const commit = isRefName(ref) ? await commitOf(services, row, ref) : undefined
    if (!commit || (await chainLength(database.read, runId)) >= LONGEST_CHAIN) return
    const trigger: Trigger = JSON.parse(text)
    const filtering = beginFiltering(services.config.limits)
    const { started } = await judge(services, row, await readWorkflows(services, row, commit), event, async (filters) =>
      (await startsOn(filters, trigger, filtering)) ? "starts" : "other",
    )
    if (started.length === 0) return
    await database.write(async (tx) => {
      await lockRow(tx, "repositories", row.id)
      if (await findCaused.first(tx, { cause })) return
      const about = { actorId, payload: membersOf(payload), ref, cause, ...(title !== "" && { title }) }
      await startAll(
        tx,
        services,
        row.id,
        started.map((each) => ({ ...each, ...about })),
      )
    })
  },
})

/** How many runs led to one by `workflow_run`, itself included; not counted further than the longest chain. */
async function chainLength(db: Handle, runId: number): Promise<number> {
  let length = 0
  for (let id = runId; id !== 0 && length < LONGEST_CHAIN; length++) {
    const [run] = await findRunsByIds(db, { ids: [id] })
    if (run?.event !== "workflow_run") break
    const before = membersOf(run.payload)["workflow_run"]
    id = isMapping(before) && typeof before["id"] === "number" ? before["id"] : 0
  }
  return length
}
