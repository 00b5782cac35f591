import { LRUCache } from "lru-cache"
import type { ChangedFile, Commit, RawObject, Repository, TreeEntry } from "../model/model.ts"
import type { ObjectId } from "../model/names.ts"

/**
 * Cached results of git that never change: the content of a commit, a tree or a file, the diff of two trees, the number of commits before one.
 * All keys begin with the repository's storage key, which is never reused.
 */
export interface GitCache {
  readonly commits: LRUCache<string, Commit>
  readonly trees: LRUCache<string, readonly TreeEntry[]>
  /** The sizes of files, in bytes. */
  readonly sizes: LRUCache<string, number>
  readonly diffs: LRUCache<string, readonly ChangedFile[]>
  readonly counts: LRUCache<string, number>
  /** Parts of histories that git had to walk. */
  readonly pages: LRUCache<string, readonly ObjectId[]>
  /** Contents of small files, which pages show again and again. */
  readonly blobs: LRUCache<string, Buffer>
  /** Small loose objects that were just written, by the paths of their files: who writes one reads it again at once. */
  readonly written: LRUCache<string, RawObject>
  /** Small differences as text. */
  readonly patches: LRUCache<string, Buffer>
  /** Git's answers to fetches, by request and references. */
  readonly answers: LRUCache<string, Buffer>
}

/** Limits: characters of commits, entries of trees, changed files, numbers, sizes, and ids on pages. */
const MOST = { characters: 16_000_000, entries: 200_000, files: 200_000, counts: 20_000, sizes: 20_000, ids: 100_000 }
/** Limits of cached answers, and how long they are kept after their last use. */
const ANSWERS = { bytes: 32 * 1024 * 1024, milliseconds: 10 * 60_000 }
/** How long what was written is kept to be read again. */
const WRITTEN_MS = 60_000
/** The size of a commit besides its text, and of what a cache holds besides its bytes. */
const COMMIT = 500
const BESIDES = 300
/** All bytes of small files or differences, and those of the largest one that is cached. */
const BYTES = { all: 8 * 1024 * 1024, one: 128 * 1024 }

const bytesCache = () =>
  new LRUCache<string, Buffer>({
    maxSize: BYTES.all,
    maxEntrySize: BYTES.one + BESIDES,
    sizeCalculation: (content) => BESIDES + content.length,
  })

/** Whether the bytes are few enough to be cached. */
export const isSmall = (bytes: number): boolean => bytes <= BYTES.one

/** A copy that holds no more memory than its bytes. */
export function compact(content: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(content.length)
  content.copy(copy)
  return copy
}

export function createCache(): GitCache {
  return {
    commits: new LRUCache({
      maxSize: MOST.characters,
      sizeCalculation: ({ message, signature }) => COMMIT + message.length + 2 * (signature?.payload.length ?? 0),
    }),
    trees: new LRUCache({ maxSize: MOST.entries, sizeCalculation: (entries) => 1 + entries.length }),
    sizes: new LRUCache({ maxSize: MOST.sizes, sizeCalculation: () => 1 }),
    diffs: new LRUCache({ maxSize: MOST.files, sizeCalculation: (files) => 1 + files.length }),
    counts: new LRUCache({ max: MOST.counts }),
    pages: new LRUCache({ maxSize: MOST.ids, sizeCalculation: (ids) => 1 + ids.length }),
    blobs: bytesCache(),
    written: new LRUCache({
      maxSize: BYTES.all,
      maxEntrySize: BYTES.one + BESIDES,
      sizeCalculation: ({ content }) => BESIDES + content.length,
      ttl: WRITTEN_MS,
    }),
    patches: bytesCache(),
    answers: new LRUCache({
      maxSize: ANSWERS.bytes,
      sizeCalculation: (answer) => 1 + answer.length,
      ttl: ANSWERS.milliseconds,
      ttlAutopurge: true,
      updateAgeOnGet: true,
    }),
  }
}

/** Forgets what was written to a repository: it may have been dropped. */
export function forgetWritten({ written }: GitCache, { directory }: Repository): void {
  for (const path of [...written.keys()]) if (path.startsWith(`${directory}/`)) written.delete(path)
}

/** The cache key of something in a repository. */
export const keyIn = ({ key }: Repository, ...parts: readonly string[]): string => [key, ...parts].join("\0")
