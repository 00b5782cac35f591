import { Readable } from "node:stream"
import type { ByteRange } from "../file-headers.ts"
import { BlobGone, type Blobs, type OpenBlob, type StoredBlob } from "./blobs.ts"

/**
 * A folder and an object store at once: new blobs are written to `target`, one of them, and all are found where they are, also while they are moved from one to
 * the other (see move.ts).
 */
export function blobsInBoth(folder: Blobs, store: Blobs, target: Blobs): Blobs {
  async function open(key: string): Promise<OpenBlob | undefined> {
    // The folder is asked first, and goes on while the store is out of reach. Again at the end: it may just have been moved there.
    const file = await folder.open(key)
    if (file) return file
    const object = await store.open(key)
    if (!object) return folder.open(key)
    // A file that is open can be read when it has been removed. An object can't.
    const read = (range?: ByteRange): Readable => Readable.from(bytesOf(key, object, range), { objectMode: false })
    return { ...object, read, slice: read }
  }

  /** The bytes of a range; those that are left from the other place, where the blob is moved while it is read. */
  async function* bytesOf(
    key: string,
    opened: OpenBlob,
    { start, end }: ByteRange = { start: 0, end: opened.size - 1 },
  ): AsyncGenerator<Buffer> {
    let at = start
    try {
      for await (const chunk of opened.read({ start, end })) {
        const bytes: Buffer = chunk
        at += bytes.length
        yield bytes
      }
    } catch (error) {
      const moved = error instanceof BlobGone ? await folder.open(key) : undefined
      if (!moved) throw error
      yield* moved.read({ start: at, end })
    }
  }

  return {
    write: target.write,
    direct: target.direct,
    open,
    async remove(key) {
      await folder.remove(key)
      await store.remove(key)
    },
    async removeBelow(below) {
      await folder.removeBelow(below)
      await store.removeBelow(below)
    },
    list: (below, signal) => merged(folder.list(below, signal), store.list(below, signal)),
  }
}

/** Two sorted lists as one, in which no key is twice. */
async function* merged(first: AsyncIterable<StoredBlob>, second: AsyncIterable<StoredBlob>): AsyncGenerator<StoredBlob> {
  const [left, right] = [first[Symbol.asyncIterator](), second[Symbol.asyncIterator]()]
  const next = async (from: AsyncIterator<StoredBlob>): Promise<StoredBlob | undefined> => {
    const { done, value } = await from.next()
    return done ? undefined : value
  }
  try {
    let [one, other] = [await next(left), await next(right)]
    while (one || other) {
      const isOne = one !== undefined && (other === undefined || one.key <= other.key)
      const isOther = other !== undefined && (one === undefined || other.key <= one.key)
      const taken = isOne ? one : other
      if (taken) yield taken
      if (isOne) one = await next(left)
      if (isOther) other = await next(right)
    }
  } finally {
    await left.return?.()
    await right.return?.()
  }
}
