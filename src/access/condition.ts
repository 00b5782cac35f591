import { type RawBuilder, type SqlBool, sql } from "kysely"
import type { RepositoriesTable, UsersTable } from "../core/database/tables.ts"
import { Mode } from "./modes.ts"

/**
 * A small language for rules about rows. A rule is written once, as data (`rules.ts`), and read in two ways: `evaluate` decides it as far as
 * the rows at hand go, and `toSql` writes what is left into the `where` of a query.
 */

/** The rows that rules speak of, and the unit that is asked for: its name, or "" where any will do. */
interface Subjects {
  readonly repository: RepositoriesTable
  /** The account that owns the repository, or the account that the rule is about. */
  readonly owner: UsersTable
  readonly caller: UsersTable
  readonly asked: { readonly unit: string }
}

export type SubjectName = keyof Subjects
type NameOf<S extends SubjectName> = S extends SubjectName ? `${S}.${keyof Subjects[S] & string}` : never
/** A column of one of the subjects: "repository.is_private". */
export type ColumnName = NameOf<SubjectName>

interface Column {
  readonly of: SubjectName
  readonly name: string
}

type Value = string | number

/**
 * Rows that tie a caller to a repository or an account. They may give something: a mode in the whole repository, modes of single units, or
 * both.
 */
export interface Relation {
  /** What stands behind `from`. Columns below are written as they are called there. */
  readonly from: string
  /** The column that names the repository or the account. */
  readonly subject: { readonly of: "repository" | "owner"; readonly column: string }
  /** True: only organizations, and what belongs to them, have such rows. */
  readonly ofOrganizations?: true
  /** The column that names the caller; or the condition that a row is about the caller, where it takes more. */
  readonly caller: string | ((caller: RawBuilder<unknown>) => RawBuilder<SqlBool>)
  /** What a row gives in the whole repository: its own mode from `least` on, or another in its place. Without `least` every row gives it. */
  readonly whole?: { readonly column: string; readonly least?: number; readonly gives?: number }
  /** What a row gives in the one unit that it names. */
  readonly part?: { readonly unit: string; readonly mode: string }
}

export type Condition =
  | boolean
  | { readonly kind: "all" | "any"; readonly of: readonly Condition[] }
  | { readonly kind: "not"; readonly of: Condition }
  | { readonly kind: "is"; readonly column: Column; readonly value: Value; readonly negated: boolean; readonly bound: boolean }
  | { readonly kind: "same"; readonly left: Column; readonly right: Column }
  | { readonly kind: "cases"; readonly column: Column; readonly cases: ReadonlyMap<string, Condition> }
  | { readonly kind: "owner"; readonly of: Condition }
  /** With a unit, that one counts ("" for any at all); without, the one that is asked for. */
  | { readonly kind: "related"; readonly by: Relation; readonly unit?: string }

// --- writing rules ---------------------------------------------------------------------------------------------------------------

function columnOf(name: ColumnName): Column {
  const dot = name.indexOf(".")
  const of = SUBJECT_NAMES.find((subject) => subject === name.slice(0, dot))
  if (!of) throw new TypeError(`no such subject: ${name}`)
  return { of, name: name.slice(dot + 1) }
}
const SUBJECT_NAMES: readonly SubjectName[] = ["repository", "owner", "caller", "asked"]

export const all = (...of: readonly Condition[]): Condition => ({ kind: "all", of })
export const any = (...of: readonly Condition[]): Condition => ({ kind: "any", of })
export const not = (of: Condition): Condition => ({ kind: "not", of })

/** The column has this value. It is part of the rule, and of the text of the query. */
export const is = (name: ColumnName, value: Value): Condition => ({
  kind: "is",
  column: columnOf(name),
  value,
  negated: false,
  bound: false,
})
export const isNot = (name: ColumnName, value: Value): Condition => ({
  kind: "is",
  column: columnOf(name),
  value,
  negated: true,
  bound: false,
})

/** The column has this value, which differs from call to call, and is bound to the query. */
export const equals = (name: ColumnName, value: Value): Condition => ({
  kind: "is",
  column: columnOf(name),
  value,
  negated: false,
  bound: true,
})

export const same = (left: ColumnName, right: ColumnName): Condition => ({ kind: "same", left: columnOf(left), right: columnOf(right) })

/** The condition of the column's value. One that is not listed meets none. */
export const cases = (name: ColumnName, of: Readonly<Record<string, Condition>>): Condition => ({
  kind: "cases",
  column: columnOf(name),
  cases: new Map(Object.entries(of)),
})

/** What the owner of the repository must meet. */
export const ofOwner = (of: Condition): Condition => ({ kind: "owner", of })

/** There is such a row, and it gives something in the unit that is asked for, where such rows give anything at all. */
export const related = (by: Relation): Condition => ({ kind: "related", by })

/** Like `related`, in any unit. */
export const relatedInAnyUnit = (by: Relation): Condition => ({ kind: "related", by, unit: "" })

// --- over rows -------------------------------------------------------------------------------------------------------------------

/** What is known already; what is left out is not. */
export interface Known {
  readonly repository?: object | undefined
  readonly owner?: object | undefined
  readonly caller?: object | undefined
  readonly asked?: { readonly unit: string }
  readonly related?: (relation: Relation) => boolean | undefined
}

function columnValue(known: Known, { of, name }: Column): unknown {
  const row = known[of]
  return row === undefined ? undefined : Reflect.get(row, name)
}

/** True or false where what is known decides the condition, and otherwise what is left of it. */
export function evaluate(condition: Condition, known: Known): Condition {
  if (typeof condition === "boolean") return condition
  switch (condition.kind) {
    case "all":
      return evaluateEach(condition.of, known, "all", false)
    case "any":
      return evaluateEach(condition.of, known, "any", true)
    case "not": {
      const of = evaluate(condition.of, known)
      return typeof of === "boolean" ? !of : not(of)
    }
    case "is": {
      const value = columnValue(known, condition.column)
      return value === undefined ? condition : (value === condition.value) !== condition.negated
    }
    case "same":
      return evaluateSame(condition.left, condition.right, known) ?? condition
    case "cases": {
      const value = columnValue(known, condition.column)
      if (value !== undefined) return evaluate(condition.cases.get(String(value)) ?? false, known)
      return { ...condition, cases: new Map([...condition.cases].map(([key, of]) => [key, evaluate(of, known)])) }
    }
    case "owner": {
      const of = evaluate(condition.of, known)
      return typeof of === "boolean" ? of : ofOwner(of)
    }
    case "related":
      return known.related?.(condition.by) ?? (known.asked ? { unit: known.asked.unit, ...condition } : condition)
  }
}

/** The first that is `decisive` decides; those that decide nothing are left out, and groups of the same kind become one. */
function evaluateEach(conditions: readonly Condition[], known: Known, kind: "all" | "any", decisive: boolean): Condition {
  let open: Condition[] | undefined
  for (const condition of conditions) {
    const found = evaluate(condition, known)
    if (found === decisive) return decisive
    if (typeof found === "boolean") continue
    open ??= []
    if (found.kind === kind) open.push(...found.of)
    else open.push(found)
  }
  if (open === undefined) return !decisive
  const [only] = open
  return open.length === 1 && only !== undefined ? only : { kind, of: open }
}

function evaluateSame(left: Column, right: Column, known: Known): Condition | undefined {
  const [one, other] = [columnValue(known, left), columnValue(known, right)]
  if (one !== undefined && other !== undefined) return one === other
  if (typeof one === "number" || typeof one === "string") return { kind: "is", column: right, value: one, negated: false, bound: true }
  if (typeof other === "number" || typeof other === "string") return { kind: "is", column: left, value: other, negated: false, bound: true }
  return undefined
}

/** Whether rows that say all there is to know meet the condition. */
export const meets = (condition: Condition, known: Known): boolean => evaluate(condition, known) === true

/** What is known of a repository and its owner once they meet the condition: the columns that must have one certain value. */
export function impliedBy(condition: Condition): Pick<Known, "repository" | "owner"> {
  const repository: Record<string, Value> = {}
  const owner: Record<string, Value> = {}
  const collect = (part: Condition): void => {
    if (typeof part === "boolean") return
    if (part.kind === "all") for (const each of part.of) collect(each)
    if (part.kind === "owner") collect(part.of)
    if (part.kind !== "is" || part.negated) return
    if (part.column.of === "repository") repository[part.column.name] = part.value
    if (part.column.of === "owner") owner[part.column.name] = part.value
  }
  collect(condition)
  return { repository, owner }
}

// --- in SQL ----------------------------------------------------------------------------------------------------------------------

type Sql = RawBuilder<unknown>

/** Where the query has what the condition speaks of. */
export interface Places {
  /** The name of the owner's row, where the query has it; without, the owner is looked up from the row `repositories`. */
  readonly owner?: string
  /** The name of the caller's row, where the query has it; without, the caller must be known to `evaluate`. */
  readonly caller?: string
  /** The caller's id, where there is no such row. */
  readonly callerId?: Sql
  /** The unit that is asked for, where it is not known to `evaluate`. */
  readonly unit?: Sql
}

/** The condition as SQL over the row `repositories` and the places. Throws where it speaks of something that has none. */
export function toSql(condition: Condition, places: Places): RawBuilder<SqlBool> {
  if (typeof condition === "boolean") return condition ? sql<SqlBool>`1 = 1` : sql<SqlBool>`1 = 0`
  switch (condition.kind) {
    case "all":
      return join(condition.of, places, sql` and `)
    case "any":
      return join(condition.of, places, sql` or `)
    case "not":
      return sql<SqlBool>`not ${toSql(condition.of, places)}`
    case "is":
      return sql<SqlBool>`${columnSql(condition.column, places)} ${sql.raw(condition.negated ? "<>" : "=")} ${condition.bound ? condition.value : sql.lit(condition.value)}`
    case "same":
      return sql<SqlBool>`${columnSql(condition.left, places)} = ${columnSql(condition.right, places)}`
    case "cases": {
      const whens = [...condition.cases].map(([value, of]) => sql`when ${sql.lit(value)} then ${toSql(of, places)}`)
      return sql<SqlBool>`case ${columnSql(condition.column, places)} ${sql.join(whens, sql` `)} else 1 = 0 end`
    }
    case "owner":
      if (places.owner !== undefined) return toSql(condition.of, places)
      return sql<SqlBool>`exists (select 1 from users as owner where owner.id = repositories.owner_id and ${toSql(condition.of, { ...places, owner: "owner" })})`
    case "related":
      return relatedSql(condition.by, condition.unit, places)
  }
}

const join = (conditions: readonly Condition[], places: Places, by: Sql): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    conditions.map((condition) => toSql(condition, places)),
    by,
  )})`

function columnSql({ of, name }: Column, { owner, caller, unit }: Places): Sql {
  const row = { repository: "repositories", owner, caller, asked: undefined }[of]
  if (row !== undefined) return sql.ref(`${row}.${name}`)
  if (of === "asked" && unit) return unit
  throw new TypeError(`the query has no ${of}.${name}`)
}

function relatedSql(relation: Relation, unit: string | undefined, places: Places): RawBuilder<SqlBool> {
  const { from, subject } = relation
  const conditions = [
    sql`${sql.ref(subject.column)} = ${columnSql({ of: subject.of, name: "id" }, places)}`,
    isCaller(relation, places.callerId ?? columnSql(CALLER_ID, places)),
    ...givesAnything(relation, unit, places),
  ]
  return sql<SqlBool>`exists (select 1 from ${sql.raw(from)} where ${sql.join(conditions, sql` and `)})`
}

const CALLER_ID = columnOf("caller.id")
const ASKED_UNIT = columnOf("asked.unit")

/** The condition that a row of the relation is about the caller of that id. */
export const isCaller = ({ caller }: Relation, id: Sql): RawBuilder<SqlBool> =>
  typeof caller === "string" ? sql<SqlBool>`${sql.ref(caller)} = ${id}` : caller(id)

/** The condition that a row gives anything in the unit; none where every row does. */
function givesAnything({ whole, part }: Relation, unit: string | undefined, places: Places): readonly Sql[] {
  if (whole?.least === undefined) return []
  const inWhole = sql`${sql.ref(whole.column)} >= ${sql.lit(whole.least)}`
  if (!part) return [inWhole]
  return [sql`(${inWhole} or (${sql.ref(part.mode)} > ${sql.lit(Mode.none)}${isUnit(sql.ref(part.unit), unit, places)}))`]
}

function isUnit(column: Sql, unit: string | undefined, places: Places): Sql {
  if (unit === "") return sql``
  if (unit !== undefined) return sql` and ${column} = ${sql.lit(unit)}`
  const asked = columnSql(ASKED_UNIT, places)
  return sql` and (${asked} = '' or ${column} = ${asked})`
}
