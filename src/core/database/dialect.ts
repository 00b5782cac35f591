/** How SQL text is made for the two databases: Kysely's compilers, with the few places where the databases must differ. */
import {
  type BinaryOperationNode,
  type CreateTableNode,
  type Expression,
  OperatorNode,
  PostgresAdapter,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteQueryCompiler,
  ValueNode,
} from "kysely"
import type { DatabaseKind } from "./database.ts"

/** An expression whose text differs between the databases. It is passed as a value, which every layer of Kysely leaves unchanged. */
class Portable {
  readonly texts: Readonly<Record<DatabaseKind, Expression<unknown>>>
  constructor(texts: Readonly<Record<DatabaseKind, Expression<unknown>>>) {
    this.texts = texts
  }
}

/** The value of a prepared query's parameter, put in when the query runs. */
export class Placeholder {
  readonly key: string
  constructor(key: string) {
    this.key = key
  }
}

/** A list that is bound as one parameter, so that the SQL text doesn't change with its length. */
export class List {
  readonly values: readonly unknown[] | Placeholder
  constructor(values: readonly unknown[] | Placeholder) {
    this.values = values
  }
}

/** An expression that stands for one bound value. */
export function bound<T>(value: unknown): Expression<T> {
  const node = ValueNode.create(value)
  return {
    get expressionType(): T | undefined {
      return undefined
    },
    toOperationNode: () => node,
  }
}

/** An expression with its own text on each database, for the rare case in which they differ. */
export function portable<T>(texts: Readonly<Record<DatabaseKind, Expression<T>>>): Expression<T> {
  return bound<T>(new Portable(texts))
}

/** The list on the right side of `in`; a prepared query's parameter there is a list, since a single value would be compared with `=`. */
function listOf(node: BinaryOperationNode): { readonly list: List; readonly negated: boolean } | undefined {
  const operator = OperatorNode.is(node.operator) ? node.operator.operator : undefined
  if (operator !== "in" && operator !== "not in") return undefined
  if (!ValueNode.is(node.rightOperand)) return undefined
  const { value } = node.rightOperand
  if (value instanceof List) return { list: value, negated: operator === "not in" }
  return value instanceof Placeholder ? { list: new List(value), negated: operator === "not in" } : undefined
}

function refuseList(value: unknown): void {
  if (value instanceof List) throw new Error('A list can only stand to the right of "in" or "not in".')
}

class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitValue(node: ValueNode): void {
    refuseList(node.value)
    if (node.value instanceof Portable) this.visitNode(node.value.texts.sqlite.toOperationNode())
    else super.visitValue(node)
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const right = listOf(node)
    if (right === undefined) {
      super.visitBinaryOperation(node)
      return
    }
    this.visitNode(node.leftOperand)
    this.append(right.negated ? " not in (select value from json_each(" : " in (select value from json_each(")
    this.appendValue(right.list)
    this.append("))")
  }

  // Strict tables refuse a value of the wrong type, as PostgreSQL does: a mistake fails on both databases.
  protected override visitCreateTable(node: CreateTableNode): void {
    super.visitCreateTable(node)
    if (node.selectQuery === undefined) this.append(" strict")
  }
}

class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitValue(node: ValueNode): void {
    refuseList(node.value)
    if (node.value instanceof Portable) this.visitNode(node.value.texts.postgres.toOperationNode())
    else super.visitValue(node)
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const right = listOf(node)
    if (right === undefined) {
      super.visitBinaryOperation(node)
      return
    }
    this.visitNode(node.leftOperand)
    this.append(right.negated ? " <> all(" : " = any(")
    this.appendValue(right.list)
    this.append(")")
  }
}

export const compilers = { sqlite: new SqliteCompiler(), postgres: new PostgresCompiler() } as const
export const adapters = { sqlite: new SqliteAdapter(), postgres: new PostgresAdapter() } as const

/** A compiled parameter as the database's driver takes it: SQLite reads a list from JSON, PostgreSQL takes an array. */
export function encode(kind: DatabaseKind, value: unknown): unknown {
  return value instanceof List ? encodeList(kind, value.values) : value
}

/** A list's values as the driver takes them. Throws when they aren't a list. */
export function encodeList(kind: DatabaseKind, values: unknown): unknown {
  if (!Array.isArray(values)) throw new TypeError("A list parameter must be given an array.")
  return kind === "sqlite" ? JSON.stringify(values) : values
}
