import { randomBytes } from "node:crypto"
import { refuse } from "../errors.ts"
import { t } from "../language/message.ts"
import { onFirstUseOf } from "../memoize.ts"
import type { Services } from "../services.ts"
import { BEGINNING, endOfLog, findLog, nameLog, newestEvent, type Position } from "./store.ts"

/**
 * Positions as others are told them: `NAME-TRANSACTION-ID`. The name is that of the log, which is another one after a database was restored: a position
 * from before it is told apart then, and not taken for one that is used again.
 */

/** The name of the log, remembered by the process. */
export const logName = onFirstUseOf((services: Pick<Services, "database">) => {
  const find = async () => (await findLog.first(services.database.read))?.name || undefined
  const load = async () => {
    const known = await find()
    if (known !== undefined) return known
    await services.database.write((tx) => nameLog(tx, { name: randomBytes(4).toString("hex") }))
    return (await find()) ?? ""
  }
  let known: Promise<string> | undefined
  return () => {
    known ??= load().catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
})

export const positionText = (name: string, { transaction, id }: Position): string => `${name}-${transaction}-${id}`

/** Negative where `a` comes before `b`, 0 where they are the same. */
export const comparePositions = (a: Position, b: Position): number => a.transaction - b.transaction || a.id - b.id

const later = (a: Position, b: Position): Position => (comparePositions(a, b) < 0 ? b : a)

/**
 * From where to read on for someone who has been told this position; the end of the log for who has none. Refuses `invalid` what is no position, and `gone`
 * one whose following events can't be had: they were removed, or it is of another log or none of this one yet. `field`: what the client calls it.
 */
export async function resumedFrom(services: Pick<Services, "database">, told: string | undefined, field: string): Promise<Position> {
  const { read } = services.database
  const log = await findLog.first(read)
  const pruned = log ? { transaction: log.pruned_transaction, id: log.pruned_id } : BEGINNING
  const end = later(await endOfLog(read), pruned)
  if (told === undefined) return end
  const [, name, transaction, id] = /^([0-9a-f]{8})-(\d{1,15})-(\d{1,15})$/.exec(told) ?? []
  if (name === undefined) throw refuse.invalid(field, "must be a position as it was told, such as that of an event")
  const position = { transaction: Number(transaction), id: Number(id) }
  const ours = await logName(services)()
  const isOurs = name === ours && comparePositions(position, later((await newestEvent(read)) ?? BEGINNING, pruned)) <= 0
  if (isOurs && comparePositions(position, pruned) >= 0) return position
  const here = positionText(ours, end)
  const said = isOurs
    ? t`what happened after this position is not kept any more; read anew what you need, and go on from the position ${here}`
    : t`there is no such position on this server; read anew what you need, and go on from the position ${here}`
  throw refuse.gone(said, { position: here })
}
