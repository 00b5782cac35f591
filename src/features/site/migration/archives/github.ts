import { createReadStream, existsSync } from "node:fs"
import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import type { Seconds } from "../../../../core/database/tables/index.ts"
import Type, { Check, type Static, type TSchema } from "../../../../core/schema.ts"
import { parseTime } from "../../../code/mirrors/import-target.ts"
import { RemoteRefused } from "../../../code/mirrors/remote.ts"
import { placeOf } from "../origins/github.ts"
import type { Board, Facts, Issue, Kind, Label, LineComment, Person, Pull, Reaction, Review } from "../origins/model.ts"
import { KINDS } from "../origins/model.ts"
import type { Batch, Origin } from "../origins/origin.ts"
import { readEach } from "../origins/rest.ts"
import { addressedMilestone, NONE, number, presentMilestone, text, truth } from "../origins/shapes.ts"

/*
 * The archive of GitHub's migrations: files of a hundred records of a kind each. Records name each other, and people, by their addresses on the server.
 */

const orNone = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, NONE]))
const list = <S extends TSchema>(schema: S) => orNone(Type.Array(schema))
const numbered = Type.String({ pattern: "/(?:issues|pull)/[1-9][0-9]{0,9}$" })
const reactions = list(Type.Object({ user: text, content: text }))
const person = Type.Object({
  url: Type.String(),
  login: Type.String(),
  name: text,
  emails: list(Type.Object({ address: text, primary: truth })),
})
const written = { url: Type.String(), user: text, body: text, created_at: text, updated_at: text, reactions }

const issue = Type.Object({
  ...written,
  url: numbered,
  title: Type.String(),
  assignees: list(text),
  milestone: text,
  labels: list(Type.String()),
  closed_at: text,
})
const end = orNone(Type.Object({ ref: text, sha: text, repo: text }))
const pull = Type.Intersect([
  issue,
  Type.Object({
    base: end,
    head: end,
    merged_at: text,
    merge_commit_sha: text,
    work_in_progress: truth,
    review_requests: list(Type.Unknown()),
  }),
])
const comment = Type.Object({ ...written, issue: text, pull_request: text })
const review = Type.Object({ ...written, pull_request: numbered, head_sha: text, state: number, submitted_at: text })
const lineComment = Type.Object({
  ...written,
  pull_request_review: Type.String(),
  path: text,
  position: number,
  original_position: number,
  line: number,
  original_line: number,
  start_line: number,
  side: text,
  commit_id: text,
  original_commit_id: text,
  diff_hunk: text,
})
const release = Type.Object({
  url: Type.String(),
  user: text,
  name: text,
  tag_name: Type.String({ minLength: 1 }),
  body: text,
  state: text,
  prerelease: truth,
  target_commitish: text,
  created_at: text,
  published_at: text,
  release_assets: list(Type.Object({ name: Type.String(), size: number, asset_url: Type.String(), created_at: text })),
})
const protectedBranch = Type.Object({
  name: Type.String({ minLength: 1 }),
  admin_enforced: truth,
  block_force_pushes_enforcement_level: number,
  pull_request_reviews_enforcement_level: number,
  required_approving_review_count: number,
  dismiss_stale_reviews_on_push: truth,
  required_status_checks_enforcement_level: number,
  required_status_checks: list(Type.String()),
  strict_required_status_checks_policy: truth,
  signature_requirement_enforcement_level: number,
  authorized_actors_only: truth,
  authorized_user_urls: list(Type.String()),
})
const repository = Type.Object({
  url: Type.String(),
  name: Type.String(),
  description: text,
  website: text,
  private: truth,
  is_archived: truth,
  default_branch: text,
  git_url: text,
  labels: list(Type.Object({ url: Type.String(), name: Type.String({ minLength: 1 }), color: text, description: text })),
  repository_topics: list(text),
})
const attachment = Type.Object({ url: Type.String(), asset_url: Type.String() })
const at = Type.Object({ pull_request_review: Type.String() })

/** Bytes of one file of records, records of which the places are kept, and people. */
const MOST_BYTES = 64 * 2 ** 20
const MOST_KEPT = 1_000_000

/** What a review says, by its number in an archive. */
const STATES: Readonly<Record<number, { readonly state: Review["state"]; readonly isDismissed: boolean }>> = {
  1: { state: "COMMENT", isDismissed: false },
  30: { state: "REQUEST_CHANGES", isDismissed: false },
  40: { state: "APPROVED", isDismissed: false },
  50: { state: "COMMENT", isDismissed: true },
}

const numberIn = (url: string): number => Number(url.split("/").at(-1))
const lastOf = (url: string): string => /(\d+)$/.exec(url)?.[1] ?? url

/** Opens an archive that was unpacked into a folder; of several repositories the first. Throws {@link RemoteRefused}. */
export async function openGithubArchive(folder: string, now: Seconds) {
  const names = (await readdir(folder)).toSorted()
  const filesOf = (kind: string) => names.filter((name) => /^(.+)_\d{6}\.json$/.exec(name)?.[1] === kind)

  async function readFileOf(name: string): Promise<readonly unknown[]> {
    const path = join(folder, name)
    if ((await stat(path)).size > MOST_BYTES) throw new RemoteRefused(`${name} is too large`)
    let read: unknown
    try {
      read = JSON.parse(await readFile(path, "utf8"))
    } catch {
      throw new RemoteRefused(`${name} can't be read`)
    }
    if (!Array.isArray(read)) throw new RemoteRefused(`${name} is no list`)
    return read
  }

  async function* all<S extends TSchema>(kind: string, schema: S): AsyncGenerator<Static<S>> {
    for (const name of filesOf(kind)) for (const record of await readFileOf(name)) if (Check(schema, record)) yield record
  }

  /** The records of one file; a position is the number of the file. */
  async function batch<S extends TSchema, T>(
    kind: string,
    schema: S,
    position: string,
    present: (record: Static<S>) => T | undefined | Promise<T | undefined>,
  ) {
    const files = filesOf(kind)
    const index = Number(position)
    const name = files[index]
    if (name === undefined) return { records: [], faults: [], next: undefined, total: null }
    const read = readEach(await readFileOf(name), schema, (record) => record)
    const records: T[] = []
    for (const record of read.records) {
      const presented = await present(record)
      if (presented !== undefined) records.push(presented)
    }
    return { records, faults: read.faults, next: index + 1 < files.length ? String(index + 1) : undefined, total: null }
  }

  let told: Static<typeof repository> | undefined
  for await (const each of all("repositories", repository)) told ??= each
  if (!told) throw new RemoteRefused("the archive has no repository")
  const people = new Map<string, Person>()
  for await (const { url, login, name, emails } of all("users", person)) {
    if (people.size >= MOST_KEPT) break
    const mail = (emails ?? []).find(({ primary }) => primary)?.address
    people.set(url, { key: "", login, ...(name && { name }), ...(mail && { mail }) })
  }
  const attachments = new Map<string, string>()
  for await (const { url, asset_url } of all("attachments", attachment)) if (attachments.size < MOST_KEPT) attachments.set(url, asset_url)
  const milestones = new Map<string, string>()
  for await (const { url, title } of all("milestones", addressedMilestone)) milestones.set(url, title)
  const labels = new Map((told.labels ?? []).map(({ url, name }) => [url, name]))
  /** In which files the comments of a review are. */
  const linesOf = new Map<string, Set<string>>()
  for (const name of filesOf("pull_request_review_comments"))
    for (const record of await readFileOf(name)) {
      if (!Check(at, record) || linesOf.size >= MOST_KEPT) continue
      const files = linesOf.get(record.pull_request_review) ?? new Set()
      files.add(name)
      linesOf.set(record.pull_request_review, files)
    }

  const personOf = (url: string | null | undefined): Person | undefined =>
    url ? (people.get(url) ?? { key: "", login: url.split("/").at(-1) ?? "" }) : undefined
  const reactionsOf = (given: Static<typeof reactions> | undefined): readonly Reaction[] =>
    (given ?? []).flatMap(({ user, content }) => {
      const person = personOf(user)
      return person && content ? [{ person, content }] : []
    })
  const writtenOf = ({ url, user, body, created_at, updated_at }: Omit<Static<typeof comment>, "reactions">) => {
    const createdAt = parseTime(created_at, now)
    return { key: lastOf(url), author: personOf(user), body: body ?? "", createdAt, updatedAt: parseTime(updated_at, createdAt) }
  }

  const presentIssue = (record: Static<typeof issue>): Issue => {
    const times = writtenOf(record)
    return {
      ...times,
      number: numberIn(record.url),
      title: record.title,
      isClosed: Boolean(record.closed_at),
      closedAt: parseTime(record.closed_at, 0),
      closeReason: "",
      isLocked: false,
      labels: (record.labels ?? []).map((url) => labels.get(url) ?? decodeURIComponent(url.split("/").at(-1) ?? "")),
      milestone: record.milestone ? milestones.get(record.milestone) : undefined,
      assignees: (record.assignees ?? []).flatMap((url) => personOf(url) ?? []),
      dueAt: 0,
      reactions: reactionsOf(record.reactions),
    }
  }
  const presentPull = (record: Static<typeof pull>): Pull => {
    const shared = presentIssue(record)
    const isMerged = Boolean(record.merged_at)
    return {
      ...shared,
      isClosed: shared.isClosed || isMerged,
      base: record.base?.ref ?? "",
      head: {
        branch: record.head?.ref ?? "",
        isOfFork: record.head?.repo !== record.base?.repo,
        id: record.head?.sha ?? "",
        reference: "",
      },
      mergeBase: "",
      isDraft: record.work_in_progress ?? false,
      allowsMaintainers: false,
      merge: isMerged ? { at: parseTime(record.merged_at, now), by: undefined, commit: record.merge_commit_sha ?? "" } : undefined,
      reviewers: [],
    }
  }

  async function presentReview(record: Static<typeof review>): Promise<Review | undefined> {
    const state = STATES[record.state ?? 0]
    if (!state) return undefined
    const lines: LineComment[] = []
    for (const name of linesOf.get(record.url) ?? [])
      for (const each of await readFileOf(name))
        if (Check(lineComment, each) && each.pull_request_review === record.url) lines.push(presentLine(each))
    const createdAt = parseTime(record.submitted_at ?? record.created_at, now)
    const told = { ...writtenOf(record), createdAt, updatedAt: createdAt, on: { number: numberIn(record.pull_request) } }
    return { ...told, ...state, commit: record.head_sha ?? "", isStale: false, lines }
  }
  const presentLine = (record: Static<typeof lineComment>): LineComment => {
    const last = record.line ?? record.original_line ?? lineIn(record.diff_hunk ?? "")
    return {
      ...writtenOf(record),
      path: record.path ?? "",
      line: record.side?.toUpperCase() === "LEFT" ? -Math.abs(last) : last,
      lines: record.start_line && record.start_line < Math.abs(last) ? Math.abs(last) - record.start_line + 1 : 1,
      hunk: record.diff_hunk ?? "",
      commit: record.original_commit_id ?? record.commit_id ?? "",
      isOutdated: (record.position ?? null) === null && (record.line ?? null) === null,
      resolvedBy: undefined,
      reactions: reactionsOf(record.reactions),
    }
  }

  const releases = (position: string) =>
    batch("releases", release, position, (record) => {
      const createdAt = parseTime(record.published_at ?? record.created_at, now)
      return {
        ...writtenOf({ ...record, url: record.url, created_at: null, updated_at: null }),
        key: record.tag_name,
        createdAt,
        updatedAt: createdAt,
        tag: record.tag_name,
        target: record.target_commitish ?? "",
        title: record.name ?? "",
        isDraft: record.state === "draft",
        isPrerelease: record.prerelease ?? false,
        files: (record.release_assets ?? []).map((file) => ({
          key: file.asset_url,
          name: file.name,
          size: file.size ?? undefined,
          address: file.asset_url,
          createdAt: parseTime(file.created_at, createdAt),
        })),
      }
    })

  const facts: Facts = {
    key: told.url,
    description: told.description ?? "",
    website: told.website ?? "",
    topics: (told.repository_topics ?? []).flatMap((topic) => topic ?? []),
    stars: 0,
    isArchived: told.is_archived ?? false,
    isPrivate: told.private ?? true,
  }
  const whole = <T>(records: readonly T[]) => ({ records, faults: [], next: undefined, total: records.length })
  const readers: { readonly [K in Kind]: (position: string) => Promise<Batch<K>> } = {
    topics: async () => whole([facts]),
    milestones: (position) => batch("milestones", addressedMilestone, position, (record) => presentMilestone(record, record.url, now)),
    labels: async () =>
      whole(
        (told.labels ?? []).map(
          ({ url, name, color, description }): Label => ({
            key: url,
            name,
            color: color ?? "",
            description: description ?? "",
            isExclusive: false,
            isArchived: false,
          }),
        ),
      ),
    issues: (position) => batch("issues", issue, position, presentIssue),
    pull_requests: (position) => batch("pull_requests", pull, position, presentPull),
    comments: (position) =>
      batch("issue_comments", comment, position, (record) => {
        const on = record.issue ?? record.pull_request ?? ""
        return Number.isSafeInteger(numberIn(on))
          ? { ...writtenOf(record), on: { number: numberIn(on) }, reactions: reactionsOf(record.reactions) }
          : undefined
      }),
    reviews: (position) => batch("pull_request_reviews", review, position, presentReview),
    boards: async () => whole<Board>([]),
    branch_rules: (position) =>
      batch("protected_branches", protectedBranch, position, (record) => {
        const asksForReviews = (record.pull_request_reviews_enforcement_level ?? 0) > 0
        return {
          key: record.name,
          name: record.name,
          allowsPushes: !asksForReviews,
          allowsForcePushes: record.block_force_pushes_enforcement_level === 0,
          pushers: record.authorized_actors_only ? (record.authorized_user_urls ?? []).flatMap((url) => personOf(url) ?? []) : undefined,
          mergers: undefined,
          approvals: asksForReviews ? (record.required_approving_review_count ?? 1) : 0,
          dismissesStale: record.dismiss_stale_reviews_on_push ?? false,
          blocksRejected: asksForReviews,
          blocksOutdated: record.strict_required_status_checks_policy ?? false,
          checks: (record.required_status_checks_enforcement_level ?? 0) > 0 ? (record.required_status_checks ?? []) : undefined,
          wantsSignatures: (record.signature_requirement_enforcement_level ?? 0) > 0,
          bindsAdministrators: record.admin_enforced ?? false,
        }
      }),
    releases,
    release_files: releases,
  }

  const fileAt = (address: string): string | undefined => {
    const [, path] = /^tarball:\/\/root\/((?:attachments|release_assets)\/.+)$/.exec(attachments.get(address) ?? address) ?? []
    return path === undefined || path.split("/").includes("..") || path.includes("\0") ? undefined : join(folder, path)
  }
  const origin: Origin = {
    host: new URL(told.url).host,
    kinds: KINDS,
    git: undefined,
    wiki: undefined,
    preview: async () => ({
      name: told.name,
      description: facts.description,
      isPrivate: facts.isPrivate,
      hasWiki: false,
      hasLargeFiles: false,
      counts: {},
    }),
    read: (kind, position) => readers[kind](position),
    headersFor: () => undefined,
    open: (address) => {
      const path = fileAt(address)
      return path !== undefined && existsSync(path) ? createReadStream(path) : undefined
    },
    nameOf: (address) => fileAt(address)?.split("/").at(-1),
    absolute: (content) => content,
    placeOf: (address) => (attachments.has(address) ? { kind: "file", address } : placeOf(told.url, address)),
  }
  const [, path = ""] = /^tarball:\/\/root\/(repositories\/[^/]+\/[^/]+\.git)$/.exec(told.git_url ?? "") ?? []
  return { origin, facts, branch: told.default_branch?.replace(/^refs\/heads\//, "") ?? "", git: path.includes("..") ? "" : path }
}

/** The line that the last one of a hunk has on the new side, or on the old one where it was removed. */
function lineIn(hunk: string): number {
  const [header = "", ...lines] = hunk.split("\n")
  const [, old = "0", fresh = "0"] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(header) ?? []
  const isRemoved = lines.at(-1)?.startsWith("-") ?? false
  const counted = lines.filter((line) => !line.startsWith(isRemoved ? "+" : "-") && !line.startsWith("\\")).length
  return isRemoved ? -(Number(old) + counted - 1) : Number(fresh) + counted - 1
}
