import { hash } from "node:crypto"
import type { Readable } from "node:stream"
import type { OpenBlob } from "./blobs/blobs.ts"
import type { ByteRange, FileHeaders } from "./file-headers.ts"
import Type, { type TSchema } from "./schema.ts"

export type { ByteRange, FileHeaders } from "./file-headers.ts"

/** A file to be downloaded. */
export interface Download {
  /** The entity tag: different for different bytes. */
  readonly tag: string
  /** In bytes; undefined if it isn't known in advance. */
  readonly size: number | undefined
  /** Clients may load parts of it: its size is known, and `open` gives no other bytes than those of the range that it is asked for. */
  readonly isRanged?: boolean
  /** Its headers, where they are known without opening it: it is not opened then for those who ask for its headers alone. */
  readonly head?: FileHeaders
  /** For how long clients keep it. Unless said otherwise only the caller's own does, and asks each time whether they still may: permissions can change. */
  readonly caching?: string
  /** Headers that say where it belongs, such as a Link to its page. */
  readonly headers?: Readonly<Record<string, string>>
  /** Opens it; not called if the client has it already. */
  readonly open: (range?: ByteRange) => Promise<OpenDownload | Elsewhere>
}

export interface OpenDownload extends FileHeaders {
  readonly content: Buffer | Readable
}

/** Where the bytes are fetched that this server does not send itself. */
export interface Elsewhere {
  readonly address: string
}

interface StoredFile extends FileHeaders, Omit<Download, "isRanged" | "head" | "open"> {
  /**
   * Clients fetch it from the object store where they can. Only for what is saved: pages show nothing of other sites, and nothing is to be shown by browsers
   * as a document of the store's.
   */
  readonly isDirect?: boolean
  /** Opens the file, to be read from this byte on. */
  readonly open: (start: number) => Promise<OpenBlob>
}

/** A stored file, which clients may fetch in parts. */
export const storedDownload = ({ type, disposition, isDirect = false, open, ...file }: StoredFile): Download => {
  const head = { type, ...(disposition !== undefined && { disposition }) }
  return {
    ...file,
    isRanged: true,
    head,
    async open(range) {
      const blob = await open(range?.start ?? 0)
      if (!isDirect || !blob.address || disposition?.startsWith("attachment") !== true) return { ...head, content: blob.read(range) }
      await blob.close()
      return { address: await blob.address(head) }
    },
  }
}

/** A text or picture that is made when it is asked for. */
export function madeDownload(type: string, made: string | Buffer, more: Pick<Download, "caching" | "head"> = {}): Download {
  const content = Buffer.from(made)
  return { tag: `"${hash("sha1", content, "base64url")}"`, size: content.length, ...more, open: async () => ({ type, content }) }
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
export const mayBeDownload = (schema: TSchema): boolean =>
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
