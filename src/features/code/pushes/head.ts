import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, isGitError } from "../../../git/index.ts"
import { findRepository } from "./store.ts"

/** How often an update of HEAD is retried while its lock is held. */
const HEAD_TRIES = 20
const HEAD_PAUSE_MS = 25

/**
 * Makes git's HEAD point to the stored default branch, and checks again afterwards: the stored one is authoritative.
 * Throws GitError `conflict` if HEAD's lock stays held.
 */
export async function alignHead({ database, git }: Services, repositoryId: number): Promise<void> {
  for (let tries = 1; ; tries++) {
    const row = await findRepository.first(database.read, { id: repositoryId })
    // A repository generated without files has no default branch until the first push.
    if (!row || row.default_branch === "") return
    const repository = git.at(row.storage, row.object_format)
    const wanted = branchRef(row.default_branch)
    if ((await git.references.head(repository)) === wanted) return
    try {
      await git.references.setHead(repository, wanted)
    } catch (error) {
      if (tries === HEAD_TRIES || !isGitError(error, "conflict")) throw error
      await new Promise((resolve) => setTimeout(resolve, HEAD_PAUSE_MS))
    }
  }
}

/** Makes git's HEAD point to the stored default branch, in case the process that changed it died before doing so. */
export const alignHeadJob = defineJob({
  kind: "repository.alignHead",
  payload: Type.Object({ repositoryId: int64() }),
  run: ({ repositoryId }, { context }) => alignHead(context, repositoryId),
})
