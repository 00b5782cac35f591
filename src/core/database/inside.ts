/** The database as those see it whose work is part of a transaction that is held open. */
import { AsyncLocalStorage } from "node:async_hooks"
import { randomUUID } from "node:crypto"
import type { Transaction as KyselyTransaction } from "kysely"
import type { Database } from "./database.ts"
import { ActsOutside } from "./failures.ts"
import { handleOver, sessionOf } from "./session.ts"
import { keepEffect, runInside } from "./transaction.ts"

/** What is known of held transactions to the work that is done in them; nothing to what they leave behind that runs later. */
const holding = new AsyncLocalStorage<{ isOpen: boolean; outside: ActsOutside | undefined }>()

export const isHeld = (): boolean => holding.getStore()?.isOpen === true

/** The error of work that does what no rollback takes back. The whole fails by it, even where the work itself goes on without. */
export function actsOutside(what: string): ActsOutside {
  const state = holding.getStore()
  const error = new ActsOutside(what)
  if (state) state.outside ??= error
  return error
}

/** Runs the work of a held transaction. Inside, whoever has not been given the transaction's database may not write: they would wait for the transaction, or not be undone with it. */
export async function held<R>(work: () => Promise<R>): Promise<R> {
  const state: { isOpen: boolean; outside: ActsOutside | undefined } = { isOpen: true, outside: undefined }
  try {
    const value = await holding.run(state, work)
    if (state.outside) throw state.outside
    return value
  } catch (error) {
    throw state.outside ?? error
  } finally {
    state.isOpen = false
  }
}

/** The refusal of a write beside the held transaction. */
export const refuseBeside = (): Promise<never> => Promise.reject(actsOutside("something writes by itself"))

/** A database whose writes are part of `tx`, each in a savepoint, and which reads what they have written. */
export function inside<T>(database: Database<T>, tx: KyselyTransaction<T>): Database<T> {
  const write: Database<T>["write"] = (work) => runInside(tx, work)
  return {
    kind: database.kind,
    read: handleOver<T>(sessionOf(tx)),
    recent: () => undefined,
    snapshot: async () => {
      throw actsOutside("it reads the database as it was")
    },
    write,
    hold: (work) => runInside(tx, (within) => held(() => work(within))),
    afterCommit: keepEffect,
    beforeCommit: database.beforeCommit,
    // What is read here is nobody else's yet: nothing that is kept by the state of the database may be found by it.
    state: randomUUID,
    observe: database.observe,
    notify: (channel, payload, given) => database.notify(channel, payload, given ?? tx),
    listen: database.listen,
    close: () => database.close(),
  }
}
