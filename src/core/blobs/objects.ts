import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import type { ByteRange, FileHeaders } from "../file-headers.ts"
import {
  ADDRESS_SECONDS,
  type Announced,
  BlobGone,
  type Blobs,
  type Content,
  type DirectAddress,
  type OpenBlob,
  requireKey,
  StorageUnavailable,
  type StoredBlob,
} from "./blobs.ts"
import type { S3 } from "./s3.ts"
import { type ListedUpload, readObjects, readUploadId, readUploads } from "./s3-xml.ts"

/** Blobs as objects of a bucket. */

/** Bytes of a part of a large blob, which is held in memory until the store has it. S3 takes 10,000 parts, of 5 MiB at least. */
export const PART_BYTES = 8 * 2 ** 20
/** Bytes of all parts that are held at once. A write that would need more is refused. */
const MOST_HELD = 24 * PART_BYTES
/** How often the rest of a blob is asked for while none of it comes. */
const MOST_IN_VAIN = 4
/** The most bytes that S3 takes in one piece. */
const MOST_AT_ONCE = 5 * 2 ** 30

/** `isDirect`: clients are told addresses at the store, to fetch blobs from and to send them to. */
export function blobsOf(s3: S3, { isDirect = false } = {}): Blobs {
  const held = new Held()

  async function write(key: string, content: Content): Promise<void> {
    const parts = partsOf(content, held)
    try {
      const first = await parts.next()
      const bytes = first.done ? Buffer.alloc(0) : first.value
      // What follows decides whether it is all.
      const second = bytes.length < PART_BYTES ? undefined : await parts.next()
      if (second === undefined || second.done) await put(key, bytes)
      else await writeInParts(key, chained(bytes, second.value, parts))
    } finally {
      await parts.return(undefined)
    }
  }

  async function put(key: string, body: Buffer): Promise<void> {
    const { body: answer } = await s3.ask({ method: "PUT", key, body, headers: digestOf(body), accept: [200] })
    answer.resume()
  }

  async function writeInParts(key: string, parts: AsyncIterable<Buffer>): Promise<void> {
    const begun = await s3.askText({ method: "POST", key, query: { uploads: "" }, accept: [200] })
    const uploadId = readUploadId(begun.text)
    if (uploadId === "") throw new StorageUnavailable("the object store does not say under which name parts are sent")
    try {
      const tags: string[] = []
      for await (const body of parts) {
        const query = { partNumber: String(tags.length + 1), uploadId }
        const { headers, body: answer } = await s3.ask({ method: "PUT", key, query, body, headers: digestOf(body), accept: [200] })
        answer.resume()
        tags.push(headers.etag ?? "")
      }
      await complete(key, uploadId, tags)
    } catch (error) {
      // What can't be taken back now is swept.
      await s3.askText({ method: "DELETE", key, query: { uploadId }, accept: [204, 404] }).catch(() => {})
      throw error
    }
  }

  async function complete(key: string, uploadId: string, tags: readonly string[]): Promise<void> {
    const parts = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag.replaceAll('"', "&quot;")}</ETag></Part>`,
    )
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`)
    const { status, text } = await s3.askText({ method: "POST", key, query: { uploadId }, body, accept: [200, 404] })
    if (status === 200 && !text.includes("<Error>")) return
    // An answer to an earlier attempt may have been lost: then it is complete.
    const there = await s3.ask({ method: "HEAD", key, accept: [200, 404] })
    there.body.resume()
    if (status !== 404 || there.status !== 200) throw new StorageUnavailable("the object store has not put the parts together")
  }

  async function open(key: string): Promise<OpenBlob | undefined> {
    const { status, headers, body } = await s3.ask({ method: "HEAD", key, accept: [200, 404] })
    body.resume()
    if (status === 404) return undefined
    const size = Number(headers["content-length"] ?? 0)
    const tag = headers.etag ?? ""
    const read = (range: ByteRange = { start: 0, end: size - 1 }): Readable =>
      Readable.from(bytesOf(key, tag, { start: range.start, end: Math.min(range.end, size - 1) }), { objectMode: false })
    return { size, read, slice: read, close: async () => {}, ...(isDirect && { address: (head) => addressOf(key, head) }) }
  }

  const addressOf = (key: string, { type, disposition }: FileHeaders): Promise<string> => {
    const query = { "response-content-type": type, ...(disposition !== undefined && { "response-content-disposition": disposition }) }
    return s3.addressOf({ method: "GET", key, query }, ADDRESS_SECONDS)
  }

  /** The bytes of a range. Where they break off, as they do when a reader is slow, the rest is asked for. */
  async function* bytesOf(key: string, tag: string, { start, end }: ByteRange): AsyncGenerator<Buffer> {
    let at = start
    let inVain = 0
    while (at <= end) {
      const before = at
      let cause: unknown
      const body = await bodyOf(key, tag, { start: at, end })
      try {
        for await (const chunk of body) {
          const bytes: Buffer = chunk
          at += bytes.length
          if (at > end + 1) throw new StorageUnavailable("the object store sends more than was asked for")
          yield bytes
        }
      } catch (error) {
        cause = error
      } finally {
        body.destroy()
      }
      inVain = at > before ? 0 : inVain + 1
      if (at > end + 1 || inVain >= MOST_IN_VAIN) throw new StorageUnavailable("the object store does not send a blob to its end", cause)
    }
  }

  async function bodyOf(key: string, tag: string, { start, end }: ByteRange): Promise<IncomingMessage> {
    const headers = { range: `bytes=${start}-${end}`, ...(tag !== "" && { "if-match": tag }) }
    const { status, body } = await s3.ask({ method: "GET", key, headers, accept: [206, 404, 412] })
    if (status === 206) return body
    body.resume()
    throw new BlobGone()
  }

  async function invite(key: string, { sha256, size }: Announced): Promise<DirectAddress | undefined> {
    if (size === 0 || size > MOST_AT_ONCE) return undefined
    const headers = { "x-amz-checksum-sha256": Buffer.from(sha256, "hex").toString("base64"), "if-none-match": "*" }
    // All of them are part of the signature, and so is the length, which clients say by themselves.
    const href = await s3.addressOf({ method: "PUT", key, headers: { ...headers, "content-length": String(size) } }, ADDRESS_SECONDS)
    return { href, headers }
  }

  async function holds(key: string, announced: Announced): Promise<boolean> {
    const { status, headers, body } = await s3.ask({
      method: "HEAD",
      key,
      headers: { "x-amz-checksum-mode": "ENABLED" },
      accept: [200, 404],
    })
    body.resume()
    if (status === 404 || Number(headers["content-length"] ?? 0) !== announced.size) return false
    const known = headers["x-amz-checksum-sha256"]
    if (typeof known === "string") return Buffer.from(known, "base64").toString("hex") === announced.sha256
    const digest = createHash("sha256")
    for await (const chunk of bytesOf(key, headers.etag ?? "", { start: 0, end: announced.size - 1 })) digest.update(chunk)
    return digest.digest("hex") === announced.sha256
  }

  const remove = async (key: string): Promise<void> => {
    const { body } = await s3.ask({ method: "DELETE", key, accept: [200, 204, 404] })
    body.resume()
  }

  async function* list(folder: string, signal?: AbortSignal): AsyncGenerator<StoredBlob> {
    const prefix = `${folder}/`
    for (let next: string | undefined = ""; next !== undefined && !signal?.aborted; ) {
      const query: Readonly<Record<string, string>> = { "list-type": "2", prefix, ...(next !== "" && { "continuation-token": next }) }
      const page = readObjects((await s3.askText({ method: "GET", query, accept: [200] })).text)
      yield* page.objects
      next = page.next
    }
  }

  return {
    write: (key, content) => write(requireKey(key), content),
    open: (key) => open(requireKey(key)),
    remove: (key) => remove(requireKey(key)),
    async removeBelow(folder) {
      for await (const { key } of list(folder)) await remove(key)
    },
    list,
    direct: isDirect
      ? { invite: (key, announced) => invite(requireKey(key), announced), holds: (key, announced) => holds(requireKey(key), announced) }
      : undefined,
  }
}

/** All uploads in parts that are not completed. */
export async function* listUploads(s3: S3, signal?: AbortSignal): AsyncGenerator<ListedUpload> {
  for (let next: Readonly<Record<string, string>> | undefined = {}; next && !signal?.aborted; ) {
    const page = readUploads((await s3.askText({ method: "GET", query: { uploads: "", ...next }, accept: [200] })).text)
    yield* page.uploads
    next = page.next
  }
}

/** Takes back uploads in parts that have not been completed for so long. Returns how many. */
export async function abortOldUploads(s3: S3, before: number, signal?: AbortSignal): Promise<number> {
  let count = 0
  for await (const { key, uploadId, begunAt } of listUploads(s3, signal)) {
    if (signal?.aborted) break
    if (begunAt > before) continue
    await s3.askText({ method: "DELETE", key, query: { uploadId }, accept: [204, 404] })
    count += 1
  }
  return count
}

/** The store compares what it got with it. */
const digestOf = (body: Buffer): Readonly<Record<string, string>> => ({ "content-md5": createHash("md5").update(body).digest("base64") })

/** Bytes of parts in memory. */
class Held {
  #bytes = 0

  add(bytes: number): void {
    if (this.#bytes + bytes > MOST_HELD) throw new StorageUnavailable("too much is being written to the object store at once")
    this.#bytes += bytes
  }

  drop(bytes: number): void {
    this.#bytes -= bytes
  }
}

/** Bytes in parts of the same size, but for the last. A part is held until the next is asked for. */
async function* partsOf(content: Content, held: Held): AsyncGenerator<Buffer> {
  let kept: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of content) {
      let rest = chunk
      while (size + rest.length >= PART_BYTES) {
        const taken = rest.subarray(0, PART_BYTES - size)
        held.add(taken.length)
        kept.push(taken)
        size += taken.length
        yield Buffer.concat(kept)
        held.drop(size)
        rest = rest.subarray(taken.length)
        kept = []
        size = 0
      }
      if (rest.length === 0) continue
      held.add(rest.length)
      kept.push(rest)
      size += rest.length
    }
    if (size > 0) yield Buffer.concat(kept)
  } finally {
    held.drop(size)
  }
}

async function* chained(first: Buffer, second: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield second
  yield* rest
}
