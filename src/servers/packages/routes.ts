import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { asMe } from "../../access/policies/site.ts"
import { refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import type { BodyForm, Call, Registry, Route } from "../../features/packages/packages/registry.ts"
import { registries } from "../../features/packages/registries.ts"
import { discardRest } from "../git-http/request.ts"
import { storable } from "../routing/redirect.ts"
import { type Admitted, admit } from "./admission.ts"
import { send, sendRefusal } from "./answer.ts"

/** The registries of packages, below /api/packages/{owner}/{type}. */

type Asked = { readonly Params: Readonly<Record<string, string>> }

interface Mounted {
  readonly registry: Registry
  readonly route: Route
}

/** Serves the registries; where packages are switched off their addresses don't exist. */
export async function registerPackages(app: FastifyInstance, services: Services): Promise<void> {
  const { config } = services
  if (!config.packages.enabled) return
  const admitted = new WeakMap<FastifyRequest, Admitted>()
  const all = registries.flatMap((registry) => registry.routes.map((route) => ({ registry, route })))
  const mount = (scope: FastifyInstance, forms: readonly BodyForm[]) => {
    for (const mounted of all) if (forms.includes(mounted.route.body)) serve(scope, mounted)
  }
  mount(app, ["document"])
  await app.register(async (scope) => {
    // Bodies are streams of any length: nothing is read before the caller is authorised.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null))
    scope.addHook("onResponse", async (request) => discardRest(request.raw))
    mount(scope, ["stream", "none"])
  })

  function serve(scope: FastifyInstance, mounted: Mounted): void {
    const { registry, route } = mounted
    scope.route<Asked>({
      method: route.method === "GET" ? ["GET", "HEAD"] : route.method,
      url: `/api/packages/:owner/${registry.type}${route.path}`,
      bodyLimit: config.packages.maxDocumentBytes,
      onRequest: async (request) => {
        admitted.set(request, await admit(services, request, request.params["owner"] ?? "", route.needs))
      },
      handler: (request, reply) => answer(request, reply, route),
      errorHandler: (error, request, reply) => sendRefusal(services, mounted, request, reply, error),
    })
  }

  async function answer(request: FastifyRequest<Asked>, reply: FastifyReply, route: Route): Promise<FastifyReply> {
    const found = admitted.get(request)
    if (!found) throw new TypeError("a request reached its handler without having been let in")
    if (route.body === "stream" && request.headers["content-encoding"] !== undefined)
      throw refuse.unsupportedMediaType("a file is sent as it is, without a content encoding")
    const { url } = request
    const query = url.indexOf("?")
    const call: Call = {
      ...found,
      services,
      signedIn: () => asMe(found.actor).actor,
      path: request.params,
      query: new URLSearchParams(query < 0 ? "" : storable(url.slice(query + 1))),
      header: (name) => {
        const value = request.headers[name]
        return typeof value === "string" ? value : undefined
      },
      document: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
      stream: request.raw,
    }
    return send(services, request, reply, await route.handle(call))
  }
}
