/** What a transaction has published and not delivered yet. */
import type { Transaction } from "../database/database.ts"
import type { DomainEvent } from "./catalogue.ts"

const pending = new WeakMap<Transaction, DomainEvent[]>()

/** Says that something happened. The listeners hear of it in this transaction, before it commits; nobody does when it is rolled back. */
export function publish(tx: Transaction, ...events: readonly DomainEvent[]): void {
  const known = pending.get(tx)
  if (known) known.push(...events)
  else pending.set(tx, [...events])
}

/** Takes what was published since this was called last, oldest first. */
export function takePublished(tx: Transaction): readonly DomainEvent[] {
  const events = pending.get(tx) ?? []
  pending.delete(tx)
  return events
}
