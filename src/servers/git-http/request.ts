import type { IncomingMessage } from "node:http"
import { type Readable, Transform } from "node:stream"
import { createGunzip } from "node:zlib"
import type { FastifyRequest } from "fastify"
import { refuse } from "../../core/errors.ts"
import type { Address } from "../../features/code/pushes/follow.ts"

/** The two conversations that git has with a server. */
export type Service = "git-upload-pack" | "git-receive-pack"

export const isService = (text: unknown): text is Service => text === "git-upload-pack" || text === "git-receive-pack"

/** The names in a repository's address, which may end in `.git`. */
export function addressOf({ owner, repo }: { readonly owner: string; readonly repo: string }): Address {
  const name = repo.replace(/\.git$/i, "")
  if (owner.includes("\0") || name.includes("\0") || name === "") throw refuse.notFound("Repository not found")
  return { owner, name }
}

/** A client's `Git-Protocol`; one that is sent twice is nobody's. */
export function protocolOf(request: FastifyRequest): string | undefined {
  const header = request.headers["git-protocol"]
  return typeof header === "string" ? header : undefined
}

/** What a fetch sends are lines of names; a hundred bytes for each of a million references is more than anybody asks for. */
const FETCH_BYTES = 128 * 1024 * 1024
/** Beside its pack, a push sends the names of what it changes. */
const COMMAND_BYTES = 64 * 1024 * 1024

/**
 * A request's body, unpacked where it is compressed, and broken off where it grows too large.
 * Refuses `badRequest` for another content type, `unsupportedMediaType` for another compression than gzip.
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

/** Pushes are bounded where their pack is taken in, and go through here as they come. */
function bounded(body: IncomingMessage, limit: number): Readable {
  const length = Number(body.headers["content-length"] ?? 0)
  if (length > limit) throw refuse.tooLarge(`a request of more than ${limit} bytes`)
  return body
}

/**
 * A few bytes can be unpacked into very many, so what comes out is counted. A failure shows to whoever reads; the body itself is left alone,
 * because the answer goes out on the same connection.
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

/** How long what was still under way when the answer was complete may take to arrive. */
const REST_MS = 5_000

/** Reads away what nobody wants any more, so that the connection can be used again; cuts it where that takes long. */
export function discardRest(body: IncomingMessage): void {
  if (body.readableEnded || body.destroyed) return
  const timer = setTimeout(() => body.destroy(), REST_MS).unref()
  body.once("close", () => clearTimeout(timer))
  // A stream that somebody still listens to, piece by piece, doesn't flow.
  body.unpipe().removeAllListeners("readable").resume()
}
