/** What a transaction has published and not delivered yet. */
import type { Transaction } from "../database/database.ts"
import type { DomainEvent } from "./event.ts"

const pending = new WeakMap<Transaction, DomainEvent[]>()

/** Publishes domain events. The listeners receive them in this transaction, before it commits; after a rollback they are lost. */
export function publish(tx: Transaction, ...events: readonly DomainEvent[]): void {
  const known = pending.get(tx)
  if (known) known.push(...events)
  else pending.set(tx, [...events])
}

/** Removes and returns the events published since the last call, oldest first. */
export function takePublished(tx: Transaction): readonly DomainEvent[] {
  const events = pending.get(tx) ?? []
  pending.delete(tx)
  return events
}
