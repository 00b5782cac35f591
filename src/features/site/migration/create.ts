import type { Owned } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { isGitError, type RemoteListing } from "../../../git/index.ts"
import { establish } from "../../code/lifecycle/establish.ts"
import { type RemoteAddress, RemoteRefused, reach, troubleOf } from "../../code/mirrors/remote.ts"

export interface Wanted {
  readonly doer: User
  readonly owner: User
  readonly name: string
  readonly target: RemoteAddress
  readonly listing: RemoteListing
  readonly description: string
  readonly isPrivate: boolean
  readonly isMirror: boolean
  /** Further writes in the same transaction. */
  readonly alongside: (tx: Transaction, repositoryId: number) => Promise<void>
}

/** Creates the empty repository that an import fills. */
export function createEmpty(services: Services, wanted: Wanted): Promise<Owned> {
  const { config, git } = services
  const { doer, owner, name, target, listing, description, isPrivate, isMirror, alongside } = wanted
  const branch = config.repository.defaultBranch
  const format = listing.format ?? "sha1"
  return establish(
    services,
    (storage) => git.repositories.create(storage, { format, branch }),
    () => ({
      doer,
      owner,
      name,
      isImported: true,
      row: {
        description,
        default_branch: branch,
        object_format: format,
        original_url: target.url,
        is_private: flag(config.repository.forcePrivate || isPrivate),
        is_mirror: flag(isMirror),
        ...(isMirror ? { has_pull_requests: 0, has_actions: 0 } : {}),
      },
      alongside,
    }),
  )
}

/** The references of the other server, read before anything is created here. Refuses `invalid` with the server's message. */
export async function listReferences(services: Services, target: RemoteAddress, signal?: AbortSignal): Promise<RemoteListing> {
  try {
    return await services.git.remotes.list(await reach(services, target), signal)
  } catch (error) {
    if (!(error instanceof RemoteRefused) && !isGitError(error, "remote") && !isGitError(error, "timeout")) throw error
    throw refuse.invalid("clone_addr", troubleOf(error))
  }
}
