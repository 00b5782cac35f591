import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { parseStrings } from "../repositories/present.ts"
import { updateRepository } from "../repositories/store.ts"
import { putTopics, touchTopics } from "./store.ts"

/** The most topics of a repository. */
export const MOST_TOPICS = 25

const PATTERN = /^[a-z0-9][-.a-z0-9]{0,34}$/

/** A topic as it is stored: trimmed, in lower case. */
export const normalizeTopic = (text: string): string => text.trim().toLowerCase()

/** Whether a normalised text is a valid topic: at most 35 letters, digits, hyphens and dots, starting with a letter or digit. */
export const isTopic = (name: string): boolean => PATTERN.test(name)

/** What {@link isTopic} accepts, as an error message. */
const TOPIC_RULE = t("a topic consists of at most 35 letters, digits, hyphens and dots, and begins with a letter or digit")

/**
 * Topics are stored twice: as a list in the repository's row, which is displayed, and as rows, which are searched. Every change
 * writes both, with the repository locked, and recounts the changed topics.
 */

/**
 * Replaces a repository's topics. Letter case, duplicates and empty texts are ignored.
 * Refuses `invalid`, naming them, for invalid topics, and for more than {@link MOST_TOPICS}; `notFound` if the repository is gone.
 */
export async function replaceTopics(
  tx: Transaction,
  actor: Pick<User, "id">,
  repositoryId: number,
  wanted: readonly string[],
  now: Seconds,
): Promise<void> {
  const names = [...new Set(wanted.map(normalizeTopic))].filter((name) => name !== "")
  const wrong = names.filter((name) => !isTopic(name))
  if (names.length - wrong.length > MOST_TOPICS) throw tooMany()
  if (wrong.length > 0) throw refuse.invalid("topics", t`${wrong.join(", ")}: ${TOPIC_RULE}`, { invalidTopics: wrong })
  await currentTopics(tx, repositoryId)
  await writeTopics(tx, actor, repositoryId, names, now)
}

/**
 * Adds a topic to a repository; one that it has already changes nothing.
 * Refuses `invalid` for an invalid topic, and for more than {@link MOST_TOPICS}; `notFound` if the repository is gone.
 */
export async function addTopic(tx: Transaction, actor: Pick<User, "id">, repositoryId: number, text: string, now: Seconds): Promise<void> {
  const name = requireTopic(text)
  const names = await currentTopics(tx, repositoryId)
  if (names.includes(name)) return
  if (names.length >= MOST_TOPICS) throw tooMany()
  await writeTopics(tx, actor, repositoryId, [...names, name], now)
}

/** Removes a topic from a repository. Refuses `invalid` for an invalid topic, `notFound` for one that the repository doesn't have. */
export async function removeTopic(
  tx: Transaction,
  actor: Pick<User, "id">,
  repositoryId: number,
  text: string,
  now: Seconds,
): Promise<void> {
  const name = requireTopic(text)
  const names = await currentTopics(tx, repositoryId)
  if (!names.includes(name)) throw refuse.notFound()
  await writeTopics(
    tx,
    actor,
    repositoryId,
    names.filter((other) => other !== name),
    now,
  )
}

function requireTopic(text: string): string {
  const name = normalizeTopic(text)
  if (!isTopic(name)) throw refuse.invalid("topic", TOPIC_RULE, { invalidTopics: name })
  return name
}

const tooMany = () => refuse.invalid("topics", t`a repository bears at most ${MOST_TOPICS} topics`, { invalidTopics: null })

/** The repository's topics, locked until the transaction ends. */
async function currentTopics(tx: Transaction, repositoryId: number): Promise<readonly string[]> {
  const row = await lockRow(tx, "repositories", repositoryId)
  if (!row) throw refuse.notFound()
  return parseStrings(row.topics)
}

async function writeTopics(
  tx: Transaction,
  actor: Pick<User, "id">,
  repositoryId: number,
  names: readonly string[],
  now: Seconds,
): Promise<void> {
  const sorted = names.toSorted()
  const changed = await putTopics(tx, repositoryId, sorted, now)
  await updateRepository(tx, repositoryId, { topics: JSON.stringify(sorted) })
  if (changed.length === 0) return
  await touchTopics(tx, changed, now)
  publish(tx, { kind: "repository.edited", repository: { id: repositoryId }, actor, changed: ["topics"], at: now })
}
