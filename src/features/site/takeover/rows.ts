import { isUniqueViolation, type Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import type { Files } from "./files.ts"
import { type Kind, type Outcome, Sealed, type Taken, type Written } from "./mapping/kind.ts"
import type { Table } from "./mapping/table.ts"
import type { World } from "./mapping/world.ts"
import type { Source, Wanted } from "./source/reader.ts"
import { number, type SourceRow } from "./source/row.ts"
import { clearRows, findChunks, KEYS, keysOf, type Plain, parkRows, putChunk, putRows, type Row, removeChunk, removeRows } from "./store.ts"

/** What is taken of a kind, and told about it. */
export interface Counts {
  readonly found: number
  readonly taken: number
  readonly changed: number
  readonly removed: number
  readonly leftOut: number
}

export interface Remark {
  /** The row's key there. */
  readonly key: string
  readonly content: string
}

export interface KindResult extends Counts {
  readonly remarks: readonly Remark[]
}

export interface Taking {
  readonly services: Pick<Services, "database" | "secrets">
  readonly source: Source
  readonly world: World
  readonly files: Files
  readonly signal: AbortSignal
  /** Nothing is written. */
  readonly dryRun: boolean
  readonly progress: (counts: Counts) => void
}

/** Rows that are read at once. */
const PAGE = 4_000
/** Keys whose digests are one row: a page has at least one whole chunk, so that its end can be the end of one. */
const CHUNK = 1_024
/** What is told one by one; what is beyond is counted. */
const MOST_REMARKS = 10_000
/** Files that are brought at once. */
const FILES_AT_ONCE = 8

/** A row that is to be here, and how it is known again. */
interface Mapped {
  readonly key: number
  readonly taken: Taken
  readonly digest: string
  /** The key of ours, where the table has no id. */
  readonly ours: readonly Plain[] | undefined
}

/** Behind the digest of a row whose file was missing: it is looked for in every run. */
const LACKING = "?"

/** What was taken before: the key there, a digest, and the key of ours. */
type Entry = readonly [key: number, digest: string, ...ours: Plain[]]

/**
 * Takes the rows of a kind, in the order of their keys: those that are new or differ are written, those that are gone are removed, the rest is left as it is,
 * whatever has become of it here. A page is one transaction, with what is known of it afterwards, so that this may end anywhere and begin again.
 */
export async function takeKind(taking: Taking, kind: Kind): Promise<KindResult> {
  const { source, signal, progress } = taking
  const counts = { found: 0, taken: 0, changed: 0, removed: 0, leftOut: 0 }
  const remarks: Remark[] = []
  const remark = (key: number, content: string) => {
    if (remarks.length < MOST_REMARKS) remarks.push({ key: String(key), content })
  }
  const wanted = await wantedOf(source, kind)
  for (let chunk = 0, isLast = false; !isLast && !signal.aborted; ) {
    const page = wanted ? await source.page(wanted, chunk * CHUNK - 1, PAGE) : []
    isLast = page.length < PAGE
    const end = isLast ? Number.MAX_SAFE_INTEGER : Math.floor(number(page.at(-1) ?? {}, "source_key") / CHUNK)
    if (end <= chunk) throw new RangeError(`the rows of ${kind.from} have no key of their own`)
    const rows = isLast ? page : page.filter((row) => number(row, "source_key") < end * CHUNK)
    const mapped = await mapRows(taking, kind, rows, remark, counts)
    const before = await knownRows(taking, kind, chunk, isLast ? Number.MAX_SAFE_INTEGER : end - 1)
    const outcome = await writePage(taking, kind, mapped, before, remark)
    counts.taken += outcome.taken
    counts.changed += outcome.changed
    counts.removed += outcome.removed
    counts.leftOut += outcome.failed
    progress(counts)
    chunk = end
  }
  return { ...counts, remarks }
}

/** What is read for a kind; undefined where there is no such table there. Of tables beside it those that its version lacks are left out. */
async function wantedOf(source: Source, { from, key = "x.id", beside = [] }: Kind): Promise<Wanted | undefined> {
  if ((await source.columns(from)) === undefined) return undefined
  const there = []
  for (const each of beside) if ((await source.columns(each.table)) !== undefined) there.push(each)
  return {
    table: from,
    key,
    columns: there.length === 0 ? undefined : there.map(({ columns }) => columns).join(", "),
    join: there.map(({ join = "" }) => join).join(" "),
  }
}

async function mapRows(
  { world }: Taking,
  kind: Kind,
  rows: readonly SourceRow[],
  remark: (key: number, content: string) => void,
  counts: { found: number; leftOut: number },
): Promise<readonly Mapped[]> {
  const mapped: Mapped[] = []
  const hasId = KEYS[kind.into] === undefined
  for (const row of rows) {
    const key = number(row, "source_key")
    const given = kind.map(row, world)
    const outcome: Outcome = given instanceof Promise ? await given : given
    if (outcome === undefined) continue
    counts.found++
    if ("leftOut" in outcome) {
      counts.leftOut++
      remark(key, outcome.leftOut)
      continue
    }
    if (outcome.remark !== undefined) remark(key, outcome.remark)
    if (hasId) world.note(kind.into, key)
    const own = hasId ? undefined : ownKey(kind.into, outcome.rows)
    mapped.push({ key, taken: outcome, digest: world.digestOf(JSON.stringify(outcome.rows)), ours: own })
  }
  return mapped
}

function ownKey(table: Table, rows: readonly Written[]): readonly Plain[] {
  const row = rows.find((each) => each.table === table)
  return keysOf(table).map((column) => plainOf(row?.values[column] ?? null))
}

const plainOf = (value: Plain | Sealed): Plain => (value instanceof Sealed ? value.text : value)

async function knownRows({ services }: Taking, { name }: Kind, from: number, to: number): Promise<ReadonlyMap<number, Entry>> {
  const chunks = await findChunks(services.database.read, { kind: name, from, to })
  return new Map(
    chunks.flatMap(({ content }) => {
      const entries: readonly Entry[] = JSON.parse(content)
      return entries.map((entry) => [entry[0], entry] as const)
    }),
  )
}

interface PageOutcome {
  readonly taken: number
  readonly changed: number
  readonly removed: number
  /** Rows that the database has refused. */
  readonly failed: number
}

async function writePage(
  taking: Taking,
  kind: Kind,
  mapped: readonly Mapped[],
  before: ReadonlyMap<number, Entry>,
  remark: (key: number, content: string) => void,
): Promise<PageOutcome> {
  const { services, dryRun, files } = taking
  const knownDigest = (key: number) => before.get(key)?.[1].replace(LACKING, "")
  const lacked = (key: number) => before.get(key)?.[1].endsWith(LACKING) === true
  const changed = mapped.filter(({ key, digest }) => knownDigest(key) !== digest)
  const there = new Map(mapped.map((each) => [each.key, each]))
  const gone = [...before.values()].filter((entry) => isOtherKey(entry, there.get(entry[0])))
  const removed = gone.filter(([key]) => !there.has(key)).length
  const lacking = new Set<number>()
  await eachAtOnce(
    mapped
      .filter(({ key, digest }) => knownDigest(key) !== digest || lacked(key))
      .flatMap(({ key, taken }) => (taken.files ?? []).map((file) => ({ key, file }))),
    async ({ key, file }) => {
      const state = dryRun ? await files.look(file) : await files.bring(file)
      if (state !== "missing") return
      lacking.add(key)
      remark(key, `its file is missing: ${file.store}/${file.path}`)
    },
  )
  const entryOf = ({ key, digest, ours = [] }: Mapped): Entry => [key, lacking.has(key) ? `${digest}${LACKING}` : digest, ...ours]
  const isAsBefore = changed.length === 0 && gone.length === 0 && mapped.every(({ key }) => lacked(key) === lacking.has(key))
  if (dryRun || isAsBefore) return { taken: mapped.length, changed: changed.length, removed, failed: 0 }
  const save = (some: readonly Mapped[], entries: readonly Entry[]) =>
    services.database.write(async (tx) => {
      await removeGone(tx, taking, kind, gone)
      await writeRows(tx, taking, kind, some, before)
      await saveChunks(tx, kind, entries, before)
    })
  try {
    await save(changed, mapped.map(entryOf))
    return { taken: mapped.length, changed: changed.length, removed, failed: 0 }
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
  }
  const refused = await writeOneByOne(taking, kind, changed, gone, before, remark)
  const kept = mapped.filter(({ key }) => !refused.has(key))
  await services.database.write((tx) => saveChunks(tx, kind, kept.map(entryOf), before))
  return { taken: kept.length, changed: changed.length - refused.size, removed, failed: refused.size }
}

/** Whether a row was here that is no more, or that has another key of ours now. */
const isOtherKey = ([, , ...ours]: Entry, now: Mapped | undefined): boolean =>
  now === undefined || (now.ours !== undefined && now.ours.join("\0") !== ours.join("\0"))

/**
 * Rows of one page of which some have what only one may have here, such as a name. What two rows have exchanged is freed first; a row that still collides is
 * left out, and the one that came before stays.
 */
async function writeOneByOne(
  taking: Taking,
  kind: Kind,
  changed: readonly Mapped[],
  gone: readonly Entry[],
  before: ReadonlyMap<number, Entry>,
  remark: (key: number, content: string) => void,
): Promise<ReadonlySet<number>> {
  const { database } = taking.services
  await database.write(async (tx) => {
    await removeGone(tx, taking, kind, gone)
    await parkNames(
      tx,
      taking,
      kind,
      changed.filter(({ key }) => before.has(key)).map(({ key }) => key),
    )
  })
  const refused = new Set<number>()
  for (const row of changed)
    try {
      await database.write((tx) => writeRows(tx, taking, kind, [row], before))
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      refused.add(row.key)
      remark(row.key, "another row has its name, which only one may have here")
    }
  return refused
}

/** The column of a name that one row of its place may have. */
const NAMES: Readonly<Partial<Record<Table, string>>> = {
  users: "lower_name",
  repositories: "lower_name",
  teams: "lower_name",
  access_tokens: "name",
  public_keys: "title",
  deploy_keys: "title",
  releases: "tag_name",
  branch_protections: "rule_name",
  emails: "lower_email",
}

async function parkNames(tx: Transaction, { services }: Taking, { into }: Kind, keys: readonly number[]): Promise<void> {
  const column = NAMES[into]
  if (column === undefined || keys.length === 0) return
  await parkRows(tx, services.database.kind, into, column, keys)
}

async function removeGone(tx: Transaction, { services }: Taking, { into, anew = {} }: Kind, gone: readonly Entry[]): Promise<void> {
  const hasId = KEYS[into] === undefined
  for (const [table, column] of Object.entries(anew))
    if (isTable(table))
      await clearRows(
        tx,
        services.database.kind,
        table,
        column,
        gone.map(([key]) => key),
      )
  const keys = gone.map(([key, , ...ours]) => (hasId ? [key] : ours))
  await removeRows(tx, services.database.kind, into, keys)
}

async function writeRows(
  tx: Transaction,
  { services }: Taking,
  { anew = {} }: Kind,
  changed: readonly Mapped[],
  before: ReadonlyMap<number, Entry>,
): Promise<void> {
  const { kind } = services.database
  const again = changed.filter(({ key }) => before.has(key)).map(({ key }) => key)
  for (const [table, column] of Object.entries(anew)) if (isTable(table)) await clearRows(tx, kind, table, column, again)
  const groups = Map.groupBy(
    changed.flatMap(({ taken }) => taken.rows),
    ({ table, values }) => `${table} ${Object.keys(values).join()}`,
  )
  for (const group of groups.values()) {
    const [first] = group
    if (first)
      await putRows(
        tx,
        kind,
        first.table,
        unique(
          first.table,
          group.map(({ values }) => open(values)),
        ),
      )
  }

  function open(values: Written["values"]): Row {
    return Object.fromEntries(
      Object.entries(values).map(([column, value]) => [
        column,
        value instanceof Sealed ? services.secrets.seal(value.text, value.context) : value,
      ]),
    )
  }
}

const isTable = (name: string): name is Table => name !== ""

/** One row for each key: PostgreSQL writes none twice in a statement. The last one counts. */
function unique(table: Table, rows: readonly Row[]): readonly Row[] {
  if (KEYS[table] === null) return rows
  const keys = keysOf(table)
  return [...new Map(rows.map((row) => [keys.map((column) => row[column]).join("\0"), row])).values()]
}

async function saveChunks(tx: Transaction, { name }: Kind, entries: readonly Entry[], before: ReadonlyMap<number, Entry>): Promise<void> {
  const chunkOf = ([key]: Entry) => Math.floor(key / CHUNK)
  const now = Map.groupBy(entries, chunkOf)
  const then = Map.groupBy(before.values(), chunkOf)
  for (const [chunk, some] of now) {
    const content = JSON.stringify(some)
    if (JSON.stringify(then.get(chunk) ?? []) !== content) await putChunk(tx, { kind: name, chunk, content })
  }
  for (const chunk of then.keys()) if (!now.has(chunk)) await removeChunk(tx, { kind: name, chunk })
}

async function eachAtOnce<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += FILES_AT_ONCE) await Promise.all(items.slice(start, start + FILES_AT_ONCE).map(work))
}
