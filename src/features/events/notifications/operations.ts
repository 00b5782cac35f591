import { onRepositorySignedIn } from "../../../access/policies/repositories.ts"
import { signedIn } from "../../../access/policies/site.ts"
import type { SignedIn } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { listed, type Operation, ok, operation, type Page } from "../../../core/operation.ts"
import { dateTime, knownWord, oneOf, secondsOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { locateThread, markThread, markThreads } from "./marking.ts"
import { presentThreads } from "./present.ts"
import { NotificationCount, NotificationThread } from "./records.ts"
import { findThreadRows } from "./store.ts"
import { countThreads, findThreads, STATUSES, type Status, SUBJECTS, type Subject, type ThreadFilter } from "./threads-store.ts"

const about = { tag: "notification", scope: ["notification"], publicOnly: "refused" } as const

const SUBJECT_TYPES = ["issue", "pull", "commit", "repository"] as const
const SYNONYMS = {
  issue: ["issues"],
  pull: ["pulls", "pr", "pullrequest", "pullrequests", "pull_request"],
  commit: ["commits"],
  repository: ["repo", "repositories"],
} as const

const listQuery = {
  all: Type.Optional(Type.Boolean({ description: "read threads too" })),
  "status-types": Type.Optional(Type.Array(knownWord(STATUSES), { description: "unread and pinned where it is not sent" })),
  "subject-type": Type.Optional(Type.Array(knownWord(SUBJECT_TYPES, { synonyms: SYNONYMS }))),
  since: Type.Optional(dateTime({ description: "only threads that changed after this moment" })),
  before: Type.Optional(dateTime({ description: "only threads that changed before this moment" })),
}

/** The specification names the words of a repository's list: others are refused. */
const repositoryListQuery = {
  ...listQuery,
  "status-types": Type.Optional(Type.Array(oneOf(STATUSES), { description: "unread and pinned where it is not sent" })),
  "subject-type": Type.Optional(Type.Array(oneOf(SUBJECT_TYPES, { synonyms: SYNONYMS }))),
}

const markQuery = {
  // Clients know it as a text.
  all: Type.Optional(oneOf(["true", "false", "1", "0"], { description: "true: whatever their status" })),
  "status-types": Type.Optional(Type.Array(oneOf(STATUSES), { description: "unread where it is not sent" })),
  "to-status": Type.Optional(oneOf(STATUSES, { default: "read" })),
  last_read_at: Type.Optional(Type.String({ description: "only threads that changed then or earlier; without it, until now" })),
}

interface ListQuery {
  readonly all?: boolean
  readonly "status-types"?: readonly Status[]
  readonly "subject-type"?: readonly string[]
  readonly since?: string
  readonly before?: string
}

interface MarkQuery {
  readonly all?: "true" | "false" | "1" | "0"
  readonly "status-types"?: readonly Status[]
  readonly "to-status"?: Status
  readonly last_read_at?: string
}

/** The given statuses; the fallback where none is given. */
const statusesOf = (given: readonly Status[] = [], fallback: readonly Status[]): readonly Status[] =>
  given.length === 0 ? fallback : given

/** The words of clients for what they know no other word of. */
const WORDS: Partial<Record<Subject, string>> = { run: "commit", release: "repository" }

/** Likewise the subjects. */
const subjectsOf = (given: readonly string[] = []): readonly Subject[] =>
  given.length === 0 ? SUBJECTS : SUBJECTS.filter((subject) => given.includes(WORDS[subject] ?? subject))

const filterOf = (query: ListQuery): ThreadFilter => ({
  statuses: query.all === true ? STATUSES : statusesOf(query["status-types"], ["unread", "pinned"]),
  subjects: subjectsOf(query["subject-type"]),
  since: secondsOf(query.since),
  before: secondsOf(query.before),
})

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

function markRequestOf(query: MarkQuery): { readonly filter: ThreadFilter; readonly status: Status } {
  const until = query.last_read_at
  if (until !== undefined && until !== "" && (!MOMENT.test(until) || Number.isNaN(Date.parse(until))))
    throw refuse.badRequest("last_read_at: must be a moment such as 2026-01-31T12:00:00Z")
  const readUntil = until === "" ? undefined : secondsOf(until)
  return {
    filter: {
      statuses: query.all === "true" || query.all === "1" ? STATUSES : statusesOf(query["status-types"], ["unread"]),
      subjects: SUBJECTS,
      before: readUntil === undefined ? undefined : readUntil + 1,
    },
    status: query["to-status"] ?? "read",
  }
}

type Called = { readonly db: Handle; readonly services: Services; readonly actor: SignedIn }

async function list({ db, services, actor }: Called, filter: ThreadFilter, page: Page) {
  const { rows, total } = await findThreads(db, actor, filter, page)
  return listed(await presentThreads(db, services.site, actor, rows), total)
}

async function mark({ db, services, actor }: Called, { filter, status }: { readonly filter: ThreadFilter; readonly status: Status }) {
  const ids = await markThreads(services, actor, { filter, status, shown: services.config.api.maxPageSize })
  const threads = ids.length === 0 ? [] : await findThreadRows(db, ids)
  const place = new Map(ids.map((id, index) => [id, index]))
  const ordered = [...threads].sort((one, other) => (place.get(one.id) ?? 0) - (place.get(other.id) ?? 0))
  return { status: 205, body: await presentThreads(db, services.site, actor, ordered) } as const
}

const LIST_DESCRIPTION =
  "The caller’s own threads, those that changed last first. Threads on what the caller may not see any more are neither shown nor counted."
const MARK_DESCRIPTION = "Answers with the threads that changed, the newest of them if there are more than a page holds."

export const notificationOperations: readonly Operation[] = [
  operation({
    ...about,
    id: "notifyGetList",
    route: "GET /notifications",
    summary: "List the caller’s notification threads",
    description: LIST_DESCRIPTION,
    access: signedIn,
    paged: true,
    query: listQuery,
    answers: { 200: Type.Array(NotificationThread) },
    refuses: ["invalid"],
    handle: (call) => list(call, filterOf(call.query), call.page),
  }),

  operation({
    ...about,
    id: "notifyReadList",
    route: "PUT /notifications",
    summary: "Mark the caller’s notification threads",
    description: MARK_DESCRIPTION,
    access: signedIn,
    query: markQuery,
    answers: { 205: Type.Array(NotificationThread) },
    refuses: ["badRequest"],
    handle: (call) => mark(call, markRequestOf(call.query)),
  }),

  operation({
    ...about,
    id: "notifyNewAvailable",
    route: "GET /notifications/new",
    summary: "Count the caller’s unread notification threads",
    access: signedIn,
    answers: { 200: NotificationCount },
    handle: async ({ db, actor }) => ok({ new: await countThreads(db, actor, "unread") }),
  }),

  operation({
    ...about,
    id: "notifyGetThread",
    route: "GET /notifications/threads/{id}",
    summary: "Get a notification thread",
    access: signedIn,
    answers: { 200: NotificationThread },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, services, actor, path }) => {
      const [thread] = await presentThreads(db, services.site, actor, [await locateThread(db, actor, path.id, "read")])
      if (!thread) throw refuse.notFound()
      return ok(thread)
    },
  }),

  operation({
    ...about,
    id: "notifyReadThread",
    route: "PATCH /notifications/threads/{id}",
    summary: "Mark a notification thread as read, unread or pinned",
    access: signedIn,
    query: { "to-status": markQuery["to-status"] },
    answers: { 205: NotificationThread },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, services, actor, path, query }) => {
      const marked = await markThread(services, actor, path.id, query["to-status"] ?? "read")
      const [thread] = await presentThreads(db, services.site, actor, [marked])
      if (!thread) throw refuse.notFound()
      return { status: 205, body: thread } as const
    },
  }),

  operation({
    ...about,
    id: "notifyGetRepoList",
    route: "GET /repos/{owner}/{repo}/notifications",
    summary: "List the caller’s notification threads of a repository",
    description: LIST_DESCRIPTION,
    access: onRepositorySignedIn,
    paged: true,
    query: repositoryListQuery,
    answers: { 200: Type.Array(NotificationThread) },
    refuses: ["invalid", "notFound"],
    handle: (call) => list(call, { ...filterOf(call.query), repositoryId: call.repository.id }, call.page),
  }),

  operation({
    ...about,
    id: "notifyReadRepoList",
    route: "PUT /repos/{owner}/{repo}/notifications",
    summary: "Mark the caller’s notification threads of a repository",
    description: MARK_DESCRIPTION,
    access: onRepositorySignedIn,
    query: markQuery,
    answers: { 205: Type.Array(NotificationThread) },
    refuses: ["badRequest", "notFound"],
    handle: (call) => {
      const { filter, status } = markRequestOf(call.query)
      return mark(call, { filter: { ...filter, repositoryId: call.repository.id }, status })
    },
  }),
]
