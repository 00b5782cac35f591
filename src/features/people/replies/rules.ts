import type { Handle, Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { unixLines } from "../../../core/text/lines.ts"
import { countReplies, deleteReply, findReply, insertReply, type SavedReply, updateReply } from "./store.ts"

/** The most replies of one person: all of their names are on each page with a comment form. */
export const MOST_REPLIES = 50
const LONGEST_NAME = 100
/** The most characters of one reply. */
export const LONGEST_REPLY = 10_000

interface Written {
  readonly name: string
  readonly content: string
}

/** Refuses as `invalid` a name or a text that is empty or too long. */
function checked({ name, content }: Written): Written {
  const [title, text] = [name.trim(), unixLines(content)]
  if (title === "" || title.length > LONGEST_NAME) throw refuse.invalid("name", t`must have 1 to ${LONGEST_NAME} characters`)
  if (text.trim() === "" || text.length > LONGEST_REPLY) throw refuse.invalid("content", t`must have 1 to ${LONGEST_REPLY} characters`)
  return { name: title, content: text }
}

/** Saves a reply. Refuses `invalid` what is not one, and more than {@link MOST_REPLIES}. */
export async function saveReply(tx: Transaction, userId: number, written: Written): Promise<void> {
  const reply = checked(written)
  await lockRow(tx, "users", userId)
  const { total } = (await countReplies.first(tx, { userId })) ?? { total: 0 }
  if (total >= MOST_REPLIES) throw refuse.invalid("name", t`there are ${MOST_REPLIES} already: delete one first`)
  await insertReply(tx, { userId, ...reply })
}

/** Changes a reply. Refuses `invalid` what is not one, and `notFound` where the person has no such reply. */
export async function changeReply(tx: Transaction, userId: number, id: number, written: Written): Promise<void> {
  if ((await updateReply.changes(tx, { userId, id, ...checked(written) })) === 0) throw refuse.notFound()
}

/** Refuses `notFound` where the person has no such reply. */
export async function dropReply(tx: Transaction, userId: number, id: number): Promise<void> {
  if ((await deleteReply.changes(tx, { userId, id })) === 0) throw refuse.notFound()
}

/** A reply of a person. Refuses `notFound` where they have no such reply. */
export async function replyOf(db: Handle, userId: number, id: number): Promise<SavedReply> {
  const reply = id === 0 ? undefined : await findReply.first(db, { userId, id })
  if (!reply) throw refuse.notFound()
  return reply
}
