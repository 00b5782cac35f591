import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { refuse } from "../../../core/errors.ts"
import { pathNumber } from "../../../core/operation.ts"
import Type, { Check } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { requireArtifactName, requireRoom } from "../../../features/actions/artifacts/artifacts.ts"
import { fileOf, filesOf, finishFiles, openFileOf } from "../../../features/actions/artifacts/files-of-jobs.ts"
import { artifactsFor } from "../../../features/actions/artifacts/of-jobs.ts"
import type { Artifact } from "../../../features/actions/artifacts/store.ts"
import type { RunningTask } from "../../../features/actions/tokens/store.ts"
import { findOpenUpload } from "../../../features/actions/uploads/store.ts"
import { beginUpload, storePart } from "../../../features/actions/uploads/uploads.ts"
import { sendRefusal } from "../../api/answer.ts"
import { discardRest } from "../../git-http/request.ts"
import { addressUsed, bodyOf, lengthOf } from "./blobs.ts"
import { readContentRange } from "./cache-v1.ts"
import { readRecord, requireTask } from "./twirp.ts"

/** Artifacts of version 3, as actions/upload-artifact and actions/download-artifact spoke up to version 3. */

const ROOT = "/api/actions_pipeline/_apis/pipelines/workflows/:run/artifacts"
/** A call names things only. */
const BODY_BYTES = 64 * 1024
const DAY = 86_400

/** Members are read in any case: clients write them with a capital letter. */
const Creation = Type.Object({ _name: Type.String(), _retention_days: Type.Optional(Type.Union([Type.Number(), Type.Null()])) })

interface OfRun {
  readonly Params: { readonly run: string }
  readonly Querystring: Readonly<Record<string, unknown>>
}
interface OfOne {
  readonly Params: { readonly run: string; readonly id: string }
  readonly Querystring: Readonly<Record<string, unknown>>
}

const textIn = (query: Readonly<Record<string, unknown>>, name: string): string => {
  const value = query[name]
  return typeof value === "string" ? value : ""
}

export async function registerArtifactsV3(app: FastifyInstance, services: Services): Promise<void> {
  const { database, now, config } = services
  await app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendRefusal(services, request, reply, error))

    scope.post<OfRun>(ROOT, { bodyLimit: BODY_BYTES }, async (request, reply) => {
      const task = await requireTaskOf(services, request)
      const record = readRecord(request.body)
      if (!Check(Creation, record)) throw refuse.badRequest("Name is needed")
      const { _name: name, _retention_days: days } = record
      requireArtifactName(name)
      const expires_at = typeof days === "number" && days > 0 ? now() + Math.ceil(days * DAY) : 0
      const { id } = await database.write(async (tx) => {
        await requireRoom(tx, services, { repositoryId: task.repository.id, runId: task.run.id, except: 0, size: 0 })
        return beginUpload(tx, services, task, { kind: "files", name, expires_at })
      })
      return send(reply, { containerId: id, name, fileContainerResourceUrl: `${rootOf(services, request, task)}/${id}/upload` })
    })

    scope.patch<OfRun>(ROOT, { bodyLimit: BODY_BYTES }, async (request, reply) => {
      const task = await requireTaskOf(services, request)
      await finishFiles(services, task, textIn(request.query, "artifactName"))
      return send(reply, { message: "success" })
    })

    scope.get<OfRun>(ROOT, async (request, reply) => {
      const task = await requireTaskOf(services, request)
      const all = await artifactsFor(services, task)
      if (all.length === 0) throw refuse.notFound("this run has no artifacts")
      const root = rootOf(services, request, task)
      const value = all.map(({ id, name }) => ({ containerId: id, name, fileContainerResourceUrl: `${root}/${id}/download_url` }))
      return send(reply, { count: value.length, value })
    })

    scope.get<OfOne>(`${ROOT}/:id/download_url`, async (request, reply) => {
      const task = await requireTaskOf(services, request)
      const artifact = await requireArtifactById(services, request, task)
      const at = `${rootOf(services, request, task)}/${artifact.id}/download`
      const value = (await filesOf(services, task, artifact)).map(({ path, size }) => ({
        path: `${artifact.name}/${path}`,
        itemType: "file",
        fileLength: size,
        contentLocation: `${at}?${new URLSearchParams({ path })}`,
      }))
      return send(reply, { count: value.length, value })
    })

    scope.get<OfOne>(`${ROOT}/:id/download`, async (request, reply) => {
      const task = await requireTaskOf(services, request)
      const artifact = await requireArtifactById(services, request, task)
      const { size, content } = await openFileOf(services, task, artifact, textIn(request.query, "path"))
      return reply.type("application/octet-stream").header("cache-control", "no-store").header("content-length", size).send(content)
    })
  })

  await app.register(async (scope) => {
    // Bodies are streams of any length: nothing is read before the caller is known.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null))
    scope.setErrorHandler((error, request, reply) => sendRefusal(services, request, reply, error))
    scope.addHook("onResponse", async (request) => discardRest(request.raw))
    scope.put<OfOne>(`${ROOT}/:id/upload`, async (request, reply) => {
      const { task } = await requireTaskOf(services, request)
      const upload = await findOpenUpload.first(database.read, { id: pathNumber(request.params.id) })
      if (upload?.task_id !== task.id || upload.kind !== "files") throw refuse.notFound("this artifact is not being stored")
      const encoding = request.headers["content-encoding"]
      if (encoding !== undefined && encoding !== "gzip") throw refuse.unsupportedMediaType("a file is compressed with gzip, or not at all")
      const of = fileOf(upload, textIn(request.query, "itemPath"), encoding === "gzip")
      const { start, size } = readContentRange(request.headers["content-range"])
      const length = lengthOf(request)
      if (length !== undefined && length !== size) throw refuse.badRequest("the Content-Range has another length than the body")
      const { maxArtifactBytes: maxBytes } = config.actions
      await storePart(services, upload, { position: { kind: "offset", offset: start, of }, maxBytes, expected: { size } }, bodyOf(request))
      return send(reply, { message: "success" })
    })
  })
}

/** The task of a runtime token for the run that the path names. Refuses `forbidden` that of another run. */
async function requireTaskOf(
  services: Services,
  request: FastifyRequest<{ readonly Params: { readonly run: string } }>,
): Promise<RunningTask> {
  const task = await requireTask(services, request)
  if (request.params.run !== String(task.run.id)) throw refuse.forbidden("this token belongs to another run")
  return task
}

async function requireArtifactById(services: Services, request: FastifyRequest<OfOne>, task: RunningTask): Promise<Artifact> {
  const id = pathNumber(request.params.id)
  const found = (await artifactsFor(services, task)).find((artifact) => artifact.id === id)
  if (!found) throw refuse.notFound("there is no such artifact")
  return found
}

const rootOf = (services: Services, request: FastifyRequest, { run }: RunningTask): string =>
  addressUsed(services, request, ROOT.replace(":run", String(run.id)))

const send = (reply: FastifyReply, record: object): FastifyReply =>
  reply.type("application/json").header("cache-control", "no-store").send(JSON.stringify(record))
