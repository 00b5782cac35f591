import type { FastifyInstance } from "fastify"
import { locateRepository, requireUnit } from "../../access/policies/repositories.ts"
import { refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { explicitForm, locateCode, type OnCode } from "../../features/code/contents/locate.ts"
import { mediaFile, rawFile } from "../../features/code/contents/raw.ts"
import type { Authenticator } from "../../features/people/authentication/authenticate.ts"
import { codePath, repositoryPath } from "../../web/address.ts"
import { sendDownload } from "../api/download.ts"
import { callerOf, mayReadCategory } from "../routing/callers.ts"
import { leadTo } from "../routing/redirect.ts"

/**
 * Files as bytes, at the addresses that records and pages name: `raw` as they are stored, `media` with the large files that pointers stand for.
 * Programs sign in for these with a header, people by their session.
 */
export function registerRaw(app: FastifyInstance, services: Services, authenticator: Authenticator): void {
  for (const view of ["raw", "media"] as const)
    app.get<{ Params: { owner: string; repo: string; "*": string } }>(`/:owner/:repo/${view}/*`, async (request, reply) => {
      const actor = await callerOf(services, authenticator, request)
      const { owner, repo, "*": asked } = request.params
      if (!mayReadCategory(services, actor, "repository") || asked.includes("\0")) throw refuse.notFound()
      const db = services.database.read
      const on = await locateRepository(db, actor, owner, repo)
      requireUnit(on, "repo.code", "read")
      const call: OnCode = { ...on, services, db, actor }
      const located = await locateCode(call, asked)
      if (!located) return leadTo(reply, `${repositoryPath(on)}/${view}/${await explicitForm(call, asked)}`, 302)
      const file = { services, owned: on, revision: located.revision }
      const path = located.parts.join("/")
      reply.header("link", `<${codePath(on, "src", located.revision, located.parts)}>; rel="canonical"`)
      return sendDownload(request, reply, await (view === "raw" ? rawFile : mediaFile)(file, path))
    })
}
