import { createHash } from "node:crypto"
import { DRAFT } from "../files.ts"
import { BlobGone, type Blobs, FOLDERS, type StoredBlob } from "./blobs.ts"

/** Blobs that are moved at once. */
const AT_ONCE = 4

export interface Amount {
  readonly files: number
  /** In bytes. */
  readonly bytes: number
}

export interface Move {
  readonly from: Blobs
  readonly to: Blobs
  /** No further blob is begun once it fires. */
  readonly signal: AbortSignal
  /** Called after each blob with what has been moved so far. */
  readonly progress: (moved: Amount) => void
}

export interface Moved extends Amount {
  /** Keys whose copy was not what was written. They are where they were. */
  readonly damaged: readonly string[]
}

/** All blobs of a place, without drafts, which belong to who writes them. */
async function* blobsOf(place: Blobs, signal: AbortSignal): AsyncGenerator<StoredBlob> {
  for (const folder of FOLDERS) for await (const blob of place.list(folder, signal)) if (!blob.key.endsWith(DRAFT)) yield blob
}

export async function countBlobs(place: Blobs, signal: AbortSignal): Promise<Amount> {
  let [files, bytes] = [0, 0]
  for await (const { size } of blobsOf(place, signal)) {
    files += 1
    bytes += size
  }
  return { files, bytes }
}

/**
 * Moves all blobs from one place to the other, also while servers write, read and remove some. The copy of each is read again and compared before its source
 * is removed, so that whatever ends this at whatever moment loses nothing, and the next run goes on with what is left. Rejects with the first error of either
 * place.
 */
export async function moveBlobs({ from, to, signal, progress }: Move): Promise<Moved> {
  const all = blobsOf(from, signal)
  const damaged: string[] = []
  let [files, bytes, isFailed] = [0, 0, false]

  async function work(): Promise<void> {
    while (!signal.aborted && !isFailed) {
      const { done, value: blob } = await all.next()
      if (done) return
      const outcome = await moveBlob(from, to, blob.key)
      if (outcome === "damaged") damaged.push(blob.key)
      if (outcome !== "moved") continue
      files += 1
      bytes += blob.size
      progress({ files, bytes })
    }
  }
  const failing = (error: unknown) => {
    isFailed = true
    throw error
  }
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => work().catch(failing)))
  for (const end of ends) if (end.status === "rejected") throw end.reason
  return { files, bytes, damaged }
}

type Outcome = "moved" | "damaged" | "gone"

/** A blob that is removed meanwhile is `gone`. What may be left of its copy then is removed by the sweep of its feature: no row names it. */
async function moveBlob(from: Blobs, to: Blobs, key: string): Promise<Outcome> {
  const source = await from.open(key)
  if (!source) return "gone"
  const sent = createHash("sha256")
  const content = source.read()
  try {
    await to.write(key, hashed(content, sent))
    const copy = await to.open(key)
    if (!copy) return "gone"
    const there = createHash("sha256")
    for await (const chunk of copy.read()) there.update(chunk)
    if (there.digest("hex") !== sent.digest("hex")) return "damaged"
    await from.remove(key)
    return "moved"
  } catch (error) {
    if (error instanceof BlobGone) return "gone"
    throw error
  } finally {
    // Where the write failed before it read.
    content.destroy()
  }
}

async function* hashed(content: AsyncIterable<Buffer>, digest: { update(bytes: Buffer): unknown }): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    digest.update(chunk)
    yield chunk
  }
}

const UNITS = [
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
] as const

/** An amount in words: "12 files (3.4 MiB)". */
export function inWords({ files, bytes }: Amount): string {
  const [factor, unit] = UNITS.find(([least]) => bytes >= least) ?? [1, "bytes"]
  return `${files} ${files === 1 ? "file" : "files"} (${factor === 1 ? bytes : (bytes / factor).toFixed(1)} ${unit})`
}
