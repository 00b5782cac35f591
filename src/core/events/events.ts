/** Delivery: every listener receives the events of a transaction before it commits. */
import type { Transaction } from "../database/database.ts"
import type { Services } from "../services.ts"
import type { DomainEvent } from "./event.ts"
import { appendToLog } from "./log.ts"
import { takePublished } from "./publish.ts"
import type { Position } from "./store.ts"

/** The events of one transaction, as they are passed to the listeners. */
export interface Delivery {
  readonly tx: Transaction
  readonly services: Services
  /** In the order in which they were published. */
  readonly events: readonly DomainEvent[]
  /** Ids of the timeline entries made for events, by event. The timeline comes first and adds them for later listeners. */
  readonly entries: Map<DomainEvent, number>
  /** For those that only tell: the positions of the events in the log, in the order of the events. */
  readonly positions?: Promise<readonly Position[]>
}

/**
 * Reacts to domain events. It runs in the transaction of the change, for all its events together, so that many events need no more statements
 * than one; an error that it throws rolls the change back. It may query, write and publish, and await nothing but the database.
 */
export interface Listener {
  readonly name: string
  /**
   * It only tells people and programs, and neither changes what the events are about nor reads what others of this kind write: they are called after
   * the others, all at once, so that PostgreSQL gets their statements together.
   */
  readonly onlyTells?: true
  readonly hear: (delivery: Delivery) => Promise<void>
}

/** Events that listeners publish are delivered in the next round; more rounds than this are taken for an endless loop. */
const MOST_ROUNDS = 8

/**
 * Delivers what is pending in the transaction to each listener in turn, then to those that only tell, and appends it to the log. Throws what a listener throws, and an error if
 * listeners publish endlessly.
 */
export async function deliverEvents(tx: Transaction, services: Services, listeners: readonly Listener[]): Promise<void> {
  const [changing, telling] = [listeners.filter(({ onlyTells }) => !onlyTells), listeners.filter(({ onlyTells }) => onlyTells)]
  for (let round = 0; ; round++) {
    const events = takePublished(tx)
    if (events.length === 0) return
    if (round === MOST_ROUNDS) throw new Error(`listeners publish in a circle: ${events.map(({ kind }) => kind).join(", ")}`)
    const delivery: Delivery = { tx, services, events, entries: new Map() }
    for (const listener of changing) await listener.hear(delivery)
    const positions = appendToLog(tx, events, services.now())
    await Promise.all([positions, ...telling.map((listener) => listener.hear({ ...delivery, positions }))])
    services.events.grown(tx)
  }
}
