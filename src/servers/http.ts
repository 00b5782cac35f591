import { randomBytes } from "node:crypto"
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from "fastify"
import { refuse } from "../core/errors.ts"
import type { Metrics } from "../core/metrics.ts"
import type { Operation } from "../core/operation.ts"
import type { Services } from "../core/services.ts"
import type { Authenticator } from "../features/people/authentication/authenticate.ts"
import { registerAvatars } from "../features/people/avatars/routes.ts"
import { sendRefusal } from "./api/answer.ts"
import { registerDocuments } from "./api/documents/routes.ts"
import { type AnswerWatcher, type Intercept, methodsOn, registerApi } from "./api/server.ts"
import { registerGitHttp } from "./git-http/routes.ts"
import { registerHealth } from "./health.ts"
import { registerLfs } from "./lfs/routes.ts"
import { registerActivate } from "./web/activate.ts"
import { registerArchives } from "./web/archives.ts"
import { registerArtifacts } from "./web/artifacts.ts"
import { registerAttachments } from "./web/attachments.ts"
import { registerChangePassword } from "./web/change-password.ts"
import { registerForgotPassword } from "./web/forgot-password.ts"
import { registerHome } from "./web/home.ts"
import { registerKeys } from "./web/keys.ts"
import { registerRecoverAccount } from "./web/recover-account.ts"
import { registerReleases } from "./web/releases.ts"
import { registerUnsubscribe } from "./web/unsubscribe.ts"

export interface HttpOptions {
  readonly operations: readonly Operation[]
  readonly authenticator: Authenticator
  readonly metrics: Metrics
  readonly intercept?: Intercept | undefined
  readonly onAnswer?: AnswerWatcher | undefined
}

/** How long a client may take to send the head of a request. Bodies of pushes may take longer; see the git routes. */
const HEAD_SECONDS = 60

/** The HTTP server with all its routes, ready to listen. */
export async function openHttp(services: Services, options: HttpOptions): Promise<FastifyInstance> {
  const { config } = services
  const loggerInstance: FastifyBaseLogger = services.log
  const app: FastifyInstance = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIds(),
    bodyLimit: config.api.maxBodyBytes,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // A large push takes its time; only the head of a request is limited.
    requestTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: "idle",
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, caseSensitive: true, maxParamLength: 1024 },
    frameworkErrors: (error, request, reply) => {
      // A name too long to exist is missing like any other.
      const refusal =
        error.code === "FST_ERR_BAD_URL" ? refuse.badRequest("the address can't be read: a percent escape is broken") : refuse.notFound()
      sendRefusal(services, request, reply, refusal)
    },
  })
  app.server.headersTimeout = HEAD_SECONDS * 1000
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body))

  app.addHook("onSend", async (request, reply, payload) => {
    reply.header("x-content-type-options", "nosniff").header("x-frame-options", "SAMEORIGIN").header("x-request-id", request.id)
    if (request.url.startsWith("/api/") && !reply.hasHeader("cache-control"))
      reply.header("cache-control", "max-age=0, private, must-revalidate")
    return payload
  })
  app.addHook("onResponse", async (request, reply) => {
    options.metrics.observeRequest(labelOf(request), request.method, reply.statusCode, reply.elapsedTime / 1000)
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url,
        operation: request.routeOptions.config.operation,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      "request",
    )
  })
  app.setErrorHandler((error, request, reply) => sendRefusal(services, request, reply, error))
  app.setNotFoundHandler((request, reply) => notFound(services, options.operations, request, reply))

  registerApi(app, services, options)
  registerDocuments(app, services, options.operations)
  registerAvatars(app, services)
  registerArchives(app, services, options.authenticator)
  registerArtifacts(app, services)
  registerAttachments(app, services, options.authenticator)
  registerReleases(app, services, options.authenticator)
  registerHealth(app, services, options.metrics)
  registerHome(app, services)
  registerChangePassword(app, services, options.authenticator)
  registerForgotPassword(app, services)
  registerRecoverAccount(app, services)
  registerActivate(app, services)
  registerUnsubscribe(app, services)
  registerKeys(app, services)
  await registerGitHttp(app, services, options.authenticator)
  await registerLfs(app, services, options.authenticator)
  return app
}

/** Input and output are checked elsewhere; without this, Fastify loads its schema compilers at every start. */
function noSchemas(): never {
  throw new TypeError("routes declare no schemas to Fastify")
}

/** Ids that differ from those of other processes; counting is cheaper than randomness at every request. */
function requestIds(): () => string {
  const process = randomBytes(6).toString("base64url")
  let count = 0
  return () => `${process}-${(++count).toString(36)}`
}

/** The label of a request in the metrics: an operation's id, or the route of everything else; never a name that a client chose. */
const labelOf = (request: FastifyRequest): string => request.routeOptions.config.operation ?? request.routeOptions.url ?? "unknown"

function notFound(services: Services, operations: readonly Operation[], request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = ""] = request.url.split("?", 1)
  const methods = methodsOn(operations, path)
  if (methods.length > 0) return reply.code(405).header("allow", methods.join(", ")).send()
  return sendRefusal(services, request, reply, refuse.notFound())
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The operation that a route serves. */
    readonly operation?: string
  }
}
