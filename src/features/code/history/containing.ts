import type { Owned } from "../../../access/permission.ts"
import type { Services } from "../../../core/services.ts"
import { branchOf, type Commit, isGitError, tagOf } from "../../../git/index.ts"
import { gitOf } from "../commits/revision.ts"

/** The most branches, and the most tags, that are told. */
const MOST = 100

/** The branches and tags whose history has a commit. */
export interface Containing {
  readonly branches: readonly string[]
  readonly tags: readonly string[]
  /** Whether there are more than are told, or it took too long to look at all of them. */
  readonly isCut: boolean
}

/** The branches and tags that contain a commit, by name, a hundred of each at most. Two git processes of five seconds at most: only on demand. */
export async function containing(services: Services, on: Owned, { id }: Commit): Promise<Containing> {
  const repository = gitOf(services, on)
  try {
    const [heads, tags] = await Promise.all([
      services.git.history.containing(repository, id, "refs/heads/", MOST + 1),
      services.git.history.containing(repository, id, "refs/tags/", MOST + 1),
    ])
    return {
      branches: heads.slice(0, MOST).flatMap((name) => branchOf(name) ?? []),
      tags: tags.slice(0, MOST).flatMap((name) => tagOf(name) ?? []),
      isCut: heads.length > MOST || tags.length > MOST,
    }
  } catch (error) {
    if (isGitError(error, "timeout")) return { branches: [], tags: [], isCut: true }
    throw error
  }
}
