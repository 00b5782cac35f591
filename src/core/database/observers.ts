import type { ObservedStatement } from "./database.ts"

/** Observers of every statement: tests that count queries, and the log at its finest level. */
export function createObservers() {
  const listeners = new Set<(statement: ObservedStatement) => void>()
  return {
    add(listener: (statement: ObservedStatement) => void): () => void {
      // Wrapped, so that the same function may be added twice and removed separately.
      const own = (statement: ObservedStatement) => listener(statement)
      listeners.add(own)
      return () => {
        listeners.delete(own)
      }
    },
    tell(sql: string, parameters: readonly unknown[], name: string | undefined, inTransaction: boolean): void {
      if (listeners.size === 0) return
      for (const listener of listeners) listener({ sql, parameters, name, inTransaction })
    },
  }
}
