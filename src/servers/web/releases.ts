import type { FastifyInstance } from "fastify"
import { Mode } from "../../access/modes.ts"
import { unitMode } from "../../access/permission.ts"
import { locateRepository, type OnRepository } from "../../access/policies/repositories.ts"
import type { Actor } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { findAttachmentsOfReleases } from "../../features/code/attachments/store.ts"
import { admitRelease, locateReleaseOfTag } from "../../features/code/releases/locate.ts"
import { findLatestRelease, type Release } from "../../features/code/releases/store.ts"
import type { Authenticator } from "../../features/people/authentication/authenticate.ts"
import { callerOf, mayReadCategory } from "../routing/callers.ts"
import { sendAttachment } from "./attachments.ts"

type Found = OnRepository & { readonly db: Handle; readonly actor: Actor }

/**
 * Files of a release by its tag, or of the latest release, and by their names, as packages and scripts write their addresses. They are sent from there:
 * some clients follow no redirect, and others drop their credentials on the way.
 */
export function registerReleases(app: FastifyInstance, services: Services, authenticator: Authenticator): void {
  serve("/:owner/:repo/releases/download/*", (path) => {
    const slash = path.lastIndexOf("/")
    if (slash < 1) throw refuse.notFound()
    return { name: path.slice(slash + 1), find: (found) => locateReleaseOfTag(found, path.slice(0, slash)) }
  })
  serve("/:owner/:repo/releases/latest/download/*", (name) => ({
    name,
    find: async ({ db, actor, ...on }) => admitRelease(actor, on, await findLatestRelease.first(db, { repositoryId: on.repository.id })),
  }))

  function serve(url: string, read: (path: string) => { readonly name: string; readonly find: (found: Found) => Promise<Release> }): void {
    app.route<{ Params: { owner: string; repo: string; "*": string } }>({
      method: ["GET", "HEAD"],
      url,
      handler: async (request, reply) => {
        const db = services.database.read
        const actor = await callerOf(services, authenticator, request)
        const { owner, repo, "*": path } = request.params
        if (!mayReadCategory(services, actor, "repository") || path.includes("\0")) throw refuse.notFound()
        const { name, find } = read(path)
        const on = await locateRepository(db, actor, owner, repo)
        if (on.permission.mode < Mode.admin && unitMode(on.permission, on.repository, "repo.releases") < Mode.read) throw refuse.notFound()
        const release = await find({ ...on, db, actor })
        const file = (await findAttachmentsOfReleases(db, { releaseIds: [release.id] })).find((each) => each.name === name)
        if (!file) throw refuse.notFound()
        return sendAttachment(services, request, reply, file)
      },
    })
  }
}
