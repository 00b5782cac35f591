import { Code, ConnectError, createConnectRouter, type Interceptor } from "@connectrpc/connect"
import { compressionGzip } from "@connectrpc/connect-node"
import type { FastifyReply, FastifyRequest } from "fastify"
import { Refusal, type RefusalKind } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import type { Signals } from "../../features/actions/tasks/signals.ts"
import { PingService, RunnerService } from "./messages.ts"
import { runnerService } from "./service.ts"

/** The calls of runners over Connect RPC. */

/** Answers of fewer bytes are not compressed. */
const LEAST_COMPRESSED = 1024

/** Refusals in the words of the protocol. */
const CODES: Readonly<Partial<Record<RefusalKind, Code>>> = {
  badRequest: Code.InvalidArgument,
  invalid: Code.InvalidArgument,
  unauthenticated: Code.Unauthenticated,
  badCredentials: Code.Unauthenticated,
  forbidden: Code.PermissionDenied,
  notFound: Code.NotFound,
  conflict: Code.AlreadyExists,
  tooLarge: Code.ResourceExhausted,
  tooMany: Code.ResourceExhausted,
  busy: Code.Unavailable,
  unavailable: Code.Unavailable,
  uncertain: Code.Unavailable,
  full: Code.Unavailable,
}

const refusals =
  ({ log }: Services): Interceptor =>
  (next) =>
  async (request) => {
    try {
      return await next(request)
    } catch (error) {
      if (error instanceof ConnectError) throw error
      const code = error instanceof Refusal ? CODES[error.kind] : undefined
      if (error instanceof Refusal && code !== undefined) throw new ConnectError(error.message, code)
      log.error({ err: error, method: request.method.name }, "a call of a runner failed")
      throw new ConnectError("internal error", Code.Internal)
    }
  }

/** Answers one call; undefined where there is no such method. */
export type Answer = (path: string, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> | undefined

/** Opens what answers the calls of runners. */
export function openConnect(services: Services, signals: Signals): Answer {
  const router = createConnectRouter({
    grpc: false,
    grpcWeb: false,
    interceptors: [refusals(services)],
    acceptCompression: [compressionGzip],
    compressMinBytes: LEAST_COMPRESSED,
    readMaxBytes: services.config.api.maxBodyBytes,
    jsonOptions: { ignoreUnknownFields: true },
  })
  router.service(PingService, { ping: ({ data }) => ({ data: `Hello, ${data}!` }) })
  router.service(RunnerService, runnerService(services, signals))
  const handlers = new Map(router.handlers.map((handle) => [handle.requestPath, handle]))

  async function answer(handle: (typeof router.handlers)[number], request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { status, header, body } = await handle({
      httpVersion: request.raw.httpVersion,
      url: new URL(request.url, "http://runner.invalid").href,
      method: request.method,
      header: headersOf(request),
      body: bodyOf(request),
      signal: goneSignal(reply),
    })
    for (const [name, value] of header ?? []) reply.header(name, value)
    const chunks: Uint8Array[] = []
    for await (const chunk of body ?? []) chunks.push(chunk)
    return reply.code(status).send(Buffer.concat(chunks))
  }

  return (path, request, reply) => {
    const handle = handlers.get(path)
    return handle && answer(handle, request, reply)
  }
}

const headersOf = ({ headers }: FastifyRequest): Headers =>
  new Headers(Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one])))

async function* bodyOf({ body }: FastifyRequest): AsyncIterable<Uint8Array> {
  if (Buffer.isBuffer(body)) yield body
}

/** Fires when the runner is gone before it has the answer. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once("close", () => {
    if (!raw.writableFinished) gone.abort()
  })
  return gone.signal
}
