import { sweepBlobs } from "../../../core/blobs/sweep.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { FOLDER } from "./blobs.ts"
import { followRules } from "./cleanup.ts"
import { deleteEmpty, deleteUnused, findKeptFiles, findLastBlob, findLastPackage, findOwnersOfEmpty } from "./sweep-store.ts"

/** Contents per transaction: few enough not to block other writers. */
const BATCH = 1000

/** Follows the owners' rules, then removes packages without versions, contents that no file has, and the remains of incomplete uploads. */
export const cleanUpPackages: Task = {
  name: "cleanup_packages",
  cron: "0 0 * * *",
  run: async (services, signal) => {
    const { blobs, database, config, now } = services
    const { removed, failed } = await followRules(services, signal)
    const empty = await removeEmpty(services, signal)
    const last = (await findLastBlob.first(database.read))?.last ?? 0
    let forgotten = 0
    for (let after = 0; after < last && !signal.aborted; after += BATCH) {
      const range = { after, upTo: after + BATCH, before: now() - config.packages.unusedSeconds }
      forgotten += await database.write((tx) => deleteUnused.changes(tx, range))
    }
    const kept = async (names: readonly string[]) => (await findKeptFiles(database.read, { files: names })).map(({ file }) => file)
    const files = await sweepBlobs(blobs, FOLDER, { now: now(), signal, findKept: kept })
    if (failed.length > 0) throw new Error(`removed ${removed} versions; these rules could not be followed: ${failed.join(", ")}`)
    const done = [`${removed} versions`, `${empty} packages without versions`, `${forgotten} contents`, `${files} files`]
    return removed + empty + forgotten + files === 0 ? undefined : `removed ${done.join(", ")}`
  },
}

/** Under the lock of the owner, since someone may be publishing a version meanwhile. */
async function removeEmpty({ database }: Services, signal: AbortSignal): Promise<number> {
  const last = (await findLastPackage.first(database.read))?.last ?? 0
  let removed = 0
  for (let after = 0; after < last && !signal.aborted; after += BATCH)
    for (const { owner_id } of await findOwnersOfEmpty(database.read, { after, upTo: after + BATCH }))
      removed += await database.write(async (tx) => {
        // An owner who was deleted meanwhile has none any more.
        await lockRow(tx, "users", owner_id)
        return deleteEmpty.changes(tx, { ownerId: owner_id })
      })
  return removed
}
