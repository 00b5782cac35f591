/** Delivery: what was published in a transaction reaches every listener before the transaction commits. */
import type { Transaction } from "../database/database.ts"
import type { Services } from "../services.ts"
import type { DomainEvent } from "./catalogue.ts"
import { appendToLog } from "./log.ts"
import { takePublished } from "./publish.ts"

/** Events of one transaction, on their way through the listeners. */
export interface Delivery {
  readonly tx: Transaction
  readonly services: Services
  /** In the order in which they were published. */
  readonly events: readonly DomainEvent[]
  /** Ids of the timeline entries that tell of events, by event. The timeline comes first and notes them for those behind it. */
  readonly entries: Map<DomainEvent, number>
}

/**
 * Makes something of what happened. It runs in the transaction of the change, for all events of it together, so that many events cost no more
 * statements than one; what it throws rolls the change back. It may query, write and publish, and await nothing but the database.
 */
export interface Listener {
  readonly name: string
  readonly hear: (delivery: Delivery) => Promise<void>
}

/** Listeners that publish themselves are heard in the next round; more rounds than this are a circle. */
const MOST_ROUNDS = 8

/**
 * Delivers what is pending in the transaction to each listener in turn, and appends it to the log. Throws what a listener throws, and an error
 * where listeners publish in a circle.
 */
export async function deliverEvents(tx: Transaction, services: Services, listeners: readonly Listener[]): Promise<void> {
  for (let round = 0; ; round++) {
    const events = takePublished(tx)
    if (events.length === 0) return
    if (round === MOST_ROUNDS) throw new Error(`listeners publish in a circle: ${events.map(({ kind }) => kind).join(", ")}`)
    const delivery: Delivery = { tx, services, events, entries: new Map() }
    for (const listener of listeners) await listener.hear(delivery)
    await appendToLog(tx, events, services.now())
  }
}
