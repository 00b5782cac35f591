import { type Expression, type SqlBool, sql } from "kysely"
import { readableRepositories } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { portable } from "../../../core/database/dialect.ts"
import { contains, inList, isOneOf } from "../../../core/database/expressions.ts"
import { nextTurn } from "../../../core/work.ts"
import type { Window } from "../repositories/search-store.ts"
import { type Excerpt, excerptOf } from "./excerpt.ts"
import { allOf, gramOfRepository, matchOf, type Need } from "./grams.ts"
import { type Matcher, matcherOf } from "./matcher.ts"
import { readTexts } from "./store.ts"
import { type Mode, readQuery, type Sought } from "./words.ts"

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

export interface FoundFile extends Excerpt {
  readonly repository: FoundIn
  readonly path: string
  /** "" where the name tells none. */
  readonly language: string
}

/** A repository that files were found in. */
export interface FoundIn {
  readonly id: number
  readonly owner: string
  readonly name: string
  /** The commit of the default branch that was indexed: line numbers are those of its files. */
  readonly commitId: string
}

export interface FoundCode {
  readonly files: readonly FoundFile[]
  /** How many files match, among those that were read. */
  readonly total: number
  /** How many files match in each language, most first. */
  readonly languages: readonly { readonly language: string; readonly files: number }[]
  /** Whether there may be more: the search ended at its limits of files, bytes or time. */
  readonly isPartial: boolean
  /** How many of the repositories that were asked are not indexed yet, or only in part. */
  readonly indexing: number
}

export interface Limits {
  readonly files: number
  /** UTF-16 units. */
  readonly size: number
  readonly milliseconds: number
}

/** The most that one search reads. */
export const LIMITS: Limits = { files: 2000, size: 24 * 1024 * 1024, milliseconds: 2000 }

/** Texts that are read at a time. */
const BATCH = 100
/** How long other requests wait for this one. */
export const TURN_MS = 10

export const NOTHING: FoundCode = { files: [], total: 0, languages: [], isPartial: false, indexing: 0 }

type Condition = Expression<SqlBool>

/**
 * The files of default branches that hold what is sought, of repositories whose code the caller may read; those that were changed last come
 * first. The index says which texts may match, and these are read. Costs four queries, one more for each further
 * hundred texts, and no git process. Refuses `invalid` for queries and expressions that can't be read.
 */
export async function searchCode(
  db: Handle,
  actor: Actor,
  search: CodeSearch,
  { limit, offset }: Window,
  limits: Limits = LIMITS,
): Promise<FoundCode> {
  const { mode = "exact", isCaseSensitive = false, language } = search
  const sought = readQuery(search.q, mode)
  if (sought.terms.length === 0) return NOTHING
  const matcher = await matcherOf(sought.terms, mode, isCaseSensitive)
  const asked = repositoriesOf(db, actor, search, sought)
  const [candidates, indexing] = await Promise.all([
    candidatesOf(db, asked, search, sought, matcher, limits.files + 1),
    countUnindexed(asked),
  ])

  const shown: { readonly file: Candidate; readonly text: string }[] = []
  const counts = new Map<string, number>()
  let total = 0
  const { isPartial } = await read(db, candidates, limits, matcher, (file, text) => {
    counts.set(file.language, (counts.get(file.language) ?? 0) + 1)
    if (language !== undefined && file.language !== language) return
    if (total >= offset && total < offset + limit) shown.push({ file, text })
    total++
  })

  const repositories = await describe(
    db,
    shown.map(({ file }) => file.repository_id),
  )
  return {
    files: shown.flatMap(({ file: { repository_id, path, language: of }, text }) => {
      const repository = repositories.get(repository_id)
      return repository ? [{ repository, path, language: of, ...excerptOf(text, matcher) }] : []
    }),
    total,
    languages: mostFirst(counts),
    isPartial,
    indexing,
  }
}

export const mostFirst = (counts: ReadonlyMap<string, number>): FoundCode["languages"] =>
  [...counts].map(([language, files]) => ({ language, files })).sort((a, b) => b.files - a.files || (a.language < b.language ? -1 : 1))

// --- which files may match --------------------------------------------------------------------------------------------------------

/** The repositories that are asked: readable, and as the filters say. */
function repositoriesOf(db: Handle, actor: Actor, { repositoryId, ownerId }: CodeSearch, { repositories }: Sought) {
  const fullName = sql<string>`((select lower_name from users where users.id = repositories.owner_id) || '/' || repositories.lower_name)`
  return db
    .selectFrom("repositories")
    .where(readableRepositories(actor, "repo.code"))
    .where("repositories.is_empty", "=", 0)
    .$if(repositoryId !== undefined, (all) => all.where("repositories.id", "=", repositoryId ?? 0))
    .$if(ownerId !== undefined, (all) => all.where("repositories.owner_id", "=", ownerId ?? 0))
    .$if(repositories.length > 0, (all) => all.where((b) => b.or(repositories.map((pattern) => fits(fullName, pattern)))))
}

type Repositories = ReturnType<typeof repositoriesOf>

interface Candidate {
  readonly repository_id: number
  readonly path: string
  readonly code_blob_id: number
  readonly language: string
}

async function candidatesOf(
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
async function countUnindexed(asked: Repositories): Promise<number> {
  const { unindexed } = await asked
    .leftJoin("code_indexes", "code_indexes.repository_id", "repositories.id")
    .where((b) => b.or([b("code_indexes.is_complete", "is", null), b("code_indexes.is_complete", "=", 0)]))
    .select((b) => b.fn.countAll<number>().as("unindexed"))
    .executeTakeFirstOrThrow()
  return unindexed
}

// --- which of them do -------------------------------------------------------------------------------------------------------------

interface Read {
  readonly content: string
  /** Several files of a repository may have one text. */
  matches: boolean | undefined
}

/** Calls `found` for each candidate that matches, in order. Ends at the limits. */
async function read(
  db: Handle,
  candidates: readonly Candidate[],
  limits: Limits,
  matcher: Matcher,
  found: (file: Candidate, text: string) => void,
): Promise<{ readonly isPartial: boolean }> {
  const start = performance.now()
  let turn = start
  let size = 0
  const files = candidates.slice(0, limits.files)
  const textsFrom = (at: number) => readTexts(db, { ids: [...new Set(files.slice(at, at + BATCH).map((file) => file.code_blob_id))] })
  if (files.length === 0) return { isPartial: false }
  let coming = textsFrom(0)
  for (let at = 0; at < files.length; at += BATCH) {
    const batch = files.slice(at, at + BATCH)
    const rows = await coming
    // PostgreSQL reads the next texts while these are searched.
    if (at + BATCH < files.length) {
      coming = textsFrom(at + BATCH)
      // Nobody waits for them when the limits end the search.
      coming.catch(() => {})
    }
    const texts = new Map(rows.map(({ id, content }): [number, Read] => [id, { content, matches: undefined }]))
    for (const file of batch) {
      const text = texts.get(file.code_blob_id)
      // It was replaced meanwhile.
      if (!text) continue
      const now = performance.now()
      if (size > limits.size || now - start > limits.milliseconds) return { isPartial: true }
      if (now - turn > TURN_MS) {
        await nextTurn()
        turn = performance.now()
      }
      if (text.matches === undefined) {
        size += text.content.length
        text.matches = matcher.matches(text.content)
      }
      if (text.matches) found(file, text.content)
    }
  }
  return { isPartial: candidates.length > limits.files }
}

async function describe(db: Handle, ids: readonly number[]): Promise<ReadonlyMap<number, FoundIn>> {
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
