import type { Actor } from "../../core/actor.ts"
import { downloadIn } from "../../core/download.ts"
import type { Input, Opened, Operation, Sent } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { streamIn } from "../../core/streamed.ts"
import { uploadFormOf } from "../../core/upload.ts"
import { actAs } from "../../features/people/sign-in/authenticate.ts"
import { queryOf } from "../../web/address.ts"
import { clientAddress } from "../client/address.ts"
import { sendDownload } from "../files/send.ts"
import { admitToOperation } from "../routing/admission.ts"
import { callerByHeader, headerText } from "../routing/callers.ts"
import { type Caller, type Kind, openKept, routesOf } from "../routing/pipeline.ts"
import { type DeclaredRoute, pathOf } from "../routing/routes.ts"
import type { SendStream } from "../streams.ts"
import { render, sendRefusal, sendRendered } from "./answer.ts"
import { readBody } from "./input.ts"
import { type AnswerWatcher, API_BASE, bodyLimitOf, inputOf, run } from "./steps.ts"

export interface ApiOptions {
  readonly operations: readonly Operation[]
  readonly onAnswer?: AnswerWatcher | undefined
}

type ApiInput = Omit<Input, "request">

/** The routes of the operations: called by programs, which sign in with a header, and answered with records. */
export function apiRoutes(services: Services, { operations, onAnswer }: ApiOptions, sendStream: SendStream): readonly DeclaredRoute[] {
  const { limits, security } = services.config
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
    refused: async ({ method }, caller, request, error) => {
      const key = headerText(request, "idempotency-key")
      if (
        method === "GET" ||
        key === undefined ||
        !(await import("./conditional.ts").then(({ isKnown }) => isKnown(services, caller, key)))
      )
        throw error
      // What was deleted or renamed is not where it was: who sends that again is answered as before, and refused only then.
      return { run: () => Promise.reject(error) }
    },
    read: (operation, request) => {
      const { body } = operation
      const sent = Buffer.isBuffer(request.body) ? request.body : undefined
      const hasRecord = body !== undefined && uploadFormOf(body) === undefined
      return {
        ...inputOf(services, operation, queryOf(request.url)),
        body: hasRecord ? readBody(body, sent, request.headers["content-type"], limits) : undefined,
      }
    },
    uploadOf: ({ body }) => uploadFormOf(body),
    does: ({ record }) => record,
    handle: async ({ record, caller, opened, request }, { body, ...input }, upload) => {
      const ip = clientAddress(request)
      const header = (name: string) => headerText(request, name)
      const given: Input = { ...input, body: upload ?? body, request: { id: request.id, ip, behind: caller.behind, header } }
      const key = header("idempotency-key")
      const ifMatch = header("if-match")
      if (record.method === "GET" || (key === undefined && ifMatch === undefined)) return run(record, opened, given, onAnswer)
      const path = pathOf(record.path, request)
      const open = (within: Services) => record.open({ services: within, db: within.database.read, actor: caller.actor, path })
      const { runUnder } = await import("./conditional.ts")
      return runUnder(
        services,
        { key, ifMatch },
        {
          operations,
          write: { operation: record, caller, path, request, ip, isStreamed: upload !== undefined },
          // Within a transaction all is judged again, by what it shows.
          run: async (within) => run(record, within === services ? opened : await open(within), given, onAnswer),
        },
      )
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
