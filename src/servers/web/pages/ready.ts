import { hash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from "node:zlib"
import type { FastifyReply, FastifyRequest } from "fastify"
import type { Encoding } from "../../../web/assets.ts"
import { encodingFor } from "../../client/accepts.ts"
import { matches } from "../../files/conditions.ts"
import { VARY } from "./surroundings.ts"

/** A text that is ready to be sent, in the encodings that were asked for so far. */
export interface ReadyText {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly tag: string
  readonly plain: Buffer
  readonly encoded: Map<Encoding, Buffer>
}

export function readyText(status: number, headers: Readonly<Record<string, string>>, body: string | Buffer): ReadyText {
  const plain = typeof body === "string" ? Buffer.from(body) : body
  return { status, headers, tag: `"${hash("sha1", plain, "base64url")}"`, plain, encoded: new Map() }
}

/** Shorter texts gain nothing. */
const WORTH_COMPRESSING = 1024

export async function sendReady(request: FastifyRequest, reply: FastifyReply, ready: ReadyText): Promise<FastifyReply> {
  const { status, headers, tag, plain } = ready
  reply.headers(headers).header("vary", `${VARY}, Accept-Encoding`)
  if (status === 200) {
    reply.header("etag", tag)
    if (matches(request.headers["if-none-match"], tag)) return reply.code(304).send()
  }
  const encoding = plain.length < WORTH_COMPRESSING ? undefined : encodingFor(request)
  if (encoding === undefined) return reply.code(status).send(plain)
  const bytes = ready.encoded.get(encoding) ?? (await encode(plain, encoding))
  ready.encoded.set(encoding, bytes)
  return reply.code(status).header("content-encoding", encoding).send(bytes)
}

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/** Shorter texts are compressed at once, which takes some 0.1 ms: handing them to another thread takes twice as long. */
const LONG = 32 * 1024

/** Qualities that take a few milliseconds for a megabyte. */
function encode(plain: Buffer, encoding: Encoding): Promise<Buffer> | Buffer {
  const isLong = plain.length > LONG
  if (encoding === "gzip") return isLong ? gzipped(plain, GZIP) : gzipSync(plain, GZIP)
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } }
  return isLong ? brotli(plain, options) : brotliCompressSync(plain, options)
}

const GZIP = { level: 5 }
