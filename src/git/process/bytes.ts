import type { Readable, Writable } from "node:stream"
import { GitError } from "../model/errors.ts"

/** A reader over a byte stream for protocols that mix lines, counted bytes and bulk. One read at a time. */
export interface ByteSource {
  /** Exactly `size` bytes, or null when the stream has ended before the first. Throws `protocol` when it ends in between. */
  take(size: number): Promise<Buffer | null>
  /** The bytes before the next newline, which is dropped, or null at the end. Throws `protocol` for a line over `limit` bytes. */
  line(limit: number): Promise<Buffer | null>
  /** Some bytes, at most `limit`, or null at the end. */
  some(limit?: number): Promise<Buffer | null>
  /** Puts bytes back, to be read again. */
  unread(bytes: Buffer): void
  /** Releases the stream and puts back the bytes that were read ahead. Nothing may be read after it. */
  release(): Buffer
}

const cutOff = () => new GitError("aborted", "the stream was cut off")

/** Reads a stream as a ByteSource. The stream must have no other reader. Its error, or `aborted` when it is cut off, is thrown by the next read. */
export function byteSource(stream: Readable): ByteSource {
  let held: Buffer = Buffer.alloc(0)
  let ended = false
  let failure: Error | undefined
  let wake: (() => void) | undefined

  const signal = () => {
    wake?.()
    wake = undefined
  }
  const onEnd = () => {
    ended = true
    signal()
  }
  const onError = (error: Error) => {
    failure ??= error
    signal()
  }
  const onClose = () => {
    if (!ended) failure ??= cutOff()
    signal()
  }
  // Stays after the release: an error without a listener would end the process.
  stream.on("error", () => {})
  stream.on("readable", signal).on("end", onEnd).on("error", onError).on("close", onClose)
  if (stream.readableEnded) ended = true
  else if (stream.destroyed) failure = stream.errored ?? cutOff()

  /** The next chunk of the stream itself. */
  async function pull(): Promise<Buffer | null> {
    for (;;) {
      const chunk: unknown = stream.read()
      if (chunk !== null && chunk !== undefined) return Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
      if (ended) return null
      if (failure !== undefined) throw failure
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  async function some(limit = Number.POSITIVE_INFINITY): Promise<Buffer | null> {
    const chunk = held.length > 0 ? held : await pull()
    if (chunk === null) return null
    held = chunk.subarray(Math.min(limit, chunk.length))
    return chunk.length > limit ? chunk.subarray(0, limit) : chunk
  }

  async function take(size: number): Promise<Buffer | null> {
    const parts: Buffer[] = []
    let missing = size
    while (missing > 0) {
      const part = await some(missing)
      if (part === null) {
        if (parts.length === 0) return null
        throw new GitError("protocol", "the stream ended in the middle")
      }
      parts.push(part)
      missing -= part.length
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
  }

  async function line(limit: number): Promise<Buffer | null> {
    const parts: Buffer[] = []
    let size = 0
    for (;;) {
      const part = await some()
      if (part === null) {
        if (size === 0) return null
        throw new GitError("protocol", "the stream ended in the middle of a line")
      }
      const newline = part.indexOf(10)
      const text = newline === -1 ? part : part.subarray(0, newline)
      size += text.length
      if (size > limit) throw new GitError("protocol", `a line is longer than ${limit} bytes`)
      parts.push(text)
      if (newline !== -1) {
        unread(part.subarray(newline + 1))
        return Buffer.concat(parts)
      }
    }
  }

  function unread(bytes: Buffer): void {
    held = held.length === 0 ? bytes : Buffer.concat([bytes, held])
  }

  function release(): Buffer {
    stream.off("readable", signal).off("end", onEnd).off("error", onError).off("close", onClose)
    const rest = held
    held = Buffer.alloc(0)
    return rest
  }

  return { take, line, some, unread, release }
}

/** The parts of a process that input is piped into. */
interface Sink {
  readonly stdin: Writable
  readonly exit: Promise<unknown>
  kill(): void
}

/**
 * Pipes the rest of a stream into a process, with back-pressure, until one of them ends. If the stream is cut off the process is killed, because
 * a partial request must not look like a complete one.
 */
export function pipeInto(stream: Readable, source: ByteSource, process: Sink): void {
  const ahead = source.release()
  if (ahead.length > 0) process.stdin.write(ahead)
  const cut = () => {
    if (!stream.readableEnded) process.kill()
  }
  if (stream.readableEnded) process.stdin.end()
  else if (stream.destroyed) process.kill()
  else {
    stream.on("close", cut).on("error", cut).pipe(process.stdin)
    const stop = () => {
      stream.off("close", cut).off("error", cut).unpipe(process.stdin)
    }
    process.exit.then(stop, stop)
  }
}

/** What is asked about a stream that a process reads while it comes. */
export interface Arriving {
  /** Told of the size of each piece. May throw, and so give up the stream. */
  readonly took: (bytes: number) => void
  /** Called when all has come. The process gets the end once it has resolved. */
  readonly whole: () => Promise<void>
}

/**
 * Hands a stream to a process piece by piece as it comes. Kills the process, and throws the same, when the stream is cut off and where `took` or `whole` throws. If the process ends early, the
 * rest of the stream is read nevertheless.
 */
export async function feed(source: ByteSource, process: Sink, { took, whole }: Arriving): Promise<void> {
  try {
    let last: Buffer = Buffer.alloc(0)
    for (let next = await source.some(); next !== null; next = await source.some()) {
      took(next.length)
      await writeAll(process.stdin, last)
      last = next
    }
    await whole()
    process.stdin.end(last)
  } catch (error) {
    process.kill()
    throw error
  }
}

/** Waits until a stream has ended or more than `most` bytes have come, which are left in the source. Returns whether it has ended. */
export async function readAhead(source: ByteSource, most: number): Promise<boolean> {
  const parts: Buffer[] = []
  let size = 0
  let part = await source.some()
  for (; part !== null && size + part.length <= most; part = await source.some()) {
    parts.push(part)
    size += part.length
  }
  source.unread(Buffer.concat(part === null ? parts : [...parts, part]))
  return part === null
}

/** Reads and discards a stream until its end, or closes it after `limit` bytes. Many clients read the answer only after they have sent everything. */
export function drain(stream: Readable, limit: number): void {
  let size = 0
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length
    if (size > limit) stream.destroy()
  })
  stream.resume()
}

/** Writes and waits while the stream's buffer is full. Also resolves when the stream is closed, which callers detect elsewhere. */
export async function writeAll(stream: Writable, bytes: Uint8Array): Promise<void> {
  if (!stream.writable || stream.write(bytes)) return
  await new Promise<void>((resolve) => {
    const done = () => {
      stream.off("drain", done).off("close", done).off("error", done)
      resolve()
    }
    stream.on("drain", done).on("close", done).on("error", done)
  })
}
