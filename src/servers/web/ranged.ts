import type { FileHandle } from "node:fs/promises"
import type { FastifyReply, FastifyRequest } from "fastify"
import { matches } from "../api/answer.ts"
import { rangeOf } from "../api/range.ts"

/** A stored file that clients may fetch in parts. */
export interface RangedFile {
  /** The entity tag: different for different bytes. */
  readonly tag: string
  /** In bytes. */
  readonly size: number
  /** The Content-Type header. */
  readonly type: string
  /** Opens it, to be read from this byte on. Not called for HEAD, nor if the client has it already. */
  readonly open: (start: number) => Promise<FileHandle>
}

/** Sends a file or the range of it that is asked for, 304 where the client has it already, or 416 for a range outside of it. */
export async function sendRanged(
  request: FastifyRequest,
  reply: FastifyReply,
  { tag, size, type, open }: RangedFile,
): Promise<FastifyReply> {
  reply.header("etag", tag).header("accept-ranges", "bytes")
  if (matches(request.headers["if-none-match"], tag)) return reply.code(304).send()
  const range = rangeOf(request, tag, size)
  if (range === "none") return reply.code(416).header("content-range", `bytes */${size}`).send()
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range) reply.code(206).header("content-range", `bytes ${start}-${end}/${size}`)
  reply.type(type).header("content-length", size === 0 ? 0 : end - start + 1)
  if (request.method === "HEAD") return reply.send()
  const file = await open(start)
  if (size > 0) return reply.send(file.createReadStream({ start, end }))
  await file.close()
  return reply.send("")
}
