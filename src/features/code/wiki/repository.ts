import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import { isForeignKeyViolation } from "../../../core/database/failures.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { isGitError, type Repository } from "../../../git/index.ts"
import { wikiAt } from "../repositories/wiki-place.ts"

/** The git repository of a wiki. It is made when it is first needed, and its HEAD says which branch is shown. */

export type WikiHome = Pick<RepositoryRow, "id" | "storage" | "object_format">

const find = query("wiki.find", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("wikis").select("repository_id").where("repository_id", "=", p.repositoryId),
)

const insert = query("wiki.insert", (db, p: Params<{ repositoryId: number; now: Seconds }>) =>
  db
    .insertInto("wikis")
    .values({ repository_id: p.repositoryId, created_at: p.now })
    .onConflict((conflict) => conflict.doNothing()),
)

/** The wiki's git repository, or undefined where nothing was ever written or pushed to it, nor was it cloned. One query. */
export async function findWiki({ database, git }: Services, home: WikiHome): Promise<Repository | undefined> {
  return (await find.first(database.read, { repositoryId: home.id })) && wikiAt(git, home)
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
    await database.write((tx) => insert(tx, { repositoryId: home.id, now: now() }))
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    await git.repositories.remove(made)
    throw refuse.notFound()
  }
  return made
}
