import type { FastifyInstance } from "fastify"
import { refuse } from "../../../core/errors.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { artifactById } from "../../../features/actions/artifacts/artifacts.ts"
import {
  artifactsFor,
  beginArtifact,
  deleteArtifactOf,
  finishArtifact,
  requireArtifact,
} from "../../../features/actions/artifacts/of-jobs.ts"
import type { RunningTask } from "../../../features/actions/tokens/store.ts"
import { sendDownload } from "../../files/send.ts"
import { registerBlobUpload, requireSigned, signedAddress } from "./blobs.ts"
import { method, registerTwirp, sendTwirpRefusal, twirpPath } from "./twirp.ts"
import { Count, digitsOf, readTime, textIn, Wrapped } from "./values.ts"

/** Artifacts of version 4, as actions/upload-artifact and actions/download-artifact speak. */

const SERVICE = "ArtifactService"
const PATHS = { upload: `${twirpPath(SERVICE)}/UploadArtifact`, download: `${twirpPath(SERVICE)}/DownloadArtifact` } as const

const OfRun = { workflow_run_backend_id: Type.String() }
const Named = Type.Object({ ...OfRun, name: Type.String() })
const Creation = Type.Object({
  ...OfRun,
  name: Type.String(),
  expires_at: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  mime_type: Wrapped,
})
const Ending = Type.Object({ ...OfRun, name: Type.String(), size: Count, hash: Wrapped })
const Filter = Type.Object({ ...OfRun, name_filter: Wrapped, id_filter: Wrapped })

/** What clients call a zip file. */
const ZIP = new Set(["", "application/zip", "zip"])

export async function registerArtifactService(app: FastifyInstance, services: Services): Promise<void> {
  await registerTwirp(app, services, SERVICE, {
    CreateArtifact: method(Creation, async ({ request, task, input }) => {
      requireRun(task, input)
      const mime = textIn(input.mime_type) ?? ""
      const mediaType = ZIP.has(mime) ? "" : mime.slice(0, 255)
      const upload = await beginArtifact(services, task, { name: input.name, mediaType, expiresAt: readTime(input.expires_at) })
      return { ok: true, signedUploadUrl: signedAddress(services, request, PATHS.upload, "artifact upload", upload.id) }
    }),

    FinalizeArtifact: method(Ending, async ({ task, input }) => {
      requireRun(task, input)
      const { id } = await finishArtifact(services, task, {
        name: input.name,
        size: digitsOf(input.size),
        sha256: readHash(textIn(input.hash)),
      })
      return { ok: true, artifactId: String(id) }
    }),

    ListArtifacts: method(Filter, async ({ task, input }) => {
      requireRun(task, input)
      const [name, id] = [textIn(input.name_filter), textIn(input.id_filter)]
      const all = await artifactsFor(services, task)
      const asked = all.filter((one) => (name === undefined || one.name === name) && (id === undefined || String(one.id) === id))
      return {
        artifacts: asked.map((one) => ({
          workflowRunBackendId: String(task.run.id),
          workflowJobRunBackendId: String(one.job_id || task.job.id),
          databaseId: String(one.id),
          name: one.name,
          size: String(one.size),
          createdAt: new Date(one.created_at * 1000).toISOString(),
          digest: `sha256:${one.sha256}`,
        })),
      }
    }),

    GetSignedArtifactURL: method(Named, async ({ request, task, input }) => {
      requireRun(task, input)
      const { id } = await requireArtifact(services, task, input.name)
      return { signedUrl: signedAddress(services, request, PATHS.download, "artifact download", id) }
    }),

    DeleteArtifact: method(Named, async ({ task, input }) => {
      requireRun(task, input)
      const { id } = await deleteArtifactOf(services, task, input.name)
      return { ok: true, artifactId: String(id) }
    }),
  })

  const { maxArtifactBytes: maxBytes } = services.config.actions
  await registerBlobUpload(app, services, { path: PATHS.upload, signed: "artifact upload", maxBytes })
  await app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendTwirpRefusal(request, reply, error))
    scope.get<{ readonly Querystring: Readonly<Record<string, unknown>> }>(PATHS.download, async (request, reply) => {
      const download = await artifactById(services, requireSigned(services, request.query, "artifact download"))
      return sendDownload(request, reply, download)
    })
  })
}

/** A token is for one run; the job that a client names is not looked at. */
function requireRun({ run }: RunningTask, { workflow_run_backend_id: id }: { readonly workflow_run_backend_id: string }): void {
  if (id !== String(run.id)) throw refuse.forbidden("this token belongs to another run")
}

function readHash(hash: string | undefined): string | undefined {
  if (hash === undefined || hash === "") return undefined
  const [, hex] = /^sha256:([0-9a-f]{64})$/i.exec(hash) ?? []
  if (hex === undefined) throw refuse.invalid("hash", "must be sha256: and 64 hexadecimal digits")
  return hex.toLowerCase()
}
