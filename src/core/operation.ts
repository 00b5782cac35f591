import type { Actor, User } from "./actor.ts"
import { memberOf } from "./check.ts"
import type { Handle } from "./database/database.ts"
import { catalogue, type RefusalKind, refuse } from "./errors.ts"
import { requireOfJob } from "./job-token.ts"
import { requireChosen } from "./limited-token.ts"
import type { Need } from "./need.ts"
import { pageParameter } from "./record.ts"
import Type, { type Static, type TObject, type TProperties, type TSchema } from "./schema.ts"
import type { Services } from "./services.ts"
import { type Deed, doneBy, requireTaskOperation } from "./task-token.ts"
import { FIRST_VERSION } from "./version.ts"

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** The category of a token's scopes. The level follows from the method: GET needs read, all others write. */
export type ScopeCategory = "activitypub" | "admin" | "issue" | "misc" | "notification" | "organization" | "package" | "repository" | "user"

/** The page that a list was asked for, already clamped. */
export interface Page {
  readonly number: number
  readonly limit: number
  readonly offset: number
}

/** A call before its subject is known. */
export interface Request {
  readonly services: Services
  /** Reads only; writes go through `services.database.write`. */
  readonly db: Handle
  readonly actor: Actor
  readonly path: Readonly<Record<string, string>>
  /** What the operation declares about archived repositories; see `refuseArchived` in `access/`. */
  readonly archived?: "refused"
}

/**
 * Who may call, as data (`rule`) and as a function (`open`). The permission matrix and the documents are derived from the data;
 * tests hold both against each other for every kind of caller.
 */
export interface Access<Found> {
  readonly rule: AccessRule
  /**
   * Finds the subject and decides. Refuses with `unauthenticated`, `forbidden`, or with `notFound` where the caller may not know
   * that the subject exists.
   */
  readonly open: (request: Request) => Promise<Found> | Found
}

/** The data of an access rule: the subject, and what the caller needs. */
export interface AccessRule {
  readonly subject: "site" | "user" | "organization" | "team" | "repository"
  /** The least role that is needed; the words are those of the subject's policies in `access/`. */
  readonly needs: Need
  readonly signIn: "required" | "optional"
  /** True: anonymous callers are refused before anything is looked up, and so even where the subject is hidden or missing. */
  readonly asksFirst?: true
}

export type PathOf<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}` ? Name | PathOf<Rest> : never

/** Names of path parameters that are numbers in every path. An unreadable number is 0, which no row has. */
const NUMERIC_PATH = [
  "id",
  "index",
  "position",
  "issue_id",
  "column_id",
  "comment_id",
  "review_id",
  "attachment_id",
  "delivery_id",
  "job_id",
  "run_id",
  "run",
  "attempt",
] as const
type NumericPath = (typeof NUMERIC_PATH)[number]
export const isNumericPath = (name: string): name is NumericPath => NUMERIC_PATH.some((numeric) => numeric === name)

/** Names of path parameters, each at the end of its path, whose values are given as they stand in the address, with their escapes. */
const RAW_PATH = ["pageName"] as const
export const isRawPath = (name: string): boolean => RAW_PATH.some((raw) => raw === name)

/** The last part of an address, with its escapes. The router ignores slashes behind it. */
export const lastSegment = (url: string): string => (url.split("?", 1)[0] ?? "").split("/").findLast((part) => part !== "") ?? ""

/** Names of path parameters that, at the end of a path, take the rest of it with its slashes. */
const REST_PATH = ["archive", "basehead", "branch", "filepath", "head", "name", "ref", "sha", "tag"] as const

/** The name of the parameter at the end of a path that takes the rest of it, or undefined. */
export function restOf(path: string): string | undefined {
  const name = /\/\{(\w+)\}$/.exec(path)?.[1]
  return REST_PATH.find((rest) => rest === name)
}

/** Names of path parameters after a last dot that select the form of the answer, with the possible forms: `{sha}.{diffType}`. */
const FORMS = { diffType: ["diff", "patch"] } as const
type FormName = keyof typeof FORMS
const FORM_NAMES = Object.keys(FORMS).filter((name): name is FormName => name in FORMS)

/** For a path with a form, the path without it and the parameter's name; undefined for other paths. */
export function formOf(path: string): { readonly beside: string; readonly name: FormName } | undefined {
  const name = FORM_NAMES.find((form) => path.endsWith(`}.{${form}}`))
  return name && { beside: path.slice(0, -`.{${name}}`.length), name }
}

/** The form parameter that a requested path sets, with its value; undefined if it sets none. */
export function requestedForm(path: string): { readonly name: FormName; readonly value: string } | undefined {
  for (const name of FORM_NAMES) {
    const value = FORMS[name].find((word) => path.endsWith(`.${word}`))
    if (value !== undefined) return { name, value }
  }
  return undefined
}

type PathValues<Route extends string, Text extends string> = {
  readonly [Name in PathOf<Route>]: Name extends Exclude<NumericPath, Text> ? number : string
}

type Answers = Readonly<Record<number, TSchema | null>>

/** One of the declared answers, with the body that its status was declared with. */
export type AnswerOf<A extends Answers> = {
  readonly [S in keyof A & number]: Sent<S, A[S] extends TSchema ? Static<A[S]> : undefined>
}[keyof A & number]

export interface Sent<S extends number, B> {
  readonly status: S
  readonly body: B
  /** The length of the whole list, for the paging headers. */
  readonly total?: number
  readonly headers?: Readonly<Record<string, string>>
}

type Call<Route extends string, Text extends string, Found, Query extends TProperties, Body extends TSchema> = Request &
  Found & {
    readonly path: PathValues<Route, Text>
    readonly query: Static<TObject<Query>>
    readonly body: Static<Body>
    readonly page: Page
    readonly request: CallRequest
  }

/** The part of the HTTP request that a handler may use. */
export interface CallRequest {
  readonly id: string
  readonly ip: string
  /** The administrator who acts in the caller's name. */
  readonly behind?: User | undefined
  /** A header of a request to the API. */
  readonly header?: (name: string) => string | undefined
}

interface Declared<Route extends string, Text extends string, Found, Query extends TProperties, Body extends TSchema, A extends Answers> {
  /** Unique; clients generate their method names from it. */
  readonly id: string
  readonly route: `${Method} ${Route}`
  /** Path parameters that may be names here, though they are numbers in other operations. */
  readonly textPath?: readonly Text[]
  readonly summary: string
  readonly description?: string
  readonly deprecated?: boolean
  /** The version of Hearth that had it first, unless that was the first of all. */
  readonly since?: string
  /** Its heading in the API's documents. */
  readonly tag: string
  /** The scopes that a token needs: all of them; none if the list is empty. */
  readonly scope: readonly ScopeCategory[]
  readonly access: Access<Found>
  /** "refused": tokens limited to public things may not use it at all. */
  readonly publicOnly?: "refused"
  /**
   * "refused": 423 on an archived repository, before the body is read. It is declared here only: a policy may check it earlier, otherwise it is
   * checked once the caller has been authorised.
   */
  readonly archived?: "refused"
  /** Only for requests that were signed in with a Basic header. */
  readonly basicOnly?: boolean
  /** Changes nothing, or the caller's token alone, whatever its method: also for tokens that are limited to some repositories. */
  readonly changesNothing?: true
  /** The answer may change without a write, such as a running time. */
  readonly changesWithTime?: boolean
  /** What it shows may be a second old: `db` is a replica where there is one. */
  readonly mayBeOld?: true
  /** A list: `page` and `limit` are added to the query, Link and X-Total-Count to the answer. */
  readonly paged?: boolean
  readonly query?: Query
  readonly body?: Body
  readonly answers: A
  readonly refuses?: readonly RefusalKind[]
  readonly handle: (call: Call<Route, Text, Found, Query, Body>) => Promise<AnswerOf<A>> | AnswerOf<A>
}

/** An operation for servers, documents and tests: one immutable record. */
export interface Operation {
  readonly id: string
  readonly method: Method
  /** Below /api/v1, with {names}. */
  readonly path: string
  readonly parameters: readonly { readonly name: string; readonly numeric: boolean }[]
  readonly summary: string
  readonly description: string
  readonly deprecated: boolean
  /** The version of Hearth that had it first. */
  readonly since: string
  readonly tag: string
  readonly scope: readonly ScopeCategory[]
  readonly rule: AccessRule
  readonly publicOnly: "allowed" | "refused"
  readonly archived: "allowed" | "refused"
  readonly basicOnly: boolean
  /** Whether it changes more than the caller's token. */
  readonly changes: boolean
  readonly changesWithTime: boolean
  readonly mayBeOld: boolean
  readonly paged: boolean
  readonly query: TObject
  readonly body: TSchema | undefined
  readonly answers: Answers
  readonly refuses: readonly RefusalKind[]
  /** Locates the subject, authorises the caller, and returns the function to call once query and body are read. */
  readonly open: (request: Request) => Promise<Opened>
}

/** An operation whose caller has been authorised. */
export interface Opened {
  readonly run: (input: Input) => Promise<Sent<number, unknown>> | Sent<number, unknown>
}

/** Query and body, checked against the operation's schemas. */
export interface Input {
  readonly query: unknown
  readonly body: unknown
  readonly page: Page
  readonly request: CallRequest
}

/** Declares an operation. Everything else about it, routes, documents, checks and tests, is derived from the record. */
export function operation<
  Route extends string,
  Found extends object,
  const A extends Answers,
  Query extends TProperties = Record<never, never>,
  Body extends TSchema = TSchema,
  const Text extends string = never,
>(declared: Declared<Route, Text, Found, Query, Body, A>): Operation {
  const [method, path] = splitRoute(declared.route)
  const texts: readonly string[] = declared.textPath ?? []
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    numeric: isNumericPath(name) && !texts.includes(name),
  }))
  const paging = declared.paged
    ? {
        page: pageParameter("page number, from 1"),
        limit: pageParameter("page size"),
      }
    : {}
  const values = (raw: Readonly<Record<string, string>>): PathValues<Route, Text> =>
    // Each name in the route is read from the router's match of the same route; the compiler can't follow a pattern's names.
    Object.fromEntries(parameters.map(({ name, numeric }) => [name, numeric ? pathNumber(raw[name]) : (raw[name] ?? "")])) as PathValues<
      Route,
      Text
    >
  const changes = method !== "GET" && !declared.changesNothing
  return {
    id: declared.id,
    method,
    path,
    parameters,
    summary: declared.summary,
    description: declared.description ?? "",
    deprecated: declared.deprecated ?? false,
    since: declared.since ?? FIRST_VERSION,
    tag: declared.tag,
    scope: declared.scope,
    rule: declared.access.rule,
    publicOnly: declared.publicOnly ?? "allowed",
    archived: declared.archived ?? "allowed",
    basicOnly: declared.basicOnly ?? false,
    changes,
    changesWithTime: declared.changesWithTime ?? false,
    mayBeOld: declared.mayBeOld ?? false,
    paged: declared.paged ?? false,
    query: Type.Object({ ...declared.query, ...paging }),
    body: declared.body,
    answers: declared.answers,
    refuses: declared.refuses ?? [],
    open: async (asked) => {
      const request = declared.archived ? { ...asked, archived: declared.archived } : asked
      await requireTaskOperation(asked.actor, { id: declared.id, method, path, needs: declared.access.rule.needs })
      const found = await declared.access.open(request)
      if (method !== "GET") requireOfJob(asked.actor, declared.access.rule.needs, found)
      if (changes) requireChosen(asked.actor, found)
      if (declared.archived && "repository" in found && isArchived(found.repository)) throw refuse.archived()
      return {
        run: ({ query, body, page, request: call }) => {
          const handle = () =>
            // Query and body were checked by the server against the schemas that give these types.
            declared.handle({ ...request, ...found, path: values(request.path), query, body, page, request: call } as Call<
              Route,
              Text,
              Found,
              Query,
              Body
            >)
          return changes ? doneBy(request.services, request.actor, () => deedOf(declared.id, path, request.path, found), handle) : handle()
        },
      }
    },
  }
}

/** What is listed of a change that is made with a token for one task. */
function deedOf(operation: string, path: string, values: Readonly<Record<string, string>>, found: object): Deed {
  const repository = memberOf(found, "repository")
  const owner = memberOf(found, "organization") ?? memberOf(found, "owner")
  return {
    operation,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ""),
    repositoryId: numberIn(repository, "id"),
    ownerId: numberIn(repository, "owner_id") ?? numberIn(owner, "id"),
  }
}

function numberIn(value: unknown, name: string): number | undefined {
  const member = memberOf(value, name)
  return typeof member === "number" ? member : undefined
}

const isArchived = (repository: unknown): boolean =>
  typeof repository === "object" && repository !== null && "is_archived" in repository && repository.is_archived === 1

function splitRoute(route: string): [Method, string] {
  const [, method, path] = /^(GET|POST|PUT|PATCH|DELETE) (\/.*)$/.exec(route) ?? []
  if ((method === "GET" || method === "POST" || method === "PUT" || method === "PATCH" || method === "DELETE") && path)
    return [method, path]
  throw new TypeError(`not a route: ${route}`)
}

/** A whole positive number from a path, or 0, which no row has. */
export function pathNumber(text: string | undefined): number {
  const number = /^\d{1,16}$/.test(text ?? "") ? Number(text) : 0
  return Number.isSafeInteger(number) ? number : 0
}

// --- answers ---------------------------------------------------------------------------------------------------------------------

export const ok = <B>(body: B): Sent<200, B> => ({ status: 200, body })
export const created = <B>(body: B): Sent<201, B> => ({ status: 201, body })
export const accepted = <B>(body: B): Sent<202, B> => ({ status: 202, body })
export const noContent = (): Sent<204, undefined> => ({ status: 204, body: undefined })
/** One page of a list and the length of the whole, both of the same filtered set. */
export const listed = <B>(body: B, total: number): Sent<200, B> => ({ status: 200, body, total })

/** Like `listed`, with additional headers for the page, as the lists of commits and of changed files have. */
export const listedWithPage = <B>(body: B, total: number, { number, limit }: Page): Sent<200, B> => {
  const pages = Math.ceil(total / limit)
  return {
    ...listed(body, total),
    headers: {
      "X-Page": String(number),
      "X-PerPage": String(limit),
      "X-Total": String(total),
      "X-PageCount": String(pages),
      "X-HasMore": String(number < pages),
    },
  }
}

// --- the registry ----------------------------------------------------------------------------------------------------------------

interface Addressed {
  readonly id: string
  readonly method: Method
  readonly address: string
}

/** The records of one kind; throws if an id or an address is declared twice. */
export function declaredOnce<R extends Addressed>(all: readonly R[]): readonly R[] {
  const seen = new Set<string>()
  for (const { id, method, address } of all)
    for (const key of [id, `${method} ${address.replace(/\{\w+\}/g, "{}")}`]) {
      if (seen.has(key)) throw new TypeError(`declared twice: ${key}`)
      seen.add(key)
    }
  return all
}

/** Combines the features' operations; throws if an id or route is declared twice. */
export function registry(...groups: readonly (readonly Operation[])[]): readonly Operation[] {
  const all = groups.flat()
  declaredOnce(all.map(({ id, method, path }) => ({ id, method, address: path })))
  return all
}

/** The operation of this id; throws TypeError where there is none. */
export function named(operations: readonly Operation[], id: string): Operation {
  const found = operations.find((each) => each.id === id)
  if (!found) throw new TypeError(`no operation is called ${id}`)
  return found
}

export const refusalStatus = (kind: RefusalKind): number => catalogue[kind].status
