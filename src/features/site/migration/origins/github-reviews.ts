import type { Seconds } from "../../../../core/database/tables/index.ts"
import Type, { type Static, type TSchema } from "../../../../core/schema.ts"
import type { Services } from "../../../../core/services.ts"
import { parseTime } from "../../../code/mirrors/import-target.ts"
import { RemoteRefused } from "../../../code/mirrors/remote.ts"
import type { LineComment, Person, Reaction, Review } from "./model.ts"
import type { Batch } from "./origin.ts"
import { nextPage, openRest, type Rest } from "./rest.ts"
import { author, counted, NONE, number, personOf, text, truth } from "./shapes.ts"

/*
 * Reviews, with their threads on lines. GitHub's REST API has them in a list for each pull request, and doesn't say which threads are resolved; one query of
 * GraphQL has those of many. It needs a token: without one, or where a pull request has more than a query gives, the lists are read.
 */

/** Pull requests of one query, and reviews, threads and comments of one of them: GitHub grants 500,000 nodes. */
const [PULLS, EACH] = [20, 50]

const actor = Type.Union([Type.Object({ login: Type.String(), databaseId: number, name: text }), NONE])
const pages = Type.Object({ hasNextPage: Type.Boolean() })
const connection = <S extends TSchema>(node: S) => Type.Object({ nodes: Type.Array(node), pageInfo: pages })

const threadComment = Type.Object({
  databaseId: Type.Integer(),
  author: actor,
  body: text,
  createdAt: text,
  updatedAt: text,
  diffHunk: text,
  originalCommit: Type.Union([Type.Object({ oid: Type.String() }), NONE]),
  pullRequestReview: Type.Union([Type.Object({ databaseId: number }), NONE]),
  reactions: Type.Optional(Type.Union([Type.Object({ totalCount: number }), NONE])),
})

const thread = Type.Object({
  isResolved: Type.Boolean(),
  isOutdated: Type.Boolean(),
  resolvedBy: actor,
  path: text,
  line: number,
  startLine: number,
  originalLine: number,
  originalStartLine: number,
  diffSide: text,
  comments: connection(threadComment),
})

const spokenReview = Type.Object({
  databaseId: Type.Integer(),
  author: actor,
  body: text,
  state: text,
  submittedAt: text,
  updatedAt: text,
  commit: Type.Union([Type.Object({ oid: Type.String() }), NONE]),
})

const PullNode = Type.Object({
  number: Type.Integer(),
  updatedAt: text,
  reviews: connection(spokenReview),
  reviewThreads: connection(thread),
})

const Answer = Type.Object({
  data: Type.Optional(
    Type.Union([
      Type.Object({
        repository: Type.Union([
          Type.Object({
            pullRequests: Type.Object({
              nodes: Type.Array(PullNode),
              pageInfo: Type.Object({ hasNextPage: Type.Boolean(), endCursor: text }),
            }),
          }),
          NONE,
        ]),
      }),
      NONE,
    ]),
  ),
})

const WHO = "{ login ... on User { databaseId name } }"
const PAGE_INFO = "pageInfo { hasNextPage }"
const QUERY = `query ($owner: String!, $name: String!, $after: String, $order: IssueOrder!) {
  repository(owner: $owner, name: $name) {
    pullRequests(first: ${PULLS}, after: $after, orderBy: $order) {
      pageInfo { hasNextPage endCursor }
      nodes {
        number
        updatedAt
        reviews(first: ${EACH}) {
          ${PAGE_INFO}
          nodes { databaseId author ${WHO} body state submittedAt updatedAt commit { oid } }
        }
        reviewThreads(first: ${EACH}) {
          ${PAGE_INFO}
          nodes {
            isResolved isOutdated resolvedBy { login databaseId name } path line startLine originalLine originalStartLine diffSide
            comments(first: ${EACH}) {
              ${PAGE_INFO}
              nodes {
                databaseId author ${WHO} body createdAt updatedAt diffHunk originalCommit { oid } pullRequestReview { databaseId }
                reactions { totalCount }
              }
            }
          }
        }
      }
    }
  }
}`

const listedPull = Type.Object({ number: Type.Integer(), updated_at: text })

/** The list of pull requests knows no "since": sorted by their last change, the first that is older ends it. */
export function pullsSince(since: Seconds | undefined) {
  const order = since === undefined ? "sort=created&direction=asc" : "sort=updated&direction=desc"
  return {
    list: `pulls?state=all&${order}`,
    endOf: (updatedAt: string | null | undefined): boolean => since !== undefined && parseTime(updatedAt, since) < since,
  }
}

const listedReview = Type.Object({
  id: Type.Integer(),
  user: author,
  body: text,
  state: text,
  commit_id: text,
  submitted_at: text,
})

const listedLine = Type.Object({
  id: Type.Integer(),
  pull_request_review_id: number,
  user: author,
  body: text,
  path: text,
  line: number,
  start_line: number,
  original_line: number,
  original_start_line: number,
  side: text,
  diff_hunk: text,
  original_commit_id: text,
  reactions: counted,
  created_at: text,
  updated_at: text,
})

const onePull = Type.Object({ merged_by: author, is_merged: truth })

interface Options {
  readonly rest: Rest
  /** `repos/{owner}/{name}`. */
  readonly path: string
  readonly graph: string
  readonly headers: Readonly<Record<string, string>>
  readonly now: Seconds
  /** Who gave which of so many reactions to what has this address. */
  readonly reactionsOf: (count: number | null | undefined, list: string, signal: AbortSignal) => Promise<readonly Reaction[]>
}

export function openReviews(services: Services, { rest, path, graph, headers, now, reactionsOf }: Options) {
  const queries = headers["authorization"] === undefined ? undefined : openRest(services, { base: graph, headers })

  async function readList<S extends TSchema>(list: string, schema: S, signal: AbortSignal): Promise<readonly Static<S>[]> {
    const records: Static<S>[] = []
    for (let at: string | undefined = `${path}/${list}?per_page=100`; at !== undefined; ) {
      const found: Awaited<ReturnType<typeof rest.get<ReturnType<typeof Type.Array<S>>>>> = await rest.get(at, Type.Array(schema), signal)
      for (const record of found?.record ?? []) records.push(record)
      at = nextPage(found?.headers ?? {})
    }
    return records
  }

  async function fromLists(pull: number, signal: AbortSignal): Promise<readonly Review[]> {
    const reviews = await readList(`pulls/${pull}/reviews`, listedReview, signal)
    const lines = Map.groupBy(await readList(`pulls/${pull}/comments`, listedLine, signal), (line) => line.pull_request_review_id ?? 0)
    const reactions = await reactionsOn(
      lines.values().flatMap((some) => some.map((line) => [line.id, line.reactions?.total_count])),
      signal,
    )
    return reviews.flatMap((record) => {
      const createdAt = parseTime(record.submitted_at, now)
      return reviewOf({
        key: String(record.id),
        on: { number: pull },
        author: record.user ? personOf(record.user) : undefined,
        body: record.body ?? "",
        said: record.state ?? "",
        commit: record.commit_id ?? "",
        createdAt,
        updatedAt: createdAt,
        lines: (lines.get(record.id) ?? []).map((line) => {
          const at = parseTime(line.created_at, createdAt)
          return {
            key: String(line.id),
            author: line.user ? personOf(line.user) : undefined,
            body: line.body ?? "",
            createdAt: at,
            updatedAt: parseTime(line.updated_at, at),
            path: line.path ?? "",
            ...placed(line.line ?? line.original_line, line.start_line ?? line.original_start_line, line.side),
            hunk: line.diff_hunk ?? "",
            commit: line.original_commit_id ?? "",
            isOutdated: (line.line ?? null) === null,
            resolvedBy: undefined,
            reactions: reactions.get(line.id) ?? [],
          }
        }),
      })
    })
  }

  /** The reactions to comments on lines, by the ids of those that have some. */
  async function reactionsOn(
    comments: Iterable<readonly [id: number, count: number | null | undefined]>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, readonly Reaction[]>> {
    const found = new Map<number, readonly Reaction[]>()
    for (const [id, count] of comments) if (count) found.set(id, await reactionsOf(count, `pulls/comments/${id}`, signal))
    return found
  }

  async function fromNode(node: Static<typeof PullNode>, signal: AbortSignal): Promise<readonly Review[]> {
    const counts = node.reviewThreads.nodes.flatMap(({ comments }) =>
      comments.nodes.map(({ databaseId, reactions }) => [databaseId, reactions?.totalCount] as const),
    )
    const reactions = await reactionsOn(counts, signal)
    const lines = new Map<number, LineComment[]>()
    for (const { comments, ...at } of node.reviewThreads.nodes) {
      for (const record of comments.nodes) {
        const createdAt = parseTime(record.createdAt, now)
        const id = record.pullRequestReview?.databaseId ?? 0
        const line: LineComment = {
          key: String(record.databaseId),
          author: actorOf(record.author),
          body: record.body ?? "",
          createdAt,
          updatedAt: parseTime(record.updatedAt, createdAt),
          path: at.path ?? "",
          ...placed(at.line ?? at.originalLine, at.startLine ?? at.originalStartLine, at.diffSide),
          hunk: record.diffHunk ?? "",
          commit: record.originalCommit?.oid ?? "",
          isOutdated: at.isOutdated,
          // A thread is resolved at its first comment.
          resolvedBy: at.isResolved && record === comments.nodes[0] ? (actorOf(at.resolvedBy) ?? { key: "", login: "ghost" }) : undefined,
          reactions: reactions.get(record.databaseId) ?? [],
        }
        const known = lines.get(id)
        if (known) known.push(line)
        else lines.set(id, [line])
      }
    }
    return node.reviews.nodes.flatMap((record) => {
      const createdAt = parseTime(record.submittedAt, now)
      return reviewOf({
        key: String(record.databaseId),
        on: { number: node.number },
        author: actorOf(record.author),
        body: record.body ?? "",
        said: record.state ?? "",
        commit: record.commit?.oid ?? "",
        createdAt,
        updatedAt: parseTime(record.updatedAt, createdAt),
        lines: lines.get(record.databaseId) ?? [],
      })
    })
  }

  const isWhole = ({ reviews, reviewThreads }: Static<typeof PullNode>): boolean =>
    !reviews.pageInfo.hasNextPage &&
    !reviewThreads.pageInfo.hasNextPage &&
    reviewThreads.nodes.every(({ comments }) => !comments.pageInfo.hasNextPage)

  async function readQuery(on: Rest, after: string, since: Seconds | undefined, signal: AbortSignal): Promise<Batch<"reviews">> {
    const [, owner, name] = path.split("/")
    const order = since === undefined ? { field: "CREATED_AT", direction: "ASC" } : { field: "UPDATED_AT", direction: "DESC" }
    const variables = { owner, name, after: after === "" ? null : after, order }
    const answer = await on.post(graph, { query: QUERY, variables }, Answer, signal)
    const pulls = answer?.record.data?.repository?.pullRequests
    if (!pulls) throw new RemoteRefused("the server does not answer queries for reviews; the token may be too narrow")
    const records: Review[] = []
    const news = pulls.nodes.filter(({ updatedAt }) => !pullsSince(since).endOf(updatedAt))
    for (const node of news) records.push(...(isWhole(node) ? await fromNode(node, signal) : await fromLists(node.number, signal)))
    const { hasNextPage, endCursor } = pulls.pageInfo
    const goesOn = hasNextPage && news.length === pulls.nodes.length
    return { records, faults: [], next: goesOn ? (endCursor ?? undefined) : undefined, total: null }
  }

  async function readLists(position: string, since: Seconds | undefined, signal: AbortSignal): Promise<Batch<"reviews">> {
    const { list, endOf } = pullsSince(since)
    const found = await rest.get(position === "" ? `${path}/${list}&per_page=${PULLS}` : position, Type.Array(listedPull), signal)
    const pulls = found?.record ?? []
    const news = pulls.filter(({ updated_at }) => !endOf(updated_at))
    const records: Review[] = []
    for (const { number: pull } of news) records.push(...(await fromLists(pull, signal)))
    return { records, faults: [], next: news.length < pulls.length ? undefined : nextPage(found?.headers ?? {}), total: null }
  }

  return {
    read: (position: string, since: Seconds | undefined, signal: AbortSignal): Promise<Batch<"reviews">> =>
      queries ? readQuery(queries, position, since, signal) : readLists(position, since, signal),
    /** Who merged a pull request, which lists don't say. */
    async mergerOf(pull: number, signal: AbortSignal): Promise<Person | undefined> {
      const found = await rest.get(`${path}/pulls/${pull}`, onePull, signal)
      return found?.record.merged_by ? personOf(found.record.merged_by) : undefined
    },
  }
}

const actorOf = (who: Static<typeof actor>): Person | undefined =>
  who ? { key: who.databaseId ? String(who.databaseId) : "", login: who.login, ...(who.name && { name: who.name }) } : undefined

/** The place of a comment: the last of its lines, negative on the old side. */
function placed(line: number | null | undefined, start: number | null | undefined, side: string | null | undefined) {
  const last = line ?? 0
  return { line: side === "LEFT" ? -last : last, lines: start && start < last ? last - start + 1 : 1 }
}

const STATES: Readonly<Record<string, { readonly state: Review["state"]; readonly isDismissed: boolean }>> = {
  APPROVED: { state: "APPROVED", isDismissed: false },
  CHANGES_REQUESTED: { state: "REQUEST_CHANGES", isDismissed: false },
  COMMENTED: { state: "COMMENT", isDismissed: false },
  // What it was before is not said.
  DISMISSED: { state: "COMMENT", isDismissed: true },
}

/** The review; none for one that is pending, which is its author's alone. */
function reviewOf({ said, ...review }: Omit<Review, "state" | "isStale" | "isDismissed"> & { readonly said: string }): readonly Review[] {
  const state = STATES[said]
  return state ? [{ ...review, ...state, isStale: false }] : []
}
