import type { FastifyInstance } from "fastify"
import { refuse } from "../../core/errors.ts"
import Type from "../../core/schema.ts"
import type { Services } from "../../core/services.ts"
import { answerBatch, BatchRequest, requireBatch } from "../../features/code/lfs/batch.ts"
import { createLock, type LockQuery, listLocks, presentLock, releaseLock } from "../../features/code/lfs/locks.ts"
import { findObject, requireNameable, takePutObject } from "../../features/code/lfs/objects.ts"
import { PASS_SECONDS, writePass } from "../../features/code/lfs/passes.ts"
import { lfsUrl } from "../../features/code/repositories/urls.ts"
import { type LfsAccess, type Names, openLfsAccess } from "./admission.ts"
import { send, sendRefusal } from "./answer.ts"
import { readRecord, requireAccept } from "./body.ts"
import { registerTransfers } from "./transfers.ts"

/** Git LFS over HTTP, below `/{owner}/{repo}.git/info/lfs`: large files beside git, and locks. */

const ROOT = "/:owner/:repo/info/lfs"

/** A batch names objects only; a thousand of them fit ten times. */
const RECORD_BYTES = 2 * 1024 * 1024

const Ref = Type.Optional(Type.Union([Type.Null(), Type.Object({ name: Type.String() })]))
const ObjectRecord = Type.Object({ oid: Type.String(), size: Type.Number() })
const LockRequest = Type.Object({ path: Type.String(), ref: Ref })
const VerifyRequest = Type.Object({ cursor: Type.Optional(Type.String()), limit: Type.Optional(Type.Number()), ref: Ref })
const UnlockRequest = Type.Object({ force: Type.Optional(Type.Boolean()), ref: Ref })

/** Serves Git LFS; where it is switched off these addresses don't exist. */
export async function registerLfs(app: FastifyInstance, services: Services): Promise<void> {
  if (!services.config.lfs.enabled) return
  const access = openLfsAccess(services)
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: RECORD_BYTES }, (_request, body, done) => done(null, body))
    scope.setErrorHandler((error, request, reply) => sendRefusal(request, reply, error))
    registerBatch(scope, services, access)
    registerLocks(scope, services, access)
  })
  await registerTransfers(app, services, access, ROOT)
}

function registerBatch(scope: FastifyInstance, services: Services, access: LfsAccess): void {
  const { config, database, site } = services

  scope.post<Names>(`${ROOT}/objects/batch`, async (request, reply) => {
    requireAccept(request)
    // Authorisation comes before the input is checked, except that the body must be readable to know the operation.
    const record = readRecord(request, BatchRequest)
    const operation = requireBatch(record)
    const { repository, owner, actor } = await (operation === "upload" ? access.forUpload : access.forDownload)(request)
    const pass = actor.kind === "user" ? writePass(services, actor, repository, operation) : undefined
    const { objects } = record
    const transfers = {
      root: lfsUrl(site, owner.name, repository.name),
      authorization: pass && `Bearer ${pass}`,
      expiresIn: PASS_SECONDS,
    }
    return send(reply, await answerBatch(services, repository, { operation, objects, maxBytes: config.lfs.maxBytes }, transfers))
  })

  scope.post<Names & Queried>(`${ROOT}/verify`, async (request, reply) => {
    requireAccept(request)
    const { repository } = await access.forUpload(request)
    const announced = readRecord(request, ObjectRecord)
    requireNameable(announced)
    const object = await findObject(database.read, repository, announced.oid)
    if (object && object.size !== announced.size) throw refuse.invalid("size", `the object has ${object.size} bytes`)
    const { file } = request.query
    const isThere = object !== undefined || (typeof file === "string" && (await takePutObject(services, repository, announced, file)))
    if (!isThere) throw refuse.notFound("the object does not exist")
    return send(reply, {})
  })
}

type Queried = { readonly Querystring: Readonly<Record<string, unknown>> }

function registerLocks(scope: FastifyInstance, { database, now }: Services, access: LfsAccess): void {
  scope.get<Names & Queried>(`${ROOT}/locks`, async (request, reply) => {
    requireAccept(request)
    const { repository } = await access.forDownload(request)
    const { locks, next } = await listLocks(database.read, repository, readFilter(request.query))
    return send(reply, { locks: locks.map(presentLock), ...(next !== undefined && { next_cursor: next }) })
  })

  scope.post<Names>(`${ROOT}/locks`, async (request, reply) => {
    requireAccept(request)
    const { repository, actor } = await access.forUpload(request)
    const { path } = readRecord(request, LockRequest)
    const lock = await database.write((tx) => createLock(tx, repository, actor.user, { path, now: now() }))
    return send(reply, { lock: presentLock(lock) }, 201)
  })

  scope.post<Names>(`${ROOT}/locks/verify`, async (request, reply) => {
    requireAccept(request)
    const { repository, actor } = await access.forUpload(request)
    const { cursor, limit } = readRecord(request, VerifyRequest)
    const { locks, next } = await listLocks(database.read, repository, { cursor, limit })
    const isOurs = ({ owner_id }: { readonly owner_id: number }): boolean => owner_id === actor.user.id
    return send(reply, {
      ours: locks.filter(isOurs).map(presentLock),
      theirs: locks.filter((lock) => !isOurs(lock)).map(presentLock),
      ...(next !== undefined && { next_cursor: next }),
    })
  })

  scope.post<{ readonly Params: Names["Params"] & { readonly id: string } }>(`${ROOT}/locks/:id/unlock`, async (request, reply) => {
    requireAccept(request)
    const { repository, actor } = await access.forUpload(request)
    const { force = false } = readRecord(request, UnlockRequest)
    const lock = await database.write((tx) => releaseLock(tx, repository, actor.user, { id: request.params.id, force }))
    return send(reply, { lock: presentLock(lock) })
  })
}

/** Locks apply to every branch, so a `refspec` filters nothing. */
function readFilter(query: Readonly<Record<string, unknown>>): LockQuery {
  const text = (name: string): string | undefined => {
    const value = query[name]
    return typeof value === "string" ? value : undefined
  }
  const limit = Number(text("limit") ?? Number.NaN)
  return { path: text("path"), id: text("id"), cursor: text("cursor"), limit: Number.isSafeInteger(limit) ? limit : undefined }
}
