import type { FastifyInstance } from "fastify"
import { onPull } from "../../access/policies/pulls.ts"
import { refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { patchDownload } from "../../features/code/commits/patches.ts"
import type { Authenticator } from "../../features/people/authentication/authenticate.ts"
import { rangeOf } from "../../features/review/pulls/contents.ts"
import { ensureMergeability } from "../../features/review/pulls/mergeability.ts"
import { sendDownload } from "../api/download.ts"
import { callerOf, mayReadCategory } from "../routing/callers.ts"

/** What a pull request changes, as a diff or as mails: at the address of its page with an ending. Programs sign in for it with a header, people by their session. */
export function registerPatches(app: FastifyInstance, services: Services, authenticator: Authenticator): void {
  app.get<{ Params: { owner: string; repo: string; index: string; form: string } }>(
    "/:owner/:repo/pulls/:index(^\\d+).:form(^diff|patch$)",
    async (request, reply) => {
      const actor = await callerOf(services, authenticator, request)
      if (!mayReadCategory(services, actor, "repository")) throw refuse.notFound()
      const { form, ...path } = request.params
      const found = await onPull.open({ services, db: services.database.read, actor, path })
      const { repository, from, to } = rangeOf(services, found, await ensureMergeability(services, found.pull))
      return sendDownload(request, reply, patchDownload(services.git, repository, { from, to, form: form === "patch" ? "patch" : "diff" }))
    },
  )
}
