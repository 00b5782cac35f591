/** Content that is neither in git nor in the database, by its key: in a folder, or in an object store that speaks S3. See docs/files.md. */
import type { Readable } from "node:stream"
import type { ByteRange, FileHeaders } from "../file-headers.ts"

/** Bytes, as they arrive. */
export type Content = Iterable<Buffer> | AsyncIterable<Buffer>

export interface Blobs {
  /**
   * A key is written once, or again with the same bytes: names are random, or the digest of the bytes.
   *
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
  /** Where clients may put blobs themselves; undefined where all bytes come through this server. */
  readonly direct?: DirectUploads | undefined
}

/** The bytes of a blob that a client announces. */
export interface Announced {
  /** In hex. */
  readonly sha256: string
  /** In bytes. */
  readonly size: number
}

/** What a client sends to the object store itself, so that these bytes don't pass this server. */
export interface DirectUploads {
  /** Where it may `PUT` these bytes with these headers for {@link ADDRESS_SECONDS}: no others, and once. Undefined for those that the store takes in one piece no more, and for none. */
  readonly invite: (key: string, announced: Announced) => Promise<DirectAddress | undefined>
  /** Whether just these bytes are there. */
  readonly holds: (key: string, announced: Announced) => Promise<boolean>
}

export interface DirectAddress {
  readonly href: string
  readonly headers: Readonly<Record<string, string>>
}

/** For how long an address at the object store is good, in seconds: whoever has it may use it. */
export const ADDRESS_SECONDS = 900

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
  /** An address at the object store by which anyone may read the blob for {@link ADDRESS_SECONDS}; absent where it is read through this server. */
  readonly address?: ((head: FileHeaders) => Promise<string>) | undefined
}

/** The store does not answer, or not in time. */
export class StorageUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(cause instanceof Error ? `${message}: ${wordsOf(cause)}` : message, { cause })
    this.name = "StorageUnavailable"
  }
}

/** An error with several causes (IPv4 and IPv6) has no message of its own. */
const wordsOf = (error: Error): string => (error.message === "" && "code" in error ? String(error.code) : error.message)

/** A blob that was opened has been removed, or moved, before it was read to its end. */
export class BlobGone extends StorageUnavailable {
  constructor() {
    super("a blob has gone while it was read")
    this.name = "BlobGone"
  }
}

/** The object store can't be used as it is. `message` says what is wrong, `advice` what to do next; both are for the operator. */
export class StorageRefused extends Error {
  readonly advice: string

  constructor(message: string, advice: string, cause?: unknown) {
    super(message, { cause })
    this.name = "StorageRefused"
    this.advice = advice
  }
}

/** The folder of packs, which belong to repositories that all servers share. */
export const PACKS = "packs"

/** The first parts of all keys. `probe` is for what the doctor writes and removes. */
export const FOLDERS: readonly string[] = ["actions", "attachments", "avatars", "lfs", "packages", PACKS, "probe", "uploads"]

/** The folder of a place for backups, which has no other. */
export const BACKUP = "backup"

const KEY = /^[a-z][a-z0-9-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/

/** Keys are made of names of this program's own. Throws for anything else. */
export function requireKey(key: string): string {
  if (!KEY.test(key) || key.includes("..") || ![...FOLDERS, BACKUP].includes(key.slice(0, key.indexOf("/"))))
    throw new TypeError("not the key of a blob")
  return key
}
