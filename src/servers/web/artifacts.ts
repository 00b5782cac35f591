import type { FastifyInstance } from "fastify"
import { findRepositoryById } from "../../access/store.ts"
import { refuse } from "../../core/errors.ts"
import { pathNumber } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { artifactDownload, linkHolds, requireContentById } from "../../features/actions/artifacts/artifacts.ts"
import { sendDownload } from "../api/download.ts"

/** The parameters of a signed link. */
interface Link {
  readonly Params: { readonly id: string }
  readonly Querystring: { readonly sig?: unknown; readonly expires?: unknown }
}

/**
 * Serves the files of artifacts at the links that the API gives. The signature decides, so that programs need not sign in where they are redirected
 * to. Without a valid one the answer reveals nothing, not even what exists.
 */
export function registerArtifacts(app: FastifyInstance, services: Services): void {
  app.route<Link>({
    method: ["GET", "HEAD"],
    url: "/api/v1/repos/:owner/:repo/actions/artifacts/:id/zip/raw",
    handler: async (request, reply) => {
      const id = pathNumber(request.params.id)
      const { sig, expires } = request.query
      if (typeof sig !== "string" || typeof expires !== "string" || !linkHolds(services, id, sig, expires))
        throw refuse.unauthenticated("this link is not signed, or has expired; ask for the artifact again")
      const artifact = await requireContentById(services, id)
      const repository = await findRepositoryById.first(services.database.read, { id: artifact.repository_id })
      if (!repository) throw refuse.notFound()
      return sendDownload(request, reply, artifactDownload(services, repository.storage, artifact))
    },
  })
}
