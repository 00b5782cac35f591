import type { Transaction } from "../../../core/database/database.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { isRefName, type ObjectId, objectId } from "../../../git/index.ts"
import { ENTRY_KIND, Entry, postponeEntry, removeEntry } from "./entries.ts"
import { alignHead } from "./head.ts"
import { settlePush } from "./settle.ts"
import type { RefChange } from "./step.ts"

/** How long an entry is left to the process that made it; a longer push renews it. What a killed process left is done after that. */
const LEASE_SECONDS = 30

/** Does what a push left undone when its process died after references had moved. Running it again does nothing more. */
export const settleJob = defineJob({
  kind: ENTRY_KIND,
  payload: Entry,
  run: async (entry, { context: services, id }) => {
    if (entry.changes.length > 0) {
      const happened = await whatHappened(services, entry)
      if (happened.length > 0) await settlePush(services, { ...entry, entryId: id, changes: happened, addedBytes: undefined })
    }
    await alignHead(services, entry.repositoryId)
  },
})

/** An entry of a push that is under way. */
export interface OpenEntry {
  readonly id: number
  /** Leaves the rest to the job, unless the entry is gone by now. */
  readonly release: () => void
}

/** Makes sure, in the transaction that announces a push, that it may go on; what it throws stops the push. */
export type Claim = (tx: Transaction, entryId: number) => Promise<void>

/** Writes an entry, and keeps the job from taking it up for as long as this process lives. Throws what `claim` throws. */
export async function openEntry(services: Services, entry: Entry, claim?: Claim): Promise<OpenEntry> {
  const { database, jobs, log, now } = services
  const id = await database.write(async (tx) => {
    const entryId = await jobs.enqueue(tx, settleJob, entry, { runAt: now() + LEASE_SECONDS })
    await claim?.(tx, entryId)
    return entryId
  })
  const renew = () => {
    database
      .write((tx) => postponeEntry(tx, id, now() + LEASE_SECONDS))
      .catch((error: unknown) => log.warn({ err: error }, "the journal entry of a push could not be renewed"))
  }
  const timer = setInterval(renew, (LEASE_SECONDS * 1000) / 3).unref()
  return { id, release: () => clearInterval(timer) }
}

/** Removes the entry of a push that changed nothing. */
export const dropEntry = (services: Services, { id }: OpenEntry): Promise<void> => services.database.write((tx) => removeEntry(tx, id))

/** Which of the announced changes came about, as far as the references tell afterwards. */
async function whatHappened({ git, database }: Services, { repositoryId, changes }: Entry): Promise<readonly RefChange[]> {
  const row = await database.read
    .selectFrom("repositories")
    .select(["storage", "object_format"])
    .where("id", "=", repositoryId)
    .executeTakeFirst()
  if (!row) return []
  const repository = git.at(row.storage, row.object_format)
  const now = new Map((await git.references.list(repository)).map(({ name, id }) => [name, id]))
  const happened: RefChange[] = []
  for (const { ref, oldId, newId } of changes) {
    if (!isRefName(ref)) continue
    const current: ObjectId | null = now.get(ref) ?? null
    const [from, to] = [oldId === null ? null : objectId(oldId), newId === null ? null : objectId(newId)]
    if (current === to || (current !== from && (await movedOn(to, current)))) happened.push({ ref, oldId: from, newId: to })
  }
  return happened

  /** A later push may have moved the reference on; what it has now then stands on what it was given here. */
  async function movedOn(to: ObjectId | null, current: ObjectId | null): Promise<boolean> {
    if (to === null || current === null || !(await git.objects.info(repository, to))) return false
    return git.history.isAncestor(repository, to, current)
  }
}
