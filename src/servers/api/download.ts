import { Readable } from "node:stream"
import type { FastifyReply, FastifyRequest } from "fastify"
import { type Download, PDF } from "../../core/download.ts"
import { matches } from "./answer.ts"
import { rangeOf } from "./range.ts"

/** A file is no page: nothing in it may run, load or act as this site. */
const POLICY = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
/** Chromium's reader shows no sandboxed document. What a document runs stays in the reader, which has no part in this site; pages may frame it. */
const PDF_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"

/** Sends a file or the range of it that is asked for, 304 where the client has it already, or 416 for a range outside of it. */
export async function sendDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  { tag, size, isRanged = false, open }: Download,
): Promise<FastifyReply> {
  // Cached only by the caller's client, which must revalidate: permissions can change.
  reply.header("etag", tag).header("cache-control", "private, no-cache").header("content-security-policy", POLICY)
  if (matches(request.headers["if-none-match"], tag)) return reply.code(304).send()
  if (isRanged) reply.header("accept-ranges", "bytes")
  const range = isRanged && size !== undefined ? rangeOf(request, tag, size) : undefined
  if (range === "none") return reply.code(416).header("content-range", `bytes */${size}`).send()
  const { type, disposition, content } = await open(range)
  if (type === PDF) reply.header("content-security-policy", PDF_POLICY)
  reply.type(type).header("content-disposition", disposition)
  if (range) reply.code(206).header("content-range", `bytes ${range.start}-${range.end}/${size}`)
  if (size !== undefined) reply.header("content-length", range ? range.end - range.start + 1 : size)
  if (request.method !== "HEAD" || Buffer.isBuffer(content)) return reply.send(content)
  // The bytes are not sent; an empty stream keeps the length header.
  content.destroy()
  return reply.send(Readable.from([]))
}
