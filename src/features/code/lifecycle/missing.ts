import type { Repository } from "../../../access/permission.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { rowsById } from "../../../core/database/rows-by-id.ts"
import { refuse } from "../../../core/errors.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import { enqueueOnce } from "../../../core/jobs/once.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { GHOST } from "../../people/users/present.ts"
import { findAllBranchNames } from "../branches/store.ts"
import { dropLanguages } from "../languages/store.ts"
import { writeBranches } from "../pushes/branches.ts"
import { indexKind } from "../repositories/index-job.ts"
import { findRepositoriesAfter } from "../repositories/maintenance-store.ts"
import { settleRepository, updateRepository } from "../repositories/store.ts"
import { alignTagsJob } from "../tags/on-push.ts"
import { deleteRepository } from "./delete.ts"

/** Repositories whose folder is gone from the disk, for administrators who can't bring it back from a backup. Neither task runs by itself. */

/**
 * The repositories that are missing. Refuses `conflict` where not one is there: then the disk is missing, and nothing must be concluded from that.
 */
async function findMissing(services: Services, signal: AbortSignal): Promise<readonly Repository[]> {
  const missing: Repository[] = []
  let looked = 0
  for await (const row of rowsById((range) => findRepositoriesAfter(services.database.read, range))) {
    signal.throwIfAborted()
    looked++
    // One of which only a part is there is damaged, and not missing: what is left of it stays.
    if (await services.git.repositories.isGone(services.git.at(row.storage, row.object_format))) missing.push(row)
  }
  if (looked > 0 && missing.length === looked)
    throw refuse.conflict(t`none of the ${looked} repositories is in the data folder; is its disk there? Nothing was changed`)
  return missing
}

/** Does something with each missing repository, and tells with how many of them it was done. */
async function forMissing(
  services: Services,
  signal: AbortSignal,
  done: string,
  act: (row: Repository) => Promise<unknown>,
): Promise<string> {
  const { log } = services
  let count = 0
  const missing = await findMissing(services, signal)
  for (const row of missing) {
    signal.throwIfAborted()
    const which = { repository: row.id, name: row.name, ownerId: row.owner_id }
    try {
      await act(row)
      count++
      log.warn(which, `a missing repository was ${done}`)
    } catch (error) {
      log.error({ ...which, err: error }, `a missing repository could not be ${done}`)
    }
  }
  return `${count} of ${missing.length} missing ${done}`
}

/** Makes a missing repository anew, without content: what was known of its branches and tags is forgotten, and everything else stays. */
async function reinit({ database, git, jobs, now }: Services, row: Repository): Promise<void> {
  await git.repositories.create(row.storage, { format: row.object_format, branch: row.default_branch })
  await database.write(async (tx) => {
    if (!(await lockRow(tx, "repositories", row.id))) return
    const tips = (await findAllBranchNames(tx, { repositoryId: row.id })).map(({ name }) => ({ name, commit: undefined }))
    await writeBranches(tx, { repositoryId: row.id, tips, pusherId: row.owner_id, now: now() })
    await settleRepository(tx, { id: row.id, defaultBranch: row.default_branch, base: 0, added: 0 })
    await dropLanguages(tx, row.id)
    await updateRepository(tx, row.id, { language: "", licenses: "[]" })
    await enqueueOnce(tx, jobs, alignTagsJob, { repositoryId: row.id })
    await enqueueOnce(tx, jobs, indexKind, { repositoryId: row.id })
  })
}

/** Makes repositories whose folder is gone anew, empty: their issues and settings stay, and someone pushes the code again. */
export const reinitMissing: Task = {
  name: "reinit_missing_repos",
  run: (services, signal) => forMissing(services, signal, "made anew", (row) => reinit(services, row)),
}

/** Deletes repositories whose folder is gone, with all that belongs to them. */
export const deleteMissing: Task = {
  name: "delete_missing_repos",
  run: (services, signal) =>
    forMissing(services, signal, "deleted", (row) => services.database.write((tx) => deleteRepository(tx, services, row, GHOST))),
}
