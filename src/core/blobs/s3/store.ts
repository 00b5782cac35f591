import { createHash } from "node:crypto"
import { Readable } from "node:stream"
import type { ByteRange } from "../../file-headers.ts"
import { type Blobs, type Content, type OpenBlob, requireKey, StorageUnavailable, type StoredBlob } from "../blobs.ts"
import type { S3 } from "./client.ts"
import { readObjects, readUploadId, readUploads } from "./xml.ts"

/** Blobs as objects of a bucket. */

/** Bytes of a part of a large blob, which is held in memory until the store has it. S3 takes 10,000 parts, of 5 MiB at least. */
const PART_BYTES = 8 * 2 ** 20
/** How often the rest of a blob is asked for that breaks off. */
const MOST_RESUMED = 4

export function blobsOf(s3: S3): Blobs {
  async function write(key: string, content: Content): Promise<void> {
    const parts = partsOf(content)
    const first = await parts.next()
    const bytes = first.done ? Buffer.alloc(0) : first.value
    // What follows decides whether it is all.
    const second = bytes.length < PART_BYTES ? undefined : await parts.next()
    if (second === undefined || second.done) await put(key, bytes)
    else await writeInParts(key, chained(bytes, second.value, parts))
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
    return { size, read, slice: read, close: async () => {} }
  }

  /** The bytes of a range; where they break off, the rest is asked for. */
  async function* bytesOf(key: string, tag: string, { start, end }: ByteRange): AsyncGenerator<Buffer> {
    let at = start
    for (let resumed = 0; at <= end; resumed++) {
      const headers = { range: `bytes=${at}-${end}`, ...(tag !== "" && { "if-match": tag }) }
      const { status, body } = await s3.ask({ method: "GET", key, headers, accept: [206, 404, 412] })
      if (status !== 206) {
        body.resume()
        throw new StorageUnavailable("a blob has gone while it was read")
      }
      try {
        for await (const chunk of body) {
          const bytes: Buffer = chunk
          at += bytes.length
          yield bytes
        }
      } catch (error) {
        if (resumed >= MOST_RESUMED) throw new StorageUnavailable("the object store breaks off again and again", error)
      } finally {
        body.destroy()
      }
    }
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
  }
}

/** Takes back uploads in parts that have not been completed for so long. Returns how many. */
export async function abortOldUploads(s3: S3, before: number, signal?: AbortSignal): Promise<number> {
  const { text } = await s3.askText({ method: "GET", query: { uploads: "" }, accept: [200] })
  let count = 0
  for (const { key, uploadId, begunAt } of readUploads(text)) {
    if (signal?.aborted) break
    if (begunAt > before) continue
    await s3.askText({ method: "DELETE", key, query: { uploadId }, accept: [204, 404] })
    count += 1
  }
  return count
}

/** The store compares what it got with it. */
const digestOf = (body: Buffer): Readonly<Record<string, string>> => ({ "content-md5": createHash("md5").update(body).digest("base64") })

/** Bytes in parts of the same size, but for the last. */
async function* partsOf(content: Content): AsyncGenerator<Buffer> {
  let kept: Buffer[] = []
  let size = 0
  for await (const chunk of content) {
    let rest = chunk
    while (size + rest.length >= PART_BYTES) {
      const taken = PART_BYTES - size
      yield Buffer.concat([...kept, rest.subarray(0, taken)])
      rest = rest.subarray(taken)
      kept = []
      size = 0
    }
    if (rest.length > 0) kept.push(rest)
    size += rest.length
  }
  if (size > 0) yield Buffer.concat(kept)
}

async function* chained(first: Buffer, second: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield second
  yield* rest
}
