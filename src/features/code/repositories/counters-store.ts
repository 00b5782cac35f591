import { sql } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { lockRow, lockRows } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"

/**
 * Counters are recomputed from the rows that they count. The counter's row is locked first, so that the count includes what other transactions
 * committed while it waited: a PostgreSQL statement sees only what was committed before it began.
 */

type Ids = Params<{ ids: readonly number[] }>

const countOwned = query("repositories.countOwned", (db, p: Ids) =>
  db
    .updateTable("users")
    .set((eb) => ({
      repositories_count: eb
        .selectFrom("repositories")
        .select((count) => count.fn.countAll<number>().as("total"))
        .whereRef("repositories.owner_id", "=", "users.id"),
    }))
    .where("id", "in", p.ids)
    .returning(["id", "repositories_count"]),
)

/** Recounts the repositories of these users; returns the counts by user id. */
export async function recountOwned(tx: Transaction, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  await lockRows(tx, "users", ids)
  return new Map((await countOwned(tx, { ids })).map((row) => [row.id, row.repositories_count]))
}

const countForks = query("repositories.countForks", (db, p: Ids) =>
  db
    .updateTable("repositories")
    .set((eb) => ({
      forks_count: eb
        .selectFrom("repositories as fork")
        .select((count) => count.fn.countAll<number>().as("total"))
        .whereRef("fork.fork_of_id", "=", "repositories.id"),
    }))
    .where("id", "in", p.ids),
)

/** Recounts the forks of these repositories. */
export async function recountForks(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await lockRows(tx, "repositories", ids)
  await countForks(tx, { ids })
}

const countStars = query("repositories.countStars", (db, p: Ids) =>
  db
    .updateTable("repositories")
    .set((eb) => ({
      stars_count: eb
        .selectFrom("stars")
        .select((count) => count.fn.countAll<number>().as("total"))
        .whereRef("stars.repository_id", "=", "repositories.id"),
    }))
    .where("id", "in", p.ids),
)

const countGivenStars = query("repositories.countGivenStars", (db, p: Ids) =>
  db
    .updateTable("users")
    .set((eb) => ({
      stars_count: eb
        .selectFrom("stars")
        .select((count) => count.fn.countAll<number>().as("total"))
        .whereRef("stars.user_id", "=", "users.id"),
    }))
    .where("id", "in", p.ids),
)

/** Recounts the stars of these repositories, and those given by these users. */
export async function recountStars(
  tx: Transaction,
  { repositoryIds, userIds }: { readonly repositoryIds: readonly number[]; readonly userIds: readonly number[] },
): Promise<void> {
  if (repositoryIds.length > 0) {
    await lockRows(tx, "repositories", repositoryIds)
    await countStars(tx, { ids: repositoryIds })
  }
  if (userIds.length > 0) {
    await lockRows(tx, "users", userIds)
    await countGivenStars(tx, { ids: userIds })
  }
}

/** Recounts the watchers of these repositories. */
export async function recountWatchers(tx: Transaction, repositoryIds: readonly number[]): Promise<void> {
  if (repositoryIds.length === 0) return
  await lockRows(tx, "repositories", repositoryIds)
  await tx
    .updateTable("repositories")
    .set((eb) => ({
      watchers_count: eb
        .selectFrom("watches")
        .select((count) => count.fn.countAll<number>().as("total"))
        .whereRef("watches.repository_id", "=", "repositories.id")
        .where("watches.mode", "!=", "declined"),
    }))
    .where(inList("repositories.id", repositoryIds))
    .execute()
}

const countReleases = query("releases.count", (db, p: Params<{ repositoryId: number }>) =>
  db
    .updateTable("repositories")
    .set((eb) => ({
      releases_count: eb
        .selectFrom("releases")
        .select((counted) => counted.fn.countAll<number>().as("total"))
        .whereRef("releases.repository_id", "=", "repositories.id")
        .where("releases.is_draft", "=", sql.lit<0>(0)),
    }))
    .where("id", "=", p.repositoryId),
)

/** Recounts the published releases of a repository. */
export async function recountReleases(tx: Transaction, repositoryId: number): Promise<void> {
  await lockRow(tx, "repositories", repositoryId)
  await countReleases(tx, { repositoryId })
}

export const countBranches = query("transport.countBranches", (db, p: Params<{ repositoryId: number }>) =>
  db
    .updateTable("repositories")
    .set({
      branches_count: sql<number>`coalesce((select total from branch_totals where branch_totals.repository_id = repositories.id), 0)`,
    })
    .where("id", "=", p.repositoryId),
)

const countLfsSize = query("lfs.countSize", (db, p: Params<{ repositoryId: number }>) =>
  db
    .updateTable("repositories")
    .set((eb) => ({
      lfs_size: eb
        .selectFrom("lfs_links")
        .innerJoin("lfs_objects", "lfs_objects.id", "lfs_links.object_id")
        .select((sum) => sum.fn.coalesce(sum.fn.sum<number>("lfs_objects.size"), sum.lit(0)).as("total"))
        .whereRef("lfs_links.repository_id", "=", "repositories.id"),
    }))
    .where("id", "=", p.repositoryId),
)

/** Recounts the total size of the repository's objects. Its row is locked first, so that concurrent additions are counted too. */
export async function recountLfsSize(tx: Transaction, repositoryId: number): Promise<void> {
  await lockRow(tx, "repositories", repositoryId)
  await countLfsSize.changes(tx, { repositoryId })
}
