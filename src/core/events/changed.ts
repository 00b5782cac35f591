import { differencesFrom } from "../database/changes.ts"

/** Columns that follow from others; a change of them alone is none. */
const DERIVED: ReadonlySet<string> = new Set(["credentials_version", "lower_name", "updated_at"])

/** The names of the columns in which two versions of a row differ, for the events that say what was edited. */
export function changedColumns<Row extends object>(before: Row, after: Row): readonly string[] {
  return Object.keys(differencesFrom(before, after)).filter((name) => !DERIVED.has(name))
}
