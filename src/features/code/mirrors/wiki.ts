import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import type { Services } from "../../../core/services.ts"
import { isGitError, type RemoteListing, type Repository } from "../../../git/index.ts"
import { moveWiki } from "../wiki/move.ts"
import { openWiki } from "../wiki/repository.ts"
import { changesTowards, followed, missing, requireCommits } from "./changes.ts"
import { type RemoteAddress, reach } from "./remote.ts"

/** Wikis of repositories on other servers. */

export interface FollowingWiki {
  readonly pusherId: number
  /** Whether branches and tags that are gone there are removed here. */
  readonly prune: boolean
  /** Whether webhooks are told of the pages. */
  readonly tells: boolean
  readonly signal: AbortSignal
}

/** Where servers keep the wiki of a repository. */
const wikiAddress = (target: RemoteAddress): RemoteAddress => ({ ...target, url: `${target.url.replace(/\.git$/i, "")}.wiki.git` })

/**
 * Makes the wiki what that of a repository on another server is; returns whether there is one. Repeating it changes nothing. A wiki that
 * has become empty there takes nothing away here. Throws like `git.remotes.fetch`, RemoteRefused, and refuses `conflict` if references were changed meanwhile.
 */
export async function followWiki(
  services: Services,
  row: RepositoryRow,
  target: RemoteAddress,
  { pusherId, prune, tells, signal }: FollowingWiki,
): Promise<boolean> {
  const { git } = services
  const remote = await reach(services, wikiAddress(target))
  const listing = await git.remotes.list(remote, signal).catch((error: unknown) => {
    // Its repository was just read there, so what the server doesn't show now is not there.
    if (isGitError(error, "remote")) return undefined
    throw error
  })
  const there = followed(listing?.references ?? [])
  if (!listing || there.length === 0) return false
  const repository = await openWiki(services, row)
  const changes = changesTowards(there, followed(await git.references.list(repository)), prune)
  const ids = await missing(git, repository, changes)
  if (ids.length > 0) await git.remotes.fetch(repository, remote, { ids, signal })
  await requireCommits(git, repository, changes)
  await showSameBranch(services, repository, listing)
  // Deletions come first: a new branch may have the name of a former directory of branches.
  for (const part of [changes.filter(({ newId }) => newId === null), changes.filter(({ newId }) => newId !== null)])
    if (part.length > 0)
      await moveWiki(services, repository, { repositoryId: row.id, pusherId, changes: part, ...(tells ? {} : { told: [] }) })
  return true
}

/** Shows the branch that is shown there. */
async function showSameBranch({ git }: Services, repository: Repository, { head, references }: RemoteListing): Promise<void> {
  if (head === undefined || !references.some(({ name }) => name === head)) return
  if ((await git.references.head(repository)) !== head) await git.references.setHead(repository, head)
}
