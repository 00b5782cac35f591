import { neededScopes, scopeAllows } from "../../access/scopes.ts"
import { type Actor, chosenOf, hasPublicOnlyScope, jobOf } from "../../core/actor.ts"
import { mostBytesOf } from "../../core/bounds.ts"
import type { Config } from "../../core/config.ts"
import { downloadIn } from "../../core/download.ts"
import { refuse } from "../../core/errors.ts"
import { NOT_CHOSEN } from "../../core/limited-token.ts"
import type { CallRequest, Opened, Operation, Page, Sent } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { streamIn } from "../../core/streamed.ts"
import { uploadFormOf } from "../../core/upload.ts"
import { actAs } from "../../features/people/sign-in/authenticate.ts"
import { queryOf } from "../../web/address.ts"
import { clientAddress } from "../client/address.ts"
import { sendDownload } from "../files/send.ts"
import { callerByHeader, headerText } from "../routing/callers.ts"
import { type Caller, type Kind, openKept, routesOf } from "../routing/pipeline.ts"
import { type DeclaredRequest, type DeclaredRoute, pathOf } from "../routing/routes.ts"
import type { SendStream } from "../streams.ts"
import { render, sendRefusal, sendRendered } from "./answer.ts"
import { readBody, readPage, readQuery } from "./input.ts"

export const API_BASE = "/api/v1"

/** Gets every answer before it is sent; tests compare it with what the operation declares. */
export type AnswerWatcher = (operation: Operation, sent: Sent<number, unknown>) => void

export interface ApiOptions {
  readonly operations: readonly Operation[]
  readonly onAnswer?: AnswerWatcher | undefined
}

interface ApiInput {
  readonly query: unknown
  readonly body: unknown
  readonly page: Page
}

/** The routes of the operations: called by programs, which sign in with a header, and answered with records. */
export function apiRoutes(services: Services, { operations, onAnswer }: ApiOptions, sendStream: SendStream): readonly DeclaredRoute[] {
  const { api, limits, security } = services.config
  const kind: Kind<Operation, Caller, Opened, ApiInput, Sent<number, unknown>> = {
    route: (operation) => ({
      method: operation.method,
      path: API_BASE + operation.path,
      operation: operation.id,
      // The file of an upload is read as a stream.
      body: uploadFormOf(operation.body) === undefined ? "collected" : "streamed",
      bodyLimit: bodyLimitOf(operation, services.config),
    }),
    who: async (_operation, request) => {
      const parameters = queryOf(request.url)
      const token = security.queryTokens ? (parameters.get("token") ?? parameters.get("access_token")) : null
      const signedIn = await callerByHeader(services, request, token ? { kind: "token", token } : undefined)
      const sudo = parameters.get("sudo") ?? headerText(request, "sudo")
      if (!sudo) return { actor: signedIn }
      return { actor: await actAs(services, signedIn, sudo), behind: signedIn.kind === "user" ? signedIn.user : undefined }
    },
    admit: (operation, { actor }) => {
      requireScope(actor, operation)
      if (security.requireSignIn && actor.kind === "anonymous") throw refuse.forbidden("Only signed in user is allowed to call APIs.")
      if (operation.basicOnly && actor.kind === "user" && !actor.basic) throw refuse.unauthenticated("sign in with a Basic header for this")
    },
    keeps: {
      answers: openKept(services, { mostBytes: 8 * 1024 * 1024, longest: 256 * 1024, isOftenAskedOnce: true }),
      keyOf: (operation, { actor }, request) =>
        operation.method === "GET" && !operation.changesWithTime ? keyOf(operation, actor, request.url) : undefined,
    },
    pathOf: ({ path }, request) => pathOf(path, request),
    read: ({ query, body }, request) => {
      const parameters = queryOf(request.url)
      const page = readPage(parameters, api)
      const sent = Buffer.isBuffer(request.body) ? request.body : undefined
      const hasRecord = body !== undefined && uploadFormOf(body) === undefined
      return {
        page,
        query: readQuery(query, parameters),
        body: hasRecord ? readBody(body, sent, request.headers["content-type"], limits) : undefined,
      }
    },
    uploadOf: ({ body }) => uploadFormOf(body),
    does: ({ record }) => record,
    handle: async ({ record, caller, opened, request }, { body, ...input }, upload) => {
      const sent = await opened.run({ ...input, body: upload ?? body, request: calledBy(caller, request) })
      onAnswer?.(record, sent)
      return sent
    },
    present: ({ record, request }, sent, { page }) => {
      const download = downloadIn(record.answers[sent.status], sent.body)
      if (download) return (reply) => sendDownload(request, reply, download)
      const streamed = streamIn(record.answers[sent.status], sent.body)
      if (streamed) return (reply) => sendStream(reply, streamed)
      const rendered = render(services, request.method, request.url, sent, record.paged ? page : undefined)
      if (rendered.status !== 200) return (reply) => sendRendered(request, reply, rendered)
      return { bytes: rendered.body?.length ?? 0, send: (request, reply) => sendRendered(request, reply, rendered) }
    },
    fail: (error, request, reply) => sendRefusal(services, request, reply, error),
  }
  return routesOf(services, kind, operations)
}

const calledBy = ({ behind }: Caller, request: DeclaredRequest): CallRequest => ({
  id: request.id,
  ip: clientAddress(request),
  header: (name) => headerText(request, name),
  isForOther: behind !== undefined,
})

/** Everything that an answer depends on beside the database: the caller, how they signed in, and the request. */
function keyOf(operation: Operation, actor: Actor, url: string): string {
  if (actor.kind === "anonymous") return `${operation.id} - ${url}`
  const { credential } = actor
  const how =
    credential.kind === "token"
      ? `token ${credential.tokenId} ${credential.applicationId ?? ""} ${credential.publicOnly}`
      : credential.kind === "job"
        ? `job ${credential.taskId}`
        : "password"
  return `${operation.id} ${actor.user.id} ${how} ${actor.basic} ${url}`
}

/** The most bytes of a body, where they are fewer than usual. */
function bodyLimitOf({ body }: Operation, { api, limits }: Config): number | undefined {
  const most = body && mostBytesOf(body, limits)
  return most === undefined ? undefined : Math.min(most, api.maxBodyBytes)
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
  if (operation.publicOnly === "refused" && hasPublicOnlyScope(actor))
    throw refuse.forbidden("this endpoint is not available for public-only tokens")
  // What is of an account, and not of its repositories, no one has chosen.
  const isOfAccount = operation.rule.subject === "site" || operation.rule.subject === "user"
  if (operation.publicOnly === "refused" && isOfAccount && chosenOf(actor)) throw refuse.forbidden(NOT_CHOSEN)
}
