import { type FileHandle, stat, utimes } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import { draftOf, ifMissing, openIfExists, writeAtomically } from "../../../core/files.ts"
import type { Services } from "../../../core/services.ts"

/**
 * A cache of files that are built once and sent often, kept below the data folder. Every request for a file that is being built reads it as it
 * grows, so that none waits for the whole file.
 */

/**
 * A reader waits for this many bytes, or for the end: once an answer has begun, a failure can only cut it off. So most of those that meet a damaged object
 * or a full disk are refused in words.
 */
const FIRST_BYTES = 1024 * 1024

/** A file that is being built. */
interface Making {
  /** The temporary path while it grows, and the final path once it is complete. */
  readonly draft: string
  readonly path: string
  readonly written: () => number
  /** Settled once there is enough to begin with, or like `done`. */
  readonly begun: Promise<void>
  /** Resolved when the file is complete, rejected if building it fails. */
  readonly done: Promise<void>
  /** Resolved at the next change. */
  readonly changed: () => Promise<void>
}

const making = new WeakMap<Services, Map<string, Making>>()

function makingOf(services: Services): Map<string, Making> {
  const there = making.get(services)
  if (there) return there
  const made = new Map<string, Making>()
  making.set(services, made)
  return made
}

export const folderOf = ({ config }: Pick<Services, "config">): string => join(config.dataDir, "archives")

/** A cached file's size in bytes; undefined if there is none. Counts as a use of the file. */
export async function findCached({ now }: Services, path: string): Promise<number | undefined> {
  const found = await stat(path).catch(ifMissing(undefined))
  if (found) await utimes(path, now(), now()).catch(ifMissing(undefined))
  return found?.size
}

/**
 * The bytes of the file at `path`, which `make` provides if it isn't cached yet. Rejects as `make` and its stream do if they fail before its
 * first mebibyte or its end; after that the stream is cut off.
 */
export async function openCached(services: Services, path: string, make: () => Promise<Readable>): Promise<Readable> {
  const all = makingOf(services)
  const under = all.get(path)
  if (under) return follow(under)
  const kept = await openIfExists(path)
  if (kept) return kept.createReadStream()
  // Another call may have started building it meanwhile.
  const begun = all.get(path) ?? begin(path, make)
  if (!all.has(path)) {
    all.set(path, begun)
    begun.done.finally(() => all.delete(path)).catch(() => {})
  }
  return follow(begun)
}

function begin(path: string, make: () => Promise<Readable>): Making {
  const draft = draftOf(path)
  let written = 0
  let wake = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const tell = () => {
    wake.resolve()
    wake = Promise.withResolvers<void>()
  }

  async function* chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of await make()) {
      const bytes: Buffer = chunk
      yield bytes
      // The next chunk is requested only once this one is written.
      written += bytes.length
      if (written >= FIRST_BYTES) started.resolve()
      tell()
    }
  }

  const done = writeAtomically(path, chunks(), draft)
  // Readers handle these rejections when they reach them.
  done.then(started.resolve, started.reject)
  done.then(tell, tell)
  started.promise.catch(() => {})
  return { draft, path, written: () => written, begun: started.promise, done, changed: () => wake.promise }
}

/** The bytes of a file as they are written, from the start to the end. */
async function follow(made: Making): Promise<Readable> {
  await made.begun
  const file = (await openIfExists(made.draft)) ?? (await openIfExists(made.path))
  if (!file) throw new TypeError("a file that was made is gone before anyone read it")
  async function* bytes(from: FileHandle): AsyncGenerator<Buffer> {
    let [at, whole] = [0, false]
    made.done.then(
      () => {
        whole = true
      },
      () => {},
    )
    try {
      for (;;) {
        const changed = made.changed()
        const end = made.written()
        if (end > at) {
          yield* from.createReadStream({ autoClose: false, start: at, end: end - 1 })
          at = end
        } else if (whole) return
        else await Promise.race([changed, made.done])
      }
    } finally {
      await from.close()
    }
  }
  return Readable.from(bytes(file), { objectMode: false })
}
