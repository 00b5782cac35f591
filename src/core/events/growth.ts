import type { Database, Transaction } from "../database/database.ts"
import type { Logger } from "../log.ts"

/** Where it is said, to all processes, that the log of events has grown. */
export const GROWTH_CHANNEL = "hearth_events"
/** Changes in quick succession are told of once: on PostgreSQL every notification takes a lock that all commits share. */
const EVERY_MS = 50

/** Says so when the transaction commits: at once, but at most every 50 ms. */
export function openGrowth({ database, log }: { readonly database: Database; readonly log: Logger }): (tx: Transaction) => void {
  let toldAt = Number.NEGATIVE_INFINITY
  let isComing = false

  function tell(): void {
    isComing = false
    toldAt = performance.now()
    database
      .notify(GROWTH_CHANNEL, "")
      .catch((error: unknown) => log.debug({ err: error }, "other processes can't be told of what happens; they look by themselves"))
  }

  function soon(): void {
    if (isComing) return
    isComing = true
    setTimeout(tell, Math.max(0, toldAt + EVERY_MS - performance.now())).unref()
  }
  return (tx) => database.afterCommit(tx, soon)
}
