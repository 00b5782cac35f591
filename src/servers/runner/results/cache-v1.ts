import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { refuse } from "../../../core/errors.ts"
import { pathNumber } from "../../../core/operation.ts"
import Type, { Check, type Static, type TSchema } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { beginCache, findCache, keepCache } from "../../../features/actions/cache/caches.ts"
import { findOpenUpload, type OpenUpload } from "../../../features/actions/uploads/store.ts"
import { storePart } from "../../../features/actions/uploads/uploads.ts"
import { sendRefusal } from "../../api/answer.ts"
import { discardRest } from "../../git-http/request.ts"
import { bodyOf, lengthOf, signedAddress } from "./blobs.ts"
import { registerCacheDownload } from "./cache.ts"
import { readRecord, requireTask } from "./twirp.ts"
import { Count, digitsOf } from "./values.ts"

/**
 * The cache service of version 1. Clients append these paths to the address that the runner gives them (`cache.external_server` of its configuration), so
 * they are served at the root, and below the address of the pipeline service.
 */

const PREFIXES = ["", "/api/actions_pipeline"]
const PATH = "/_apis/artifactcache"
/** A call names things only. */
const BODY_BYTES = 64 * 1024

const Reservation = Type.Object({ key: Type.String(), version: Type.String(), cache_size: Type.Optional(Type.Union([Count, Type.Null()])) })
const Commitment = Type.Object({ size: Count })

type WithId = { readonly Params: { readonly id: string } }
type Search = { readonly Querystring: { readonly keys?: unknown; readonly version?: unknown } }

export async function registerCacheV1(app: FastifyInstance, services: Services): Promise<void> {
  for (const prefix of PREFIXES) {
    await registerCalls(app, services, `${prefix}${PATH}`)
    await registerChunks(app, services, `${prefix}${PATH}`)
    await registerCacheDownload(app, services, `${prefix}${PATH}/file`)
    // Runners announce the tokens of their jobs to a cache server of their own kind. This one knows them, so there is nothing to remember.
    for (const path of ["register", "revoke"])
      app.post(`${prefix}/_internal/${path}`, { bodyLimit: BODY_BYTES }, async (_request, reply) => reply.code(204).send())
  }
}

async function registerCalls(app: FastifyInstance, services: Services, root: string): Promise<void> {
  await app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendRefusal(services, request, reply, error))

    scope.get<Search>(`${root}/cache`, async (request, reply) => {
      const task = await requireTask(services, request)
      const { keys, version } = request.query
      if (typeof keys !== "string" || typeof version !== "string") throw refuse.badRequest("keys and version are needed")
      const cache = await findCache(services, task, { keys: keys.split(","), version })
      if (!cache) return reply.code(204).send()
      return send(reply, {
        cacheKey: cache.key,
        scope: cache.scope,
        creationTime: new Date(cache.created_at * 1000).toISOString(),
        archiveLocation: signedAddress(services, request, `${root}/file`, "cache download", cache.id),
      })
    })

    scope.post(`${root}/caches`, { bodyLimit: BODY_BYTES }, async (request, reply) => {
      const task = await requireTask(services, request)
      const { key, version, cache_size } = read(request, Reservation)
      const size = cache_size === undefined || cache_size === null ? 0 : digitsOf(cache_size)
      const { id } = await beginCache(services, task, { key, version }, size)
      return send(reply, { cacheId: id }, 201)
    })

    scope.post<WithId>(`${root}/caches/:id`, { bodyLimit: BODY_BYTES }, async (request, reply) => {
      const upload = await requireUpload(services, request)
      await keepCache(services, upload, digitsOf(read(request, Commitment).size))
      return reply.code(204).send()
    })
  })
}

async function registerChunks(app: FastifyInstance, services: Services, root: string): Promise<void> {
  await app.register(async (scope) => {
    // Bodies are streams of any length: nothing is read before the caller is known.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null))
    scope.setErrorHandler((error, request, reply) => sendRefusal(services, request, reply, error))
    scope.addHook("onResponse", async (request) => discardRest(request.raw))
    scope.patch<WithId>(`${root}/caches/:id`, async (request, reply) => {
      const upload = await requireUpload(services, request)
      const { start, size } = readContentRange(request.headers["content-range"])
      const length = lengthOf(request)
      if (length !== undefined && length !== size) throw refuse.badRequest("the Content-Range has another length than the body")
      const { maxCacheBytes: maxBytes } = services.config.actions
      await storePart(services, upload, { position: { kind: "offset", offset: start }, maxBytes, expected: { size } }, bodyOf(request))
      return reply.code(204).send()
    })
  })
}

/** The upload of the job that calls. Refuses `notFound` any other. */
async function requireUpload(services: Services, request: FastifyRequest<WithId>): Promise<OpenUpload> {
  const { task } = await requireTask(services, request)
  const upload = await findOpenUpload.first(services.database.read, { id: pathNumber(request.params.id) })
  if (upload?.task_id !== task.id || upload.kind !== "cache") throw refuse.notFound("this cache is not being stored")
  return upload
}

/** The first byte and the length of a part. An empty file is written as bytes 0--1/0. */
export function readContentRange(header: string | undefined): { readonly start: number; readonly size: number } {
  if (header === "bytes 0--1/0") return { start: 0, size: 0 }
  const [, first, last] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(header ?? "") ?? []
  const [start, end] = [Number(first), Number(last)]
  if (first === undefined || end < start) throw refuse.badRequest("a Content-Range such as bytes 0-99/* is needed")
  return { start, size: end - start + 1 }
}

function read<Schema extends TSchema>(request: FastifyRequest, schema: Schema): Static<Schema> {
  const record = readRecord(request.body)
  if (!Check(schema, record)) throw refuse.badRequest("a member is missing or has another type")
  return record
}

const send = (reply: FastifyReply, record: object, status = 200): FastifyReply =>
  reply.code(status).type("application/json").header("cache-control", "no-store").send(JSON.stringify(record))
