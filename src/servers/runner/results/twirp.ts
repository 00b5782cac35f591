import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { type RefusalKind, refuse } from "../../../core/errors.ts"
import { Check, type Static, type TSchema } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { parseSent, Unacceptable } from "../../../core/text/json.ts"
import { readRuntimeToken } from "../../../features/actions/tokens/runtime-token.ts"
import type { RunningTask } from "../../../features/actions/tokens/store.ts"
import { asRefusal, faultWords } from "../../../features/code/pushes/refusals.ts"
import { logFault, requestDetails, retryAfter } from "../../api/faults.ts"

/** Twirp services for jobs: a call is a POST of a JSON record with the runtime token of the job. */

/** A call names things only. */
const BODY_BYTES = 1024 * 1024

/** The words and statuses of Twirp. Clients try again after 429 and 5xx only, so what repetition doesn't help is something else. */
const CODES: Readonly<Record<RefusalKind, readonly [code: string, status: number]>> = {
  badRequest: ["malformed", 400],
  invalid: ["invalid_argument", 400],
  unsupportedMediaType: ["malformed", 400],
  unauthenticated: ["unauthenticated", 401],
  badCredentials: ["unauthenticated", 401],
  forbidden: ["permission_denied", 403],
  archived: ["permission_denied", 403],
  notFound: ["not_found", 404],
  methodNotAllowed: ["bad_route", 404],
  timeout: ["deadline_exceeded", 408],
  gone: ["not_found", 404],
  conflict: ["already_exists", 409],
  damaged: ["failed_precondition", 412],
  preconditionFailed: ["failed_precondition", 412],
  tooLarge: ["failed_precondition", 412],
  tooMany: ["resource_exhausted", 429],
  internal: ["internal", 500],
  busy: ["unavailable", 503],
  unavailable: ["unavailable", 503],
  uncertain: ["unavailable", 503],
  full: ["unavailable", 503],
}

/** One method: the record that it takes, with names in snake case, and what it does for a task. */
export interface Method {
  readonly input: TSchema
  readonly answer: (request: FastifyRequest, task: RunningTask, input: unknown) => Promise<object>
}

/** A method with the types of its record. Members that it doesn't name are ignored, so that newer clients are understood. */
export const method = <Schema extends TSchema>(
  input: Schema,
  answer: (call: { readonly request: FastifyRequest; readonly task: RunningTask; readonly input: Static<Schema> }) => Promise<object>,
): Method => ({
  input,
  answer: async (request, task, given) => {
    if (!Check(input, given)) throw refuse.invalid("body", "a member is missing or has another type")
    return answer({ request, task, input: given })
  },
})

/** The path of a service. */
export const twirpPath = (service: string): string => `/twirp/github.actions.results.api.v1.${service}`

/** Serves the methods of a service. */
export async function registerTwirp(
  app: FastifyInstance,
  services: Services,
  service: string,
  methods: Readonly<Record<string, Method>>,
): Promise<void> {
  await app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendTwirpRefusal(request, reply, error))
    scope.post<{ readonly Params: { readonly method: string } }>(
      `${twirpPath(service)}/:method`,
      { bodyLimit: BODY_BYTES },
      async (request, reply) => {
        const { method: name } = request.params
        const called = Object.hasOwn(methods, name) ? methods[name] : undefined
        if (!called) throw refuse.methodNotAllowed(`${service} has no method ${name.slice(0, 100)}`)
        const task = await requireTask(services, request)
        const answer = await called.answer(request, task, readRecord(request.body))
        return reply.type("application/json").header("cache-control", "no-store").send(JSON.stringify(answer))
      },
    )
  })
}

/** The task whose runtime token a request shows. Refuses `unauthenticated`. */
export async function requireTask(services: Services, { headers }: FastifyRequest): Promise<RunningTask> {
  const token = bearerOf(headers.authorization)
  if (token === undefined) throw refuse.unauthenticated("the runtime token of a job is needed, as Authorization: Bearer")
  const task = await readRuntimeToken(services, token)
  if (!task) throw refuse.unauthenticated("this is not the runtime token of a job that is running")
  return task
}

/** The token of an Authorization header. */
export const bearerOf = (header: string | undefined): string | undefined => /^bearer +(\S+)$/i.exec(header ?? "")?.[1]

/** The record of a body, its members in snake case. Refuses `badRequest`. */
export function readRecord(body: unknown): object {
  try {
    const record: unknown = parseSent(Buffer.isBuffer(body) && body.length > 0 ? body.toString("utf8") : "{}")
    if (typeof record !== "object" || record === null || Array.isArray(record)) throw refuse.badRequest("the body must be a JSON object")
    return Object.fromEntries(Object.entries(record).map(([name, value]) => [snakeCase(name), value]))
  } catch (error) {
    if (error instanceof SyntaxError) throw refuse.badRequest(error instanceof Unacceptable ? error.message : "the body is no JSON")
    throw error
  }
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Sends a refusal as Twirp's record. Any other error is logged completely, without details for the client. */
export function sendTwirpRefusal(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const refusal = refusalOf(error)
  logFault(request.server.log, refusal, error, requestDetails(request, "a call of a job failed"))
  const [code, status] = CODES[refusal.kind]
  const seconds = retryAfter(refusal)
  if (seconds !== undefined) reply.header("retry-after", seconds)
  const msg = refusal.message || faultWords(request.id)
  return reply.code(status).type("application/json").send(JSON.stringify({ code, msg }))
}

/** The refusal for an error; Fastify's own errors by their status. */
export function refusalOf(error: unknown) {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined
  if (status === 413) return refuse.tooLarge("the request body is too large")
  if (typeof status === "number" && status >= 400 && status < 500) return refuse.badRequest()
  return asRefusal(error)
}
