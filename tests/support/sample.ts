/**
 * On which databases a part of a sweep is run. Sweeps ask for hundreds of operations, scenarios or pages, and hold each of them against the same
 * rule: what one dialect of SQL gets wrong shows in the tests of its feature, which are on both. So sweeps run on SQLite, and on PostgreSQL only
 * the parts that HEARTH_TEST_SAMPLE asks for: every fourth from 0, 1, 2 or 3 on, or `all`. `.ci/run` takes another quarter each day.
 */
import { databaseKinds, type FreshKind } from "./database.ts"

const QUARTERS = 4
const sample = process.env["HEARTH_TEST_SAMPLE"] ?? ""
if (!/^([0-3]|all)?$/.test(sample)) throw new TypeError(`HEARTH_TEST_SAMPLE must be 0, 1, 2, 3 or all, and is ${sample}`)

/** The databases of the part with this place among all of its sweep. */
export const sweptDatabases = (index: number): readonly FreshKind[] =>
  sample === "all" || sample === String(index % QUARTERS) ? databaseKinds : ["sqlite"]

/** The databases on which a sweep has any part, each with those of the parts that it is to be run on. */
export function sweep<Part>(parts: readonly Part[]): readonly { readonly kind: FreshKind; readonly parts: readonly Part[] }[] {
  return databaseKinds
    .map((kind) => ({ kind, parts: parts.filter((_, index) => sweptDatabases(index).includes(kind)) }))
    .filter((swept) => swept.parts.length > 0)
}
