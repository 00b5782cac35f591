import type { Outcome } from "./session.ts"

type Rows = Outcome<Readonly<Record<string, unknown>>>

const MOST = 2_000

/**
 * The results of queries in the present state of the database. Who calls, and the repository that they ask for, are read at every request, mostly the same ones: what a query gave
 * is what it gives until something is committed, by whomever.
 */
export function createRecentRows() {
  const rows = new Map<string, Rows>()
  let of: number | undefined
  return {
    get(state: number, key: string, read: () => Rows): Rows {
      if (state !== of || rows.size >= MOST) {
        rows.clear()
        of = state
      }
      const known = rows.get(key)
      if (known !== undefined) return known
      const found = read()
      rows.set(key, found)
      return found
    },
  }
}
