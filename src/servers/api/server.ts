import type { Actor } from "../../core/actor.ts"
import { mostBytesOf } from "../../core/bounds.ts"
import type { Config } from "../../core/config.ts"
import { downloadIn } from "../../core/download.ts"
import type { Opened, Operation, Page, Sent } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { uploadFormOf } from "../../core/upload.ts"
import { actAs } from "../../features/people/sign-in/authenticate.ts"
import { queryOf } from "../../web/address.ts"
import { clientAddress } from "../client/address.ts"
import { sendDownload } from "../files/send.ts"
import { admitToOperation } from "../routing/admission.ts"
import { callerByHeader, headerText } from "../routing/callers.ts"
import { type Caller, type Kind, openKept, routesOf } from "../routing/pipeline.ts"
import { type DeclaredRoute, pathOf } from "../routing/routes.ts"
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
export function apiRoutes(services: Services, { operations, onAnswer }: ApiOptions): readonly DeclaredRoute[] {
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
    admit: (operation, { actor }) => admitToOperation(services, operation, actor),
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
    handle: async ({ record, opened, request }, { body, ...input }, upload) => {
      const sent = await opened.run({ ...input, body: upload ?? body, request: { id: request.id, ip: clientAddress(request) } })
      onAnswer?.(record, sent)
      return sent
    },
    present: ({ record, request }, sent, { page }) => {
      const download = downloadIn(record.answers[sent.status], sent.body)
      if (download) return (reply) => sendDownload(request, reply, download)
      const rendered = render(services, request.method, request.url, sent, record.paged ? page : undefined)
      if (rendered.status !== 200) return (reply) => sendRendered(request, reply, rendered)
      return { bytes: rendered.body?.length ?? 0, send: (request, reply) => sendRendered(request, reply, rendered) }
    },
    fail: (error, request, reply) => sendRefusal(services, request, reply, error),
  }
  return routesOf(services, kind, operations)
}

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
