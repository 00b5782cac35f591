import { LRUCache } from "lru-cache"
import type { ChangedFile, Commit, Repository, TreeEntry } from "./model.ts"
import type { ObjectId } from "./names.ts"

/**
 * What git said once and will say again for ever: a commit's or a tree's content, the difference between two trees, the number of commits before one.
 * All keys begin with the repository's storage key, which is never given twice.
 */
export interface GitCache {
  readonly commits: LRUCache<string, Commit>
  readonly trees: LRUCache<string, readonly TreeEntry[]>
  readonly diffs: LRUCache<string, readonly ChangedFile[]>
  readonly counts: LRUCache<string, number>
  /** Parts of histories that git had to walk. */
  readonly pages: LRUCache<string, readonly ObjectId[]>
  /** What git answered to fetches, by the request and the references. */
  readonly answers: LRUCache<string, Buffer>
}

/** Characters of commits, entries of trees, changed files, numbers, and ids on pages that are kept. */
const MOST = { characters: 16_000_000, entries: 200_000, files: 200_000, counts: 20_000, ids: 100_000 }
/** Bytes of answers that are kept, and for how long after somebody asked. */
const ANSWERS = { bytes: 32 * 1024 * 1024, milliseconds: 10 * 60_000 }
/** What a commit takes beside its text. */
const COMMIT = 500

export function createCache(): GitCache {
  return {
    commits: new LRUCache({
      maxSize: MOST.characters,
      sizeCalculation: ({ message, signature }) => COMMIT + message.length + 2 * (signature?.payload.length ?? 0),
    }),
    trees: new LRUCache({ maxSize: MOST.entries, sizeCalculation: (entries) => 1 + entries.length }),
    diffs: new LRUCache({ maxSize: MOST.files, sizeCalculation: (files) => 1 + files.length }),
    counts: new LRUCache({ max: MOST.counts }),
    pages: new LRUCache({ maxSize: MOST.ids, sizeCalculation: (ids) => 1 + ids.length }),
    answers: new LRUCache({
      maxSize: ANSWERS.bytes,
      sizeCalculation: (answer) => 1 + answer.length,
      ttl: ANSWERS.milliseconds,
      ttlAutopurge: true,
      updateAgeOnGet: true,
    }),
  }
}

/** The name under which something about a repository is kept. */
export const keyIn = ({ key }: Repository, ...parts: readonly string[]): string => [key, ...parts].join("\0")
