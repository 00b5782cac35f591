import type { Readable } from "node:stream"
import Type, { type TSchema } from "./schema.ts"

/** A range of bytes, both ends included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** A file to be downloaded. */
export interface Download {
  /** The entity tag: different for different bytes. */
  readonly tag: string
  /** In bytes; undefined if it isn't known in advance. */
  readonly size: number | undefined
  /** Clients may load parts of it: its size is known, and `open` gives no other bytes than those of the range that it is asked for. */
  readonly isRanged?: boolean
  /** Opens it; not called if the client has it already. */
  readonly open: (range?: ByteRange) => Promise<OpenDownload>
}

export interface OpenDownload {
  /** The Content-Type header. */
  readonly type: string
  /** The Content-Disposition header. */
  readonly disposition: string
  readonly content: Buffer | Readable
}

/** The bytes of a range of what can only be read from its beginning. */
export async function* sliceOf(content: AsyncIterable<Buffer>, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let position = 0
  for await (const chunk of content) {
    const part = chunk.subarray(Math.max(0, start - position), Math.max(0, end + 1 - position))
    position += chunk.length
    if (part.length > 0) yield part
    if (position > end) return
  }
}

/** The schema of an answer that is a file. */
export const fileDownload = () => Type.Unsafe<Download>({ type: "string", format: "binary", isDownload: true })

/** Whether an answer is a `fileDownload`, or may be one. */
const mayBeDownload = (schema: TSchema): boolean =>
  "isDownload" in schema || ("anyOf" in schema && Array.isArray(schema.anyOf) && schema.anyOf.some(mayBeDownload))

/** The body of an answer if its operation declares a file, alone or besides a record; the compiler has checked what the handler returns. */
export function downloadIn(schema: TSchema | null | undefined, body: unknown): Download | undefined {
  if (!schema || !mayBeDownload(schema)) return undefined
  if (typeof body === "object" && body !== null && "open" in body && typeof body.open === "function") return body as Download
  if ("isDownload" in schema) throw new TypeError("the operation declares a file and gives something else")
  return undefined
}

/** The type of documents that browsers show with a reader of their own. */
export const PDF = "application/pdf"
