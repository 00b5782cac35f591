import type { Seconds } from "../../../../core/database/tables/index.ts"
import Type, { type Static, type TSchema } from "../../../../core/schema.ts"
import type { Services } from "../../../../core/services.ts"
import { parseTime } from "../../../code/mirrors/import-target.ts"
import { type RemoteAddress, RemoteRefused } from "../../../code/mirrors/remote.ts"
import { openBoards } from "./github-boards.ts"
import { openReviews, pullsSince } from "./github-reviews.ts"
import { type Comment, type Issue, KINDS, type Kind, type Person, type Pull, type Reaction, type Release } from "./model.ts"
import type { Batch, Origin, Place } from "./origin.ts"
import { nextPage, openRest, readEach } from "./rest.ts"
import { author, counted, milestone, NONE, number, personOf, presentMilestone, text, truth } from "./shapes.ts"

/** A repository of GitHub, or of a GitHub server of one's own. */

const label = Type.Object({ id: Type.Integer(), name: Type.String({ minLength: 1 }), color: text, description: text })

const issue = Type.Object({
  id: Type.Integer(),
  number: Type.Integer({ minimum: 1, maximum: 2 ** 31 }),
  title: Type.String(),
  body: text,
  state: text,
  state_reason: text,
  locked: truth,
  user: author,
  labels: Type.Optional(Type.Union([Type.Array(Type.Object({ name: text })), NONE])),
  milestone: Type.Optional(Type.Union([Type.Object({ title: Type.String() }), NONE])),
  assignees: Type.Optional(Type.Union([Type.Array(author), NONE])),
  pull_request: Type.Optional(Type.Unknown()),
  reactions: counted,
  closed_at: text,
  created_at: text,
  updated_at: text,
})

const end = Type.Object({ ref: text, sha: text, repo: Type.Optional(Type.Union([Type.Object({ id: number }), NONE])) })

const pull = Type.Intersect([
  issue,
  Type.Object({
    base: end,
    head: end,
    draft: truth,
    merged_at: text,
    merge_commit_sha: text,
    requested_reviewers: Type.Optional(Type.Union([Type.Array(author), NONE])),
  }),
])

const comment = Type.Object({
  id: Type.Integer(),
  body: text,
  issue_url: Type.String({ pattern: "/[1-9][0-9]{0,9}$" }),
  user: author,
  reactions: counted,
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
  author,
  created_at: text,
  published_at: text,
  assets: Type.Optional(
    Type.Union([
      Type.Array(
        Type.Object({ id: Type.Integer(), name: Type.String(), size: Type.Integer({ minimum: 0 }), url: Type.String(), created_at: text }),
      ),
      NONE,
    ]),
  ),
})

const repository = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: text,
  homepage: text,
  private: truth,
  archived: truth,
  has_wiki: truth,
  stargazers_count: number,
  topics: Type.Optional(Type.Union([Type.Array(Type.String()), NONE])),
})

const reaction = Type.Object({ user: author, content: Type.String() })

const PAGE = 100

/** The API of a repository's clone URL; undefined for a URL without owner and name. */
export function githubOf(
  url: string,
): { readonly api: string; readonly graph: string; readonly path: string; readonly home: string } | undefined {
  const { origin, host, pathname } = new URL(url)
  const [, owner, name] = /^\/([^/]+)\/([^/]+?)(?:\.git)?$/.exec(pathname) ?? []
  if (owner === undefined || name === undefined) return undefined
  const root =
    host === "github.com"
      ? { api: "https://api.github.com", graph: "https://api.github.com/graphql" }
      : { api: `${origin}/api/v3`, graph: `${origin}/api/graphql` }
  return { ...root, path: `repos/${owner}/${name}`, home: `${origin}/${owner}/${name}` }
}

/** Throws {@link RemoteRefused} for an address of no repository. */
export function openGithub(services: Services, target: RemoteAddress): Origin {
  const place = githubOf(target.url)
  if (!place) throw new RemoteRefused("the address names no repository of GitHub")
  const { api, graph, path, home } = place
  const authorization = target.secret === "" ? {} : { authorization: `Bearer ${target.secret}` }
  const rest = openRest(services, {
    base: api,
    headers: { ...authorization, accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" },
  })
  const now = services.now()
  const reviews = openReviews(services, { rest, path, graph, headers: authorization, now, reactionsOf })
  const boards = openBoards(services, { path, graph, headers: authorization, now })

  /** A page of a list. A position is the path of the page, as the server gives it. */
  async function page<S extends TSchema, T>(
    list: string,
    schema: S,
    present: (record: Static<S>) => T | undefined | Promise<T | undefined>,
    position: string,
    signal: AbortSignal,
  ) {
    const separator = list.includes("?") ? "&" : "?"
    const found = await rest.get(
      position === "" ? `${path}/${list}${separator}per_page=${PAGE}` : position,
      Type.Array(Type.Unknown()),
      signal,
    )
    const read = readEach(found?.record ?? [], schema, (record) => record)
    const records: T[] = []
    for (const record of read.records) {
      const presented = await present(record)
      if (presented !== undefined) records.push(presented)
    }
    return { records, faults: read.faults, next: nextPage(found?.headers ?? {}), total: null }
  }

  /** Who gave which reaction: asked for only where there are some. */
  async function reactionsOf(count: number | null | undefined, list: string, signal: AbortSignal): Promise<readonly Reaction[]> {
    if (!count) return []
    const { records } = await page(
      `${list}/reactions`,
      reaction,
      ({ user, content }) => (user ? { person: personOf(user), content } : undefined),
      "",
      signal,
    )
    return records
  }

  const presentIssue = async (record: Static<typeof issue>, signal: AbortSignal): Promise<Issue> => {
    const written = writtenOf(record, now)
    return {
      ...written,
      key: String(record.number),
      number: record.number,
      title: record.title,
      isClosed: record.state === "closed",
      closedAt: parseTime(record.closed_at, written.updatedAt),
      closeReason: record.state_reason === "not_planned" || record.state_reason === "duplicate" ? record.state_reason : "",
      isLocked: record.locked ?? false,
      labels: (record.labels ?? []).flatMap(({ name }) => name ?? []),
      milestone: record.milestone?.title,
      assignees: peopleOf(record.assignees),
      dueAt: 0,
      reactions: await reactionsOf(record.reactions?.total_count, `issues/${record.number}`, signal),
    }
  }

  const presentPull = async (record: Static<typeof pull>, signal: AbortSignal): Promise<Pull> => ({
    ...(await presentIssue(record, signal)),
    base: record.base.ref ?? "",
    head: {
      branch: record.head.ref ?? "",
      isOfFork: record.head.repo?.id !== record.base.repo?.id,
      id: record.head.sha ?? "",
      reference: `refs/pull/${record.number}/head`,
    },
    mergeBase: "",
    isDraft: record.draft ?? false,
    allowsMaintainers: false,
    merge: record.merged_at
      ? {
          at: parseTime(record.merged_at, now),
          by: await reviews.mergerOf(record.number, signal),
          commit: record.merge_commit_sha ?? "",
        }
      : undefined,
    reviewers: peopleOf(record.requested_reviewers),
  })

  const presentRelease = (record: Static<typeof release>): Release => ({
    ...writtenOf({ ...record, user: record.author ?? null }, now),
    tag: record.tag_name,
    target: record.target_commitish ?? "",
    title: record.name ?? "",
    isDraft: record.draft ?? false,
    isPrerelease: record.prerelease ?? false,
    files: (record.assets ?? []).map((file) => ({
      key: String(file.id),
      name: file.name,
      size: file.size,
      address: file.url,
      createdAt: parseTime(file.created_at, now),
    })),
  })

  const readRepository = async (signal: AbortSignal) => {
    const found = await rest.get(path, repository, signal)
    if (!found) throw new RemoteRefused("there is no such repository, or the token may not see it")
    return found.record
  }

  const sinceOf = (since: Seconds | undefined): string => (since === undefined ? "" : `&since=${new Date(since * 1000).toISOString()}`)
  const readers: { readonly [K in Kind]: (position: string, since: Seconds | undefined, signal: AbortSignal) => Promise<Batch<K>> } = {
    async topics(_position, _since, signal) {
      const told = await readRepository(signal)
      const record = {
        key: String(told.id),
        description: told.description ?? "",
        website: told.homepage ?? "",
        topics: told.topics ?? [],
        stars: told.stargazers_count ?? 0,
        isArchived: told.archived ?? false,
        isPrivate: told.private ?? false,
      }
      return { records: [record], faults: [], next: undefined, total: 1 }
    },
    milestones: (position, _since, signal) =>
      page("milestones?state=all&direction=asc", milestone, (record) => presentMilestone(record, String(record.id), now), position, signal),
    labels: (position, _since, signal) =>
      page(
        "labels",
        label,
        ({ id, name, color, description }) => ({
          key: String(id),
          name,
          color: color ?? "",
          description: description ?? "",
          isExclusive: false,
          isArchived: false,
        }),
        position,
        signal,
      ),
    // The list has pull requests too, which come by their own.
    issues: (position, since, signal) =>
      page(
        `issues?state=all&sort=created&direction=asc${sinceOf(since)}`,
        issue,
        (record) => (record.pull_request === undefined ? presentIssue(record, signal) : undefined),
        position,
        signal,
      ),
    pull_requests: async (position, since, signal) => {
      const { list, endOf } = pullsSince(since)
      const read = await page(list, pull, async (record) => ({ record, isNews: !endOf(record.updated_at) }), position, signal)
      const records: Pull[] = []
      for (const { record, isNews } of read.records) if (isNews) records.push(await presentPull(record, signal))
      return { ...read, records, ...(read.records.some(({ isNews }) => !isNews) && { next: undefined }) }
    },
    comments: (position, since, signal) =>
      page(
        `issues/comments?sort=created&direction=asc${sinceOf(since)}`,
        comment,
        async (record): Promise<Comment> => ({
          ...writtenOf(record, now),
          on: { number: Number(record.issue_url.split("/").at(-1)) },
          reactions: await reactionsOf(record.reactions?.total_count, `issues/comments/${record.id}`, signal),
        }),
        position,
        signal,
      ),
    reviews: (position, since, signal): Promise<Batch<"reviews">> => reviews.read(position, since, signal),
    boards: (position, _since, signal) => boards.boards(position, signal),
    branch_rules: (_position, _since, signal) => boards.branchRules(signal),
    releases: (position, _since, signal) => page("releases", release, presentRelease, position, signal),
    release_files: (position, _since, signal) => page("releases", release, presentRelease, position, signal),
  }

  return {
    host: new URL(target.url).host,
    kinds: KINDS,
    git: target,
    wiki: { ...target, url: `${home}.wiki.git` },
    async preview(signal) {
      const told = await readRepository(signal)
      return {
        name: told.name,
        description: told.description ?? "",
        isPrivate: told.private ?? false,
        hasWiki: told.has_wiki ?? false,
        hasLargeFiles: false,
        counts: await countsOf(signal),
      }
    },
    read: (kind, position, since, signal) => readers[kind](position, since, signal),
    headersFor: (address) =>
      address.startsWith(`${api}/`)
        ? { ...authorization, accept: "application/octet-stream" }
        : address.startsWith(`${home}/`)
          ? authorization
          : undefined,
    absolute: (content) => content,
    placeOf: (address) => placeOf(home, address),
  }

  /** How many there are, by the number of the last page of pages of one. */
  async function countsOf(signal: AbortSignal) {
    const count = async (list: string): Promise<number | null> => {
      const found = await rest.get(`${path}/${list}${list.includes("?") ? "&" : "?"}per_page=1`, Type.Array(Type.Unknown()), signal)
      const last = /[?&]page=(\d+)[^>]*>\s*;[^,]*\brel="?last"?/.exec(found?.headers["link"] ?? "")?.[1]
      return last === undefined ? (found?.record.length ?? 0) : Number(last)
    }
    const [all, pulls] = [await count("issues?state=all"), await count("pulls?state=all")]
    return {
      issues: all === null || pulls === null ? null : Math.max(0, all - pulls),
      pull_requests: pulls,
      comments: await count("issues/comments"),
      labels: await count("labels"),
      milestones: await count("milestones?state=all"),
      releases: await count("releases"),
    }
  }
}

interface Told {
  readonly id: number
  readonly user?: Static<typeof author>
  readonly body?: string | null
  readonly created_at?: string | null
  readonly published_at?: string | null
  readonly updated_at?: string | null
}

function writtenOf({ id, user, body, created_at, published_at, updated_at }: Told, now: Seconds) {
  const createdAt = parseTime(published_at ?? created_at, now)
  return {
    key: String(id),
    author: user ? personOf(user) : undefined,
    body: body ?? "",
    createdAt,
    updatedAt: parseTime(updated_at, createdAt),
  }
}

const peopleOf = (list: readonly Static<typeof author>[] | null | undefined): readonly Person[] =>
  (list ?? []).flatMap((person) => (person ? personOf(person) : []))

/** Where pictures and files that were dropped into a text are kept. */
const FILES = [
  /^https:\/\/github\.com\/user-attachments\/(?:assets|files)\//,
  /^https:\/\/(?:user-images|private-user-images)\.githubusercontent\.com\//,
]

export function placeOf(home: string, address: string): Place | undefined {
  if (FILES.some((pattern) => pattern.test(address))) return { kind: "file", address }
  if (!address.startsWith(`${home}/`)) return undefined
  const rest = address.slice(home.length + 1)
  const [, at, commented] = /^(?:issues|pull)\/(\d+)(?:\/files)?(?:#(?:issuecomment-|discussion_r)(\d+))?$/.exec(rest) ?? []
  if (at !== undefined) return { kind: "issue", number: Number(at), ...(commented !== undefined && { comment: commented }) }
  if (/^(?:files|assets)\//.test(rest)) return { kind: "file", address }
  return /^(?:blob|tree|raw|commit|compare|releases|wiki)(?:\/|$)/.test(rest) ? { kind: "code", rest } : undefined
}
