import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { neededScopes, scopeAllows } from "../../access/scopes.ts"
import { type Actor, isPublicOnly, jobOf, type User } from "../../core/actor.ts"
import type { State } from "../../core/database/database.ts"
import { downloadIn } from "../../core/download.ts"
import { refuse } from "../../core/errors.ts"
import {
  formOf,
  isRawPath,
  lastSegment,
  type Opened,
  type Operation,
  type Page,
  requestedForm,
  restOf,
  type Sent,
} from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { uploadFormOf } from "../../core/upload.ts"
import { type Authenticator, actAs, requireUsable } from "../../features/people/authentication/authenticate.ts"
import { type Presented, readAuthorization } from "../../features/people/authentication/credentials.ts"
import { auditEntryOf, audited } from "../../features/site/administration/audit.ts"
import { clientAddress } from "../client/address.ts"
import { type Rendered, render, sendRefusal, sendRendered } from "./answer.ts"
import { keyOf, openAnswerCache } from "./answer-cache.ts"
import { sendDownload } from "./download.ts"
import { readBody, readPage, readQuery } from "./input.ts"
import { receiveUpload } from "./upload.ts"

export const API_BASE = "/api/v1"

/** Called instead of an operation's handler; tests of authorisation use it to see which calls are allowed without changing anything. */
export type Intercept = (operation: Operation, actor: Actor) => Sent<number, unknown> | undefined

/** Gets every answer before it is sent; tests compare it with what the operation declares. */
export type AnswerWatcher = (operation: Operation, sent: Sent<number, unknown>) => void

export interface ApiOptions {
  readonly operations: readonly Operation[]
  readonly authenticator: Authenticator
  readonly intercept?: Intercept | undefined
  readonly onAnswer?: AnswerWatcher | undefined
}

/** A call that is authorised, or whose answer is cached. */
type Ready = { readonly cached: Rendered } | AuthorisedCall

interface AuthorisedCall {
  readonly cached?: undefined
  readonly actor: Actor
  readonly opened: Opened
  readonly parameters: URLSearchParams
  /** The administrator who acts in the caller's name. */
  readonly behind: User | undefined
  /** The key of the cached answer, and the state of the database from before the answer was computed. */
  readonly keep: { readonly key: string; readonly state: State } | undefined
}

/**
 * Serves the operations over HTTP. The order of checks is the same for every one: who (401), in a usable account (403), acting as whom, with a token
 * for this (403), on what (404), with which permissions (401, 403), whether it is archived (423), the input (422); then the handler. All up to the
 * input happens before a byte of the body is read.
 */
export function registerApi(
  app: FastifyInstance,
  services: Services,
  { operations, authenticator, intercept, onAnswer }: ApiOptions,
): void {
  const ready = new WeakMap<FastifyRequest, Ready>()
  const cache = openAnswerCache()

  app.addConstraintStrategy(byForm)
  const isUpload = (operation: Operation): boolean => uploadFormOf(operation.body) !== undefined
  for (const operation of operations) if (!isUpload(operation)) serve(app, operation)
  app.register(async (uploads) => {
    // These bodies must not be collected: the handler reads the file as a stream.
    uploads.removeAllContentTypeParsers()
    uploads.addContentTypeParser("*", (_request, _body, done) => done(null))
    for (const operation of operations) if (isUpload(operation)) serve(uploads, operation)
  })

  function serve(on: FastifyInstance, operation: Operation): void {
    on.route<{ Params: Record<string, string> }>({
      method: operation.method,
      url: API_BASE + routeOf(operation.path),
      constraints: constraintsOf(operation.path),
      config: { operation: operation.id },
      onRequest: async (request) => {
        ready.set(request, await openCall(request, operation))
      },
      handler: async (request, reply) => {
        const call = ready.get(request)
        if (!call) throw new TypeError("a request reached its handler without having been let in")
        return call.cached ? sendRendered(request, reply, call.cached) : answer(request, reply, operation, call)
      },
      errorHandler: (error, request, reply) => sendRefusal(services, request, reply, error),
    })
  }

  async function openCall(request: FastifyRequest<{ Params: Record<string, string> }>, operation: Operation): Promise<Ready> {
    const query = request.url.indexOf("?")
    const parameters = new URLSearchParams(query < 0 ? "" : request.url.slice(query + 1))
    const signedIn = await authenticator.authenticate({
      presented: present(request, parameters),
      code: headerText(request, "x-gitea-otp"),
      address: clientAddress(request),
    })
    requireUsable(signedIn, services.site.rootUrl)
    const sudo = parameters.get("sudo") ?? headerText(request, "sudo")
    const actor = sudo ? await actAs(services, signedIn, sudo) : signedIn
    const behind = sudo && signedIn.kind === "user" ? signedIn.user : undefined
    requireScope(actor, operation)
    if (services.config.security.requireSignIn && actor.kind === "anonymous")
      throw refuse.forbidden("Only signed in user is allowed to call APIs.")
    if (operation.basicOnly && actor.kind === "user" && !actor.basic) throw refuse.unauthenticated("sign in with a Basic header for this")
    const state = operation.method === "GET" && !operation.changesWithTime && !intercept ? await services.database.state() : undefined
    const keep = state === undefined ? undefined : { key: keyOf(operation, actor, request.url), state }
    const known = keep && cache.get(keep.key, keep.state)
    if (known) return { cached: known }
    const path = pathOf(operation, request)
    for (const value of Object.values(path)) if (value.includes("\0")) throw refuse.notFound()
    const opened = await operation.open({ services, db: services.database.read, actor, path })
    return { actor, behind, opened, parameters, keep }
  }

  function present(request: FastifyRequest, parameters: URLSearchParams): Presented {
    const token = services.config.security.queryTokens ? (parameters.get("token") ?? parameters.get("access_token")) : null
    return token ? { kind: "token", token } : readAuthorization(request.headers.authorization)
  }

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    operation: Operation,
    { actor, behind, opened, parameters, keep }: AuthorisedCall,
  ): Promise<FastifyReply> {
    const intercepted = intercept?.(operation, actor)
    if (intercepted) return sendRendered(request, reply, render(services, request.method, request.url, intercepted, undefined))
    const page: Page = readPage(parameters, services.config.api)
    const query = readQuery(operation.query, parameters)
    const form = uploadFormOf(operation.body)
    const receiving = form && (await receiveUpload(request.raw, form))
    const perform = async (body: unknown) => opened.run({ query, body, page, request: { id: request.id, ip: clientAddress(request) } })
    const deed = auditEntryOf(operation, { actor, behind, path: request.url.split("?", 1)[0] ?? "", ip: clientAddress(request) })
    const run = (body: unknown) => (deed ? audited(services, deed, () => perform(body)) : perform(body))
    const sent = await (receiving ? run(receiving.upload).finally(receiving.end) : run(readJson(request, operation)))
    onAnswer?.(operation, sent)
    const download = downloadIn(operation.answers[sent.status], sent.body)
    if (download) return sendDownload(request, reply, download)
    const rendered = render(services, request.method, request.url, sent, operation.paged ? page : undefined)
    if (keep) cache.keep(keep.key, keep.state, rendered)
    return sendRendered(request, reply, rendered)
  }
}

/** A path in the router's syntax. */
function routeOf(path: string): string {
  const plain = formOf(path)?.beside ?? path
  return (restOf(plain) === undefined ? plain : plain.replace(/\{\w+\}$/, "*")).replace(/\{(\w+)\}/g, ":$1")
}

/** The values of the path's parameters. The router knows the rest of a path only as a star, and doesn't split off the form at its end. */
function pathOf(
  operation: Operation,
  { params, url }: FastifyRequest<{ Params: Record<string, string> }>,
): Readonly<Record<string, string>> {
  const { "*": rest, ...values } = params
  const raw = operation.parameters.at(-1)?.name
  if (raw !== undefined && isRawPath(raw)) return { ...values, [raw]: lastSegment(url) }
  const form = formOf(operation.path)
  const path = form?.beside ?? operation.path
  const name = restOf(path)
  const all = name === undefined ? values : { ...values, [name]: rest ?? "" }
  const last = form && /\{(\w+)\}$/.exec(path)?.[1]
  const asked = last === undefined ? undefined : requestedForm(all[last] ?? "")
  if (last === undefined || asked === undefined) return all
  return { ...all, [last]: (all[last] ?? "").slice(0, -`.${asked.value}`.length), [asked.name]: asked.value }
}

/** Lets the router choose between an operation and its variant in another form, by the end of the address. */
const byForm: Parameters<FastifyInstance["addConstraintStrategy"]>[0] = {
  name: "form",
  storage: () => byValue(),
  deriveConstraint: ({ url = "" }) => {
    const query = url.indexOf("?")
    return requestedForm(query < 0 ? url : url.slice(0, query))?.name
  },
}

function constraintsOf(path: string): { readonly form?: string } {
  const form = formOf(path)
  return form ? { form: form.name } : {}
}

function byValue<Handler>() {
  const handlers = new Map<unknown, Handler>()
  return {
    get: (value: unknown): Handler | null => handlers.get(value) ?? null,
    set: (value: unknown, handler: Handler) => {
      handlers.set(value, handler)
    },
  }
}

function readJson(request: FastifyRequest, { body }: Operation): unknown {
  const sent = Buffer.isBuffer(request.body) ? request.body : undefined
  return body && readBody(body, sent, request.headers["content-type"])
}

const headerText = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

function requireScope(actor: Actor, operation: Operation): void {
  // The service's own user has no account to change.
  if (jobOf(actor) && operation.method !== "GET" && !operation.path.startsWith("/repos/{owner}/{repo}/"))
    throw refuse.forbidden("the token of a job can only change things of its repository")
  if (actor.kind === "anonymous" || actor.credential.kind !== "token") return
  const { scopes } = actor.credential
  const needed = neededScopes(operation.method, operation.scope)
  const missing = needed.filter((scope) => !scopeAllows(scopes, scope))
  if (missing.length > 0)
    throw refuse.forbidden(
      `token does not have at least one of required scope(s), required=[${needed.join(" ")}], token scope=${[...scopes].join(",")}`,
    )
  if (operation.publicOnly === "refused" && isPublicOnly(actor))
    throw refuse.forbidden("this endpoint is not available for public-only tokens")
}

/** The methods that operations have on a path, for the Allow header; empty where no operation has the path. */
export function methodsOn(operations: readonly Operation[], path: string): readonly string[] {
  if (!path.startsWith(`${API_BASE}/`)) return []
  const parts = path.slice(API_BASE.length).replace(/\/+/g, "/").replace(/\/$/, "").split("/")
  return operations
    .filter((operation) => {
      const pattern = operation.path.split("/")
      const plain = formOf(operation.path)?.beside ?? operation.path
      const fits = restOf(plain) === undefined ? pattern.length === parts.length : pattern.length <= parts.length
      return fits && pattern.every((part, index) => part.startsWith("{") || part === parts[index])
    })
    .map(({ method }) => method)
}
