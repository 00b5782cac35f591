import type { Seconds } from "../../../../core/database/tables/index.ts"
import Type, { type Static, type TSchema } from "../../../../core/schema.ts"
import type { Services } from "../../../../core/services.ts"
import { parseTime } from "../../../code/mirrors/import-target.ts"
import { type RemoteAddress, RemoteRefused } from "../../../code/mirrors/remote.ts"
import {
  type Board,
  type BranchRule,
  type Comment,
  type Issue,
  KINDS,
  type Kind,
  type LineComment,
  type On,
  type Person,
  type Pull,
  type Reaction,
  type Release,
  type Review,
} from "./model.ts"
import type { Batch, Origin, Place } from "./origin.ts"
import { nextPage, openRest, orUnseen, readEach } from "./rest.ts"
import { NONE, number, text, truth } from "./shapes.ts"

/** A project of GitLab. It counts issues and merge requests apart, and has comments only in lists of each of them. */

const person = Type.Object({ id: number, username: text, name: text })
const author = Type.Optional(Type.Union([person, NONE]))
const people = Type.Optional(Type.Union([Type.Array(person), NONE]))
const iid = Type.Integer({ minimum: 1, maximum: 2 ** 31 })
const titled = Type.Optional(Type.Union([Type.Object({ title: Type.String() }), NONE]))

const project = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  path: text,
  description: text,
  topics: Type.Optional(Type.Union([Type.Array(Type.String()), NONE])),
  visibility: text,
  archived: truth,
  star_count: number,
  wiki_enabled: truth,
  lfs_enabled: truth,
  open_issues_count: number,
})

const milestone = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  description: text,
  state: text,
  due_date: text,
  created_at: text,
  updated_at: text,
})

const label = Type.Object({ id: Type.Integer(), name: Type.String({ minLength: 1 }), color: text, description: text, archived: truth })

const issue = Type.Object({
  id: Type.Integer(),
  iid,
  title: Type.String(),
  description: text,
  state: text,
  author,
  assignees: people,
  labels: Type.Optional(Type.Union([Type.Array(Type.String()), NONE])),
  milestone: titled,
  due_date: text,
  discussion_locked: truth,
  confidential: truth,
  upvotes: number,
  downvotes: number,
  user_notes_count: number,
  closed_at: text,
  created_at: text,
  updated_at: text,
})

const merge = Type.Intersect([
  issue,
  Type.Object({
    draft: truth,
    source_branch: text,
    target_branch: text,
    source_project_id: number,
    target_project_id: number,
    sha: text,
    merge_commit_sha: text,
    squash_commit_sha: text,
    merged_at: text,
    merge_user: author,
    merged_by: author,
    reviewers: people,
    allow_collaboration: truth,
  }),
])

const position = Type.Object({ base_sha: text, head_sha: text, old_path: text, new_path: text, old_line: number, new_line: number })
const note = Type.Object({
  id: Type.Integer(),
  body: text,
  author,
  system: truth,
  internal: truth,
  confidential: truth,
  position: Type.Optional(Type.Union([position, NONE])),
  resolved: truth,
  resolved_by: author,
  created_at: text,
  updated_at: text,
})
const discussion = Type.Object({ id: Type.String(), notes: Type.Array(note) })
const approvals = Type.Object({
  approved_by: Type.Optional(Type.Union([Type.Array(Type.Object({ user: author, approved_at: text })), NONE])),
})

const release = Type.Object({
  tag_name: Type.String({ minLength: 1 }),
  name: text,
  description: text,
  created_at: text,
  released_at: text,
  author,
  commit: Type.Optional(Type.Union([Type.Object({ id: text }), NONE])),
  assets: Type.Optional(
    Type.Union([
      Type.Object({
        links: Type.Optional(
          Type.Union([
            Type.Array(Type.Object({ id: Type.Integer(), name: Type.String(), url: Type.String(), direct_asset_url: text })),
            NONE,
          ]),
        ),
      }),
      NONE,
    ]),
  ),
})

const accessLevels = Type.Optional(Type.Union([Type.Array(Type.Object({ access_level: number, user_id: number })), NONE]))
export const branchRule = Type.Object({
  id: Type.Integer(),
  name: Type.String({ minLength: 1 }),
  push_access_levels: accessLevels,
  merge_access_levels: accessLevels,
  allow_force_push: truth,
})

const board = Type.Object({
  id: Type.Integer(),
  name: text,
  lists: Type.Optional(
    Type.Union([
      Type.Array(
        Type.Object({ id: Type.Integer(), label: Type.Optional(Type.Union([Type.Object({ name: Type.String(), color: text }), NONE])) }),
      ),
      NONE,
    ]),
  ),
})

const award = Type.Object({ name: Type.String(), user: author })

/** Its reactions that there are here too. */
export const AWARDS: Readonly<Record<string, string>> = {
  thumbsup: "+1",
  thumbsdown: "-1",
  laughing: "laugh",
  smile: "laugh",
  tada: "hooray",
  confused: "confused",
  heart: "heart",
  rocket: "rocket",
  eyes: "eyes",
}

const PAGE = 100

/** Issues here are seen by all who see the repository. */
export const CONFIDENTIAL = "it is confidential there, and nothing is here"

/** Throws {@link RemoteRefused} for an address of no project. */
export function openGitlab(services: Services, target: RemoteAddress): Origin {
  const { origin, pathname } = new URL(target.url)
  const path = pathname.replace(/^\/|(?:\.git)?$/g, "")
  if (!path.includes("/")) throw new RemoteRefused("the address names no project of GitLab")
  const home = `${origin}/${path}`
  const base = `${origin}/api/v4`
  const at = `projects/${encodeURIComponent(path)}`
  const headers = target.secret === "" ? {} : { authorization: `Bearer ${target.secret}` }
  const rest = openRest(services, { base, headers })
  const now = services.now()

  /** A page of a list. A position is the address of the page, as the server gives it. */
  async function page<S extends TSchema, T>(
    list: string,
    schema: S,
    present: (record: Static<S>) => T | undefined | Promise<T | undefined>,
    from: string,
    signal: AbortSignal,
  ) {
    const first = `${at}/${list}${list.includes("?") ? "&" : "?"}per_page=${PAGE}`
    const found = await rest.get(from === "" ? first : from, Type.Array(Type.Unknown()), signal)
    const read = readEach(found?.record ?? [], schema, (record) => record)
    const records: T[] = []
    for (const record of read.records) {
      const presented = await present(record)
      if (presented !== undefined) records.push(presented)
    }
    const total = Number(found?.headers["x-total"] ?? Number.NaN)
    return { records, faults: read.faults, next: nextPage(found?.headers ?? {}), total: Number.isSafeInteger(total) ? total : null }
  }

  async function all<S extends TSchema>(list: string, schema: S, signal: AbortSignal): Promise<readonly Static<S>[]> {
    const records: Static<S>[] = []
    for (let from: string | undefined = ""; from !== undefined; ) {
      const read: { readonly records: readonly Static<S>[]; readonly next: string | undefined } = await page(
        list,
        schema,
        (record) => record,
        from,
        signal,
      )
      for (const record of read.records) records.push(record)
      from = read.next
    }
    return records
  }

  const ISSUES = "issues?scope=all&state=all&order_by=created_at&sort=asc"
  const MERGES = "merge_requests?scope=all&state=all&order_by=created_at&sort=asc"

  /** Who gave which reaction: asked for only where there are some. */
  async function reactionsOf(
    { upvotes, downvotes }: Static<typeof issue>,
    list: string,
    signal: AbortSignal,
  ): Promise<readonly Reaction[]> {
    if ((upvotes ?? 0) + (downvotes ?? 0) === 0) return []
    return (await all(`${list}/award_emoji`, award, signal)).flatMap(({ name, user }) => {
      const content = AWARDS[name]
      return user && content !== undefined ? [{ person: personOf(user), content }] : []
    })
  }

  async function presentIssue(record: Static<typeof issue>, list: string, signal: AbortSignal): Promise<Issue> {
    const written = writtenOf({ ...record, body: record.description ?? null }, now)
    const isClosed = record.state !== "opened" && record.state !== "locked"
    return {
      ...written,
      key: String(record.iid),
      number: record.iid,
      title: record.title,
      isClosed,
      closedAt: parseTime(record.closed_at, written.updatedAt),
      closeReason: "",
      isLocked: record.discussion_locked ?? false,
      labels: record.labels ?? [],
      milestone: record.milestone?.title,
      assignees: (record.assignees ?? []).map(personOf),
      dueAt: dayOf(record.due_date),
      reactions: await reactionsOf(record, `${list}/${record.iid}`, signal),
    }
  }

  const presentPull = async (record: Static<typeof merge>, signal: AbortSignal): Promise<Pull> => {
    const issue = await presentIssue(record, "merge_requests", signal)
    const by = record.merge_user ?? record.merged_by
    return {
      ...issue,
      base: record.target_branch ?? "",
      head: {
        branch: record.source_branch ?? "",
        isOfFork: record.source_project_id !== record.target_project_id,
        id: record.sha ?? "",
        reference: `refs/merge-requests/${record.iid}/head`,
      },
      mergeBase: "",
      isDraft: record.draft ?? false,
      allowsMaintainers: record.allow_collaboration ?? false,
      merge:
        record.state === "merged"
          ? {
              at: parseTime(record.merged_at, issue.updatedAt),
              by: by ? personOf(by) : undefined,
              commit: record.merge_commit_sha || record.squash_commit_sha || record.sha || "",
            }
          : undefined,
      reviewers: (record.reviewers ?? []).map(personOf),
    }
  }

  /** The plain comments of a page of issues, and after those of all, of merge requests. */
  async function readComments(from: string, since: string, signal: AbortSignal): Promise<Batch<"comments">> {
    const [of, rest] = from.startsWith("merge_requests ") ? (["merge_requests", from.slice(15)] as const) : (["issues", from] as const)
    const isOfIssues = of === "issues"
    // A comment is a change of what it is on.
    const hosts = await page(`${isOfIssues ? ISSUES : MERGES}${since}`, issue, (record) => record, rest, signal)
    const records: Comment[] = []
    for (const host of hosts.records) {
      if (host.user_notes_count === 0 || host.confidential) continue
      const on: On = { number: host.iid, of: isOfIssues ? "issues" : "pull_requests" }
      for (const record of await all(`${of}/${host.iid}/notes?sort=asc&order_by=created_at`, note, signal))
        if (!record.system && !record.internal && !record.confidential && !record.position)
          records.push({ ...writtenOf(record, now), on, reactions: [] })
    }
    const next =
      hosts.next === undefined ? (isOfIssues ? "merge_requests " : undefined) : isOfIssues ? hosts.next : `merge_requests ${hosts.next}`
    return { records, faults: hosts.faults, next, total: null }
  }

  /** The approvals and the threads on lines of a page of merge requests. */
  async function readReviews(from: string, since: string, signal: AbortSignal): Promise<Batch<"reviews">> {
    const hosts = await page(`${MERGES}${since}`, merge, (record) => record, from, signal)
    const records: Review[] = []
    for (const host of hosts.records) {
      const on: On = { number: host.iid, of: "pull_requests" }
      const commit = host.sha ?? ""
      const given = (await rest.get(`${at}/merge_requests/${host.iid}/approvals`, approvals, signal))?.record.approved_by ?? []
      for (const { user, approved_at } of given) {
        const createdAt = parseTime(approved_at, parseTime(host.updated_at, now))
        const key = `${host.iid} approval ${user?.id ?? 0}`
        const told = { key, on, author: user ? personOf(user) : undefined, body: "", createdAt, updatedAt: createdAt }
        records.push({ ...told, state: "APPROVED", commit, isStale: false, isDismissed: false, lines: [] })
      }
      if (host.user_notes_count === 0) continue
      for (const { id, notes } of await all(`merge_requests/${host.iid}/discussions`, discussion, signal)) {
        const lines = notes.flatMap((record) =>
          record.position && !record.system && !record.internal ? [presentLine(record, record.position, now)] : [],
        )
        const [first] = lines
        if (!first) continue
        const { author, createdAt } = first
        const updatedAt = Math.max(...lines.map((line) => line.updatedAt))
        records.push({
          key: id,
          on,
          author,
          body: "",
          createdAt,
          updatedAt,
          state: "COMMENT",
          commit: first.commit,
          isStale: false,
          isDismissed: false,
          lines,
        })
      }
    }
    return { records, faults: hosts.faults, next: hosts.next, total: null }
  }

  const presentRelease = (record: Static<typeof release>): Release => ({
    ...writtenOf(
      { ...record, id: record.tag_name, body: record.description ?? null, created_at: record.released_at ?? record.created_at ?? null },
      now,
    ),
    tag: record.tag_name,
    target: record.commit?.id ?? "",
    title: record.name ?? "",
    isDraft: false,
    isPrerelease: false,
    files: (record.assets?.links ?? []).map(({ id, name, url, direct_asset_url }) => ({
      key: String(id),
      name,
      size: undefined,
      address: direct_asset_url || url,
      createdAt: parseTime(record.released_at ?? record.created_at, now),
    })),
  })

  const readProject = async (signal: AbortSignal) => {
    const found = await rest.get(at, project, signal)
    if (!found) throw new RemoteRefused("there is no such project, or the token may not see it")
    return found.record
  }

  const readers: { readonly [K in Kind]: (from: string, since: string, signal: AbortSignal) => Promise<Batch<K>> } = {
    async topics(_from, _since, signal) {
      const told = await readProject(signal)
      const record = {
        key: String(told.id),
        description: told.description ?? "",
        website: "",
        topics: told.topics ?? [],
        stars: told.star_count ?? 0,
        isArchived: told.archived ?? false,
        isPrivate: told.visibility !== "public",
      }
      return { records: [record], faults: [], next: undefined, total: 1 }
    },
    milestones: (from, _since, signal) =>
      page(
        "milestones?state=all&include_ancestors=true",
        milestone,
        (record) => {
          const createdAt = parseTime(record.created_at, now)
          const updatedAt = parseTime(record.updated_at, createdAt)
          return {
            key: String(record.id),
            title: record.title,
            description: record.description ?? "",
            isClosed: record.state === "closed",
            closedAt: updatedAt,
            dueAt: dayOf(record.due_date),
            createdAt,
            updatedAt,
          }
        },
        from,
        signal,
      ),
    labels: (from, _since, signal) =>
      page(
        "labels",
        label,
        ({ id, name, color, description, archived }) => ({
          key: String(id),
          name,
          color: color ?? "",
          description: description ?? "",
          // Such labels exclude others of their scope, which is written with two colons there.
          isExclusive: name.includes("::"),
          isArchived: archived ?? false,
        }),
        from,
        signal,
      ),
    issues: async (from, since, signal) => {
      const read = await page(`${ISSUES}${since}`, issue, (record) => record, from, signal)
      const hidden = read.records.filter(({ confidential }) => confidential)
      const records: Issue[] = []
      for (const record of read.records) if (!record.confidential) records.push(await presentIssue(record, "issues", signal))
      return { ...read, records, faults: [...read.faults, ...hidden.map(({ iid }) => ({ key: String(iid), why: CONFIDENTIAL }))] }
    },
    pull_requests: (from, since, signal) => page(`${MERGES}${since}`, merge, (record) => presentPull(record, signal), from, signal),
    comments: (from, since, signal) => readComments(from, since, signal),
    reviews: (from, since, signal) => readReviews(from, since, signal),
    boards: (from, _since, signal) =>
      orUnseen(
        "boards",
        page("boards", board, (record) => presentBoard(record, now), from, signal),
      ),
    branch_rules: (from, _since, signal) =>
      orUnseen("rules for branches", page("protected_branches", branchRule, presentBranchRule, from, signal)),
    releases: (from, _since, signal) => page("releases", release, presentRelease, from, signal),
    release_files: (from, _since, signal) => page("releases", release, presentRelease, from, signal),
  }

  return {
    host: new URL(target.url).host,
    kinds: KINDS,
    git: target.secret === "" || target.username !== "" ? target : { ...target, username: "oauth2" },
    wiki: { ...target, url: `${home}.wiki.git` },
    async preview(signal) {
      const told = await readProject(signal)
      const count = async (list: string): Promise<number | null> => {
        const found = await rest.get(`${at}/${list}${list.includes("?") ? "&" : "?"}per_page=1`, Type.Array(Type.Unknown()), signal)
        const total = Number(found?.headers["x-total"] ?? Number.NaN)
        return Number.isSafeInteger(total) ? total : null
      }
      return {
        name: told.path ?? told.name,
        description: told.description ?? "",
        isPrivate: told.visibility !== "public",
        hasWiki: told.wiki_enabled ?? false,
        hasLargeFiles: told.lfs_enabled ?? false,
        counts: {
          issues: await count("issues?scope=all&state=all"),
          pull_requests: await count("merge_requests?scope=all&state=all"),
          labels: await count("labels"),
          milestones: await count("milestones?state=all"),
          releases: await count("releases"),
        },
      }
    },
    read: (kind, from, since, signal) =>
      readers[kind](from, since === undefined ? "" : `&updated_after=${new Date(since * 1000).toISOString()}`, signal),
    headersFor: (address) => (address.startsWith(`${origin}/`) ? headers : undefined),
    absolute: (content) => content.replaceAll(/(?<=\]\()\/uploads\/(?=[0-9a-f]{32}\/)/g, `${home}/uploads/`),
    marks: { "#": "issues", "!": "pull_requests" },
    placeOf: (address) => placeOf(home, address),
  }
}

const personOf = ({ id, username, name }: Static<typeof person>): Person => ({
  key: id && id > 0 ? String(id) : "",
  login: username ?? "",
  ...(name && { name }),
})

interface Told {
  readonly id: number | string
  readonly author?: Static<typeof author>
  readonly body?: string | null
  readonly created_at?: string | null
  readonly updated_at?: string | null
}

function writtenOf({ id, author: by, body, created_at, updated_at }: Told, now: Seconds) {
  const createdAt = parseTime(created_at, now)
  return {
    key: String(id),
    author: by ? personOf(by) : undefined,
    body: body ?? "",
    createdAt,
    updatedAt: parseTime(updated_at, createdAt),
  }
}

/** The end of a day in UTC. */
export const dayOf = (day: string | null | undefined): Seconds => (day ? parseTime(`${day}T23:59:59Z`, 0) : 0)

const presentLine = (record: Static<typeof note>, at: Static<typeof position>, now: Seconds): LineComment => {
  const isOld = (at.new_line ?? null) === null
  return {
    ...writtenOf(record, now),
    path: (isOld ? at.old_path : at.new_path) ?? "",
    line: isOld ? -(at.old_line ?? 0) : (at.new_line ?? 0),
    lines: 1,
    hunk: "",
    commit: at.head_sha ?? "",
    base: at.base_sha ?? "",
    isOutdated: false,
    resolvedBy: record.resolved && record.resolved_by ? personOf(record.resolved_by) : undefined,
    reactions: [],
  }
}

/** Below this level nobody may; at it and above it those who may write here. */
const DEVELOPER = 30

/** Levels of GitLab: 0 for nobody, 30 for those who may write, 40 for those who maintain. Who maintains a project is not known here, and is let in by no list. */
export const presentBranchRule = (record: Static<typeof branchRule>): BranchRule => {
  const grants = (levels: Static<typeof accessLevels> | undefined) => (levels ?? []).map(({ access_level }) => access_level ?? 0)
  const [push, merge] = [grants(record.push_access_levels), grants(record.merge_access_levels)]
  const all = (levels: readonly number[]) => levels.some((level) => level > 0 && level <= DEVELOPER)
  return {
    key: String(record.id),
    name: record.name,
    allowsPushes: push.some((level) => level > 0),
    allowsForcePushes: record.allow_force_push ?? false,
    pushers: all(push) ? undefined : [],
    mergers: all(merge) ? undefined : [],
    approvals: 0,
    dismissesStale: false,
    blocksRejected: false,
    blocksOutdated: false,
    checks: undefined,
    wantsSignatures: false,
    bindsAdministrators: false,
  }
}

/** A board of GitLab shows the open issues with the label of each list; what it shows without one is left out. */
const presentBoard = ({ id, name, lists }: Static<typeof board>, now: Seconds): Board => ({
  key: String(id),
  title: name || "Development",
  description: "",
  isClosed: false,
  createdAt: now,
  columns: (lists ?? []).flatMap(({ id, label }) =>
    label ? [{ key: String(id), title: label.name, color: (label.color ?? "").replace(/^#/, ""), label: label.name }] : [],
  ),
  cards: [],
})

/** Addresses below the project's page, with and without the "-" that newer versions put before. */
function placeOf(home: string, address: string): Place | undefined {
  if (!address.startsWith(`${home}/`)) return undefined
  const rest = address.slice(home.length + 1).replace(/^-\//, "")
  if (/^uploads\/[0-9a-f]+\//.test(rest)) return { kind: "file", address }
  const [, list, at, commented] = /^(issues|work_items|merge_requests)\/(\d+)(?:\/diffs)?(?:#note_(\d+))?$/.exec(rest) ?? []
  if (at !== undefined)
    return {
      kind: "issue",
      number: Number(at),
      of: list === "merge_requests" ? "pull_requests" : "issues",
      ...(commented !== undefined && { comment: commented }),
    }
  return /^(?:blob|tree|raw|commit|compare|releases|wikis)(?:\/|$)/.test(rest) ? { kind: "code", rest } : undefined
}
