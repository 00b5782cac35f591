import { Readable } from "node:stream"
import type { FastifyReply, FastifyRequest } from "fastify"
import type { Download } from "../../core/download.ts"
import { matches } from "./answer.ts"

/** A file is no page: nothing in it may run, load or act as this site. */
const POLICY = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/** Sends a file, or only that it is as the client knows it. */
export async function sendDownload(request: FastifyRequest, reply: FastifyReply, { tag, size, open }: Download): Promise<FastifyReply> {
  // Kept by nobody but the caller, and by the caller only until asked again: who may read it can change.
  reply.header("etag", tag).header("cache-control", "private, no-cache").header("content-security-policy", POLICY)
  if (matches(request.headers["if-none-match"], tag)) return reply.code(304).send()
  const { type, disposition, content } = await open()
  reply.type(type).header("content-disposition", disposition)
  if (size !== undefined) reply.header("content-length", size)
  if (request.method !== "HEAD" || Buffer.isBuffer(content)) return reply.send(content)
  // Nobody waits for the bytes; a stream of none leaves the length that is told.
  content.destroy()
  return reply.send(Readable.from([]))
}
