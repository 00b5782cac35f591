import type { FastifyInstance, FastifyReply } from "fastify"
import type { Operation } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import type { Documents } from "./documents.ts"

/** The API's own description: for programs at /swagger.v1.json and /openapi.v1.json, for people at /api/swagger. Loaded and made when it is first asked for. */
export function registerDocuments(app: FastifyInstance, services: Services, operations: readonly Operation[]): void {
  let opened: Documents | undefined
  const documents = async (): Promise<Documents> => {
    const { openDocuments } = await import("./documents.ts")
    opened ??= openDocuments(services, operations)
    return opened
  }
  const json = async (reply: FastifyReply, text: string) =>
    reply
      .header("content-type", "application/json;charset=utf-8")
      .header("access-control-allow-origin", "*")
      .header("cache-control", "public, max-age=300")
      .send(text)
  app.get("/swagger.v1.json", async (_request, reply) => json(reply, await (await documents()).swagger()))
  app.get("/openapi.v1.json", async (_request, reply) => json(reply, await (await documents()).openapi()))
  app.get("/api/swagger", async (_request, reply) => {
    const { page, pagePolicy } = await documents()
    return reply
      .header("content-type", "text/html;charset=utf-8")
      .header("content-security-policy", pagePolicy)
      .send(await page())
  })
}
