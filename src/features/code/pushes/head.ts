import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, type Git, isGitError, type RefName, type Repository } from "../../../git/index.ts"
import { findRepository } from "./store.ts"

/** How often an update of HEAD is retried while its lock is held. */
const HEAD_TRIES = 20
const HEAD_PAUSE_MS = 25

/** Where HEAD is to point; undefined for nowhere else than it does. */
interface Wanted {
  readonly repository: Repository
  readonly ref: RefName
}

/** Makes git's HEAD point to what is wanted, and asks again afterwards. Throws GitError `conflict` if HEAD's lock stays held. */
export async function pointHead(git: Git, find: () => Promise<Wanted | undefined>): Promise<void> {
  for (let tries = 1; ; tries++) {
    const wanted = await find()
    if (!wanted || (await git.references.head(wanted.repository)) === wanted.ref) return
    try {
      await git.references.setHead(wanted.repository, wanted.ref)
    } catch (error) {
      if (tries === HEAD_TRIES || !isGitError(error, "conflict")) throw error
      await new Promise((resolve) => setTimeout(resolve, HEAD_PAUSE_MS))
    }
  }
}

/** Makes git's HEAD point to the stored default branch, and checks again afterwards: the stored one is authoritative. Throws like `pointHead`. */
export const alignHead = ({ database, git }: Services, repositoryId: number): Promise<void> =>
  pointHead(git, async () => {
    const row = await findRepository.first(database.read, { id: repositoryId })
    // A repository generated without files has no default branch until the first push.
    if (!row || row.default_branch === "") return undefined
    return { repository: git.at(row.storage, row.object_format), ref: branchRef(row.default_branch) }
  })

/** Makes git's HEAD point to the stored default branch, in case the process that changed it died before doing so. */
export const alignHeadJob = defineJob({
  kind: "repository.alignHead",
  payload: Type.Object({ repositoryId: int64() }),
  run: ({ repositoryId }, { context }) => alignHead(context, repositoryId),
})
