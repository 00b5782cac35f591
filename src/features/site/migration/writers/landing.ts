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
import { findItems, type Item, type ItemKind, putItem } from "./items-store.ts"
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

/** Remembers a record that has been written, and whose it is as long as they are not known here. */
export const remember = async (
  { tx, repository, people }: Landing,
  kind: ItemKind,
  { key, updatedAt, author }: { readonly key: string; readonly updatedAt: Seconds; readonly author?: Person | undefined },
  localId: number,
) => putItem(tx, { repositoryId: repository.id, kind }, key, { localId, version: updatedAt }, await people.placeholderOf(author))

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

/** Takes a number for a record: the one that it wants, unless another has it. */
export async function takeNumberFor(tx: Transaction, repositoryId: number, wanted: number): Promise<number> {
  const isTaken = (await findTakenNumbers(tx, repositoryId, [wanted])).length > 0
  if (!isTaken) {
    await raiseNumber(tx, repositoryId, wanted)
    return wanted
  }
  const taken = await takeNumber.first(tx, { repositoryId })
  if (!taken) throw new TypeError("a counter gives a number")
  return taken.last_number
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
