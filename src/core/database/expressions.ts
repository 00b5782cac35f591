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
 * It reads every row that meets the other conditions, so it should be combined with a selective one.
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

/**
 * The texts of issues that hold all words of `text`, each as the beginning of one of theirs, in any letter case: rows of issue ids, one for
 * each body or comment that does. Undefined where `text` has no words at all.
 */
export function issuesWithWords(text: string): Expression<number> | undefined {
  const words = text.match(/[\p{L}\p{N}]+/gu)
  if (!words) return undefined
  const match = words.map((word) => `"${word}"*`).join(" ")
  const sought = words.map((word) => `'${word}':*`).join(" & ")
  return portable({
    sqlite: sql<number>`(select case when found.rowid % 2 = 0 then found.rowid / 2 else (select comments.issue_id from comments where comments.id = found.rowid / 2) end
      from issue_words as found where found.issue_words match ${match})`,
    postgres: sql<number>`(select worded.id from issues as worded where search_words(worded.title || ' ' || worded.content) @@ sought_words(${sought})
      union all select comments.issue_id from comments where comments.kind = 'comment' and search_words(comments.content) @@ sought_words(${sought}))`,
  })
}

/** Whether a text is one of these in any letter case of any script. */
export function isOneOf(text: Expression<string | null>, values: readonly string[]): Expression<SqlBool> {
  const any = (condition: (value: string) => Expression<SqlBool>) => sql<SqlBool>`(${sql.join(values.map(condition), sql` or `)})`
  return portable({
    sqlite: any((value) => sql<SqlBool>`fold(${text}) = fold(${value})`),
    postgres: any((value) => sql<SqlBool>`lower(${text} collate "und-x-icu") = lower(${value} collate "und-x-icu")`),
  })
}
