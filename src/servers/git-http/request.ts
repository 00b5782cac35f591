import type { IncomingMessage } from "node:http"
import { type Readable, Transform } from "node:stream"
import { createGunzip } from "node:zlib"
import type { FastifyRequest } from "fastify"
import { refuse } from "../../core/errors.ts"
import type { Address } from "../../features/code/pushes/follow.ts"

/** The two services of git's protocol. */
export type Service = "git-upload-pack" | "git-receive-pack"

export const isService = (text: unknown): text is Service => text === "git-upload-pack" || text === "git-receive-pack"

/** The names in a repository's address, which may end in `.git`. */
export function addressOf({ owner, repo }: { readonly owner: string; readonly repo: string }): Address {
  const name = repo.replace(/\.git$/i, "")
  if (name === "") throw refuse.notFound("Repository not found")
  return { owner, name }
}

/** A client's `Git-Protocol`; a repeated header is ignored. */
export function protocolOf(request: FastifyRequest): string | undefined {
  const header = request.headers["git-protocol"]
  return typeof header === "string" ? header : undefined
}

/** A fetch sends lines of names; a hundred bytes for each of a million references is more than any client needs. */
const FETCH_BYTES = 128 * 1024 * 1024
/** Beside its pack, a push sends the names of what it changes. */
const COMMAND_BYTES = 64 * 1024 * 1024

/**
 * A request's body, decompressed where needed, and aborted where it grows too large. Refuses `badRequest` for another content type,
 * `unsupportedMediaType` for another compression than gzip.
 */
export function readBody(request: FastifyRequest, service: Service, maxPushBytes: number): Readable {
  const wanted = `application/x-${service}-request`
  if (request.headers["content-type"] !== wanted) throw refuse.badRequest(`the content type must be ${wanted}`)
  const limit = service === "git-upload-pack" ? FETCH_BYTES : maxPushBytes + COMMAND_BYTES
  const encoding = request.headers["content-encoding"]?.toLowerCase() ?? "identity"
  if (encoding === "identity") return bounded(request.raw, limit)
  if (encoding === "gzip" || encoding === "x-gzip") return unpacked(request.raw, limit)
  throw refuse.unsupportedMediaType("a body may be compressed with gzip only")
}

/** Pushes are limited where their pack is received, and pass through here. */
function bounded(body: IncomingMessage, limit: number): Readable {
  const length = Number(body.headers["content-length"] ?? 0)
  if (length > limit) throw refuse.tooLarge(`a request of more than ${limit} bytes`)
  return body
}

/**
 * A few compressed bytes can become very many, so the output is counted. The reader gets the error; the body itself is not destroyed, because the
 * answer is sent on the same connection.
 */
function unpacked(body: IncomingMessage, limit: number): Readable {
  let size = 0
  const gunzip = createGunzip()
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > limit) done(refuse.tooLarge(`a request of more than ${limit} bytes`))
      else done(null, chunk)
    },
  })
  gunzip.on("error", (error) => counter.destroy(error))
  counter.on("close", () => {
    body.unpipe(gunzip)
    gunzip.destroy()
  })
  body.on("close", () => {
    if (!body.readableEnded) counter.destroy()
  })
  return body.pipe(gunzip).pipe(counter)
}

/** How long the rest of a request may take to arrive after the answer is complete. */
const REST_MS = 5_000

/**
 * Discards the rest of a request, so that the connection can be reused; closes the connection where the rest takes long to come. A request that has
 * arrived leaves the connection open however it was read: the next one may be on it already.
 */
export function discardRest(body: IncomingMessage): void {
  if (body.readableEnded || body.destroyed) return
  const timer = setTimeout(() => {
    if (!body.complete) body.destroy()
  }, REST_MS).unref()
  body.once("close", () => clearTimeout(timer))
  body.unpipe().removeAllListeners("readable")
  // A stream knows of the removal of its listeners in the next tick only; until then it can't be resumed.
  setImmediate(() => body.resume())
}
