import type { Repository } from "../../../../access/permission.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import type { Seconds } from "../../../../core/database/tables/index.ts"
import type { Services } from "../../../../core/services.ts"
import { isObjectId } from "../../../../git/index.ts"
import type { Import } from "../../../code/mirrors/store.ts"
import { raiseNumber, takeNumber } from "../../../planning/issues/store.ts"
import { REACTIONS } from "../../../planning/reactions/records.ts"
import { insertReaction } from "../../../planning/reactions/store.ts"
import type { On, Person, Reaction } from "../origins/model.ts"
import { findItems, type Item, type ItemKind, putItems } from "./items-store.ts"
import type { People } from "./people.ts"
import { keepReaction } from "./people-store.ts"
import { findImportedIssues, findTakenNumbers } from "./store.ts"

/** Where records are written, in one transaction. */
export interface Landing {
  readonly tx: Transaction
  readonly services: Services
  readonly repository: Repository
  readonly imported: Import
  readonly people: People
  /** A text as it is stored here: no longer than texts are, and with its links rewritten. */
  readonly text: (body: string) => string
}

/** A record with what is here of it already. */
interface Met<T> {
  readonly record: T
  readonly here: Item | undefined
}

/** Those of the records that are not here, or have changed since: records that are here as they are there need nothing. */
export async function news<T extends { readonly key: string; readonly updatedAt: Seconds }>(
  { tx, repository }: Landing,
  kind: ItemKind,
  records: readonly T[],
): Promise<readonly Met<T>[]> {
  const items = await findItems(
    tx,
    { repositoryId: repository.id, kind },
    records.map(({ key }) => key),
  )
  const once = new Map(records.map((record) => [record.key, record]))
  return [...once.values()].flatMap((record) => {
    const here = items.get(record.key)
    return here !== undefined && here.version >= record.updatedAt ? [] : [{ record, here }]
  })
}

interface Remembered {
  readonly key: string
  readonly updatedAt: Seconds
  readonly author?: Person | undefined
}

/** Remembers records that have been written, with their ids here, and whose they are as long as these people are not known here. */
export async function rememberAll(
  { tx, repository, people }: Landing,
  kind: ItemKind,
  written: readonly (readonly [record: Remembered, localId: number])[],
): Promise<void> {
  const items = new Map<string, Item & { readonly personId: number }>()
  for (const [{ key, updatedAt, author }, localId] of written)
    items.set(key, { localId, version: updatedAt, personId: await people.placeholderOf(author) })
  await putItems(tx, { repositoryId: repository.id, kind }, items)
}

export const remember = (landing: Landing, kind: ItemKind, record: Remembered, localId: number) =>
  rememberAll(landing, kind, [[record, localId]])

/** Finds the issues and pull requests here that records are on. */
export async function hostsOf(
  { tx, repository }: Landing,
  records: readonly { readonly on: On }[],
): Promise<(on: On) => number | undefined> {
  const rows = await findImportedIssues(tx, repository.id, [...new Set(records.map(({ on }) => String(on.number)))])
  const ids = new Map(rows.map(({ id, kind, source_key }) => [`${kind} ${source_key}`, id]))
  return ({ of, number }) =>
    of === undefined ? (ids.get(`issues ${number}`) ?? ids.get(`pull_requests ${number}`)) : ids.get(`${of} ${number}`)
}

/** Takes numbers for records, in their order: each gets the one that it wants, unless another has it. */
export async function takeNumbersFor(tx: Transaction, repositoryId: number, wanted: readonly number[]): Promise<readonly number[]> {
  const taken = await findTakenNumbers(tx, repositoryId, wanted)
  const free = new Set(wanted.filter((number) => !taken.has(number)))
  if (free.size > 0) await raiseNumber(tx, repositoryId, Math.max(...free))
  const numbers: number[] = []
  for (const number of wanted) {
    if (free.delete(number)) {
      numbers.push(number)
      continue
    }
    const next = await takeNumber.first(tx, { repositoryId })
    if (!next) throw new TypeError("a counter gives a number")
    numbers.push(next.last_number)
  }
  return numbers
}

/** An id of a commit as it is stored; "" for what is none. */
export const commitIn = ({ repository }: Landing, id: string): string => (isObjectId(id, repository.object_format) ? id : "")

/** Stores reactions. A reaction belongs to an account: those of people who are not known here wait until somebody takes them over. */
export async function writeReactions(
  { tx, people }: Landing,
  { issueId, commentId }: { readonly issueId: number; readonly commentId: number },
  reactions: readonly Reaction[],
  now: Seconds,
): Promise<void> {
  for (const { person, content } of reactions.filter(({ content }) => REACTIONS.includes(content))) {
    const userId = await people.idOf(person)
    const personId = await people.placeholderOf(person)
    if (userId !== 0) await insertReaction.first(tx, { issueId, commentId, userId, content, now })
    else if (personId !== 0)
      await keepReaction(tx, { person_id: personId, issue_id: issueId, comment_id: commentId, content, created_at: now })
  }
}
