/** Content that is neither in git nor in the database, by its key: in a folder, or in an object store that speaks S3. See docs/files.md. */
import type { Readable } from "node:stream"
import type { ByteRange } from "../file-headers.ts"

/** Bytes, as they arrive. */
export type Content = Iterable<Buffer> | AsyncIterable<Buffer>

export interface Blobs {
  /**
   * Writes a whole blob, or nothing. Reads the next chunk once the last is taken. Rejects with the error of `content`, of the file system, or with
   * {@link StorageUnavailable}; then nothing counts, and what a process leaves that ends meanwhile is swept.
   */
  readonly write: (key: string, content: Content) => Promise<void>
  /** Opens a blob, to be read or closed by the caller. Undefined if there is none. */
  readonly open: (key: string) => Promise<OpenBlob | undefined>
  readonly remove: (key: string) => Promise<void>
  /** Removes all blobs whose keys begin with this folder, such as `actions/abc`. */
  readonly removeBelow: (folder: string) => Promise<void>
  /** The blobs whose keys begin with this folder, and what was left of some that were not completed. */
  readonly list: (folder: string, signal?: AbortSignal) => AsyncIterable<StoredBlob>
}

export interface StoredBlob {
  readonly key: string
  /** In bytes. */
  readonly size: number
  /** In milliseconds since 1970. */
  readonly modifiedAt: number
}

export interface OpenBlob {
  /** In bytes. */
  readonly size: number
  /**
   * The bytes of a range, or all, once: the blob is closed when they have been read, or the stream is destroyed. About `ahead` bytes are read before they are
   * asked for, by default 64 KiB.
   */
  readonly read: (range?: ByteRange, ahead?: number) => Readable
  /** The bytes of one of several ranges; the caller closes the blob after the last. */
  readonly slice: (range: ByteRange) => Readable
  readonly close: () => Promise<void>
}

/** The store does not answer, or not in time. */
export class StorageUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = "StorageUnavailable"
  }
}

const KEY = /^[a-z][a-z0-9-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/

/** Keys are made of names of this program's own. Throws for anything else. */
export function requireKey(key: string): string {
  if (!KEY.test(key) || key.includes("..")) throw new TypeError("not the key of a blob")
  return key
}
