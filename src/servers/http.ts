import { randomBytes } from "node:crypto"
import { parse as parseQuery } from "node:querystring"
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from "fastify"
import { workFor } from "../core/caller.ts"
import { refuse } from "../core/errors.ts"
import type { Metrics } from "../core/metrics.ts"
import { networkOf, readNetworks } from "../core/networks.ts"
import type { Operation } from "../core/operation.ts"
import { picturesOf } from "../core/outgoing/pictures.ts"
import type { Services } from "../core/services.ts"
import { worksWaiting } from "../core/work.ts"
import { sendRefusal } from "./api/answer.ts"
import { apiRoutes } from "./api/server.ts"
import { type AnswerWatcher, API_BASE } from "./api/steps.ts"
import { wantsPage } from "./client/accepts.ts"
import { clientAddress } from "./client/address.ts"
import { openBodies } from "./client/bodies.ts"
import { watchConnections } from "./client/connections.ts"
import { gatherAnswers } from "./client/gather.ts"
import { sendRenewed } from "./client/session.ts"
import { registerGoGet } from "./go-get.ts"
import { refusalOfOtherSites } from "./other-sites.ts"
import { protocols } from "./protocols.ts"
import { plainUrl, refusalOfNul, storable } from "./routing/redirect.ts"
import { declaredRoute, patternOf, type RouteTable, routeTable, serveTable } from "./routing/routes.ts"
import { openStreams } from "./streams.ts"
import { answerUnreadable, refusalOfTwoHosts } from "./unreadable-requests.ts"
import type { Web } from "./web/routes.ts"

export interface HttpOptions {
  readonly operations: readonly Operation[]
  /** Pages and files, loaded with the first request that neither an operation nor a protocol answers. */
  readonly web: () => Promise<Web>
  readonly metrics: Metrics
  readonly onAnswer?: AnswerWatcher | undefined
}

/** How long a client may take to send the head of a request. */
const HEAD_SECONDS = 60

/** The HTTP server with all its routes, ready to listen. */
export async function openHttp(services: Services, options: HttpOptions): Promise<FastifyInstance> {
  const { config } = services
  const { metrics } = options
  const trustProxy = readNetworks(config.http.trustedProxies)
  const loggerInstance: FastifyBaseLogger = services.log
  const app: FastifyInstance = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIds(),
    bodyLimit: config.api.maxBodyBytes,
    trustProxy,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // Bodies have limits of their own, see connections.ts.
    requestTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: "idle",
    clientErrorHandler: answerUnreadable,
    rewriteUrl: ({ url }) => plainUrl(url ?? "/"),
    routerOptions: {
      querystringParser: (text) => parseQuery(storable(text)),
      ignoreTrailingSlash: true,
      caseSensitive: true,
      maxParamLength: 1024,
    },
    frameworkErrors: (error, request, reply) => {
      // A name too long to exist is missing like any other.
      const refusal =
        error.code === "FST_ERR_BAD_URL" ? refuse.badRequest("the address can't be read: a percent escape is broken") : refuse.notFound()
      sendRefusal(services, request, reply, refusal)
    },
  })
  gatherAnswers(app.server)
  app.server.headersTimeout = HEAD_SECONDS * 1000
  const connections = watchConnections(app.server, {
    total: () => services.share(config.http.maxConnections),
    perAddress: () => services.share(config.http.maxConnectionsPerAddress),
    isProxy: trustProxy,
    stallMs: config.http.stallSeconds * 1000,
    bodyMs: config.http.bodySeconds * 1000,
    bodyRate: config.http.minBodyRate,
  })
  metrics.gauge("hearth_http_connections", "HTTP connections that are open.", () => connections.counts().open)
  metrics.counter(
    "hearth_http_connections_refused_total",
    "HTTP connections refused because there were too many.",
    () => connections.counts().refused,
  )
  metrics.counter(
    "hearth_http_connections_cut_total",
    "HTTP connections closed because the client was too slow.",
    () => connections.counts().cut,
  )
  app.decorate("drain", connections.drain)
  app.removeAllContentTypeParsers()
  const bodies = openBodies(config.http.maxBodiesBytes, services.share)
  app.addContentTypeParser("*", (request: FastifyRequest) =>
    bodies.collect(request, request.routeOptions.bodyLimit ?? config.api.maxBodyBytes),
  )

  const sendStream = openStreams(app)
  const routes = apiRoutes(services, options, sendStream)
  let table = routeTable(routes)
  let loading: Promise<RouteTable> | undefined
  const whole = (): Promise<RouteTable> => {
    loading ??= Promise.all([import("./web/routes.ts"), options.web()]).then(
      ([{ wholeTable }, web]) => {
        table = wholeTable(services, routes, web, sendStream)
        return table
      },
      (error: unknown) => {
        // What can't be read for a moment is tried again.
        loading = undefined
        throw error
      },
    )
    return loading
  }
  serveTable(
    app,
    (method, url) => table.find(method, url) ?? whole().then(({ find }) => find(method, url)),
    (request, limit = config.api.maxBodyBytes) => bodies.collect(request, limit),
  )
  app.addHook("onRequest", (request, reply, done) => {
    const refusal = refusalOfTwoHosts(request.raw)
    if (refusal) reply.header("connection", "close")
    done(refusal ?? refusalOfNul(request.url))
  })
  app.addHook("onRequest", (request, reply, done) => {
    workFor(networkOf(clientAddress(request)), () => abandonment(request, reply), done)
  })
  app.addHook("onRequest", (request, _reply, done) => done(refusalOfOtherSites(services, request)))
  app.addHook("onSend", async (request, reply, payload) => {
    sendRenewed(services, request, reply)
    reply.header("x-content-type-options", "nosniff").header("x-request-id", request.id)
    if (!reply.hasHeader("x-frame-options")) reply.header("x-frame-options", "SAMEORIGIN")
    if (request.url.startsWith("/api/") && !reply.hasHeader("cache-control"))
      reply.header("cache-control", "max-age=0, private, must-revalidate")
    return payload
  })
  app.addHook("onRequestAbort", async (request) => bodies.release(request))
  app.addHook("onResponse", async (request, reply) => {
    bodies.release(request)
    metrics.observeRequest(labelOf(request), request.method, reply.statusCode, reply.elapsedTime / 1000)
    request.log.info(
      {
        method: request.method,
        route: patternOf(request),
        operation: declaredRoute(request)?.operation,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      "request",
    )
  })
  registerGoGet(app, services)
  app.setErrorHandler((error, request, reply) =>
    wantsPage(request) ? sendErrorPage(services, request, reply, error) : sendRefusal(services, request, reply, error),
  )
  app.setNotFoundHandler(async (request, reply) => notFound(services, (await whole()).methodsAt(request.url), request, reply))

  metrics.gauge("hearth_work_waiting", "Pieces of work on texts and lists of users that wait for their turn.", worksWaiting)
  const pictures = picturesOf(services)?.turns
  metrics.limits(() => [...services.git.limits(), bodies.state(), ...(pictures ? [pictures.state()] : [])])
  for (const { register } of protocols) await register(app, { services, ...options })
  return app
}

const sendErrorPage: typeof import("./web/pages/server.ts").sendErrorPage = async (...given) =>
  (await import("./web/pages/server.ts")).sendErrorPage(...given)

/** Fires when a client that only reads is gone; a change is carried through. */
function abandonment({ method }: FastifyRequest, { raw }: FastifyReply): AbortSignal | undefined {
  if (method !== "GET" && method !== "HEAD") return undefined
  const gone = new AbortController()
  const end = () => {
    if (!raw.writableFinished) gone.abort()
  }
  if (raw.closed) end()
  else raw.once("close", end)
  return gone.signal
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
const labelOf = (request: FastifyRequest): string => declaredRoute(request)?.operation ?? request.routeOptions.url ?? "unknown"

function notFound(
  services: Services,
  methods: readonly string[],
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> {
  if (methods.length > 0 && request.url.startsWith(`${API_BASE}/`))
    return reply
      .code(405)
      .header("allow", methods.filter((method) => method !== "HEAD").join(", "))
      .send()
  if (!wantsPage(request)) return sendRefusal(services, request, reply, refuse.notFound())
  if (methods.length === 0) return sendErrorPage(services, request, reply, refuse.notFound())
  return sendErrorPage(services, request, reply.header("allow", methods.join(", ")), refuse.methodNotAllowed())
}

declare module "fastify" {
  interface FastifyInstance {
    /** See `Connections`. */
    readonly drain: (longestMs: number) => Promise<void>
  }
  interface FastifyContextConfig {
    /** Whether pages of other sites may call the route: only where nothing depends on the credentials that a browser adds. */
    readonly fromAnySite?: true
  }
}
