import type { FastifyReply, FastifyRequest } from "fastify"
import { neededScopes, scopeAllows } from "../../access/scopes.ts"
import { type Actor, isPublicOnly, jobOf, type User } from "../../core/actor.ts"
import { type Bounds, mostBytesOf } from "../../core/bounds.ts"
import type { Config } from "../../core/config.ts"
import type { State } from "../../core/database/database.ts"
import { downloadIn } from "../../core/download.ts"
import { refuse } from "../../core/errors.ts"
import { formOf, isRawPath, lastSegment, type Opened, type Operation, type Page, requestedForm, type Sent } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { uploadFormOf } from "../../core/upload.ts"
import { type Authenticator, actAs, requireUsable } from "../../features/people/authentication/authenticate.ts"
import { type Presented, readAuthorization } from "../../features/people/authentication/credentials.ts"
import { auditEntryOf, audited } from "../../features/site/administration/audit.ts"
import { clientAddress } from "../client/address.ts"
import type { DeclaredRequest, DeclaredRoute } from "../routing/routes.ts"
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
 * The routes of the operations. The order of checks is the same for every one: who (401), in a usable account (403), acting as whom, with a token
 * for this (403), on what (404), with which permissions (401, 403), whether it is archived (423), the input (422); then the handler. All up to the
 * input happens before a byte of the body is read.
 */
export function apiRoutes(services: Services, { operations, authenticator, intercept, onAnswer }: ApiOptions): readonly DeclaredRoute[] {
  const ready = new WeakMap<FastifyRequest, Ready>()
  const cache = openAnswerCache()

  const routes = operations.map(
    (operation): DeclaredRoute => ({
      method: operation.method,
      path: API_BASE + operation.path,
      operation: operation.id,
      // The file of an upload is read as a stream.
      body: uploadFormOf(operation.body) === undefined ? "collected" : "streamed",
      bodyLimit: bodyLimitOf(operation, services.config),
      admit: async (request) => {
        ready.set(request, await openCall(request, operation))
      },
      handle: async (request, reply) => {
        const call = ready.get(request)
        if (!call) throw new TypeError("a request reached its handler without having been let in")
        return call.cached ? sendRendered(request, reply, call.cached) : answer(request, reply, operation, call)
      },
      fail: (error, request, reply) => sendRefusal(services, request, reply, error),
    }),
  )

  async function openCall(request: DeclaredRequest, operation: Operation): Promise<Ready> {
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
    const sent = await (receiving
      ? run(receiving.upload).finally(receiving.end)
      : run(readJson(request, operation, services.config.limits)))
    onAnswer?.(operation, sent)
    const download = downloadIn(operation.answers[sent.status], sent.body)
    if (download) return sendDownload(request, reply, download)
    const rendered = render(services, request.method, request.url, sent, operation.paged ? page : undefined)
    if (keep) cache.keep(keep.key, keep.state, rendered)
    return sendRendered(request, reply, rendered)
  }

  return routes
}

/** The most bytes of a body, where they are fewer than usual. */
function bodyLimitOf({ body }: Operation, { api, limits }: Config): number | undefined {
  const most = body && mostBytesOf(body, limits)
  return most === undefined ? undefined : Math.min(most, api.maxBodyBytes)
}

/** The values of the path's parameters, the form at its end among them; some are wanted as they were sent. */
function pathOf(operation: Operation, { params, url }: DeclaredRequest): Readonly<Record<string, string>> {
  const last = operation.parameters.at(-1)?.name
  if (last !== undefined && isRawPath(last)) return { ...params, [last]: lastSegment(url) }
  const form = formOf(operation.path)
  const before = form && /\{(\w+)\}$/.exec(form.beside)?.[1]
  const asked = before === undefined ? undefined : requestedForm(params[before] ?? "")
  if (before === undefined || asked === undefined) return params
  return { ...params, [before]: (params[before] ?? "").slice(0, -`.${asked.value}`.length), [asked.name]: asked.value }
}

function readJson(request: FastifyRequest, { body }: Operation, bounds: Bounds): unknown {
  const sent = Buffer.isBuffer(request.body) ? request.body : undefined
  return body && readBody(body, sent, request.headers["content-type"], bounds)
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
