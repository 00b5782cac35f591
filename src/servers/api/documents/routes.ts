import type { FastifyInstance } from "fastify"
import type { Operation } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import { API_VERSION } from "../../../core/version.ts"
import { openapi31 } from "./openapi31.ts"
import { apiPage } from "./page.ts"
import { PAGE_SOURCES } from "./page-assets.ts"
import { swagger2 } from "./swagger2.ts"

/** The API's own description: for programs at /swagger.v1.json and /openapi.v1.json, for people at /api/swagger. */
export function registerDocuments(app: FastifyInstance, services: Services, operations: readonly Operation[]): void {
  // The address is known only once the server listens.
  const about = {
    version: API_VERSION,
    notFoundBody: services.config.api.notFoundBody,
    get rootUrl() {
      return services.site.rootUrl
    },
  }
  const documents = {
    "/swagger.v1.json": once(() => JSON.stringify(swagger2(operations, about))),
    "/openapi.v1.json": once(() => JSON.stringify(openapi31(operations, about))),
  }
  for (const [path, document] of Object.entries(documents))
    app.get(path, async (_request, reply) =>
      reply
        .header("content-type", "application/json;charset=utf-8")
        .header("access-control-allow-origin", "*")
        .header("cache-control", "public, max-age=300")
        .send(document()),
    )
  const page = once(() => apiPage(operations, about))
  app.get("/api/swagger", async (_request, reply) =>
    reply.header("content-type", "text/html;charset=utf-8").header("content-security-policy", PAGE_POLICY).send(page()),
  )
}

const PAGE_POLICY = `default-src 'none'; style-src ${PAGE_SOURCES.style}; script-src ${PAGE_SOURCES.script}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`

/** Made at the first request: most servers in tests never need it. */
function once(make: () => string): () => string {
  let made: string | undefined
  return () => {
    made ??= make()
    return made
  }
}
