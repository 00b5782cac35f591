import { Readable } from "node:stream"
import type { FastifyReply, FastifyRequest } from "fastify"
import { type Download, type FileHeaders, PDF } from "../../core/download.ts"
import { sendAway } from "../routing/redirect.ts"
import { matches, rangeOf } from "./conditions.ts"

/** A file is no page: nothing in it may run, load or act as this site. What is downloaded needs nothing; what browsers show loads itself. */
const DOWNLOADED = "default-src 'none'; frame-ancestors 'none'; sandbox"
const SHOWN = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
/** Chromium's reader shows no sandboxed document. What a document runs stays in the reader, which has no part in this site; pages may frame it. */
const PDF_SHOWN = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"

const policyOf = ({ type, disposition = "" }: FileHeaders): string =>
  disposition.startsWith("attachment") ? DOWNLOADED : type === PDF ? PDF_SHOWN : SHOWN

/**
 * The one place that sends bytes: a file or the range of it that is asked for, 304 where the client has it already, 416 for a range outside of it, or 302 to the
 * object store that has it.
 */
export async function sendDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  { tag, size, isRanged = false, head, caching = "private, no-cache", headers = {}, open }: Download,
): Promise<FastifyReply> {
  reply.headers({ ...headers, etag: tag, "cache-control": caching })
  if (isRanged) reply.header("accept-ranges", "bytes")
  if (matches(request.headers["if-none-match"], tag)) return reply.code(304).send()
  const range = isRanged && size !== undefined ? rangeOf(request, tag, size) : undefined
  if (range === "none") return reply.code(416).header("content-range", `bytes */${size}`).send()
  const describe = (known: FileHeaders) => {
    reply.type(known.type).header("content-security-policy", policyOf(known))
    if (known.disposition !== undefined) reply.header("content-disposition", known.disposition)
    if (range) reply.code(206).header("content-range", `bytes ${range.start}-${range.end}/${size}`)
    if (size !== undefined) reply.header("content-length", range ? range.end - range.start + 1 : size)
  }
  if (request.method === "HEAD" && head) {
    describe(head)
    return reply.send(Readable.from([]))
  }
  const opened = await open(range)
  // The address is good for a while, and the range is asked for again there.
  if ("address" in opened) return sendAway(reply.removeHeader("etag"), opened.address, 302)
  const { content, ...known } = opened
  describe(known)
  if (request.method !== "HEAD" || Buffer.isBuffer(content)) return reply.send(content)
  // The bytes are not sent; an empty stream keeps the length header.
  content.destroy()
  return reply.send(Readable.from([]))
}
