import { Readable } from "node:stream"
import type { FastifyReply, FastifyRequest } from "fastify"
import type { Download } from "../../core/download.ts"
import { matches } from "./answer.ts"

/** A file is no page: nothing in it may run, load or act as this site. */
const POLICY = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/** Sends a file, or 304 where the client has it already. */
export async function sendDownload(request: FastifyRequest, reply: FastifyReply, { tag, size, open }: Download): Promise<FastifyReply> {
  // Cached only by the caller's client, which must revalidate: permissions can change.
  reply.header("etag", tag).header("cache-control", "private, no-cache").header("content-security-policy", POLICY)
  if (matches(request.headers["if-none-match"], tag)) return reply.code(304).send()
  const { type, disposition, content } = await open()
  reply.type(type).header("content-disposition", disposition)
  if (size !== undefined) reply.header("content-length", size)
  if (request.method !== "HEAD" || Buffer.isBuffer(content)) return reply.send(content)
  // The bytes are not sent; an empty stream keeps the length header.
  content.destroy()
  return reply.send(Readable.from([]))
}
