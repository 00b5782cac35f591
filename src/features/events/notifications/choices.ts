import type { Handle, Transaction } from "../../../core/database/database.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { lockUser } from "../../people/users/store.ts"
import { CAUSES, type Cause, isUsual } from "./causes.ts"
import { findChoices, insertChoices, removeChoices } from "./choices-store.ts"

/** What a person chose to be told of: in the list of notifications, and by mail. */
export interface Choices {
  readonly list: readonly Cause[]
  readonly mail: readonly Cause[]
}

/** Also what they did not choose, as it is for everyone. */
export async function choicesOf(db: Handle, userId: number): Promise<{ list: Cause[]; mail: Cause[] }> {
  const chosen = new Map((await findChoices(db, { userId })).map((row) => [row.cause, row]))
  const of = (column: "in_list" | "by_mail") =>
    CAUSES.filter((cause) => {
      const row = chosen.get(cause)
      return row ? row[column] === 1 : isUsual(cause)
    })
  return { list: of("in_list"), mail: of("by_mail") }
}

/** Writes down what a person chose. Only what differs from what is usual has a row, so that the usual may change for all others. */
export async function choose(tx: Transaction, userId: number, given: Partial<Choices>): ReturnType<typeof choicesOf> {
  await lockUser(tx, userId)
  const before = await choicesOf(tx, userId)
  const { list, mail } = { ...before, ...given }
  await removeChoices(tx, userId)
  const rows = CAUSES.flatMap((cause) => {
    const [inList, byMail] = [list.includes(cause), mail.includes(cause)]
    const differs = inList !== isUsual(cause) || byMail !== isUsual(cause)
    return differs ? [{ user_id: userId, cause, in_list: flag(inList), by_mail: flag(byMail) }] : []
  })
  if (rows.length > 0) await insertChoices(tx, rows)
  return choicesOf(tx, userId)
}
