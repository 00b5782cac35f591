import { Readable } from "node:stream"
import { type ByteSource, byteSource } from "./bytes.ts"
import { GitError } from "./errors.ts"
import { createLimiter, type Release } from "./limits.ts"
import type { RawObject } from "./loose.ts"
import type { ObjectInfo, ObjectType, Repository } from "./model.ts"
import { type ObjectId, objectId } from "./names.ts"
import type { GitProcess, Processes } from "./process.ts"

/** An object whose content comes as a stream, which must be read to its end or destroyed. */
export interface ObjectStream {
  readonly type: ObjectType
  readonly size: number
  readonly content: Readable
}

/** Reads objects through long-lived `git cat-file` processes, one request at a time on each. */
export interface Readers {
  /** An object's kind and size, or undefined when it is not there. */
  info(repository: Repository, id: ObjectId): Promise<ObjectInfo | undefined>
  /** The id of the one object in a pack or known file whose id begins so, or undefined where there is none, or several. */
  expand(repository: Repository, prefix: string): Promise<ObjectId | undefined>
  /** An object, whole, or undefined when it is not there. Throws `tooLarge` over `limit` bytes. */
  read(repository: Repository, id: ObjectId, limit: number): Promise<RawObject | undefined>
  /** An object as a stream, or undefined when it is not there. It holds a reader until it is closed. */
  stream(repository: Repository, id: ObjectId): Promise<ObjectStream | undefined>
  /** Ends the idle readers of a repository (or of its quarantine, when it has one in view). */
  closeRepository(repository: Repository): Promise<void>
  close(): Promise<void>
}

export interface ReaderSettings {
  readonly readers: number
  readonly readersPerRepository: number
  readonly readerIdleMs: number
  readonly queue: number
  readonly waitMs: number
}

interface Reader {
  readonly place: string
  readonly process: GitProcess
  readonly source: ByteSource
}

interface Lease extends Reader {
  /** Gives the reader back, ready for the next request. */
  readonly done: () => void
  /** Ends the reader, because it stands in the middle of an answer. */
  readonly spoiled: () => void
}

const isType = (value: string | undefined): value is ObjectType =>
  value === "blob" || value === "tree" || value === "commit" || value === "tag"

/** Where a reader looks for objects: readers of a quarantine, or of two repositories, must not serve anybody else. */
const placeOf = ({ quarantine, directory, borrows = "" }: Repository) => quarantine ?? `${directory}${borrows}`

/** Opens a pool of readers. They start when needed and end when idle, or when another repository needs the room. */
export function createReaders(processes: Processes, settings: ReaderSettings): Readers {
  const limiter = createLimiter({
    total: settings.readers,
    perKey: settings.readersPerRepository,
    queue: settings.queue,
    waitMs: settings.waitMs,
  })
  const all = new Set<Reader>()
  // In the order in which they became idle.
  const idle = new Map<Reader, NodeJS.Timeout>()

  function end(reader: Reader): Promise<unknown> {
    clearTimeout(idle.get(reader))
    idle.delete(reader)
    all.delete(reader)
    reader.process.kill()
    return reader.process.exit.catch(() => undefined)
  }

  function start(repository: Repository): Reader {
    const oldest = idle.keys().next().value
    if (all.size >= settings.readers && oldest !== undefined) void end(oldest)
    const process = processes.stream({ name: "cat-file", flags: ["--batch-command"] }, { repository })
    const reader = { place: placeOf(repository), process, source: byteSource(process.stdout) }
    all.add(reader)
    const gone = () => {
      clearTimeout(idle.get(reader))
      idle.delete(reader)
      all.delete(reader)
    }
    process.exit.then(gone, gone)
    return reader
  }

  async function lease(repository: Repository): Promise<Lease> {
    const place = placeOf(repository)
    const release: Release = await limiter.acquire(place)
    try {
      const waiting = [...idle.keys()].find((candidate) => candidate.place === place)
      const reader = waiting ?? start(repository)
      clearTimeout(idle.get(reader))
      idle.delete(reader)
      const done = () => {
        if (all.has(reader)) idle.set(reader, setTimeout(() => void end(reader), settings.readerIdleMs).unref())
        release()
      }
      const spoiled = () => {
        void end(reader)
        release()
      }
      return { ...reader, done, spoiled }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Asks for one object and reads the line that describes it. The reader is given back only when the object is not there. */
  async function ask(lease: Lease, verb: "info" | "contents", name: string): Promise<ObjectInfo | undefined> {
    try {
      lease.process.stdin.write(`${verb} ${name}\n`)
      const line = await lease.source.line(1024)
      if (line === null) {
        const exit = await lease.process.exit
        throw new GitError("failed", "the object reader ended", exit.stderr)
      }
      const text = line.toString("latin1")
      if (text.endsWith(" missing") || text.endsWith(" ambiguous")) {
        lease.done()
        return undefined
      }
      const [id = "", type, size] = text.split(" ")
      if (!isType(type) || size === undefined) throw new GitError("failed", "the object reader gave an unknown answer", text)
      return { id: objectId(id), type, size: Number(size) }
    } catch (error) {
      lease.spoiled()
      throw error
    }
  }

  async function info(repository: Repository, id: ObjectId): Promise<ObjectInfo | undefined> {
    const reader = await lease(repository)
    const found = await ask(reader, "info", id)
    if (found !== undefined) reader.done()
    return found
  }

  async function expand(repository: Repository, prefix: string): Promise<ObjectId | undefined> {
    const reader = await lease(repository)
    const found = await ask(reader, "info", prefix)
    if (found !== undefined) reader.done()
    return found?.id
  }

  async function read(repository: Repository, id: ObjectId, limit: number): Promise<RawObject | undefined> {
    const reader = await lease(repository)
    const found = await ask(reader, "contents", id)
    if (found === undefined) return undefined
    try {
      if (found.size > limit) throw new GitError("tooLarge", `an object of ${found.size} bytes`, id)
      const content = await reader.source.take(found.size)
      await reader.source.take(1)
      if (content === null) throw new GitError("failed", "the object reader ended", id)
      reader.done()
      return { type: found.type, content }
    } catch (error) {
      reader.spoiled()
      throw error
    }
  }

  async function stream(repository: Repository, id: ObjectId): Promise<ObjectStream | undefined> {
    const reader = await lease(repository)
    const found = await ask(reader, "contents", id)
    if (found === undefined) return undefined
    let complete = false
    async function* chunks(size: number) {
      let left = size
      while (left > 0) {
        const chunk = await reader.source.some(left)
        if (chunk === null) throw new GitError("failed", "the object reader ended", id)
        left -= chunk.length
        yield chunk
      }
      await reader.source.take(1)
      complete = true
    }
    const content = Readable.from(chunks(found.size), { objectMode: false })
    content.once("close", () => (complete ? reader.done() : reader.spoiled()))
    return { type: found.type, size: found.size, content }
  }

  async function endAll(readers: readonly Reader[]): Promise<void> {
    await Promise.all(readers.map(end))
  }

  return {
    info,
    expand,
    read,
    stream,
    closeRepository: (repository) => endAll([...idle.keys()].filter((reader) => reader.place === placeOf(repository))),
    close: () => endAll([...all]),
  }
}
