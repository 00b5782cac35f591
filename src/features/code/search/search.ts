import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { nextTurn } from "../../../core/work.ts"
import type { Window } from "../../people/users/store.ts"
import {
  type Candidate,
  type CodeSearch,
  candidatesOf,
  countUnindexed,
  describeFound,
  type FoundIn,
  repositoriesOf,
} from "./candidates-store.ts"
import { type Excerpt, excerptOf } from "./excerpt.ts"
import { type Matcher, matcherOf } from "./matcher.ts"
import { readTexts } from "./store.ts"
import { readQuery } from "./words.ts"

export interface FoundFile extends Excerpt {
  readonly repository: FoundIn
  readonly path: string
  /** "" where the name tells none. */
  readonly language: string
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

  const repositories = await describeFound(
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
      // No one waits for them when the limits end the search.
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
