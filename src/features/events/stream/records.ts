import { dateTime, int64, nullable, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { KINDS } from "./names.ts"

/** What is told of an event besides its subject. */
export const DETAILS = {
  added: Type.Array(int64(), { description: "ids of the labels, or of the people, that it has from now on" }),
  after: nullable(Type.String({ description: "the commit, or the tag, that it leads to now" })),
  before: nullable(Type.String({ description: "the commit, or the tag, that it led to before" })),
  branch: Type.String({ description: "the name of the branch that it is about" }),
  changed: Type.Array(Type.String(), { description: "the names of what has another value" }),
  column_id: int64({ description: "the column of a project" }),
  comment_id: nullable(int64({ description: "the comment; null for the text of the issue itself" })),
  forced: Type.Boolean({ description: "commits were taken away" }),
  from: nullable(int64({ description: "the milestone that it had" })),
  job_ids: Type.Array(int64(), { description: "jobs whose state has changed" }),
  ref: Type.String({ description: "the whole name of the branch or tag" }),
  release_id: int64({ description: "the release that a file is attached to" }),
  removed: Type.Array(int64(), { description: "ids of the labels, or of the people, that it has no more" }),
  review_id: int64({ description: "the review" }),
  status_ids: Type.Array(int64(), { description: "the new statuses of the commit" }),
  time_id: int64({ description: "the tracked time" }),
  to: nullable(int64({ description: "the milestone that it has now" })),
  user_id: int64({ description: "the person whom it is about" }),
  version_id: int64({ description: "the version of the package" }),
} as const

export type Detail = keyof typeof DETAILS

const SUBJECTS = [
  "account",
  "artifact",
  "attachment",
  "commit",
  "deploy_key",
  "issue",
  "label",
  "lfs_lock",
  "milestone",
  "mirror",
  "package",
  "project",
  "protection",
  "pull_request",
  "reference",
  "release",
  "repository",
  "run",
  "runner",
  "secret",
  "team",
  "variable",
  "webhook",
  "wiki_page",
  "workflow",
] as const

export type SubjectType = (typeof SUBJECTS)[number]

const EventAccount = record("EventAccount", { id: int64(), login: Type.String() })

const EventRepository = record("EventRepository", {
  id: int64(),
  full_name: nullable(Type.String({ description: "null where it is deleted" })),
  private: Type.Boolean(),
})

const EventSubject = record("EventSubject", {
  type: Type.Unsafe<SubjectType>({ type: "string", enum: [...SUBJECTS] }),
  id: nullable(int64({ description: "null for what has no id, such as a branch" })),
  number: Type.Optional(int64({ description: "of an issue or pull request" })),
  title: Type.Optional(Type.String({ description: "of an issue or pull request, as it is now" })),
  state: Type.Optional(Type.Unsafe<"open" | "closed">({ type: "string", enum: ["open", "closed"], description: "as it is now" })),
  html_url: Type.Optional(Type.String()),
})

export const LiveEvent = record("LiveEvent", {
  position: Type.String({ description: "where it is in the log: what follows is asked for with `after`, or `Last-Event-ID`" }),
  kind: Type.String({ enum: [...KINDS] }),
  at: dateTime(),
  actor: nullable(EventAccount),
  repository: nullable(EventRepository),
  owner: nullable(EventAccount),
  subject: EventSubject,
  details: record("EventDetails", Object.fromEntries(Object.entries(DETAILS).map(([name, schema]) => [name, Type.Optional(schema)]))),
})
export type LiveEvent = Static<typeof LiveEvent>
