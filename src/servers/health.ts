import { timingSafeEqual } from "node:crypto"
import type { FastifyInstance, FastifyRequest } from "fastify"
import { refuse } from "../core/errors.ts"
import type { Metrics } from "../core/metrics.ts"
import type { Services } from "../core/services.ts"
import { readAuthorization } from "../features/people/sign-in/credentials/credentials.ts"
import { sendRefusal } from "./api/answer.ts"

/** Endpoints for monitoring: `/api/healthz` for load balancers, `/metrics` for Prometheus. */
export function registerHealth(app: FastifyInstance, services: Services, metrics: Metrics): void {
  app.get("/api/healthz", async (_request, reply) => {
    const health = await services.health.look()
    return reply
      .code(health.status === "fail" ? 503 : 200)
      .header("content-type", "application/json;charset=utf-8")
      .header("cache-control", "no-store")
      .send(JSON.stringify(health))
  })

  app.get("/metrics", async (request, reply) => {
    if (!mayReadMetrics(request, services.config.metrics.token)) return sendRefusal(services, request, reply, refuse.notFound())
    return reply.header("content-type", metrics.contentType).send(await metrics.text())
  })
}

/** With a token set, callers who present it; without one, this machine, but not through a proxy on it. */
function mayReadMetrics(request: FastifyRequest, token: string): boolean {
  if (token === "") return /^(::ffff:)?127\.|^::1$/.test(request.ip) && request.headers["x-forwarded-for"] === undefined
  const presented = readAuthorization(request.headers.authorization)
  if (presented.kind !== "token") return false
  const [shown, wanted] = [Buffer.from(presented.token), Buffer.from(token)]
  return shown.length === wanted.length && timingSafeEqual(shown, wanted)
}
