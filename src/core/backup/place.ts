import { type FileHandle, open, rename, rm, stat } from "node:fs/promises"
import { resolve } from "node:path"
import { hasCode } from "../../git/model/errors.ts"
import { BACKUP, type Blobs, StorageRefused } from "../blobs/blobs.ts"
import { blobsIn } from "../blobs/folder.ts"

/** Where backups are: a folder or a bucket, which hold many and share what is the same; or one file, which holds one. */
export interface BackupPlace {
  /** As it was named, for people. */
  readonly name: string
  /** Whether it holds one backup, which is written once. */
  readonly isOneFile: boolean
  /** Writes whole, or not at all. Names are below {@link BACKUP}. */
  readonly write: (name: string, bytes: Buffer) => Promise<void>
  /** All bytes, or those of a range. Undefined where there is nothing of this name. */
  readonly read: (name: string, range?: { readonly start: number; readonly end: number }) => Promise<Buffer | undefined>
  /** In no certain order. */
  readonly list: (folder: string) => AsyncIterable<{ readonly name: string; readonly size: number }>
  readonly remove: (name: string) => Promise<void>
  /** Of one file: all was written, and it gets its name. */
  readonly complete: () => Promise<void>
  readonly close: () => Promise<void>
}

/** The ending of backups in one file. */
export const ONE_FILE = ".hearth"

export interface Credentials {
  readonly accessKey: string
  readonly secretKey: string
}

/**
 * Opens a place by `s3://BUCKET?…`, the path of a folder, or that of a file that ends in `.hearth`. With `writes` the file must not be there yet.
 * Throws {@link StorageRefused}.
 */
export async function openPlace(name: string, credentials: Credentials, { writes }: { readonly writes: boolean }): Promise<BackupPlace> {
  if (name.startsWith("s3://")) {
    const { openStore } = await import("../blobs/object-store.ts")
    const store = await openStore({ url: name, ...credentials, place: "store", presigned: false })
    return placeOf(name, store.blobs, async () => store.close())
  }
  if (!name.endsWith(ONE_FILE)) return placeOf(name, blobsIn(resolve(name)), async () => {})
  return writes ? writeFile(resolve(name)) : readFile(resolve(name))
}

function placeOf(name: string, blobs: Blobs, close: () => Promise<void>): BackupPlace {
  const keyOf = (each: string): string => `${BACKUP}/${each}`
  return {
    name,
    isOneFile: false,
    write: (each, bytes) => blobs.write(keyOf(each), [bytes]),
    async read(each, range) {
      const blob = await blobs.open(keyOf(each))
      if (!blob) return undefined
      if (blob.size === 0) {
        await blob.close()
        return Buffer.alloc(0)
      }
      const chunks: Buffer[] = []
      for await (const chunk of blob.read(range)) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
    async *list(folder) {
      for await (const { key, size } of blobs.list(keyOf(folder))) yield { name: key.slice(BACKUP.length + 1), size }
    },
    remove: (each) => blobs.remove(keyOf(each)),
    complete: async () => {},
    close,
  }
}

/* One file is what a folder has, one after the other: a line with the name and the length, and the bytes. */

const MOST_HEADER = 300

async function writeFile(path: string): Promise<BackupPlace> {
  if (await isThere(path))
    throw new StorageRefused(`${path} is there already.`, "One file holds one backup: choose another name, or a folder, which holds many.")
  const draft = `${path}.part`
  await rm(draft, { force: true })
  const file = await open(draft, "wx+", 0o600)
  const index = new Map<string, Extent>()
  let end = 0
  let isComplete = false
  return {
    ...reading(path, file, index),
    async write(name, bytes) {
      const header = Buffer.from(`${JSON.stringify({ name, size: bytes.length })}\n`)
      await file.write(Buffer.concat([header, bytes]), 0, undefined, end)
      index.set(name, { start: end + header.length, size: bytes.length })
      end += header.length + bytes.length
    },
    async complete() {
      await file.sync()
      await rename(draft, path)
      isComplete = true
    },
    async close() {
      await file.close()
      if (!isComplete) await rm(draft, { force: true })
    },
  }
}

async function readFile(path: string): Promise<BackupPlace> {
  const file = await open(path, "r").catch((error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error
    throw new StorageRefused(`${path} is not there.`, "Name the file of a backup.")
  })
  const index = new Map<string, Extent>()
  const { size: length } = await file.stat()
  for (let at = 0; at < length; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_HEADER), 0, MOST_HEADER, at)
    const found = headerIn(buffer.subarray(0, bytesRead))
    if (!found || at + found.length + found.size > length) {
      await file.close()
      throw new StorageRefused(`${path} is no backup, or damaged at byte ${at}.`, "Take another copy of it.")
    }
    index.set(found.name, { start: at + found.length, size: found.size })
    at += found.length + found.size
  }
  return reading(path, file, index)
}

interface Extent {
  readonly start: number
  readonly size: number
}

function headerIn(bytes: Buffer): { readonly name: string; readonly size: number; readonly length: number } | undefined {
  const end = bytes.indexOf("\n")
  const [, name, size] = /^\{"name":"([a-z0-9/]+)","size":(\d+)\}$/.exec(bytes.toString("latin1", 0, Math.max(0, end))) ?? []
  return name === undefined ? undefined : { name, size: Number(size), length: end + 1 }
}

function reading(path: string, file: FileHandle, index: ReadonlyMap<string, Extent>): BackupPlace {
  return {
    name: path,
    isOneFile: true,
    write: async () => {
      throw new Error("a file is written once")
    },
    async read(name, range) {
      const extent = index.get(name)
      if (!extent) return undefined
      const [start, end] = [range?.start ?? 0, Math.min(range?.end ?? extent.size - 1, extent.size - 1)]
      const bytes = Buffer.alloc(Math.max(0, end - start + 1))
      const { bytesRead } = await file.read(bytes, 0, bytes.length, extent.start + start)
      return bytes.subarray(0, bytesRead)
    },
    async *list(folder) {
      for (const [name, { size }] of index) if (name.startsWith(`${folder}/`)) yield { name, size }
    },
    remove: async () => {},
    complete: async () => {},
    close: () => file.close(),
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, "ENOENT")) return false
      throw error
    },
  )
