import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import { isForeignKeyViolation } from "../../../core/database/failures.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { isGitError, type Repository } from "../../../git/index.ts"
import { wikiAt } from "../repositories/wiki-place.ts"
import { findWikiRow, putWiki } from "./store.ts"

/** The git repository of a wiki. It is made when it is first needed, and its HEAD says which branch is shown. */

export type WikiHome = Pick<RepositoryRow, "id" | "storage" | "object_format">

/** The wiki's git repository, or undefined where nothing was ever written or pushed to it, nor was it cloned. One query. */
export async function findWiki({ database, git }: Services, home: WikiHome): Promise<Repository | undefined> {
  return (await findWikiRow.first(database.read, { repositoryId: home.id })) && wikiAt(git, home)
}

/** The wiki's git repository, which is made where there is none yet. Refuses `notFound` if the repository has been deleted. */
export async function openWiki(services: Services, home: WikiHome): Promise<Repository> {
  const { config, database, git, now } = services
  const there = await findWiki(services, home)
  if (there) return there
  const made = wikiAt(git, home)
  try {
    await git.repositories.create(made.key, { format: made.format, branch: config.repository.defaultBranch })
  } catch (error) {
    // Made by a request at the same time, or by one that ended before there was a row.
    if (!isGitError(error, "exists")) throw error
  }
  try {
    await database.write((tx) => putWiki(tx, { repositoryId: home.id, now: now() }))
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    await git.repositories.remove(made)
    throw refuse.notFound()
  }
  return made
}
