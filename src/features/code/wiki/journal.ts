import { findRepositoryById } from "../../../access/store.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { nullable } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { takeWholeEntry } from "../pushes/entries.ts"
import { holdEntry, madeChanges, type OpenEntry } from "../pushes/journal.ts"
import { wikiAt } from "../repositories/wiki-place.ts"
import { PageChange } from "./page-change.ts"
import { settleWiki } from "./settle.ts"

/** The journal of pushes to wikis, with the same guarantee as that of pushes to code: a job's row is committed before references move, and does the rest after a crash. */

const WikiEntry = Type.Object({
  repositoryId: Type.Integer(),
  pusherId: Type.Integer(),
  changes: Type.Array(Type.Object({ ref: Type.String(), oldId: nullable(Type.String()), newId: nullable(Type.String()) })),
  told: Type.Optional(Type.Array(PageChange)),
})
type WikiEntry = Static<typeof WikiEntry>

/** Completes a push to a wiki whose process died after references had moved. Idempotent. */
export const settleWikiJob = defineJob({
  kind: "wiki.settle",
  payload: WikiEntry,
  run: async ({ changes, ...entry }, { context: services, id }) => {
    const row = await findRepositoryById.first(services.database.read, { id: entry.repositoryId })
    const made = row ? await madeChanges(services.git, wikiAt(services.git, row), changes) : []
    if (made.length > 0) await settleWiki(services, { ...entry, entryId: id, changes: made, addedBytes: undefined })
  },
})

/** Writes an entry, and renews its lease while this process lives. */
export const openWikiEntry = (services: Services, entry: WikiEntry): Promise<OpenEntry> =>
  holdEntry(services, (tx, runAt) => services.jobs.enqueue(tx, settleWikiJob, entry, { runAt }))

/** Removes the entry of a push that changed nothing. */
export async function dropWikiEntry({ database }: Services, { id }: OpenEntry): Promise<void> {
  await database.write((tx) => takeWholeEntry(tx, id))
}
