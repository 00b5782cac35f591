/** The conditions that the two databases write differently, or that are easily written wrong. */
import { type Expression, expressionBuilder, type ReferenceExpression, type SqlBool, sql } from "kysely"
import { bound, List, portable } from "./dialect.ts"
import type { ListParameter } from "./query.ts"
import type { Tables } from "./tables.ts"

/** The right side of `in` and `not in`: one parameter however many the values, so that the SQL text stays the same. May be empty. */
export function list<E>(values: readonly E[]): Expression<E> {
  return bound<E>(new List(values))
}

/** Whether the column or expression is one of the values, as a condition of its own: `where(inList("issues.id", ids))`. */
export function inList<E, T = Tables>(
  column: ReferenceExpression<T, keyof T>,
  values: readonly E[] | ListParameter<E>,
): Expression<SqlBool> {
  return expressionBuilder<T, keyof T>()(column, "in", isValues(values) ? list(values) : values)
}

const isValues = <E>(values: readonly E[] | ListParameter<E>): values is readonly E[] => Array.isArray(values)

/**
 * Whether a free text holds `needle`, in any letter case of any script. The needle is taken as it is: % _ and \ mean themselves.
 * It reads every row that the other conditions leave, so it belongs beside a narrower one.
 */
export function contains(text: Expression<string | null>, needle: string | Expression<string>): Expression<SqlBool> {
  return portable({
    sqlite: sql<SqlBool>`instr(fold(${text}), fold(${needle})) > 0`,
    postgres: sql<SqlBool>`strpos(lower(${text} collate "und-x-icu"), lower(${needle} collate "und-x-icu")) > 0`,
  })
}

/** The same for a column that is stored in lower case and a needle in lower case. */
export function containsLower(text: Expression<string | null>, needle: string | Expression<string>): Expression<SqlBool> {
  return portable({
    sqlite: sql<SqlBool>`instr(${text}, ${needle}) > 0`,
    postgres: sql<SqlBool>`strpos(${text}, ${needle}) > 0`,
  })
}
