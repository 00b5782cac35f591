import type { FastifyInstance } from "fastify"
import { locateRepository, requireUnit } from "../../access/policies/repositories.ts"
import { refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { archiveDownload } from "../../features/code/archives/archive.ts"
import type { Authenticator } from "../../features/people/authentication/authenticate.ts"
import { sendDownload } from "../api/download.ts"
import { callerOf, mayReadCategory } from "../routing/callers.ts"

/** Serves archives at the addresses that tags and releases name. */
export function registerArchives(app: FastifyInstance, services: Services, authenticator: Authenticator): void {
  app.route<{ Params: { owner: string; repo: string; "*": string } }>({
    method: ["GET", "HEAD"],
    url: "/:owner/:repo/archive/*",
    handler: async (request, reply) => {
      const actor = await callerOf(services, authenticator, request)
      const { owner, repo, "*": asked } = request.params
      if (!mayReadCategory(services, actor, "repository") || asked.includes("\0")) throw refuse.notFound()
      const on = await locateRepository(services.database.read, actor, owner, repo)
      requireUnit(on, "repo.code", "read")
      return sendDownload(request, reply, await archiveDownload(services, on, asked))
    },
  })
}
