import { visibleRepositories } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { containsLower } from "../../../core/database/expressions.ts"
import { lockRows } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
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
  const borne = db
    .selectFrom("topics")
    // SQLite keeps the order of a cross join: first the few topics of that name, then their repositories by an index.
    .crossJoin("repository_topics")
    .whereRef("repository_topics.topic_id", "=", "topics.id")
    .innerJoin("repositories", "repositories.id", "repository_topics.repository_id")
    .where(visibleRepositories(actor))
    .$if(text !== "", (topics) => topics.where((eb) => containsLower(eb.ref("topics.name"), text)))
  const { total } = await borne.select((eb) => eb.fn.count<number>("topics.id").distinct().as("total")).executeTakeFirstOrThrow()
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
