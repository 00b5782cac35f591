import { findRepositoryById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { type Git, isRefName, type ObjectId, objectId, type Repository } from "../../../git/index.ts"
import { type Claim, ENTRY_KIND, Entry, postponeEntry, removeEntry } from "./entries.ts"
import { alignHead } from "./head.ts"
import { settlePush } from "./settle.ts"
import type { RefChange } from "./step.ts"

/** The lease of the process that created an entry; a longer push renews it. Afterwards the job takes over from a killed process. */
const LEASE_SECONDS = 30

/** Completes a push whose process died after references had moved. Idempotent. */
export const settleJob = defineJob({
  kind: ENTRY_KIND,
  payload: Entry,
  run: async (entry, { context: services, id }) => {
    if (entry.changes.length > 0) {
      const made = await findMadeChanges(services, entry)
      if (made.length > 0) await settlePush(services, { ...entry, entryId: id, changes: made, addedBytes: undefined })
    }
    await alignHead(services, entry.repositoryId)
  },
})

/** An entry of a push in progress. */
export interface OpenEntry {
  readonly id: number
  /** Leaves the rest to the job, unless the entry is gone by now. */
  readonly release: () => void
}

/** Writes an entry, and renews its lease while this process lives. Throws what `claim` throws. */
export const openEntry = (services: Services, entry: Entry, claim?: Claim): Promise<OpenEntry> =>
  holdEntry(services, async (tx, runAt) => {
    const entryId = await services.jobs.enqueue(tx, settleJob, entry, { runAt })
    await claim?.(tx, entryId)
    return entryId
  })

/** Like `openEntry`, for an entry of any kind: `write` stores the job that is to run when the lease is over, and returns its id. */
export async function holdEntry(services: Services, write: (tx: Transaction, runAt: Seconds) => Promise<number>): Promise<OpenEntry> {
  const { database, log, now } = services
  const id = await database.write((tx) => write(tx, now() + LEASE_SECONDS))
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

async function findMadeChanges({ git, database }: Services, { repositoryId, changes }: Entry): Promise<readonly RefChange[]> {
  const row = await findRepositoryById.first(database.read, { id: repositoryId })
  return row ? madeChanges(git, git.at(row.storage, row.object_format), changes) : []
}

/** Which of the announced changes were made, judging by the current references. */
export async function madeChanges(git: Git, repository: Repository, changes: Entry["changes"]): Promise<readonly RefChange[]> {
  const now = new Map((await git.references.list(repository)).map(({ name, id }) => [name, id]))
  const made: RefChange[] = []
  for (const { ref, oldId, newId } of changes) {
    if (!isRefName(ref)) continue
    const current: ObjectId | null = now.get(ref) ?? null
    const [from, to] = [oldId === null ? null : objectId(oldId), newId === null ? null : objectId(newId)]
    if (current === to || (current !== from && (await movedOn(to, current)))) made.push({ ref, oldId: from, newId: to })
  }
  return made

  /** A later push may have moved the reference further; its commit then descends from the one announced here. */
  async function movedOn(to: ObjectId | null, current: ObjectId | null): Promise<boolean> {
    if (to === null || current === null || !(await git.objects.info(repository, to))) return false
    return git.history.isAncestor(repository, to, current)
  }
}
