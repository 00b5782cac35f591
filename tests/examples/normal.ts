/** Makes a call and its answer the same in every run: names, ids, hashes, moments and secrets are replaced by the first, second, third … of their kind. */
import type { World } from "../support/world.ts"

/** Ids of rows are at least this large in a world that `withLargeIds` has prepared, and nothing else is. */
const LEAST_ID = 1_000_000

/** Has the tables count their rows from a large number on, so that an id is told from a number of an issue. SQLite only. */
export async function withLargeIds(world: World): Promise<void> {
  const { database } = world.hearth.services
  const { sql } = await import("kysely")
  await database.write(async (tx) => {
    await sql`delete from sqlite_sequence`.execute(tx)
    await sql`insert into sqlite_sequence (name, seq) select name, ${LEAST_ID} + 1000 * rowid from sqlite_master where type = 'table' and sql like '%autoincrement%'`.execute(
      tx,
    )
  })
}

const NAMES: Readonly<Record<string, readonly string[]>> = {
  person: ["ada", "grace", "edsger", "barbara", "donald"],
  org: ["acme", "globex"],
  repo: ["rocket", "engine", "kettle"],
  team: ["pilots", "crew"],
}
/** What `world.unique` and the examples begin names with. */
const STEMS = [
  "application",
  "badge",
  "board",
  "card",
  "column",
  "edited",
  "fork",
  "found",
  "key",
  "label",
  "lantern",
  "made",
  "milestone",
  "more",
  "name",
  "new",
  "renamed",
  ...Object.keys(NAMES),
]

/** Members whose values are secrets, or parts of them. */
const SECRETS = new Set(["authorization_header", "client_secret", "secret", "sha1", "token", "token_last_eight"])

const PATTERN = new RegExp(
  [
    "(?<moment>\\b20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:Z|[+-]\\d\\d:\\d\\d))",
    "(?<uuid>\\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\b)",
    "(?<hash>\\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})\\b)",
    `(?<name>\\b(?:${STEMS.join("|")})-\\d+\\b)`,
    "(?<upper>\\b[A-Z]+_\\d+\\b)",
    "(?<id>\\b[1-9]\\d{6,9}\\b)",
  ].join("|"),
  "g",
)

/** `kept` are moments that stay as they are, as those that the call itself names. */
export function normalizer(url: string, kept: string): (value: unknown) => unknown {
  const places = new Map<string, Map<string, number>>()
  const placeOf = (kind: string, value: string): number => {
    const known = places.get(kind) ?? new Map<string, number>()
    places.set(kind, known)
    const place = known.get(value) ?? known.size + 1
    known.set(value, place)
    return place
  }
  const replaced = (found: string, groups: Readonly<Record<string, string | undefined>>): string => {
    if (groups["moment"]) return kept.includes(found) ? found : "2030-01-31T12:00:00Z"
    if (groups["uuid"]) return `00000000-0000-4000-8000-${String(placeOf("uuid", found)).padStart(12, "0")}`
    if (groups["hash"])
      return String(placeOf("hash", found))
        .padStart(2, "0")
        .repeat(found.length / 2)
    if (groups["upper"]) return found.replace(/\d+$/, (number) => String(placeOf("upper", number)))
    if (groups["id"]) return Number(found) < LEAST_ID ? found : String(placeOf("id", found))
    const stem = found.slice(0, found.lastIndexOf("-"))
    const place = placeOf(stem, found)
    return NAMES[stem]?.[place - 1] ?? `${stem}-${place}`
  }
  const text = (value: string): string =>
    value.replaceAll(url, "http://localhost:3000").replace(PATTERN, (found, ...rest) => {
      const groups: unknown = rest.at(-1)
      return typeof groups === "object" && groups !== null ? replaced(found, { ...groups }) : found
    })
  const normal = (value: unknown, name = ""): unknown => {
    if (typeof value === "string") return SECRETS.has(name) && value !== "" ? "…" : text(value)
    if (typeof value === "number") return value >= LEAST_ID ? placeOf("id", String(value)) : value
    if (Array.isArray(value)) return value.map((entry) => normal(entry, name))
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [text(key), normal(member, key)]))
  }
  return (value) => normal(value)
}
