/**
 * Prepared queries. Building and compiling a query with Kysely costs more than running it, so a query that is run often is compiled once for
 * each database, with placeholders for its parameters, and only its values are put in afterwards.
 */
import type { CompiledQuery, DeleteResult, Expression, InsertResult, Kysely, MergeResult, UpdateResult } from "kysely"
import type { DatabaseKind, Handle } from "./database.ts"
import { bound, encode, encodeList, List, Placeholder } from "./dialect.ts"
import { compilingHandle, type Outcome, sessionOf } from "./session.ts"
import type { Tables } from "./tables/index.ts"

/** A list among the parameters. It stands to the right of `in` or `not in`. */
export interface ListParameter<E> extends Expression<E> {
  readonly isList: true
}

/** The parameters as the query's builder receives them: expressions in place of values. */
export type Params<P> = { readonly [K in keyof P]: P[K] extends readonly (infer E)[] ? ListParameter<E> : Expression<P[K]> }

/** A statement that returns no rows has the row type `never`, whatever the builder's result type is. */
type RowOf<Output> = Output extends InsertResult | UpdateResult | DeleteResult | MergeResult ? never : Output

type Given<P> = keyof P extends never ? [] : [parameters: P]

export interface PreparedQuery<P, Row, T = Tables> {
  /** Runs the query and gives all its rows. */
  (db: Handle<T>, ...given: Given<P>): Promise<Row[]>
  /** The first row, or undefined if there is none. The SQL isn't limited: use it where at most one row can be. */
  first(db: Handle<T>, ...given: Given<P>): Promise<Row | undefined>
  /** Runs the query and gives the number of rows that it inserted, updated or deleted. */
  changes(db: Handle<T>, ...given: Given<P>): Promise<number>
  readonly queryName: string
}

/** The source of one bound value: a constant of the query, or one of its parameters. */
type Slot = { readonly constant: unknown } | { readonly key: string; readonly list: boolean }

interface Plan {
  readonly sql: string
  readonly slots: readonly Slot[]
}

interface Registered {
  readonly plan: (kind: DatabaseKind) => Plan
}

const registry = new Map<string, Registered>()

// PostgreSQL cuts the names of prepared statements at 63 bytes.
const longestName = 63

/**
 * Declares a prepared query. `build` is called once for each database, at its first use, so the shape of the query can't depend on the
 * parameters' values; a query with a variable shape is built with Kysely where it is used.
 * Throws if the name is taken, or longer than 63 characters.
 */
export function query<P, Output, T = Tables>(
  name: string,
  build: (db: Kysely<T>, parameters: Params<P>) => { compile(): CompiledQuery<Output> },
): PreparedQuery<P, RowOf<Output>, T> {
  type Row = RowOf<Output>
  if (registry.has(name)) throw new Error(`There are two prepared queries named ${name}.`)
  if (name.length > longestName) throw new Error(`The name ${name} is longer than ${longestName} characters.`)

  const plans: { [kind in DatabaseKind]?: Plan } = {}
  const plan = (kind: DatabaseKind): Plan => {
    const known = plans[kind]
    if (known !== undefined) return known
    const compiled = build(compilingHandle<T>(kind), placeholders<P>()).compile()
    const made = { sql: compiled.sql, slots: compiled.parameters.map((value) => slotOf(kind, value)) }
    plans[kind] = made
    return made
  }
  registry.set(name, { plan })

  const execute = (db: Handle<T>, given: Given<P>): Promise<Outcome<Row>> => {
    const session = sessionOf(db)
    const { sql, slots } = plan(session.kind)
    return session.execute<Row>(sql, bind(name, session.kind, slots, Object(given[0])), name)
  }

  const prepared = async (db: Handle<T>, ...given: Given<P>) => (await execute(db, given)).rows
  return Object.assign(prepared, {
    first: async (db: Handle<T>, ...given: Given<P>) => (await execute(db, given)).rows[0],
    changes: async (db: Handle<T>, ...given: Given<P>) => (await execute(db, given)).changes,
    queryName: name,
  })
}

const quick = new Set<string>()

/** Declares that a query reads one row at most, by a unique index: on PostgreSQL those that are asked at the same time share a connection and its round trip. */
export function quickQuery<Query extends { readonly queryName: string }>(declared: Query): Query {
  quick.add(declared.queryName)
  return declared
}

const byIds = new Set<string>()

/** Declares that a query reads whole rows by their ids, which are its one parameter: people and repositories stand in one list after another. */
export function idQuery<Query extends { readonly queryName: string }>(declared: Query): Query {
  byIds.add(declared.queryName)
  return declared
}

/** Whether the query of this name was declared so. */
export const isByIds = (name: string | undefined): boolean => name !== undefined && byIds.has(name)

/** Whether the query of this name was declared so. */
export const isQuick = (name: string | undefined): boolean => name !== undefined && quick.has(name)

/** Every prepared query with its text on both databases, by name: the material of the golden SQL. */
export function registeredQueries(): readonly { readonly name: string; readonly sqlite: string; readonly postgres: string }[] {
  return [...registry]
    .map(([name, { plan }]) => ({ name, sqlite: plan("sqlite").sql, postgres: plan("postgres").sql }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The parameters for the builder: any name can be read, and its type says whether it is a value or a list. */
function placeholders<P>(): Params<P> {
  const made = new Map<string, unknown>()
  const view: unknown = new Proxy(
    {},
    {
      get(_, key) {
        const name = String(key)
        const parameter = made.get(name) ?? bound(new Placeholder(name))
        made.set(name, parameter)
        return parameter
      },
    },
  )
  // The one cast: only the compiler knows which parameters there are, so none can be made here by name.
  return view as Params<P>
}

function slotOf(kind: DatabaseKind, value: unknown): Slot {
  if (value instanceof Placeholder) return { key: value.key, list: false }
  if (value instanceof List && value.values instanceof Placeholder) return { key: value.values.key, list: true }
  return { constant: encode(kind, value) }
}

/** Binds the values. Throws when one is missing, which a driver would take for null or report in an unclear way. */
function bind(name: string, kind: DatabaseKind, slots: readonly Slot[], given: object): unknown[] {
  const values = new Array<unknown>(slots.length)
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i]
    if (slot === undefined) continue
    if ("constant" in slot) {
      values[i] = slot.constant
      continue
    }
    const value: unknown = Reflect.get(given, slot.key)
    if (value === undefined) throw new TypeError(`The query ${name} was not given its parameter "${slot.key}".`)
    values[i] = slot.list ? encodeList(kind, value) : value
  }
  return values
}
