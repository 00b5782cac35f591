/** The conditions that the two databases write differently, or that are easily written wrong. */
import { type Expression, expressionBuilder, type RawBuilder, type ReferenceExpression, type SqlBool, sql } from "kysely"
import { bound, List, portable } from "./dialect.ts"
import type { ListParameter } from "./query.ts"
import type { Tables } from "./tables/index.ts"

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
 * The text of one of many rows, in their order: whole, until those before it and itself have more than 4 MiB, then the first thousand characters. The lengths are read without the texts.
 * `before` is the sum of `octet_length` up to the row.
 */
export const withinList = (text: Expression<string>, before: Expression<number>): RawBuilder<string> =>
  sql<string>`case when ${before} <= 4194304 or octet_length(${text}) <= 4000 then ${text} else substr(${text}, 1, 1000) || '…' end`

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

/** Where words of issues are looked for. */
export type IssuePart = "title" | "body" | "comments"
const ISSUE_PARTS: readonly IssuePart[] = ["title", "body", "comments"]

/**
 * The texts of issues that hold all words of `text`, each as the beginning of one of theirs, in any letter case: rows of issue ids, one for
 * each body or comment that does. Title and body count as one text unless only one of them is looked through. Undefined where `text` has no
 * words at all.
 */
export function issuesWithWords(text: string, parts: readonly IssuePart[] = ISSUE_PARTS): Expression<number> | undefined {
  const sought = soughtWords(text)
  if (!sought) return undefined
  const { match, query, words } = sought
  const [title, body, comments] = ISSUE_PARTS.map((part) => parts.includes(part))
  if (title && body && comments)
    return portable({
      sqlite: sql<number>`(select ${ISSUE_OF_FOUND}
      from issue_words as found where found.issue_words match ${match})`,
      postgres: wordedOnPostgres(query),
    })
  // The index has title and body as one text: what it gives is looked at again where one of them is asked for.
  const column = title ? sql.ref("worded.title") : sql.ref("worded.content")
  const ofIssues = {
    sqlite: sql`select worded.id from issue_words as found join issues as worded on worded.id = found.rowid / 2
      where found.issue_words match ${match} and found.rowid % 2 = 0${title && body ? sql`` : sql` and holds_words(${column}, ${words})`}`,
    postgres: sql`${issuesOnPostgres(query)}${title && body ? sql`` : sql` and search_words(${column}) @@ sought_words(${query})`}`,
  }
  const ofComments = {
    sqlite: sql`select placed.issue_id from issue_words as found join placed_comments as placed on placed.comment_id = found.rowid / 2
      where found.issue_words match ${match} and found.rowid % 2 = 1`,
    postgres: commentsOnPostgres(query),
  }
  const chosen = [...(title || body ? [ofIssues] : []), ...(comments ? [ofComments] : [])]
  return portable({
    sqlite: sql<number>`(${sql.join(
      chosen.map(({ sqlite }) => sqlite),
      sql` union all `,
    )})`,
    postgres: sql<number>`(${sql.join(
      chosen.map(({ postgres }) => postgres),
      sql` union all `,
    )})`,
  })
}

/** The issue of a row `found` of the index: even numbers are issues, odd ones are comments. */
const ISSUE_OF_FOUND = sql`case when found.rowid % 2 = 0 then found.rowid / 2 else (select placed.issue_id from placed_comments as placed where placed.comment_id = found.rowid / 2) end`

const issuesOnPostgres = (query: string) =>
  sql`select worded.id from issues as worded where search_words(worded.title || ' ' || worded.content) @@ sought_words(${query})`
const commentsOnPostgres = (query: string) =>
  sql`select comments.issue_id from comments where comments.kind = 'comment' and search_words(comments.content) @@ sought_words(${query})`
const wordedOnPostgres = (query: string) => sql<number>`(${issuesOnPostgres(query)} union all ${commentsOnPostgres(query)})`

/**
 * The same for a list of one repository, to which other conditions limit it. SQLite looks at its texts instead of those of all repositories that have the words, where these are many. PostgreSQL asks its index in
 * any case: told of the repository, it would divide each of its texts into words.
 */
export function issuesOfWithWords(repositoryId: number, text: string): Expression<number> | undefined {
  const sought = soughtWords(text)
  if (!sought) return undefined
  const { match, query } = sought
  const counted = sql`(select count(*) as number from (select 1 from issue_words where issue_words match ${match} limit ${MANY_TEXTS})) as texts`
  const matching = sql`(select rowid from issue_words where issue_words match ${match})`
  return portable({
    // SQLite keeps the order of a cross join: one half of it ends at its first row.
    sqlite: sql<number>`(select ${ISSUE_OF_FOUND}
      from ${counted} cross join issue_words as found where texts.number < ${MANY_TEXTS} and found.issue_words match ${match}
      union all select worded.id from ${counted} cross join issues as worded
      where texts.number = ${MANY_TEXTS} and worded.repository_id = ${repositoryId} and worded.id * 2 in ${matching}
      union all select placed.issue_id from ${counted} cross join placed_comments as placed
      where texts.number = ${MANY_TEXTS} and placed.repository_id = ${repositoryId} and placed.comment_id * 2 + 1 in ${matching})`,
    postgres: wordedOnPostgres(query),
  })
}

/** So many texts are looked up sooner than a large repository is gone through. */
const MANY_TEXTS = 2_000

/** Whether the plain comment of the row `comments` has these words. Undefined where `text` has no words at all. */
export function commentHasWords(text: string): Expression<SqlBool> | undefined {
  const sought = soughtWords(text)
  return (
    sought &&
    portable({
      sqlite: sql<SqlBool>`comments.kind = 'comment' and comments.id * 2 + 1 in (select rowid from issue_words where issue_words match ${sought.match})`,
      postgres: sql<SqlBool>`comments.kind = 'comment' and search_words(comments.content) @@ sought_words(${sought.query})`,
    })
  )
}

/** Words as the index takes texts apart. */
export const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}\p{N}]+/gu) ?? []

/** For SQLite: whether a text holds words (with blanks between them), as the index would say. */
export function holdsWords(text: string, words: string): boolean {
  const held = wordsOf(text.toLowerCase())
  return wordsOf(words.toLowerCase()).every((word) => held.some((each) => each.startsWith(word)))
}

/** The words of a text, as SQLite's index is asked for them, and PostgreSQL's. */
function soughtWords(text: string): { readonly match: string; readonly query: string; readonly words: string } | undefined {
  const words = wordsOf(text)
  if (words.length === 0) return undefined
  return {
    match: words.map((word) => `"${word}"*`).join(" "),
    query: words.map((word) => `'${word}':*`).join(" & "),
    words: words.join(" "),
  }
}

/** Whether a text is one of these in any letter case of any script. One parameter however many they are: SQLite takes no expression of a thousand alternatives. */
export function isOneOf(text: Expression<string | null>, values: readonly string[]): Expression<SqlBool> {
  const given = JSON.stringify(values)
  return portable({
    sqlite: sql<SqlBool>`fold(${text}) in (select fold(value) from json_each(${given}))`,
    postgres: sql<SqlBool>`lower(${text} collate "und-x-icu") in (
      select lower(given collate "und-x-icu") from json_array_elements_text(cast(${given} as json)) as given)`,
  })
}
