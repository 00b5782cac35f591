import type { Transaction } from "../../core/database/database.ts"
import { type Params, query } from "../../core/database/query.ts"

/**
 * Counters are counted anew from the rows that they count. What is counted for is held first, so that a count also sees what others
 * committed while it waited: PostgreSQL shows a statement only what was there when it began.
 */

type Ids = Params<{ ids: readonly number[] }>

const holdOwners = query("repositories.holdOwners", (db, p: Ids) =>
  db
    .updateTable("users")
    .set((eb) => ({ repositories_count: eb.ref("repositories_count") }))
    .where("id", "in", p.ids),
)

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

/** How many repositories these users own now, by their ids. */
export async function recountOwned(tx: Transaction, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  await holdOwners(tx, { ids })
  return new Map((await countOwned(tx, { ids })).map((row) => [row.id, row.repositories_count]))
}

const holdRepositories = query("repositories.hold", (db, p: Ids) =>
  db
    .updateTable("repositories")
    .set((eb) => ({ stars_count: eb.ref("stars_count") }))
    .where("id", "in", p.ids),
)

/** Keeps others from changing the repository until the transaction ends. Gives whether it is there. */
export const holdRepository = async (tx: Transaction, id: number): Promise<boolean> =>
  (await holdRepositories.changes(tx, { ids: [id] })) > 0

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

/** Counts the forks of these repositories. */
export async function recountForks(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await holdRepositories(tx, { ids })
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

const holdStargazers = query("repositories.holdStargazers", (db, p: Ids) =>
  db
    .updateTable("users")
    .set((eb) => ({ stars_count: eb.ref("stars_count") }))
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

/** Counts the stars of these repositories, and those that these people have given. */
export async function recountStars(
  tx: Transaction,
  { repositoryIds, userIds }: { readonly repositoryIds: readonly number[]; readonly userIds: readonly number[] },
): Promise<void> {
  if (repositoryIds.length > 0) {
    await holdRepositories(tx, { ids: repositoryIds })
    await countStars(tx, { ids: repositoryIds })
  }
  if (userIds.length > 0) {
    await holdStargazers(tx, { ids: userIds })
    await countGivenStars(tx, { ids: userIds })
  }
}

const holdTopics = query("repositories.holdTopics", (db, p: Ids) =>
  db
    .updateTable("topics")
    .set((eb) => ({ repositories_count: eb.ref("repositories_count") }))
    .where("id", "in", p.ids),
)

const countTopics = query("repositories.countTopics", (db, p: Ids) =>
  db
    .updateTable("topics")
    .set((eb) => ({
      repositories_count: eb
        .selectFrom("repository_topics")
        .select((count) => count.fn.countAll<number>().as("total"))
        .whereRef("repository_topics.topic_id", "=", "topics.id"),
    }))
    .where("id", "in", p.ids),
)

/** Counts the repositories that bear these topics. */
export async function recountTopics(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await holdTopics(tx, { ids })
  await countTopics(tx, { ids })
}
