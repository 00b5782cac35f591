import { createReadStream, existsSync } from "node:fs"
import { open, readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Seconds } from "../../../../core/database/tables/index.ts"
import Type, { Check, type Static, type TSchema } from "../../../../core/schema.ts"
import { parseTime } from "../../../code/mirrors/import-target.ts"
import { RemoteRefused } from "../../../code/mirrors/remote.ts"
import { AWARDS, branchRule, CONFIDENTIAL, dayOf, presentBranchRule } from "../origins/gitlab.ts"
import {
  type Comment,
  type Issue,
  KINDS,
  type Kind,
  type LineComment,
  type On,
  type Person,
  type Pull,
  type Reaction,
  type Review,
} from "../origins/model.ts"
import type { Batch, Fault, Origin } from "../origins/origin.ts"
import { NONE, number, text, truth } from "../origins/shapes.ts"

/*
 * The file that GitLab exports a project as: lines of JSON for each kind of record, with all that belongs to a record inside of it. People are ids, of which
 * only members have names.
 */

const orNone = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, NONE]))
const list = <S extends TSchema>(schema: S) => orNone(Type.Array(schema))
const userId = list(Type.Object({ user_id: number }))
const named = orNone(Type.Object({ title: text, color: text }))

const position = Type.Object({ base_sha: text, head_sha: text, old_path: text, new_path: text, old_line: number, new_line: number })
const award = list(Type.Object({ name: text, user_id: number }))
const note = Type.Object({
  id: Type.Integer(),
  note: text,
  author_id: number,
  author: orNone(Type.Object({ name: text })),
  created_at: text,
  updated_at: text,
  system: truth,
  confidential: truth,
  internal: truth,
  type: text,
  position: orNone(Type.Union([position, Type.String()])),
  discussion_id: text,
  resolved_at: text,
  resolved_by_id: number,
  award_emoji: award,
})

const issue = Type.Object({
  id: Type.Integer(),
  iid: Type.Integer({ minimum: 1, maximum: 2 ** 31 }),
  title: Type.String(),
  description: text,
  state: text,
  author_id: number,
  confidential: truth,
  discussion_locked: truth,
  due_date: text,
  closed_at: text,
  created_at: text,
  updated_at: text,
  milestone: named,
  label_links: list(Type.Object({ label: named })),
  issue_assignees: userId,
  award_emoji: award,
  notes: list(Type.Unknown()),
})

const merge = Type.Intersect([
  issue,
  Type.Object({
    source_branch: text,
    target_branch: text,
    source_project_id: number,
    target_project_id: number,
    draft: truth,
    diff_head_sha: text,
    merge_commit_sha: text,
    squash_commit_sha: text,
    merge_request_diff: orNone(Type.Object({ head_commit_sha: text, base_commit_sha: text })),
    metrics: orNone(Type.Object({ merged_at: text, merged_by_id: number, latest_closed_at: text })),
    merge_request_assignees: userId,
    merge_request_reviewers: userId,
    approvals: list(Type.Object({ user_id: number, created_at: text })),
  }),
])

const milestone = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  description: text,
  state: text,
  due_date: text,
  created_at: text,
  updated_at: text,
})
const label = Type.Object({ id: Type.Integer(), title: Type.String({ minLength: 1 }), color: text, description: text })
const release = Type.Object({
  tag: Type.String({ minLength: 1 }),
  name: text,
  description: text,
  sha: text,
  author_id: number,
  created_at: text,
  released_at: text,
  links: list(Type.Object({ id: Type.Integer(), name: Type.String(), url: Type.String() })),
})
const board = Type.Object({
  id: Type.Integer(),
  name: text,
  created_at: text,
  lists: list(Type.Object({ id: Type.Integer(), label: named })),
})
const member = Type.Object({ user: orNone(Type.Object({ id: Type.Integer(), username: text, public_email: text, name: text })) })
const project = Type.Object({ description: text, visibility_level: number, archived: truth, topics: text, default_branch: text })

interface Read<T> {
  readonly records: readonly T[]
  readonly faults: readonly Fault[]
  readonly next: string | undefined
  readonly total: null
}

/** Lines of one batch, and bytes of one line. */
const LINES = 50
const MOST_LINE = 32 * 2 ** 20
const CHUNK = 2 ** 20
/** An address for what the export itself has: no server is asked for it. */
const HOME = "https://export.invalid/project"

/** Opens an export that was unpacked into a folder. Throws {@link RemoteRefused}. */
export async function openGitlabExport(
  folder: string,
  now: Seconds,
): Promise<Origin & { readonly isPrivate: boolean; readonly description: string; readonly branch: string }> {
  const file = (name: string) => join(folder, "tree", "project", `${name}.ndjson`)
  const told: unknown = JSON.parse(await readFile(join(folder, "tree", "project.json"), "utf8"))
  if (!Check(project, told)) throw new RemoteRefused("the export's project.json can't be read")
  const members = new Map<number, Person>()
  for (let from: string | undefined = ""; from !== undefined; ) {
    const read: Read<Person> = await lines("project_members", member, from, ({ user }) =>
      user ? [{ key: String(user.id), login: user.username ?? "", ...(user.name && { name: user.name }) }] : [],
    )
    for (const person of read.records) members.set(Number(person.key), person)
    from = read.next
  }

  const personOf = (id: number | null | undefined, name?: string | null): Person | undefined =>
    id ? (members.get(id) ?? { key: String(id), login: name ?? `user-${id}` }) : undefined
  const peopleOf = (ids: Static<typeof userId> | undefined): readonly Person[] =>
    (ids ?? []).flatMap(({ user_id }) => personOf(user_id) ?? [])
  const reactionsOf = (given: Static<typeof award> | undefined): readonly Reaction[] =>
    (given ?? []).flatMap(({ name, user_id }) => {
      const [person, content] = [personOf(user_id), AWARDS[name ?? ""]]
      return person && content !== undefined ? [{ person, content }] : []
    })
  const timesOf = ({ created_at, updated_at }: { readonly created_at?: string | null; readonly updated_at?: string | null }) => {
    const createdAt = parseTime(created_at, now)
    return { createdAt, updatedAt: parseTime(updated_at, createdAt) }
  }

  /** Some lines of a file, from a byte on. */
  async function lines<S extends TSchema, T>(
    name: string,
    schema: S,
    from: string,
    present: (record: Static<S>) => readonly T[],
  ): Promise<Read<T>> {
    const path = file(name)
    const records: T[] = []
    const faults: Fault[] = []
    if (!existsSync(path)) return { records, faults, next: undefined, total: null }
    const handle = await open(path)
    try {
      let at = from === "" ? 0 : Number(from)
      let rest: Buffer = Buffer.alloc(0)
      for (let count = 0; count < LINES; ) {
        const end = rest.indexOf(10)
        if (end < 0) {
          const chunk = Buffer.alloc(CHUNK)
          const { bytesRead } = await handle.read(chunk, 0, CHUNK, at + rest.length)
          if (bytesRead === 0) {
            if (rest.length > 0) take(rest)
            return { records, faults, next: undefined, total: null }
          }
          if (rest.length + bytesRead > MOST_LINE) throw new RemoteRefused(`a line of ${name}.ndjson is too long`)
          rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)])
          continue
        }
        take(rest.subarray(0, end))
        at += end + 1
        rest = rest.subarray(end + 1)
        count++
      }
      return { records, faults, next: String(at), total: null }
    } finally {
      await handle.close()
    }

    function take(line: Buffer): void {
      if (line.length === 0) return
      let record: unknown
      try {
        record = JSON.parse(line.toString("utf8"))
      } catch {
        record = undefined
      }
      if (Check(schema, record)) records.push(...present(record))
      else faults.push({ key: "", why: `a line of ${name}.ndjson can't be read` })
    }
  }

  const presentIssue = (record: Static<typeof issue>): Issue => {
    const times = timesOf(record)
    return {
      ...times,
      key: String(record.iid),
      number: record.iid,
      author: personOf(record.author_id),
      title: record.title,
      body: record.description ?? "",
      isClosed: record.state === "closed" || record.state === "merged",
      closedAt: parseTime(record.closed_at, times.updatedAt),
      closeReason: "",
      isLocked: record.discussion_locked ?? false,
      labels: (record.label_links ?? []).flatMap(({ label }) => label?.title ?? []),
      milestone: record.milestone?.title ?? undefined,
      assignees: peopleOf(record.issue_assignees),
      dueAt: dayOf(record.due_date),
      reactions: reactionsOf(record.award_emoji),
    }
  }

  const presentPull = (record: Static<typeof merge>): Pull => {
    const shared = presentIssue(record)
    return {
      ...shared,
      assignees: peopleOf(record.merge_request_assignees),
      base: record.target_branch ?? "",
      head: {
        branch: record.source_branch ?? "",
        isOfFork: record.source_project_id !== record.target_project_id,
        id: record.merge_request_diff?.head_commit_sha || record.diff_head_sha || "",
        reference: "",
      },
      mergeBase: record.merge_request_diff?.base_commit_sha ?? "",
      isDraft: record.draft ?? false,
      allowsMaintainers: false,
      merge:
        record.state === "merged"
          ? {
              at: parseTime(record.metrics?.merged_at, shared.updatedAt),
              by: personOf(record.metrics?.merged_by_id),
              commit: record.merge_commit_sha || record.squash_commit_sha || "",
            }
          : undefined,
      reviewers: peopleOf(record.merge_request_reviewers),
    }
  }

  const notesOf = ({ notes }: Static<typeof issue>) => (notes ?? []).flatMap((each) => (Check(note, each) && !isHidden(each) ? [each] : []))
  const written = (record: Static<typeof note>) => ({
    ...timesOf(record),
    key: String(record.id),
    author: personOf(record.author_id, record.author?.name),
    body: record.note ?? "",
    reactions: reactionsOf(record.award_emoji),
  })

  const commentsOf = (record: Static<typeof issue>, of: On["of"] & string): readonly Comment[] =>
    record.confidential
      ? []
      : notesOf(record).flatMap((each) => (placeIn(each) ? [] : [{ ...written(each), on: { number: record.iid, of } }]))

  function reviewsOf(record: Static<typeof merge>): readonly Review[] {
    const on: On = { number: record.iid, of: "pull_requests" }
    const threads = Map.groupBy(
      notesOf(record).filter((each) => placeIn(each) !== undefined),
      ({ id, discussion_id }) => discussion_id ?? String(id),
    )
    const given = (record.approvals ?? []).map(({ user_id, created_at }): Review => {
      const createdAt = parseTime(created_at, parseTime(record.updated_at, now))
      const commit = record.merge_request_diff?.head_commit_sha ?? ""
      const told = {
        key: `${record.iid} approval ${user_id ?? 0}`,
        on,
        author: personOf(user_id),
        body: "",
        createdAt,
        updatedAt: createdAt,
      }
      return { ...told, state: "APPROVED", commit, isStale: false, isDismissed: false, lines: [] }
    })
    const said = [...threads].map(([key, notes]): Review => {
      const lines = notes.flatMap((each) => {
        const at = placeIn(each)
        return at ? [presentLine(each, at)] : []
      })
      const [first] = lines
      const times = { createdAt: first?.createdAt ?? now, updatedAt: Math.max(...lines.map(({ updatedAt }) => updatedAt)) }
      const told = { key, on, author: first?.author, body: "", ...times, commit: first?.commit ?? "" }
      return { ...told, state: "COMMENT", isStale: false, isDismissed: false, lines }
    })
    return [...given, ...said]
  }

  const presentLine = (record: Static<typeof note>, at: Static<typeof position>): LineComment => {
    const isOld = (at.new_line ?? null) === null
    return {
      ...written(record),
      path: (isOld ? at.old_path : at.new_path) ?? "",
      line: isOld ? -(at.old_line ?? 0) : (at.new_line ?? 0),
      lines: 1,
      hunk: "",
      commit: at.head_sha ?? "",
      base: at.base_sha ?? "",
      isOutdated: false,
      resolvedBy: record.resolved_at ? personOf(record.resolved_by_id) : undefined,
    }
  }

  const isShown = (record: Static<typeof issue>): boolean => !record.confidential
  const releases = (from: string) =>
    lines("releases", release, from, (record) => {
      const createdAt = parseTime(record.released_at ?? record.created_at, now)
      return [
        {
          key: record.tag,
          tag: record.tag,
          target: record.sha ?? "",
          title: record.name ?? "",
          body: record.description ?? "",
          author: personOf(record.author_id),
          isDraft: false,
          isPrerelease: false,
          createdAt,
          updatedAt: createdAt,
          // They are addresses of elsewhere, which an export does not have.
          files: [],
        },
      ]
    })

  const readers: { readonly [K in Kind]: (from: string) => Promise<Batch<K>> } = {
    topics: async () => {
      const topics = (told.topics ?? "").split(",").map((topic) => topic.trim())
      const facts = {
        key: "project",
        description: told.description ?? "",
        website: "",
        topics,
        stars: 0,
        isArchived: told.archived ?? false,
      }
      return { records: [{ ...facts, isPrivate: told.visibility_level !== 20 }], faults: [], next: undefined, total: 1 }
    },
    milestones: (from) =>
      lines("milestones", milestone, from, (record) => {
        const times = timesOf(record)
        const isClosed = record.state === "closed"
        return [
          {
            ...times,
            key: String(record.id),
            title: record.title,
            description: record.description ?? "",
            isClosed,
            closedAt: times.updatedAt,
            dueAt: dayOf(record.due_date),
          },
        ]
      }),
    labels: (from) =>
      lines("labels", label, from, ({ id, title, color, description }) => [
        {
          key: String(id),
          name: title,
          color: color ?? "",
          description: description ?? "",
          isExclusive: title.includes("::"),
          isArchived: false,
        },
      ]),
    issues: async (from) => {
      const read = await lines("issues", issue, from, (record) => [record])
      const hidden = read.records.filter((record) => !isShown(record))
      return {
        ...read,
        records: read.records.filter(isShown).map(presentIssue),
        faults: [...read.faults, ...hidden.map(({ iid }) => ({ key: String(iid), why: CONFIDENTIAL }))],
      }
    },
    pull_requests: (from) => lines("merge_requests", merge, from, (record) => [presentPull(record)]),
    comments: async (from) => {
      const rest = /^merge_requests (\d*)$/.exec(from)?.[1]
      if (rest !== undefined) {
        const read = await lines("merge_requests", merge, rest, (record) => commentsOf(record, "pull_requests"))
        return { ...read, next: read.next === undefined ? undefined : `merge_requests ${read.next}` }
      }
      const read = await lines("issues", issue, from, (record) => commentsOf(record, "issues"))
      return { ...read, next: read.next ?? "merge_requests " }
    },
    reviews: (from) => lines("merge_requests", merge, from, reviewsOf),
    boards: (from) =>
      lines("boards", board, from, ({ id, name, created_at, lists }) => [
        {
          key: String(id),
          title: name || "Development",
          description: "",
          isClosed: false,
          createdAt: parseTime(created_at, now),
          columns: (lists ?? []).flatMap(({ id, label }) =>
            label?.title ? [{ key: String(id), title: label.title, color: (label.color ?? "").replace(/^#/, ""), label: label.title }] : [],
          ),
          cards: [],
        },
      ]),
    branch_rules: (from) => lines("protected_branches", branchRule, from, (record) => [presentBranchRule(record)]),
    releases,
    release_files: releases,
  }

  const upload = (address: string): string | undefined => {
    const [, rest] = /^https:\/\/export\.invalid\/project\/(uploads\/[0-9a-f]{32}\/[^/?#]+)$/.exec(address) ?? []
    if (rest === undefined) return undefined
    const name = decodeURIComponent(rest)
    return name.includes("..") || name.includes("\0") ? undefined : join(folder, name)
  }

  return {
    host: "export.invalid",
    kinds: KINDS,
    git: undefined,
    wiki: undefined,
    isPrivate: told.visibility_level !== 20,
    description: told.description ?? "",
    branch: told.default_branch ?? "",
    preview: async () => ({
      name: "",
      description: told.description ?? "",
      isPrivate: told.visibility_level !== 20,
      hasWiki: false,
      hasLargeFiles: false,
      counts: {},
    }),
    read: (kind, from) => readers[kind](from),
    headersFor: () => undefined,
    open: (address) => {
      const path = upload(address)
      return path !== undefined && existsSync(path) ? createReadStream(path) : undefined
    },
    absolute: (content) => content.replaceAll(/(?<=\]\()\/uploads\/(?=[0-9a-f]{32}\/)/g, `${HOME}/uploads/`),
    marks: { "#": "issues", "!": "pull_requests" },
    placeOf: (address) => (upload(address) === undefined ? undefined : { kind: "file", address }),
  }
}

/** Written by the server itself, or shown to members alone. */
const isHidden = ({ system, confidential, internal }: Static<typeof note>): boolean => system || confidential || internal || false

function placeIn({ position: at }: Static<typeof note>): Static<typeof position> | undefined {
  if (typeof at !== "string") return at ?? undefined
  try {
    const read: unknown = JSON.parse(at)
    return Check(position, read) ? read : undefined
  } catch {
    return undefined
  }
}
