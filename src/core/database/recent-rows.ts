import type { Outcome } from "./session.ts"

type Row = Readonly<Record<string, unknown>>
type Parameters = readonly unknown[]
type Read = (parameters: Parameters) => Outcome<Row>

const MOST = 2_000

/**
 * What queries gave in the present state of the database. Who calls, and the people and repositories of lists, are read at every request, mostly the same ones: a query gives what it
 * gave until something is committed, by whomever.
 */
export function createRecentRows() {
  const outcomes = new Map<string, Outcome<Row>>()
  const rows = new Map<string, Row>()
  let current: number | undefined

  function enter(state: number): void {
    if (state === current && outcomes.size + rows.size < MOST) return
    outcomes.clear()
    rows.clear()
    current = state
  }

  return {
    of(state: number, name: string, parameters: Parameters, read: Read): Outcome<Row> {
      enter(state)
      const key = `${name} ${parameters.join("\0")}`
      const known = outcomes.get(key)
      if (known !== undefined) return known
      const outcome = read(parameters)
      outcomes.set(key, outcome)
      return outcome
    },

    /** Reads those that are not known by their ids, which are the one parameter as JSON. */
    byIds(state: number, name: string, [list]: Parameters, read: Read): Outcome<Row> {
      enter(state)
      const given: readonly unknown[] = JSON.parse(String(list))
      const ids = [...new Set(given)]
      const missing = ids.filter((id) => !rows.has(`${name} ${id}`))
      if (missing.length > 0) for (const row of read([JSON.stringify(missing)]).rows) rows.set(`${name} ${row["id"]}`, row)
      const found = ids.map((id) => rows.get(`${name} ${id}`)).filter((row) => row !== undefined)
      return { rows: found, changes: found.length }
    },
  }
}
