import { visibleRepositories } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { containsLower, inList } from "../../../core/database/expressions.ts"
import { lockRows } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables/types.ts"
import type { Page } from "../../../core/operation.ts"

/** A topic with the number of its repositories that are visible to the caller. */
export interface FoundTopic {
  readonly id: number
  readonly name: string
  readonly created_at: number
  readonly updated_at: number
  readonly repositories: number
}

/**
 * The topics whose name contains `text`, the most used first, then by name. A topic without repositories visible to the caller is left out:
 * its name alone can disclose what a hidden repository is about.
 */
export async function searchTopics(
  db: Handle,
  actor: Actor,
  text: string,
  page: Page,
): Promise<{ readonly rows: readonly FoundTopic[]; readonly total: number }> {
  const named = db.selectFrom("topics").$if(text !== "", (topics) => topics.where((eb) => containsLower(eb.ref("topics.name"), text)))
  // A topic is counted at the first of its repositories that is visible.
  const { total } = await named
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("repository_topics")
          .crossJoin("repositories")
          .whereRef("repository_topics.topic_id", "=", "topics.id")
          .whereRef("repositories.id", "=", "repository_topics.repository_id")
          .where(visibleRepositories(actor))
          .select("repository_topics.topic_id"),
      ),
    )
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow()
  if (total <= page.offset) return { rows: [], total }
  const borne = named
    // SQLite keeps the order of a cross join: first the few topics of that name, then their repositories by an index.
    .crossJoin("repository_topics")
    .whereRef("repository_topics.topic_id", "=", "topics.id")
    .innerJoin("repositories", "repositories.id", "repository_topics.repository_id")
    .where(visibleRepositories(actor))
  const rows = await borne
    .select(["topics.id", "topics.name", "topics.created_at", "topics.updated_at"])
    .select((eb) => eb.fn.countAll<number>().as("repositories"))
    .groupBy(["topics.id", "topics.name", "topics.created_at", "topics.updated_at"])
    .orderBy("repositories", "desc")
    .orderBy("topics.name")
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}

const countTopics = query("repositories.countTopics", (db, p: Params<{ ids: readonly number[] }>) =>
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

/** Recounts the repositories with these topics. */
export async function recountTopics(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await lockRows(tx, "topics", ids)
  await countTopics(tx, { ids })
}

/** Gives a repository the topics of another one. */
export async function copyTopics(tx: Transaction, from: number, to: number): Promise<void> {
  const topics = await tx.selectFrom("repository_topics").select("topic_id").where("repository_id", "=", from).execute()
  if (topics.length === 0) return
  await tx
    .insertInto("repository_topics")
    .values(topics.map(({ topic_id }) => ({ repository_id: to, topic_id })))
    .execute()
  await recountTopics(
    tx,
    topics.map(({ topic_id }) => topic_id),
  )
}

/** Gives topics to a repository; returns those that it did not have. */
const linkTopics = (tx: Transaction, repositoryId: number, topicIds: readonly number[]) =>
  tx
    .insertInto("repository_topics")
    .values(topicIds.map((id) => ({ repository_id: repositoryId, topic_id: id })))
    .onConflict((conflict) => conflict.doNothing())
    .returning("topic_id")
    .execute()

/** Takes all topics off a repository; returns their ids. */
export async function dropTopics(tx: Transaction, repositoryId: number): Promise<readonly number[]> {
  const dropped = await tx.deleteFrom("repository_topics").where("repository_id", "=", repositoryId).returning("topic_id").execute()
  return dropped.map(({ topic_id }) => topic_id)
}

/** Makes these the topics of a repository, new ones among them; returns the ids of those that it has got or lost. */
export async function putTopics(tx: Transaction, repositoryId: number, names: readonly string[], now: Seconds): Promise<readonly number[]> {
  if (names.length > 0)
    await tx
      .insertInto("topics")
      .values(names.map((name) => ({ name, repositories_count: 0, created_at: now, updated_at: now })))
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute()
  const topics = await tx.selectFrom("topics").select("id").where(inList("topics.name", names)).execute()
  const ids = topics.map(({ id }) => id)
  const dropped = await tx
    .deleteFrom("repository_topics")
    .where("repository_id", "=", repositoryId)
    .where((eb) => eb.not(inList("repository_topics.topic_id", ids)))
    .returning("topic_id")
    .execute()
  const added = ids.length === 0 ? [] : await linkTopics(tx, repositoryId, ids)
  return [...dropped, ...added].map((row) => row.topic_id)
}

/** Notes that the repositories with these topics have changed, and recounts them. */
export async function touchTopics(tx: Transaction, ids: readonly number[], now: Seconds): Promise<void> {
  await tx.updateTable("topics").set({ updated_at: now }).where(inList("topics.id", ids)).execute()
  await recountTopics(tx, ids)
}
