import type { Seconds } from "../../../../core/database/tables/index.ts"
import Type, { type Static, type TSchema } from "../../../../core/schema.ts"
import type { Services } from "../../../../core/services.ts"
import { parseTime } from "../../../code/mirrors/import-target.ts"
import { authorizationOf, type RemoteAddress, RemoteRefused } from "../../../code/mirrors/remote.ts"
import { headRef } from "../../../review/pulls/refs.ts"
import {
  type BranchRule,
  type Comment,
  type Issue,
  KINDS,
  type Kind,
  type LineComment,
  type Pull,
  type Release,
  type Review,
} from "./model.ts"
import type { Batch, Origin, Place } from "./origin.ts"
import { nextPage, openRest, orUnseen, readEach } from "./rest.ts"
import { author, milestone, NONE, number, person, personOf, presentMilestone, text, truth } from "./shapes.ts"

/** A repository of a server with the same API: Gitea, Forgejo, Hearth. */

const people = Type.Optional(Type.Union([Type.Array(person), NONE]))

const label = Type.Object({
  id: Type.Integer(),
  name: Type.String({ minLength: 1 }),
  color: text,
  description: text,
  exclusive: truth,
  is_archived: truth,
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
  labels: Type.Optional(Type.Union([Type.Array(Type.Object({ name: Type.String() })), NONE])),
  milestone: Type.Optional(Type.Union([Type.Object({ title: Type.String() }), NONE])),
  assignees: people,
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
    merged_by: author,
    merge_commit_sha: text,
    allow_maintainer_edit: truth,
    draft: truth,
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

const asset = Type.Object({
  id: number,
  name: Type.String(),
  size: Type.Integer({ minimum: 0 }),
  browser_download_url: Type.String(),
  created_at: text,
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
  assets: Type.Optional(Type.Union([Type.Array(asset), NONE])),
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
  resolver: author,
  created_at: text,
  updated_at: text,
})

const texts = Type.Optional(Type.Union([Type.Array(Type.String()), NONE]))
const branchRule = Type.Object({
  rule_name: text,
  branch_name: text,
  enable_push: truth,
  enable_push_whitelist: truth,
  push_whitelist_usernames: texts,
  enable_force_push: truth,
  enable_merge_whitelist: truth,
  merge_whitelist_usernames: texts,
  required_approvals: number,
  dismiss_stale_approvals: truth,
  block_on_rejected_reviews: truth,
  block_on_outdated_branch: truth,
  enable_status_check: truth,
  status_check_contexts: texts,
  require_signed_commits: truth,
  block_admin_merge_override: truth,
})

const topics = Type.Object({ topics: Type.Union([Type.Array(Type.String()), NONE]) })
const repository = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: text,
  website: text,
  private: truth,
  archived: truth,
  has_wiki: truth,
  stars_count: number,
  open_issues_count: number,
  open_pr_counter: number,
  release_counter: number,
})

/** A page size that every such server grants. */
const PAGE = 50
/** Pages of one list; a server that sends more than any repository has is not trusted. */
const MOST_PAGES = 20_000

/** The API's root for a repository's clone URL; undefined for a URL without owner and name. */
export function apiOf(url: string): string | undefined {
  const { origin, pathname } = new URL(url)
  const [, prefix = "", owner, name] = /^(.*?)\/([^/]+)\/([^/]+?)(?:\.git)?$/.exec(pathname) ?? []
  return owner === undefined || name === undefined ? undefined : `${origin}${prefix}/api/v1/repos/${owner}/${name}`
}

/** Throws {@link RemoteRefused} for an address of no repository. */
export function openSameApi(services: Services, target: RemoteAddress): Origin {
  const base = apiOf(target.url)
  if (base === undefined) throw new RemoteRefused("the address names no repository of a server with this API")
  const authorization = authorizationOf(target)
  const headers = authorization === undefined ? {} : { authorization }
  const rest = openRest(services, { base, headers })
  const now = services.now()

  async function page<S extends TSchema, T>(
    path: string,
    schema: S,
    present: (record: Static<S>) => T | undefined,
    at: Position,
    signal: AbortSignal,
  ) {
    const found = await rest.get(
      `${path}${path.includes("?") ? "&" : "?"}limit=${PAGE}&page=${at.page}`,
      Type.Array(Type.Unknown()),
      signal,
    )
    const list = found?.record ?? []
    // Some servers return everything at once, whatever page is requested.
    const first = idOf(list[0])
    const isRepeated = at.page > 1 && first === at.first
    const isLast =
      list.length === 0 || isRepeated || at.page >= MOST_PAGES || (list.length < PAGE && nextPage(found?.headers ?? {}) === undefined)
    const total = Number(found?.headers["x-total-count"] ?? (found ? Number.NaN : 0))
    return {
      ...(isRepeated ? { records: [], faults: [] } : readEach(list, schema, present)),
      next: isLast ? undefined : `${at.page + 1}:${first}`,
      total: Number.isSafeInteger(total) && total >= 0 ? total : null,
    }
  }

  async function all<S extends TSchema, T>(path: string, schema: S, present: (record: Static<S>) => T | undefined, signal: AbortSignal) {
    const records: T[] = []
    for (let position: string | undefined = ""; position !== undefined; ) {
      const read: Awaited<ReturnType<typeof page<S, T>>> = await page(path, schema, present, positionOf(position), signal)
      records.push(...read.records)
      position = read.next
    }
    return records
  }

  async function reviewsOf(pullNumber: number, signal: AbortSignal): Promise<readonly Review[]> {
    const reviews: Review[] = []
    for (const record of await all(`pulls/${pullNumber}/reviews`, review, (found) => found, signal)) {
      const state = stateOf(record.state)
      if (state === undefined) continue
      const lines =
        record.comments_count === 0 ? [] : await all(`pulls/${pullNumber}/reviews/${record.id}/comments`, lineComment, presentLine, signal)
      reviews.push({
        ...writtenOf(record, now),
        on: { number: pullNumber },
        state,
        commit: record.commit_id ?? "",
        isStale: record.stale ?? false,
        isDismissed: record.dismissed ?? false,
        lines,
      })
    }
    return reviews
  }

  const presentLine = (record: Static<typeof lineComment>): LineComment => ({
    ...writtenOf(record, now),
    path: record.path ?? "",
    line: record.position || -(record.original_position ?? 0),
    lines: 1,
    hunk: record.diff_hunk ?? "",
    commit: record.commit_id ?? "",
    // The original position is shown; it is not looked up in the branch's current state.
    isOutdated: true,
    resolvedBy: record.resolver ? personOf(record.resolver) : undefined,
    reactions: [],
  })

  const readers: { readonly [K in Kind]: (at: Position, since: string, signal: AbortSignal) => Promise<Batch<K>> } = {
    async topics(_at, _since, signal) {
      const [found, told] = [await rest.get("topics?limit=50", topics, signal), await rest.get("", repository, signal)]
      const record = {
        key: String(told?.record.id ?? 0),
        description: told?.record.description ?? "",
        website: told?.record.website ?? "",
        topics: found?.record.topics ?? [],
        stars: told?.record.stars_count ?? 0,
        isArchived: told?.record.archived ?? false,
        isPrivate: told?.record.private ?? false,
      }
      return { records: [record], faults: [], next: undefined, total: 1 }
    },
    milestones: (at, _since, signal) =>
      page("milestones?state=all", milestone, (record) => presentMilestone(record, String(record.id), now), at, signal),
    labels: (at, _since, signal) =>
      page(
        "labels",
        label,
        (record) => ({
          key: String(record.id),
          name: record.name,
          color: record.color ?? "",
          description: record.description ?? "",
          isExclusive: record.exclusive ?? false,
          isArchived: record.is_archived ?? false,
        }),
        at,
        signal,
      ),
    issues: (at, since, signal) => page(`issues?state=all&type=issues${since}`, issue, (record) => presentIssue(record, now), at, signal),
    pull_requests: (at, _since, signal) => page("pulls?state=all", pull, (record) => presentPull(record, now), at, signal),
    comments: (at, since, signal) =>
      page(`issues/comments?${since.slice(1)}`, comment, (record) => presentComment(record, now), at, signal),
    async reviews(at, _since, signal) {
      const pulls = await page("pulls?state=all", pull, (record) => record.number, at, signal)
      const records: Review[] = []
      for (const pullNumber of pulls.records) records.push(...(await reviewsOf(pullNumber, signal)))
      return { ...pulls, records, total: null }
    },
    // The cards of its boards are in no list.
    boards: async () => ({ records: [], faults: [], next: undefined, total: 0 }),
    branch_rules: (at, _since, signal) =>
      orUnseen("rules for branches", page("branch_protections", branchRule, presentBranchRule, at, signal)),
    releases: (at, _since, signal) => page("releases", release, (record) => presentRelease(record, now), at, signal),
    release_files: (at, _since, signal) => page("releases", release, (record) => presentRelease(record, now), at, signal),
  }

  const isOwn = (address: string): boolean => URL.canParse(address) && new URL(address).origin === new URL(target.url).origin
  return {
    host: new URL(target.url).host,
    kinds: KINDS.filter((kind) => kind !== "boards"),
    git: target,
    wiki: { ...target, url: target.url.replace(/(\.git)?$/, ".wiki.git") },
    async preview(signal) {
      const told = (await rest.get("", repository, signal))?.record
      if (!told) throw new RemoteRefused("there is no such repository, or the credentials may not see it")
      return {
        name: told.name,
        description: told.description ?? "",
        isPrivate: told.private ?? false,
        hasWiki: told.has_wiki ?? false,
        hasLargeFiles: false,
        counts: {
          issues: told.open_issues_count ?? null,
          pull_requests: told.open_pr_counter ?? null,
          releases: told.release_counter ?? null,
        },
      }
    },
    read: (kind, position, since, signal) =>
      readers[kind](positionOf(position), since === undefined ? "" : `&since=${new Date(since * 1000).toISOString()}`, signal),
    headersFor: (address) => (isOwn(address) ? headers : undefined),
    absolute: (content) => content,
    placeOf: (address) => placeOf(target.url, address),
  }
}

interface Position {
  readonly page: number
  /** The id of the first record of the page before. */
  readonly first: string
}

function positionOf(position: string): Position {
  const [page = "1", first = ""] = position.split(":")
  return { page: Math.max(1, Number(page) || 1), first }
}

const idOf = (element: unknown): string => String(typeof element === "object" && element !== null ? Reflect.get(element, "id") : "")

interface Told {
  readonly id: number
  readonly user?: Static<typeof person> | null
  readonly original_author?: string | null
  readonly body?: string | null
  readonly created_at?: string | null
  readonly submitted_at?: string | null
  readonly updated_at?: string | null
}

/** The author there, or on the server that it was imported from before. */
function writtenOf({ id, user, original_author: before, body, created_at, submitted_at, updated_at }: Told, now: Seconds) {
  const createdAt = parseTime(created_at ?? submitted_at, now)
  return {
    key: String(id),
    author: before ? { key: "", login: before } : user ? personOf(user) : undefined,
    body: body ?? "",
    createdAt,
    updatedAt: parseTime(updated_at, createdAt),
  }
}

function presentIssue(record: Static<typeof issue>, now: Seconds): Issue {
  const written = writtenOf(record, now)
  return {
    ...written,
    key: String(record.number),
    number: record.number,
    title: record.title,
    isClosed: record.state === "closed",
    closedAt: parseTime(record.closed_at, written.updatedAt),
    closeReason: "",
    isLocked: record.is_locked ?? false,
    labels: (record.labels ?? []).map(({ name }) => name),
    milestone: record.milestone?.title,
    assignees: (record.assignees ?? []).map(personOf),
    dueAt: parseTime(record.due_date, 0),
    reactions: [],
  }
}

const presentPull = (record: Static<typeof pull>, now: Seconds): Pull => ({
  ...presentIssue(record, now),
  base: record.base.ref ?? "",
  head: {
    branch: record.head.ref ?? "",
    isOfFork: record.head.repo_id !== record.base.repo_id,
    id: record.head.sha ?? "",
    reference: headRef(record.number),
  },
  mergeBase: record.merge_base ?? "",
  isDraft: record.draft ?? false,
  allowsMaintainers: record.allow_maintainer_edit ?? false,
  merge: record.merged
    ? {
        at: parseTime(record.merged_at, parseTime(record.closed_at, now)),
        by: record.merged_by ? personOf(record.merged_by) : undefined,
        commit: record.merge_commit_sha ?? "",
      }
    : undefined,
  reviewers: [],
})

function presentComment(record: Static<typeof comment>, now: Seconds): Comment | undefined {
  const number = Number(/\/(\d+)(?:#.*)?$/.exec(record.issue_url || record.pull_request_url || "")?.[1])
  return Number.isSafeInteger(number) ? { ...writtenOf(record, now), on: { number }, reactions: [] } : undefined
}

const presentRelease = (record: Static<typeof release>, now: Seconds): Release => ({
  ...writtenOf({ ...record, user: record.author ?? null }, now),
  tag: record.tag_name,
  target: record.target_commitish ?? "",
  title: record.name ?? "",
  isDraft: record.draft ?? false,
  isPrerelease: record.prerelease ?? false,
  files: (record.assets ?? []).map((file) => ({
    key: String(file.id ?? file.name),
    name: file.name,
    size: file.size,
    address: file.browser_download_url,
    createdAt: parseTime(file.created_at, now),
  })),
})

function presentBranchRule(record: Static<typeof branchRule>): BranchRule | undefined {
  const name = record.rule_name || record.branch_name || ""
  const listed = (isListed: boolean | null | undefined, logins: readonly string[] | null | undefined) =>
    isListed ? (logins ?? []).map((login) => ({ key: "", login })) : undefined
  return name === ""
    ? undefined
    : {
        key: name,
        name,
        allowsPushes: record.enable_push ?? false,
        allowsForcePushes: record.enable_force_push ?? false,
        pushers: listed(record.enable_push_whitelist, record.push_whitelist_usernames),
        mergers: listed(record.enable_merge_whitelist, record.merge_whitelist_usernames),
        approvals: record.required_approvals ?? 0,
        dismissesStale: record.dismiss_stale_approvals ?? false,
        blocksRejected: record.block_on_rejected_reviews ?? false,
        blocksOutdated: record.block_on_outdated_branch ?? false,
        checks: record.enable_status_check ? (record.status_check_contexts ?? []) : undefined,
        wantsSignatures: record.require_signed_commits ?? false,
        bindsAdministrators: record.block_admin_merge_override ?? false,
      }
}

/** Review requests are not imported, and neither are pending reviews. */
const stateOf = (state: string | null | undefined): Review["state"] | undefined =>
  state === "APPROVED" || state === "COMMENT" || state === "REQUEST_CHANGES" ? state : undefined

/** Addresses below the repository's page. */
function placeOf(repositoryUrl: string, address: string): Place | undefined {
  const home = repositoryUrl.replace(/\.git$/, "")
  if (!address.startsWith(`${home}/`)) return undefined
  const rest = address.slice(home.length + 1)
  const [, number, comment] = /^(?:issues|pulls)\/(\d+)(?:#issuecomment-(\d+))?$/.exec(rest) ?? []
  if (number !== undefined) return { kind: "issue", number: Number(number), ...(comment !== undefined && { comment }) }
  if (/^attachments\//.test(rest)) return { kind: "file", address }
  return /^(?:src|raw|commit|compare)\//.test(rest) ? { kind: "code", rest } : undefined
}
