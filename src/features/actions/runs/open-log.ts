import { once } from "node:events"
import { pipeline, Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { LRUCache } from "lru-cache"
import { StorageUnavailable } from "../../../core/blobs/blobs.ts"
import type { Database } from "../../../core/database/database.ts"
import { type ByteRange, sliceOf } from "../../../core/download.ts"
import { Refusal } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { onFirstUseOf } from "../../../core/memoize.ts"
import type { Services } from "../../../core/services.ts"
import { type FileLocation, openFile } from "../files/files.ts"
import { findLogParts, findPackedLog } from "./log-parts-store.ts"

/** Reading the bytes of a log, in parts or compressed, while it grows and while its parts are put together. */

/** The parts that are looked up at once: of a reader who takes nothing, they are all in memory that are in rows. */
const PARTS = 8
/** How often a log is looked up again whose file has gone. It is put together once, and compressed once. */
const MOST_LOOKS = 3

interface LogOfTask {
  readonly taskId: number
  /** Of its repository. */
  readonly storage: string
}

/** Bytes of a log are where no row says: it has expired meanwhile, or its files are lost. */
export class LogGone extends Refusal {
  constructor(taskId: number) {
    super("internal", t`the log ${taskId} is gone`)
  }
}

/**
 * A range of the first `size` bytes of a log, as far as it is among them. What is compressed is read from its beginning. `ahead` bytes are read before they are
 * asked for. Fails with {@link LogGone}, also later as the stream does.
 */
export async function openLog(
  services: Services,
  log: LogOfTask,
  size: number,
  { start, end }: ByteRange,
  ahead = 64 * 1024,
): Promise<Readable> {
  // The stream of a file reads as much as the one that is returned.
  const each = Math.ceil(ahead / 2)
  const bytes = bytesOf(services, log, { start, end: Math.min(end, size - 1) }, each)
  const content = Readable.from(bytes, { objectMode: false, highWaterMark: each })
  // Or the end, or the error.
  await once(content, "readable")
  return content
}

/** The bytes of a range, from wherever they are by the time that they are read. */
async function* bytesOf(services: Services, log: LogOfTask, { start, end }: ByteRange, ahead: number): AsyncGenerator<Buffer> {
  let looks = 0
  for (let at = start; at <= end; ) {
    const before = at
    const range = { start: at, end }
    try {
      const found = looks === 0 ? findShared(services, log, range) : find(services, log, range)
      for await (const bytes of bytesFound(services, log, await found, range, ahead)) {
        at += bytes.length
        yield bytes
      }
    } catch (error) {
      // A file that is removed while it is read breaks off.
      if (!(error instanceof StorageUnavailable) || looks >= MOST_LOOKS) throw error
    }
    looks = at > before ? 0 : looks + 1
    if (looks > MOST_LOOKS) throw new LogGone(log.taskId)
  }
}

interface Found {
  /** The compressed file; "" where there is none. */
  readonly packed: string
  readonly parts: Awaited<ReturnType<typeof findLogParts>>
}

/** Where the first bytes of a range are. */
async function find({ database }: Services, { taskId }: LogOfTask, { start, end }: ByteRange): Promise<Found> {
  const parts = await findLogParts(database.read, { taskId, at: start, end, limit: PARTS })
  const packed = parts.length > 0 ? "" : (await findPackedLog.first(database.read, { taskId }))?.log_file
  return { packed: packed ?? "", parts }
}

/** What was found within a second: all who follow a log read the same at the same time. */
const shared = onFirstUseOf((_: Database) => new LRUCache<string, Promise<Found>>({ max: 64, ttl: 1_000 }))

function findShared(services: Services, log: LogOfTask, range: ByteRange): Promise<Found> {
  const known = shared(services.database)
  const key = `${log.taskId}:${range.start}-${range.end}`
  const there = known.get(key)
  if (there) return there
  const found = find(services, log, range)
  known.set(key, found)
  found.catch(() => known.delete(key))
  return found
}

/** The first bytes of a range, as far as they are where they were found. */
async function* bytesFound(
  services: Services,
  { storage }: LogOfTask,
  { packed, parts }: Found,
  { start, end }: ByteRange,
  ahead: number,
): AsyncGenerator<Buffer> {
  if (packed !== "") {
    const file = await openFile(services, { storage, file: packed })
    if (!file) return
    const text = createGunzip()
    pipeline(file.read(), text, () => {})
    return yield* sliceOf(text, { start, end })
  }
  let at = start
  for (const part of parts) {
    const range = { start: at - part.start_at, end: Math.min(end - part.start_at, part.size - 1) }
    // The file before it is shorter than it should be.
    if (range.start < 0) return
    const content = part.content
      ? [Buffer.from(part.content.subarray(range.start, range.end + 1))]
      : await readPart(services, { storage, file: part.file }, range, ahead)
    for await (const chunk of content) {
      const bytes: Buffer = chunk
      at += bytes.length
      yield bytes
    }
  }
}

const readPart = async (
  services: Services,
  location: FileLocation,
  range: ByteRange,
  ahead: number,
): Promise<Readable | readonly never[]> => (await openFile(services, location))?.read(range, ahead) ?? []
