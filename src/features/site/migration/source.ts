import Type, { Check, type Static, type TSchema } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { parseJson } from "../../../core/text/json.ts"
import { authorizationOf, type RemoteAddress, RemoteRefused, RemoteTrouble, reach } from "../../code/mirrors/remote.ts"

/** A server with the same API, read page by page. Its answers are not trusted: records are validated, and only needed members are read. */

const text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const number = Type.Optional(Type.Union([Type.Integer(), Type.Null()]))
const truth = Type.Optional(Type.Union([Type.Boolean(), Type.Null()]))
const nothing = Type.Null()
const author = Type.Optional(Type.Union([Type.Object({ id: number, login: text }), nothing]))

const label = Type.Object({ id: Type.Integer(), name: Type.String(), color: text, description: text, exclusive: truth, is_archived: truth })

const milestone = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  description: text,
  state: text,
  due_on: text,
  closed_at: text,
  created_at: text,
  updated_at: text,
})

const issue = Type.Object({
  id: Type.Integer(),
  number: Type.Integer({ minimum: 1, maximum: 2 ** 31 }),
  title: Type.String(),
  body: text,
  state: text,
  is_locked: truth,
  user: author,
  original_author: text,
  labels: Type.Optional(Type.Union([Type.Array(Type.Object({ name: Type.String() })), nothing])),
  milestone: Type.Optional(Type.Union([Type.Object({ title: Type.String() }), nothing])),
  due_date: text,
  closed_at: text,
  created_at: text,
  updated_at: text,
})

const end = Type.Object({ ref: text, sha: text, repo_id: number })

const pull = Type.Intersect([
  issue,
  Type.Object({
    base: end,
    head: end,
    merge_base: text,
    merged: truth,
    merged_at: text,
    merge_commit_sha: text,
    allow_maintainer_edit: truth,
  }),
])

const comment = Type.Object({
  id: Type.Integer(),
  body: text,
  issue_url: text,
  pull_request_url: text,
  user: author,
  original_author: text,
  created_at: text,
  updated_at: text,
})

const release = Type.Object({
  id: Type.Integer(),
  tag_name: Type.String({ minLength: 1 }),
  target_commitish: text,
  name: text,
  body: text,
  draft: truth,
  prerelease: truth,
  created_at: text,
  assets: Type.Optional(
    Type.Union([
      Type.Array(
        Type.Object({
          name: Type.String(),
          size: Type.Integer({ minimum: 0 }),
          browser_download_url: Type.String(),
          created_at: text,
        }),
      ),
      nothing,
    ]),
  ),
})

const review = Type.Object({
  id: Type.Integer(),
  user: author,
  body: text,
  state: text,
  commit_id: text,
  stale: truth,
  dismissed: truth,
  comments_count: number,
  submitted_at: text,
  updated_at: text,
})

const lineComment = Type.Object({
  id: Type.Integer(),
  user: author,
  body: text,
  path: text,
  commit_id: text,
  diff_hunk: text,
  position: number,
  original_position: number,
  created_at: text,
  updated_at: text,
})

/** The parts that can be imported, in order: records that others refer to come first. */
export const PARTS = [
  "topics",
  "milestones",
  "labels",
  "issues",
  "pull_requests",
  "comments",
  "reviews",
  "releases",
  "release_files",
] as const
export type Part = (typeof PARTS)[number]

/** A page of a server's list. */
export interface RemotePage<T> {
  readonly records: readonly T[]
  /** How many there are on all pages; null where the server doesn't say. */
  readonly total: number | null
}

interface Source<S extends TSchema> {
  readonly words: string
  readonly path: string
  readonly schema: S
}

/** The path of each part, and the schema of its elements. */
export const sources = {
  milestones: { words: "milestones", path: "milestones?state=all", schema: milestone },
  labels: { words: "labels", path: "labels?", schema: label },
  issues: { words: "issues", path: "issues?state=all&type=issues", schema: issue },
  pull_requests: { words: "pull requests", path: "pulls?state=all", schema: pull },
  comments: { words: "comments", path: "issues/comments?", schema: comment },
  releases: { words: "releases", path: "releases?", schema: release },
} as const satisfies { readonly [part in Part]?: Source<TSchema> }

/** The path of a pull request's reviews. */
export const reviewsOf = (number: number) => ({ words: "reviews", path: `pulls/${number}/reviews?`, schema: review }) as const

/** The path of a review's comments on lines. */
export const lineCommentsOf = (number: number, reviewId: number) =>
  ({ words: "reviews", path: `pulls/${number}/reviews/${reviewId}/comments?`, schema: lineComment }) as const

export type RemoteReview = Static<typeof review>
export type RemoteLineComment = Static<typeof lineComment>

export type RecordOf<P extends keyof typeof sources> = Static<(typeof sources)[P]["schema"]>

/** The largest page. Bytes. */
const PAGE_BYTES = 32 * 1024 * 1024
const TIMEOUT_MS = 60_000
/** A page size that every such server grants. */
export const PAGE = 50

/** The API's root for a repository's clone URL; undefined for a URL without owner and name. */
export function apiOf(url: string): string | undefined {
  const { origin, pathname } = new URL(url)
  const [, prefix = "", owner, name] = /^(.*?)\/([^/]+)\/([^/]+?)(?:\.git)?$/.exec(pathname) ?? []
  return owner === undefined || name === undefined ? undefined : `${origin}${prefix}/api/v1/repos/${owner}/${name}`
}

/**
 * One page of a list. Throws {@link RemoteRefused} where another request is of no use, and the connection's error where it may succeed.
 */
export async function readPage<S extends TSchema>(
  services: Services,
  target: RemoteAddress,
  { words, path, schema }: Source<S>,
  page: number,
  signal: AbortSignal,
): Promise<RemotePage<Static<S>>> {
  const answer = await ask(services, target, words, `${path}&limit=${PAGE}&page=${page}`, signal)
  // A feature that is switched off on the server has no records.
  if (answer === undefined && page === 1) return { records: [], total: 0 }
  const list = Type.Array(schema)
  if (!answer || !Check(list, answer.record)) throw new RemoteRefused(`what the server has as its ${words} can't be read`)
  return { records: answer.record, total: answer.total }
}

const topics = Type.Object({ topics: Type.Union([Type.Array(Type.String()), nothing]) })

/** The repository's topics, as far as the server sends them. */
export async function readTopics(services: Services, target: RemoteAddress, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const answer = await ask(services, target, "topics", `topics?limit=${PAGE}`, signal)
    return answer && Check(topics, answer.record) ? (answer.record.topics ?? []) : []
  } catch (error) {
    if (error instanceof RemoteRefused) return []
    throw error
  }
}

interface RemoteAnswer {
  readonly record: unknown
  readonly total: number | null
}

/** The server's answer; undefined where it has nothing there. */
async function ask(
  services: Services,
  target: RemoteAddress,
  words: string,
  path: string,
  signal: AbortSignal,
): Promise<RemoteAnswer | undefined> {
  const api = apiOf(target.url)
  if (api === undefined) throw new RemoteRefused("the address names no repository of a server with this API")
  // For a refusal with a message; the request itself pins the address that the host resolves to.
  await reach(services, target)
  const authorization = authorizationOf(target)
  const answer = await services.outgoing.send({
    method: "GET",
    url: `${api}/${path}`,
    headers: { accept: "application/json", ...(authorization !== undefined && { authorization }) },
    timeoutMs: TIMEOUT_MS,
    maxBytes: PAGE_BYTES,
    signal,
  })
  if (answer.status >= 500 || answer.status === 429)
    throw new RemoteTrouble(`the server answered ${answer.status} when asked for its ${words}`)
  if (answer.status === 404) return undefined
  if (answer.status !== 200) throw new RemoteRefused(`the server answered ${answer.status} when asked for its ${words}`)
  const total = Number(answer.headers["x-total-count"] ?? Number.NaN)
  return {
    record: answer.cut ? undefined : parsed(answer.body),
    total: Number.isSafeInteger(total) && total >= 0 ? total : null,
  }
}

function parsed(body: Buffer): unknown {
  try {
    return parseJson(body.toString("utf8"))
  } catch {
    return undefined
  }
}
