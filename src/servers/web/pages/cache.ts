import { hash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from "node:zlib"
import type { FastifyReply, FastifyRequest } from "fastify"
import { LRUCache } from "lru-cache"
import type { State } from "../../../core/database/database.ts"
import type { Encoding } from "../../../web/assets.ts"
import { matches } from "../../api/answer.ts"

/** A text that is ready to be sent, in the encodings that were asked for so far. */
export interface Ready {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly tag: string
  readonly plain: Buffer
  readonly encoded: Map<Encoding, Buffer>
}

const MOST_BYTES = 16 * 1024 * 1024
const LONGEST = 512 * 1024
/** Pages say how long ago things happened, exact to a minute. */
const FRESH_SECONDS = 60

interface Cached {
  readonly state: State
  readonly until: number
  readonly ready: Ready
}

/**
 * Caches pages as the API's answers are: the same request of the same reader in the same state of the database gets the same page, for a minute.
 */
export interface PageCache {
  readonly get: (key: string, state: State, now: number) => Ready | undefined
  /** `state` is the one from before the page was made. */
  readonly keep: (key: string, state: State, now: number, ready: Ready) => void
}

export function openPageCache(): PageCache {
  const cache = new LRUCache<string, Cached>({
    maxSize: MOST_BYTES,
    maxEntrySize: LONGEST,
    // An encoded form adds about a quarter.
    sizeCalculation: ({ ready }, key) => Math.ceil(key.length + ready.plain.length * 1.5) + 500,
  })
  return {
    get: (key, state, now) => {
      const cached = cache.get(key)
      return cached?.state === state && now < cached.until ? cached.ready : undefined
    },
    keep: (key, state, now, ready) => {
      cache.set(key, { state, until: now + FRESH_SECONDS, ready })
    },
  }
}

export function readyText(status: number, headers: Readonly<Record<string, string>>, body: string | Buffer): Ready {
  const plain = typeof body === "string" ? Buffer.from(body) : body
  return { status, headers, tag: `"${hash("sha1", plain, "base64url")}"`, plain, encoded: new Map() }
}

/** Shorter texts gain nothing. */
const WORTH_COMPRESSING = 1024

export async function sendReady(request: FastifyRequest, reply: FastifyReply, ready: Ready): Promise<FastifyReply> {
  const { status, headers, tag, plain } = ready
  reply.headers(headers).header("vary", "Cookie, Accept-Encoding")
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

/** The encoding that the client prefers of ours. */
export function encodingFor({ headers }: FastifyRequest): Encoding {
  const accepted = String(headers["accept-encoding"] ?? "")
  return (["br", "gzip"] as const).find((name) => new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(accepted))
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
