import type { Dirent } from "node:fs"
import { type FileHandle, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import type { ByteRange } from "../file-headers.ts"
import { ifMissing, openIfExists, writeAtomically } from "../files.ts"
import { type Blobs, requireKey, type StoredBlob } from "./blobs.ts"

const sortedBy = (entry: Dirent): string => (entry.isDirectory() ? `${entry.name}/` : entry.name)

/** Blobs as files below a folder, which several processes may share. */
export function blobsIn(root: string): Blobs {
  const pathOf = (key: string): string => join(root, requireKey(key))

  async function* list(folder: string, signal?: AbortSignal): AsyncGenerator<StoredBlob> {
    const none: readonly Dirent[] = []
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(ifMissing(none))
    // As object stores sort: by the bytes of the whole key.
    for (const entry of entries.toSorted((a, b) => (sortedBy(a) < sortedBy(b) ? -1 : 1))) {
      if (signal?.aborted) return
      const key = `${folder}/${entry.name}`
      if (entry.isDirectory()) yield* list(key, signal)
      const found = entry.isFile() ? await stat(join(root, key)).catch(ifMissing(undefined)) : undefined
      if (found) yield { key, size: found.size, modifiedAt: found.mtimeMs }
    }
  }

  return {
    write: async (key, content) => writeAtomically(pathOf(key), content),
    async open(key) {
      const file = await openIfExists(pathOf(key))
      if (!file) return undefined
      return {
        size: (await file.stat()).size,
        read: (range, ahead = PIECE_BYTES) => file.createReadStream({ ...range, highWaterMark: ahead }),
        slice: (range) => Readable.from(piecesOf(file, range), { objectMode: false }),
        close: () => file.close(),
      }
    },
    remove: (key) => rm(pathOf(key), { force: true }),
    removeBelow: (folder) => rm(pathOf(folder), { recursive: true, force: true }),
    list,
  }
}

const PIECE_BYTES = 65_536

/** A range of a file that stays open. The file would remember each of Node's own streams for as long. */
async function* piecesOf(file: FileHandle, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  for (let at = start; at <= end; ) {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - at + 1)), position: at })
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
