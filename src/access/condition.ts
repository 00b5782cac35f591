import { type RawBuilder, type SqlBool, sql } from "kysely"
import type { PackagesTable } from "../core/database/tables/packages.ts"
import type { TeamsTable, UsersTable } from "../core/database/tables/people.ts"
import type { ProjectsTable } from "../core/database/tables/projects.ts"
import type { RepositoriesTable } from "../core/database/tables/repositories.ts"
import { Mode, type Unit } from "./modes.ts"

/**
 * A small language for rules about rows. A rule is written once, as data (`rules.ts`), and read in two ways: `evaluate` decides it as far as
 * the given rows allow, and `toSql` writes the rest into the `where` of a query.
 */

/** The subjects of rules: rows, the requested unit (its name, or "" for any), and the caller's credential. */
interface Subjects {
  readonly repository: RepositoriesTable
  /** The account that owns the repository, or the account that the rule is about. */
  readonly owner: UsersTable
  readonly team: TeamsTable
  readonly project: ProjectsTable
  readonly package: PackagesTable
  readonly caller: UsersTable
  readonly asked: { readonly unit: string }
  /** The deploy key, or the token, that the caller authenticated with. */
  readonly key: {
    readonly repository_id: number
    readonly owner_id: number
    /** A token that is limited, and what it is limited to. */
    readonly token_id: number
    readonly repository_ids: readonly number[]
    readonly owner_ids: readonly number[]
  }
}

export type SubjectName = keyof Subjects
type NameOf<S extends SubjectName> = S extends SubjectName ? `${S}.${keyof Subjects[S] & string}` : never
/** A column of one of the subjects: "repository.is_private". */
export type ColumnName = NameOf<SubjectName>

/** The columns that rules compare with values. Each has words in `words.ts`, for those who ask why. */
export type Judged =
  | `repository.${"is_private" | "openness" | "owner_id" | "shares_workflows" | "projects_mode" | "external_tracker_url" | "external_wiki_url"}`
  | `repository.has_${"code" | "issues" | "pull_requests" | "releases" | "wiki" | "projects" | "packages" | "actions"}`
  | `owner.${"visibility" | "kind" | "requires_second_factor"}`
  | `caller.${"is_admin" | "is_restricted" | "lacks_required_factor"}`
  | "team.visibility"
  | "project.repository_id"
  | `package.${"is_restricted" | "repository_id"}`
  | "asked.unit"

/** The columns that rules compare with each other, or with lists. */
export type Compared =
  | "repository.owner_id = caller.id"
  | "owner.id = caller.id"
  | "repository.id = key.repository_id"
  | "repository.owner_id = key.owner_id"
  | "team.organization_id = repository.owner_id"
  | "repository.id in key.repository_ids"
  | "repository.owner_id in key.owner_ids"
  | "owner.id in key.owner_ids"

/** The relations that rules ask for. */
export type RelationName =
  | "membership"
  | "collaboration"
  | "team"
  | "teamOfOwner"
  | "offer"
  | "ownership"
  | "inTeam"
  | "hasRepository"
  | "followsCaller"
  | "sharesTeam"

interface Column {
  readonly of: SubjectName
  readonly name: string
}

type Value = string | number | null

/**
 * Rows that relate a caller to a repository, an account or a team. They may grant a mode in the whole repository, modes of single units, or
 * both.
 */
export interface Relation {
  readonly name: RelationName
  /** The text after `from`. Columns below have the names that they have there. */
  readonly from: string
  /** The column that names the repository, the account or the team. */
  readonly subject: { readonly of: "repository" | "owner" | "team"; readonly column: string }
  /** True: only organizations, and what belongs to them, have such rows. */
  readonly ofOrganizations?: true
  /** The column that names the caller; or, if that is not enough, the condition that a row is about the caller. */
  readonly caller: string | ((id: string) => string)
  /** What a row grants in the whole repository: its own mode if at least `least`, or another instead. Without `least` every row grants it. */
  readonly whole?: { readonly column: string; readonly least?: number; readonly gives?: number }
  /** What a row grants in the one unit that it names. */
  readonly part?: { readonly unit: string; readonly mode: string }
}

export type Condition =
  | boolean
  | { readonly kind: "all" | "any"; readonly of: readonly Condition[] }
  | { readonly kind: "not"; readonly of: Condition }
  | { readonly kind: "is"; readonly judged: Judged; readonly column: Column; readonly value: Value; readonly negated: boolean }
  | { readonly kind: "same"; readonly compared: Compared; readonly left: Column; readonly right: Column }
  | { readonly kind: "among"; readonly compared: Compared; readonly column: Column; readonly values: Column; readonly from: string }
  | { readonly kind: "cases"; readonly column: Column; readonly cases: ReadonlyMap<string, Condition> }
  | { readonly kind: "linked"; readonly to: "owner" | "repository"; readonly by: Column; readonly of: Condition }
  /** With a unit, that one counts ("" for any); without, the requested one. */
  | { readonly kind: "related"; readonly by: Relation; readonly unit?: string }

// --- writing rules ---------------------------------------------------------------------------------------------------------------

function columnOf(name: string): Column {
  const dot = name.indexOf(".")
  const of = SUBJECT_NAMES.find((subject) => subject === name.slice(0, dot))
  if (!of) throw new TypeError(`no such subject: ${name}`)
  return { of, name: name.slice(dot + 1) }
}
const SUBJECT_NAMES: readonly SubjectName[] = ["repository", "owner", "team", "project", "package", "caller", "asked", "key"]

export const all = (...of: readonly Condition[]): Condition => ({ kind: "all", of })
export const any = (...of: readonly Condition[]): Condition => ({ kind: "any", of })
export const not = (of: Condition): Condition => ({ kind: "not", of })

const compare = (judged: Judged, value: Value, negated: boolean): Condition => ({
  kind: "is",
  judged,
  column: columnOf(judged),
  value,
  negated,
})
export const is = (name: Judged, value: Value): Condition => compare(name, value, false)
export const isNot = (name: Judged, value: Value): Condition => compare(name, value, true)

/** The two columns have the same value. */
export function same(compared: Extract<Compared, `${string} = ${string}`>): Condition {
  const [left = "", right = ""] = compared.split(" = ")
  return { kind: "same", compared, left: columnOf(left), right: columnOf(right) }
}

/** The value is one of a list, which a query reads by the text `from`. */
export function among(compared: Extract<Compared, `${string} in ${string}`>, from: string): Condition {
  const [column = "", values = ""] = compared.split(" in ")
  return { kind: "among", compared, column: columnOf(column), values: columnOf(values), from }
}

/** The condition of the column's value. A value that is not listed meets none. */
export const cases = (name: ColumnName, of: Readonly<Record<string, Condition>>): Condition => ({
  kind: "cases",
  column: columnOf(name),
  cases: new Map(Object.entries(of)),
})

const linked = (to: "owner" | "repository", by: ColumnName, of: Condition): Condition => ({ kind: "linked", to, by: columnOf(by), of })

/** What the owner of the repository must meet; or the organization of the team, or the account of the project. */
export const ofOwner = (of: Condition, by: "repository.owner_id" | "team.organization_id" | "project.owner_id" = "repository.owner_id") =>
  linked("owner", by, of)

/** What the repository of the project or the package must meet; to be asked of those that have one. */
export const ofRepository = (by: "project.repository_id" | "package.repository_id", of: Condition) => linked("repository", by, of)

/** There is such a row, and if such rows grant anything, it grants something in the requested unit. */
export const related = (by: Relation): Condition => ({ kind: "related", by })

/** Like `related`, in this unit whatever is requested; in any unit with "". */
export const relatedIn = (by: Relation, unit: Unit | ""): Condition => ({ kind: "related", by, unit })

// --- over rows -------------------------------------------------------------------------------------------------------------------

type Row = Readonly<Record<string, unknown>>

/** What is known already; missing members are unknown. */
export interface Known {
  readonly repository?: Row | undefined
  readonly owner?: Row | undefined
  readonly team?: Row | undefined
  readonly project?: Row | undefined
  readonly package?: Row | undefined
  readonly caller?: Row | undefined
  readonly asked?: { readonly unit: string } | undefined
  readonly key?: Row | undefined
  readonly related?: (relation: Relation) => boolean | undefined
}

const columnValue = (known: Known, { of, name }: Column): unknown => {
  const row: Row | undefined = known[of]
  return row?.[name]
}

/** True or false if the known rows decide the condition, and otherwise the rest of it. */
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
    case "among": {
      const [value, values] = [columnValue(known, condition.column), columnValue(known, condition.values)]
      return value === undefined || !Array.isArray(values) ? condition : values.includes(value)
    }
    case "cases": {
      const value = columnValue(known, condition.column)
      if (value !== undefined) return evaluate(condition.cases.get(String(value)) ?? false, known)
      return { ...condition, cases: new Map([...condition.cases].map(([key, of]) => [key, evaluate(of, known)])) }
    }
    case "linked": {
      const of = evaluate(condition.of, known)
      return typeof of === "boolean" ? of : { ...condition, of }
    }
    case "related":
      return known.related?.(condition.by) ?? (known.asked ? { unit: known.asked.unit, ...condition } : condition)
  }
}

/** The first `decisive` one decides; neutral ones are dropped, and nested groups of the same kind are merged. */
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

function evaluateSame(left: Column, right: Column, known: Known): boolean | undefined {
  const [one, other] = [columnValue(known, left), columnValue(known, right)]
  return one === undefined || other === undefined ? undefined : one === other
}

/** Whether rows that are completely known meet the condition. */
export const meets = (condition: Condition, known: Known): boolean => evaluate(condition, known) === true

/** What the condition implies for a repository and its owner: the columns that must have one certain value. */
export function impliedBy(condition: Condition): Pick<Known, "repository" | "owner"> {
  const repository: Record<string, Value> = {}
  const owner: Record<string, Value> = {}
  const collect = (part: Condition): void => {
    if (typeof part === "boolean") return
    if (part.kind === "all") for (const each of part.of) collect(each)
    if (part.kind === "linked") collect(part.of)
    if (part.kind !== "is" || part.negated) return
    if (part.column.of === "repository") repository[part.column.name] = part.value
    if (part.column.of === "owner") owner[part.column.name] = part.value
  }
  collect(condition)
  return { repository, owner }
}

/** A part of a condition that can't be divided, and whether the rows meet it. */
export interface Reason {
  readonly part: Exclude<Condition, boolean | { readonly kind: "all" | "any" | "not" | "cases" | "linked" }>
  readonly holds: boolean
  /** Of a comparison with a value: what the row says. */
  readonly value?: unknown
}

/**
 * Why completely known rows meet a condition, or why not: the parts that decide it. Of several that must hold, the first that does not; where none of
 * several holds, all of them.
 */
export function reasonsOf(condition: Condition, known: Known): readonly Reason[] {
  if (typeof condition === "boolean") return []
  switch (condition.kind) {
    case "all":
    case "any": {
      const decisive = condition.of.find((each) => meets(each, known) === (condition.kind === "any"))
      return decisive === undefined ? condition.of.flatMap((each) => reasonsOf(each, known)) : reasonsOf(decisive, known)
    }
    case "not":
    case "linked":
      return reasonsOf(condition.of, known)
    case "cases":
      return reasonsOf(condition.cases.get(String(columnValue(known, condition.column))) ?? false, known)
    case "is":
      return [{ part: condition, holds: meets(condition, known), value: columnValue(known, condition.column) }]
    case "same":
    case "among":
    case "related":
      return [{ part: condition, holds: meets(condition, known) }]
  }
}

// --- in SQL ----------------------------------------------------------------------------------------------------------------------

/** The rows that a query has besides `repositories`, `teams`, `projects` or `packages`, by their aliases. */
export interface Rows {
  /** "value": the query is about one repository, whose id is put in. Otherwise it has the row `repositories`. */
  readonly repository?: "value"
  /** Without this row, the owner is looked up from the row that it owns. */
  readonly owner?: string
  readonly caller?: string
}

/** Values for columns that a query has no rows for, by their names: the caller's id, the requested unit. */
export type Values = { readonly [name in ColumnName]?: unknown }

/** SQL as text, with the names of columns in braces where `fill` puts in values. It is the same for all callers of a kind, and made once. */
export type Template = readonly string[] & { readonly raw: readonly string[]; readonly holes: readonly string[] }

export function template(text: string): Template {
  const parts = text.split(/\{([\w.]+)\}/)
  const texts = parts.filter((_, index) => index % 2 === 0)
  return Object.assign(texts, { raw: texts, holes: parts.filter((_, index) => index % 2 === 1) })
}

/** Throws if a value is missing: the query can't evaluate the rule. */
export const fill = (made: Template, values: Values): RawBuilder<SqlBool> =>
  sql<SqlBool>(made, ...made.holes.map((hole) => valueFor(hole, values)))

function valueFor(hole: string, values: Values): unknown {
  const value: unknown = Reflect.get(values, hole)
  if (value === undefined) throw new TypeError(`the query has no ${hole}`)
  return value
}

/** The condition as text of SQL, see `template`. */
export function toSql(condition: Condition, rows: Rows): string {
  if (typeof condition === "boolean") return condition ? "1 = 1" : "1 = 0"
  switch (condition.kind) {
    case "all":
      return `(${condition.of.map((each) => toSql(each, rows)).join(" and ")})`
    case "any":
      return `(${condition.of.map((each) => toSql(each, rows)).join(" or ")})`
    case "not":
      return `not ${toSql(condition.of, rows)}`
    case "is":
      if (condition.value === null) return `${columnSql(condition.column, rows)} is ${condition.negated ? "not " : ""}null`
      return `${columnSql(condition.column, rows)} ${condition.negated ? "<>" : "="} ${literal(condition.value)}`
    case "same":
      return `${columnSql(condition.left, rows)} = ${columnSql(condition.right, rows)}`
    case "among":
      return `${columnSql(condition.column, rows)} in (${condition.from})`
    case "cases": {
      const whens = [...condition.cases].map(([value, of]) => `when ${literal(value)} then ${toSql(of, rows)}`)
      return `case ${columnSql(condition.column, rows)} ${whens.join(" ")} else 1 = 0 end`
    }
    case "linked": {
      const { to, by, of } = condition
      const id = columnSql(by, rows)
      if (to === "repository") return `exists (select 1 from repositories where repositories.id = ${id} and ${toSql(of, rows)})`
      if (rows.owner !== undefined) return toSql(of, rows)
      return `exists (select 1 from users as owner where owner.id = ${id} and ${toSql(of, { ...rows, owner: "owner" })})`
    }
    case "related":
      return relatedSql(condition.by, condition.unit, rows)
  }
}

/** Values of rules are numbers and plain words. */
const literal = (value: string | number): string => (typeof value === "number" ? String(value) : `'${value}'`)

function columnSql({ of, name }: Column, { repository, owner, caller }: Rows): string {
  const row = {
    repository: repository === "value" ? undefined : "repositories",
    owner,
    team: "teams",
    project: "projects",
    package: "packages",
    caller,
    asked: undefined,
    key: undefined,
  }[of]
  return row === undefined ? `{${of}.${name}}` : `${row}.${name}`
}

function relatedSql(relation: Relation, unit: string | undefined, rows: Rows): string {
  const { from, subject } = relation
  const conditions = [
    `${subject.column} = ${columnSql({ of: subject.of, name: "id" }, rows)}`,
    isCaller(relation, columnSql(CALLER_ID, rows)),
    ...givesAnything(relation, unit),
  ]
  return `exists (select 1 from ${from} where ${conditions.join(" and ")})`
}

const CALLER_ID = columnOf("caller.id")

/** The condition that a row of the relation is about the caller of that id. */
export const isCaller = ({ caller }: Relation, id: string): string => (typeof caller === "string" ? `${caller} = ${id}` : caller(id))

/** The condition that a row grants anything in the unit; none if every row does. */
function givesAnything({ whole, part }: Relation, unit: string | undefined): readonly string[] {
  if (whole?.least === undefined) return []
  const inWhole = `${whole.column} >= ${whole.least}`
  if (!part) return [inWhole]
  const anything = `${part.mode} > ${Mode.none}`
  if (unit === "") return [`(${inWhole} or ${anything})`]
  const inUnit = unit === undefined ? `({asked.unit} = '' or ${part.unit} = {asked.unit})` : `${part.unit} = ${literal(unit)}`
  return [`(${inWhole} or (${anything} and ${inUnit}))`]
}
