import { Readable } from "node:stream"
import { type ByteSource, byteSource } from "./bytes.ts"
import { GitError } from "./errors.ts"
import { createLimiter, type Release } from "./limits.ts"
import type { ObjectInfo, ObjectType, RawObject, Repository } from "./model.ts"
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
  /** The id of the one object in a pack or known file with this prefix, or undefined if there is none, or several. */
  expand(repository: Repository, prefix: string): Promise<ObjectId | undefined>
  /** An object, whole, or undefined when it is not there. Throws `tooLarge` over `limit` bytes. */
  read(repository: Repository, id: ObjectId, limit: number): Promise<RawObject | undefined>
  /** Several whole objects, in the order of the ids, requested together from one reader. Throws `missing`, and `tooLarge` over `limit` bytes. */
  readAll(repository: Repository, ids: readonly ObjectId[], limit: number): Promise<readonly RawObject[]>
  /** An object as a stream, or undefined when it is not there. It holds a reader until it is closed. */
  stream(repository: Repository, id: ObjectId): Promise<ObjectStream | undefined>
  /** Starts a reader of a repository that will be used soon, unless there is one. */
  warm(repository: Repository): void
  /** Makes the idle readers of a quarantine, whose objects have been moved to the repository, readers of the repository. */
  adopt(quarantined: Repository, repository: Repository): void
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
  place: string
  readonly process: GitProcess
  readonly source: ByteSource
}

interface Lease extends Reader {
  /** Returns the reader to the pool, ready for the next request. */
  readonly done: () => void
  /** Ends the reader, because it is in the middle of an answer. */
  readonly spoiled: () => void
}

const isType = (value: string | undefined): value is ObjectType =>
  value === "blob" || value === "tree" || value === "commit" || value === "tag"

/** The object stores of a reader: readers of a quarantine, or of two repositories, must not be used for others. */
const placeOf = ({ quarantine, directory, borrows = "" }: Repository) => quarantine ?? `${directory}${borrows}`

/** Opens a pool of readers. They start when needed and end when idle, or when another repository needs one. */
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
    const process = processes.stream({ name: "cat-file", flags: ["--batch-command", "--buffer"] }, { repository })
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

  /** Reads the line that describes an object, or undefined when it is not there. */
  async function readHead({ source, process }: Reader): Promise<ObjectInfo | undefined> {
    const line = await source.line(1024)
    if (line === null) {
      const exit = await process.exit
      throw new GitError("failed", "the object reader ended", exit.stderr)
    }
    const text = line.toString("latin1")
    if (text.endsWith(" missing") || text.endsWith(" ambiguous")) return undefined
    const [id = "", type, size] = text.split(" ")
    if (!isType(type) || size === undefined) throw new GitError("failed", "the object reader gave an unknown answer", text)
    return { id: objectId(id), type, size: Number(size) }
  }

  /** Reads the content after that line. */
  async function readContent({ source }: Reader, { id, type, size }: ObjectInfo, limit: number): Promise<RawObject> {
    if (size > limit) throw new GitError("tooLarge", `an object of ${size} bytes`, id)
    const content = await source.take(size)
    await source.take(1)
    if (content === null) throw new GitError("failed", "the object reader ended", id)
    return { type, content }
  }

  /** Asks for one object and reads the line that describes it. The reader is given back only when the object is not there. */
  async function ask(lease: Lease, verb: "info" | "contents", name: string): Promise<ObjectInfo | undefined> {
    try {
      lease.process.stdin.write(`${verb} ${name}\nflush\n`)
      const found = await readHead(lease)
      if (found === undefined) lease.done()
      return found
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
      const object = await readContent(reader, found, limit)
      reader.done()
      return object
    } catch (error) {
      reader.spoiled()
      throw error
    }
  }

  async function readAll(repository: Repository, ids: readonly ObjectId[], limit: number): Promise<readonly RawObject[]> {
    if (ids.length === 0) return []
    const reader = await lease(repository)
    const objects: RawObject[] = []
    try {
      reader.process.stdin.write(`${ids.map((id) => `contents ${id}\n`).join("")}flush\n`)
      for (const id of ids) {
        const found = await readHead(reader)
        if (found === undefined) throw new GitError("missing", "no such object", id)
        objects.push(await readContent(reader, found, limit))
      }
      reader.done()
      return objects
    } catch (error) {
      // No caller waits for the remaining answers.
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

  function warm(repository: Repository): void {
    lease(repository).then(
      ({ done }) => done(),
      // The error is reported when the reader is used.
      () => {},
    )
  }

  function adopt(quarantined: Repository, repository: Repository): void {
    for (const reader of idle.keys()) if (reader.place === placeOf(quarantined)) reader.place = placeOf(repository)
  }

  async function endAll(readers: readonly Reader[]): Promise<void> {
    await Promise.all(readers.map(end))
  }

  return {
    info,
    expand,
    read,
    readAll,
    stream,
    warm,
    adopt,
    closeRepository: (repository) => endAll([...idle.keys()].filter((reader) => reader.place === placeOf(repository))),
    close: () => endAll([...all]),
  }
}
