import { rowsById } from "../../../core/database/rows-by-id.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { resolveRevision } from "../commits/revision.ts"
import { parseStrings } from "../repositories/present.ts"
import { putLicenses } from "../repositories/store.ts"
import { licenseFiles, readLicenses } from "./licenses.ts"
import { findLicensed } from "./store.ts"

type Some = Awaited<ReturnType<typeof findLicensed>>[number]

/** Reads the licences of a default branch again, and says whether they are others than those stored. */
async function syncOne({ database, git }: Services, row: Some): Promise<boolean> {
  const revision = await resolveRevision(git, row, undefined)
  if (!revision) return false
  const repository = git.at(row.storage, row.object_format)
  const files = licenseFiles(await git.objects.readTree(repository, revision.commit.tree))
  const licenses = JSON.stringify(await readLicenses(git, repository, files, parseStrings(row.licenses)))
  if (licenses === row.licenses) return false
  return (await database.write((tx) => putLicenses.changes(tx, { id: row.id, before: row.licenses, licenses }))) > 0
}

/** Reads the licences of all default branches again, which pushes keep up to date otherwise: for after an upgrade that knows more of them. */
export const syncLicenses: Task = {
  name: "sync_repo_licenses",
  run: async (services, signal) => {
    let [looked, changed] = [0, 0]
    for await (const row of rowsById((range) => findLicensed(services.database.read, range))) {
      signal.throwIfAborted()
      try {
        looked++
        if (await syncOne(services, row)) changed++
      } catch (error) {
        services.log.warn({ err: error, repository: row.id }, "the licences of a repository can't be read")
      }
    }
    return `${looked} looked at, ${changed} corrected`
  },
}
