import type { ObservedStatement } from "./database.ts"

/** Those who want to see every statement: tests that count queries, and the log at its finest. */
export function createObservers() {
  const listeners = new Set<(statement: ObservedStatement) => void>()
  return {
    add(listener: (statement: ObservedStatement) => void): () => void {
      // Wrapped, so that the same function may be added twice and each is stopped alone.
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
