import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Operation } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { MCP_PATH, METADATA_PATH } from "./paths.ts"

/** The Model Context Protocol, by which agents use what the API offers: `/api/mcp`, streamable HTTP without sessions. See docs/agents.md. */

/** Tokens come in a header, and a page of another site is refused by its origin: nothing depends on what a browser adds by itself. */
const OPEN = { config: { fromAnySite: true } } as const

export function registerMcp(app: FastifyInstance, services: Services, operations: readonly Operation[]): void {
  if (!services.config.mcp.enabled) return
  const answer = async (request: FastifyRequest, reply: FastifyReply) =>
    (await import("./answer.ts")).answer(services, operations, request, reply)
  app.post(MCP_PATH, { ...OPEN, bodyLimit: services.config.api.maxBodyBytes }, answer)
  // There are no sessions to end, and no stream of what nobody asked for.
  app.route({ method: ["GET", "PUT", "PATCH", "DELETE"], url: MCP_PATH, ...OPEN, handler: answer })
  for (const path of [METADATA_PATH, METADATA_PATH + MCP_PATH])
    app.get(path, async (_request, reply) => (await import("./answer.ts")).sendMetadata(services, operations, reply))
}
