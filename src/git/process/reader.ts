import { GitError, isGitError, missing } from "../model/errors.ts"
import type { ObjectInfo, ObjectType, RawObject, Repository } from "../model/model.ts"
import { type ObjectId, objectId } from "../model/names.ts"
import type { Packs } from "../objects/packs.ts"
import { type ByteSource, byteSource } from "./bytes.ts"
import type { Limiter, Release } from "./limits.ts"
import type { GitProcess, Processes } from "./process.ts"

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
  /** Starts a reader of a repository that will be used soon, unless there is one. */
  warm(repository: Repository): void
  /** Makes the idle readers of a quarantine, whose objects have been moved to the repository, readers of the repository. */
  adopt(quarantined: Repository, repository: Repository): void
  /** Ends the idle readers of a repository (or of its quarantine, when it has one in view), and closes its packs. */
  closeRepository(repository: Repository): Promise<void>
  close(): Promise<void>
}

export interface ReaderSettings {
  readonly readers: number
  readonly readerIdleMs: number
}

interface Reader {
  place: string
  /** Whether git has opened the repository: until then it must be where it was. */
  hasAnswered: boolean
  readonly process: GitProcess
  readonly source: ByteSource
  /** What git has written to stderr so far: that an object is damaged, and nothing else. */
  readonly complaints: () => string
}

interface Lease extends Reader {
  readonly repository: Repository
  /** Returns the reader to the pool after an answer, ready for the next request. */
  readonly done: () => void
  /** Returns a reader that nothing was asked of. */
  readonly unused: () => void
  /** Ends the reader, because it is in the middle of an answer. */
  readonly spoiled: () => void
}

const isType = (value: string | undefined): value is ObjectType =>
  value === "blob" || value === "tree" || value === "commit" || value === "tag"

/** How long a busy reader is waited for before another is started: most answers take less than a millisecond, and a process several. */
const BUSY_MS = 20

/** Enough of git's words to tell which object of which file is damaged. */
const COMPLAINT_CHARACTERS = 2_000
const COMPLAINT = /^(error|fatal): /m

/** The object stores of a reader: readers of a quarantine, or of two repositories, must not be used for others. */
const placeOf = ({ quarantine, directory, borrows = [] }: Repository) => quarantine ?? [directory, ...borrows].join("\0")

/** Opens a pool of readers. They start when needed and end when idle, or when another repository needs one. */
export function createReaders(
  processes: Processes,
  limiter: Limiter,
  packs: () => Promise<Packs> | undefined,
  settings: ReaderSettings,
): Readers {
  const all = new Set<Reader>()
  // In the order in which they became idle.
  const idle = new Map<Reader, NodeJS.Timeout>()
  // Who waits for a reader of a place, in the order in which they came.
  const waiting = new Set<{ readonly place: string; readonly take: (reader: Reader) => void }>()

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
    let complaints = ""
    const onStderr = (chunk: Buffer) => {
      complaints = (complaints + chunk.toString("utf8")).slice(0, COMPLAINT_CHARACTERS)
    }
    const process = processes.stream({ name: "cat-file", flags: ["--batch-command", "--buffer"] }, { repository, onStderr })
    const reader = {
      place: placeOf(repository),
      hasAnswered: false,
      process,
      source: byteSource(process.stdout),
      complaints: () => (COMPLAINT.test(complaints) ? complaints : ""),
    }
    all.add(reader)
    const gone = () => {
      clearTimeout(idle.get(reader))
      idle.delete(reader)
      all.delete(reader)
    }
    process.exit.then(gone, gone)
    return reader
  }

  /** A reader that becomes free soon; undefined where there is none, or all remain busy. */
  function soonFree(place: string): Promise<Reader | undefined> | undefined {
    if (![...all].some((reader) => reader.place === place)) return undefined
    return new Promise((resolve) => {
      const leave = (reader: Reader | undefined) => {
        clearTimeout(timer)
        waiting.delete(waiter)
        resolve(reader)
      }
      const waiter = { place, take: leave }
      const timer = setTimeout(() => leave(undefined), BUSY_MS)
      waiting.add(waiter)
    })
  }

  async function lease(repository: Repository): Promise<Lease> {
    const place = placeOf(repository)
    const release: Release = await limiter.acquire(place)
    try {
      const free = [...idle.keys()].find((candidate) => candidate.place === place)
      const reader = free ?? (await soonFree(place)) ?? start(repository)
      clearTimeout(idle.get(reader))
      idle.delete(reader)
      const unused = () => {
        // Git remembers which packs were damaged, and would go on to say so of objects that have been brought back.
        const next = [...waiting].find(({ place }) => place === reader.place)
        if (reader.complaints() !== "") void end(reader)
        else if (next !== undefined && all.has(reader)) next.take(reader)
        else if (all.has(reader)) idle.set(reader, setTimeout(() => void end(reader), settings.readerIdleMs).unref())
        release()
      }
      const done = () => {
        reader.hasAnswered = true
        unused()
      }
      const spoiled = () => {
        void end(reader)
        release()
      }
      return { ...reader, repository, done, unused, spoiled }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Reads the line that describes an object, or undefined when it is not there. */
  async function readHead({ source, process, complaints }: Reader): Promise<ObjectInfo | undefined> {
    const line = await source.line(1024)
    if (line === null) {
      const exit = await process.exit
      throw new GitError("failed", "the object reader ended", exit.stderr)
    }
    const text = line.toString("latin1")
    if (text.endsWith(" ambiguous")) return undefined
    if (text.endsWith(" missing")) {
      // What git said before arrives by another pipe.
      await new Promise((resolve) => setImmediate(resolve))
      if (complaints() !== "") throw new GitError("damaged", "an object can't be read")
      return undefined
    }
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

  /** The error for a request that failed with `error`, once the reader has been ended: `damaged` when git said what is wrong with the object. */
  async function failureOf({ repository, process, complaints }: Lease, name: string, error: unknown): Promise<unknown> {
    if (isGitError(error, "tooLarge") || isGitError(error, "missing")) return error
    await process.exit.catch(() => undefined)
    if (complaints() === "") return isGitError(error, "protocol") ? new GitError("failed", "the object reader ended", name) : error
    return new GitError("damaged", `the object ${name} of the repository ${repository.key} can't be read`, complaints())
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
      throw await failureOf(lease, name, error)
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
      throw await failureOf(reader, id, error)
    }
  }

  async function readAll(repository: Repository, ids: readonly ObjectId[], limit: number): Promise<readonly RawObject[]> {
    if (ids.length === 0) return []
    const reader = await lease(repository)
    const objects: RawObject[] = []
    let current = ""
    try {
      reader.process.stdin.write(`${ids.map((id) => `contents ${id}\n`).join("")}flush\n`)
      for (const id of ids) {
        current = id
        const found = await readHead(reader)
        if (found === undefined) throw missing(repository, "object", id)
        objects.push(await readContent(reader, found, limit))
      }
      reader.done()
      return objects
    } catch (error) {
      // No caller waits for the remaining answers.
      reader.spoiled()
      throw await failureOf(reader, current, error)
    }
  }

  function warm(repository: Repository): void {
    lease(repository).then(
      ({ unused }) => unused(),
      // The error is reported when the reader is used.
      () => {},
    )
  }

  function adopt(quarantined: Repository, repository: Repository): void {
    for (const reader of [...idle.keys()].filter(({ place }) => place === placeOf(quarantined))) {
      // On a busy machine the process may find the folder of the quarantine gone when it begins.
      if (reader.hasAnswered) reader.place = placeOf(repository)
      else void end(reader)
    }
  }

  async function endAll(readers: readonly Reader[]): Promise<void> {
    await Promise.all(readers.map(end))
  }

  async function closeRepository(repository: Repository): Promise<void> {
    const opened = await packs()
    opened?.closeRepository(repository)
    await endAll([...idle.keys()].filter((reader) => reader.place === placeOf(repository)))
  }

  async function close(): Promise<void> {
    const opened = await packs()
    opened?.close()
    await endAll([...all])
  }

  return {
    info,
    expand,
    read,
    readAll,
    warm,
    adopt,
    closeRepository,
    close,
  }
}
