import { neededScopes } from "../../../access/scopes.ts"
import type { Config } from "../../../core/config.ts"
import { catalogue, type RefusalKind } from "../../../core/errors.ts"
import type { AccessRule, Operation } from "../../../core/operation.ts"
import { readerOf } from "../call.ts"
import { isMissingEmpty, type NotFoundBody } from "../missing.ts"
import type { Recorded } from "./recorded.ts"
import { isJson, type Json, requiredOf } from "./schema.ts"

/** What all documents say about the service. */
export interface About {
  readonly notFoundBody?: NotFoundBody
  readonly version: string
  /** The public address, without a slash at its end; left out, the documents name none. */
  readonly rootUrl?: string
  /** For the limits; left out, the documents tell none. */
  readonly config?: Config
  /** What tests have seen of the operations; left out, the documents have no examples, events and texts. */
  readonly recorded?: Recorded
}

export const TITLE = "Hearth API"
export const API_PATH = "/api/v1"

// --- refusals ------------------------------------------------------------------------------------------------------------------------

/** The refusals of one status, as one answer. */
export interface RefusedAnswer {
  readonly name: RefusalKind | "missing"
  readonly status: number
  readonly description: string
  readonly body: "error" | "missing" | "none"
}

const kinds = Object.keys(catalogue).filter((kind): kind is RefusalKind => kind in catalogue)

/** Every refusal, one for each status, named after the first kind of it; a missing thing with and without a body. */
export const refusedAnswers: readonly RefusedAnswer[] = [...new Set(kinds.map((kind) => catalogue[kind].status))].flatMap(
  (status): readonly RefusedAnswer[] => {
    const same = kinds.filter((kind) => catalogue[kind].status === status)
    const [name] = same
    if (name === undefined) return []
    const description = same.map((kind) => catalogue[kind].title || "an error of the server's own").join(", or ")
    if (name !== "notFound") return [{ name, status, description, body: "error" }]
    return [
      { name, status, description: `${description}, without a body`, body: "none" },
      { name: "missing", status, description, body: "missing" },
    ]
  },
)

/** How an operation may refuse: what it declares, and what follows from its access, its scopes and its input. */
export function refusalsOf(
  operation: Operation,
  { notFoundBody = "specified" }: Pick<About, "notFoundBody">,
  more: readonly RefusalKind[] = [],
): readonly RefusedAnswer[] {
  const { rule, scope, archived, publicOnly, basicOnly, body, refuses } = operation
  const all = new Set<RefusalKind>([...refuses, ...more])
  if (rule.signIn === "required" || basicOnly) all.add("unauthenticated")
  if (scope.length > 0 || publicOnly === "refused") all.add("forbidden")
  if (rule.subject !== "site") all.add("notFound")
  if (body !== undefined) all.add("invalid")
  if (archived === "refused") all.add("archived")
  const statuses = new Set([...all].map((kind) => catalogue[kind].status as number))
  const missing = isMissingEmpty(notFoundBody, operation.id) ? "none" : "missing"
  return refusedAnswers.filter(
    ({ status, body: sent }) => statuses.has(status) && !(status in operation.answers) && (sent === "error" || sent === missing),
  )
}

// --- who may call --------------------------------------------------------------------------------------------------------------------

/** The scopes that a token needs for the operation. */
export const scopesOf = ({ method, scope }: Operation): readonly string[] => neededScopes(method, scope)

const rules: Readonly<Record<string, string>> = {
  "site nothing": "Anybody",
  "site signIn": "Signed-in users",
  "site siteAdministrator": "Site administrators",
  "user visible": "Anyone who may see the user",
  "user self": "The user, and site administrators",
  "user siteAdministrator": "Site administrators",
  "organization visible": "Anyone who may see the organisation",
  "organization member": "Members of the organisation",
  "organization owner": "Owners of the organisation",
  "organization selfOrMember": "The person, members of the organisation, and site administrators",
  "user projects:read": "Anyone who may see the user, or read the organisation’s projects",
  "organization projects:read": "Anyone who may read the organisation’s projects",
  "organization projects:write": "Anyone who may write to the organisation’s projects",
  "organization columns:write": "Anyone who may write to the organisation’s projects",
  "team read": "Anyone who may see the team",
  "team privileged": "Members of the team, and owners of the organisation",
  "team owner": "Owners of the organisation",
  "repository reach": "Anyone who reaches any part of the repository",
  "repository comment:read": "Anyone who may read the comment’s issue",
  "repository comment:author": "The comment’s author, and anyone who may write to its issue",
  "repository comment:writingAuthor": "The comment’s author and administrators of the repository, as long as they may write to its issue",
  "repository administrator": "Administrators of the repository",
  "repository selfOrAdministrator": "The user, and administrators of the repository",
  "repository issuesOrPulls:read": "Anyone who may read the repository’s issues or its pull requests",
  "repository issue:read": "Anyone who may read the issue",
  "repository issue:write": "Anyone who may write to the repository’s issues",
  "repository issue:author": "The author, and anyone who may write to the repository’s issues",
  "repository issue:administrator": "Administrators of the repository",
  "repository issuesOrPulls:write": "Anyone who may write to the repository’s issues or its pull requests",
  "repository issue:writeOrMissing": "Anyone who may write to the repository’s issue",
  "repository issue:contributor": "Anyone who may track time on the issue",
  "repository issue:self": "The user, who may read the issue, and site administrators",
  "repository issues:selfOrAdministrator": "The user, who may read the repository’s issues, and administrators of the repository",
  "repository pullRequests:read": "Anyone who may read the repository’s pull requests and its code",
  "repository pullRequest:read": "Anyone who may read the repository’s pull requests and its code",
  "repository pullRequest:author": "The author, and anyone who may write to the repository’s pull requests",
  "repository review:read": "Anyone who may read the pull request; a pending review, its author",
  "repository review:author": "The reviewer, and site administrators",
  "repository review:administrator": "Administrators of the repository",
  "repository reviewers:choose": "The repository’s owner and collaborators, and members of teams that read its pull requests",
  "repository owner": "Owners of the repository",
}

const verbs: Readonly<Record<string, string>> = { read: "read", write: "write to", admin: "administer" }

/** A rule in words for people. One without words of its own is named as it is. */
export function ruleText({ subject, needs, signIn }: AccessRule): string {
  const [, unit, mode = ""] = /^(\w+):(\w+)$/.exec(needs) ?? []
  const who =
    rules[`${subject} ${needs}`] ?? (unit ? `Anyone who may ${verbs[mode] ?? mode} the ${subject}’s ${unit}` : `${subject}: ${needs}`)
  // All others can only be signed-in users.
  return signIn === "required" && needs !== "signIn" && who.startsWith("Anyone who") ? `${who} and has signed in` : who
}

// --- parameters ----------------------------------------------------------------------------------------------------------------------

const pathWords: Readonly<Record<string, string>> = {
  owner: "name of the repository’s owner",
  repo: "name of the repository",
  template_owner: "name of the template’s owner",
  template_repo: "name of the template",
  org: "name of the organisation",
  username: "name of the user",
  user: "name of the user",
  collaborator: "name of the collaborator",
  team: "name of the team",
  topic: "name of the topic",
  assignee: "name of the person",
  position: "place among the pinned ones, from 1",
  filepath: "path inside the repository, with its slashes or with %2F",
  index: "number inside the repository",
  issue_id: "id of the issue, which is not its number inside the repository",
  sha: "id of a commit, tree, blob or tag; where a commit is meant also its first digits, a branch or a tag",
  ref: "branch, tag or commit",
  basehead: "base...head, base..head or head",
  diffType: "diff or patch",
  run: "id of the run, which is not its number inside the repository",
  attempt: "number of the attempt, from 1",
  workflow_id: "file of the workflow, below the folder of workflows",
  secretname: "name of the secret, in any case",
  variablename: "name of the variable, in any case",
}

/** A short description of a path parameter. */
export const pathDescription = (name: string): string => pathWords[name] ?? (name === "id" ? "id" : name.replaceAll("_", " "))

/** A query parameter with its schema. */
export interface QueryParameter {
  readonly name: string
  readonly schema: object
  readonly required: boolean
}

export function queryParameters({ query }: Operation): readonly QueryParameter[] {
  const required = isJson(query) ? requiredOf(query) : []
  return Object.entries(query.properties).map(([name, schema]) => ({ name, schema, required: required.includes(name) }))
}

/** Whether a request needs a body: all but objects that may be empty. */
export function bodyRequired({ body }: Operation): boolean {
  if (!isJson(body)) return false
  return body.type !== "object" || (Array.isArray(body.required) && body.required.length > 0)
}

/** Texts go as text, files as they are or, when they are sent, as a form, everything else as JSON. */
export function mediaType(schema: unknown): string {
  if (!isJson(schema)) return "application/json"
  if (schema.isDownload === true) return "application/octet-stream"
  if (schema.isStream === true) return "application/jsonl"
  return schema.type === "string" ? "text/plain" : typeof schema.uploadField === "string" ? "multipart/form-data" : "application/json"
}

/** How an answer is sent: what is a stream of records also as server-sent events, whose data are the same records. */
export const answerTypes = (schema: unknown): readonly string[] =>
  isJson(schema) && schema.isStream === true ? [mediaType(schema), "text/event-stream"] : [mediaType(schema)]

/** The tags in the order of their first operations. */
export const tagsOf = (operations: readonly Operation[]): readonly string[] => [...new Set(operations.map(({ tag }) => tag))]

/** The headers of a paged list. */
export const pagingHeaders = {
  Link: "addresses of the next, last, first and previous page, those that there are",
  "X-Total-Count": "length of the whole list",
} as const

/** The headers of writes that are sent under a condition. */
export const conditionHeaders = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    description:
      "1 to 255 visible characters of ASCII, chosen by the client: sent again with the same key within a day, the write is not done again but answered as the first time, with the header Idempotent-Replayed. 422 with another request, 409 while the first has no answer",
    pattern: "^[!-~]{1,255}$",
  },
  IfMatch: {
    name: "If-Match",
    description:
      "entity tags as the GET of this address gives them in ETag, or *: 412 where what is changed is no longer what one of them stands for",
    pattern: undefined,
  },
} as const
export type ConditionHeader = keyof typeof conditionHeaders

/** Which of them an operation takes, with the refusals that follow. */
export function conditionsOf(
  operations: readonly Operation[],
  operation: Operation,
): { readonly headers: readonly ConditionHeader[]; readonly refuses: readonly RefusalKind[] } {
  if (operation.method === "GET") return { headers: [], refuses: [] }
  if (!readerOf(operations, operation)) return { headers: ["IdempotencyKey"], refuses: ["conflict", "invalid"] }
  return { headers: ["IdempotencyKey", "IfMatch"], refuses: ["conflict", "preconditionFailed", "invalid"] }
}

/** How a request authenticates; the same words in every document. */
export const signInWords = {
  BasicAuth: "name and password, or a token in the place of either",
  AuthorizationHeaderToken: "an access token, after the word “token” or “Bearer” and a blank",
  SudoHeader: "a site administrator acts as the user named here; goes beside one of the others",
  TOTPHeader: "the one-time code of an account with a second factor; goes beside BasicAuth",
} as const

/** What a document says of each operation, by path and method. */
export function byPath(operations: readonly Operation[], describe: (operation: Operation) => Json): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of operations) {
    const methods = paths[operation.path] ?? {}
    methods[operation.method.toLowerCase()] = describe(operation)
    paths[operation.path] = methods
  }
  return paths
}
