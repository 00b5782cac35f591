import type { FastifyInstance } from "fastify"
import { Mode } from "../../access/modes.ts"
import { unitMode } from "../../access/permission.ts"
import { locateRepository } from "../../access/policies/repositories.ts"
import { refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { findAttachmentsOfReleases } from "../../features/code/attachments/store.ts"
import { locateReleaseOfTag } from "../../features/code/releases/locate.ts"
import type { Authenticator } from "../../features/people/authentication/authenticate.ts"
import { actorOf, mayReadCategory } from "./actor.ts"

/** Addresses of a release's files by its tag and their names, as packages and scripts write them. They redirect to the files. */
export function registerReleases(app: FastifyInstance, services: Services, authenticator: Authenticator): void {
  app.route<{ Params: { owner: string; repo: string; "*": string } }>({
    method: ["GET", "HEAD"],
    url: "/:owner/:repo/releases/download/*",
    handler: async (request, reply) => {
      const db = services.database.read
      const actor = await actorOf(request, services, authenticator)
      const { owner, repo, "*": path } = request.params
      const slash = path.lastIndexOf("/")
      if (!mayReadCategory(services, actor, "repository") || path.includes("\0") || slash < 1) throw refuse.notFound()
      const on = await locateRepository(db, actor, owner, repo)
      if (on.permission.mode < Mode.admin && unitMode(on.permission, on.repository, "repo.releases") < Mode.read) throw refuse.notFound()
      const release = await locateReleaseOfTag({ ...on, db, actor }, path.slice(0, slash))
      const files = await findAttachmentsOfReleases(db, { releaseIds: [release.id] })
      const file = files.find(({ name }) => name === path.slice(slash + 1))
      if (!file) throw refuse.notFound()
      return reply.redirect(`${services.site.rootUrl}/attachments/${file.uuid}`)
    },
  })
}
