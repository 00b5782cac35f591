import { type Expression, type SqlBool, sql } from "kysely"
import { readableRepositories } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { portable } from "../../../core/database/dialect.ts"
import { contains, inList, isOneOf } from "../../../core/database/expressions.ts"
import { allOf, gramOfRepository, matchOf, type Need } from "./grams.ts"
import type { Matcher } from "./matcher.ts"
import type { Mode, Sought } from "./words.ts"

export type Condition = Expression<SqlBool>

/** A repository that files were found in. */
export interface FoundIn {
  readonly id: number
  readonly owner: string
  readonly name: string
  /** The commit of the default branch that was indexed: line numbers are those of its files. */
  readonly commitId: string
}

export interface CodeSearch {
  /** Words, phrases in quotes, or an expression; among them the filters `repo:`, `path:` and `lang:`. */
  readonly q: string
  /** `exact` unless told otherwise. */
  readonly mode?: Mode
  readonly isCaseSensitive?: boolean
  /** Limits the search to one repository, or to those of one owner. */
  readonly repositoryId?: number
  readonly ownerId?: number
  /** Limits the files to one language, and not the counts of the others; "" for files of no known one. */
  readonly language?: string
}

/** The repositories that are asked: readable, and as the filters say. */
export function repositoriesOf(db: Handle, actor: Actor, { repositoryId, ownerId }: CodeSearch, { repositories }: Sought) {
  const fullName = sql<string>`((select lower_name from users where users.id = repositories.owner_id) || '/' || repositories.lower_name)`
  return db
    .selectFrom("repositories")
    .where(readableRepositories(actor, "repo.code"))
    .where("repositories.is_empty", "=", 0)
    .$if(repositoryId !== undefined, (all) => all.where("repositories.id", "=", repositoryId ?? 0))
    .$if(ownerId !== undefined, (all) => all.where("repositories.owner_id", "=", ownerId ?? 0))
    .$if(repositories.length > 0, (all) => all.where((b) => b.or(repositories.map((pattern) => fits(fullName, pattern)))))
}

export type Repositories = ReturnType<typeof repositoriesOf>

export interface Candidate {
  readonly repository_id: number
  readonly path: string
  readonly code_blob_id: number
  readonly language: string
}

export async function candidatesOf(
  db: Handle,
  asked: Repositories,
  { repositoryId }: CodeSearch,
  { paths, languages }: Sought,
  { need: needed }: Matcher,
  limit: number,
): Promise<readonly Candidate[]> {
  const need = needed && allOf([needed, repositoryId === undefined ? undefined : gramOfRepository(repositoryId)])
  return db
    .selectFrom("code_files")
    .select(["repository_id", "path", "code_blob_id", "language"])
    .where("code_files.repository_id", "in", asked.select("repositories.id"))
    .$if(need !== undefined, (all) => all.where(has(need ?? 0)))
    .$if(paths.length > 0, (all) => all.where((b) => b.or(paths.map((pattern) => fits(sql.ref("code_files.path"), pattern)))))
    .$if(languages.length > 0, (all) => all.where(isOneOf(sql.ref("code_files.language"), languages)))
    .orderBy("code_files.code_blob_id", "desc")
    .orderBy("code_files.path")
    .limit(limit)
    .execute()
}

/** Whether the file's text has what is needed, by the index. */
const has = (need: Need): Condition =>
  portable({
    sqlite: sql<SqlBool>`code_files.code_blob_id in (select rowid from code_grams where code_grams match ${matchOf(need)})`,
    postgres: sql<SqlBool>`code_files.code_blob_id in (select rowid from code_grams where ${arrays(need)} and ${BY_INDEX})`,
  })

/**
 * Always true, and its second half is never run: it tells PostgreSQL that looking at every row is expensive. The planner counts the pages of the table, and
 * the arrays are stored beside it: it would read and unpack all of them, which takes a hundred times as long as asking the index.
 */
const BY_INDEX = sql`(rowid > 0 or (select count(*) from generate_series(1, rowid)) > 0)`

/** Grams that are all needed are asked for together. */
function arrays(need: Need): Expression<SqlBool> {
  if (typeof need === "number") return sql`grams @> ${`{${need}}`}::integer[]`
  const plain = need.of.filter((each) => typeof each === "number")
  const others = need.of.filter((each) => typeof each !== "number").map(arrays)
  if (need.kind === "any") return sql`(${sql.join([...plain.map(arrays), ...others], sql` or `)})`
  const together = plain.length > 0 ? [sql`grams @> ${`{${plain.join(",")}}`}::integer[]`] : []
  return sql`(${sql.join([...together, ...others], sql` and `)})`
}

/** Whether a text has this part, or is as the pattern says, in which `*` stands for any characters and `?` for one; in any letter case. */
function fits(text: Expression<string>, pattern: string): Condition {
  if (!/[*?]/.test(pattern)) return contains(text, pattern)
  const like = pattern
    .replaceAll(/[\\%_]/g, "\\$&")
    .replaceAll(/\*+/g, "%")
    .replaceAll("?", "_")
  return portable({
    sqlite: sql<SqlBool>`fold(${text}) like fold(${like}) escape '\\'`,
    postgres: sql<SqlBool>`lower(${text} collate "und-x-icu") like lower(${like} collate "und-x-icu") escape '\\'`,
  })
}

/** How many of the asked repositories can't be searched whole. */
export async function countUnindexed(asked: Repositories): Promise<number> {
  const { unindexed } = await asked
    .leftJoin("code_indexes", "code_indexes.repository_id", "repositories.id")
    .where((b) => b.or([b("code_indexes.is_complete", "is", null), b("code_indexes.is_complete", "=", 0)]))
    .select((b) => b.fn.countAll<number>().as("unindexed"))
    .executeTakeFirstOrThrow()
  return unindexed
}

export async function describeFound(db: Handle, ids: readonly number[]): Promise<ReadonlyMap<number, FoundIn>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom("repositories")
    .innerJoin("users", "users.id", "repositories.owner_id")
    .innerJoin("code_indexes", "code_indexes.repository_id", "repositories.id")
    .select(["repositories.id", "repositories.name", "users.name as owner", "code_indexes.commit_id"])
    .where(inList("repositories.id", [...new Set(ids)]))
    .execute()
  return new Map(rows.map(({ commit_id, ...row }) => [row.id, { ...row, commitId: commit_id }]))
}
