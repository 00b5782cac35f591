import type { Socket } from "node:net"
import { Readable, Writable } from "node:stream"
import type { ServerChannel } from "ssh2"

/**
 * One channel of an SSH connection, as well-behaved streams: the library's own keep writing to clients that don't read, and can't be awaited once the
 * client is gone.
 */
export interface Conversation {
  readonly input: Readable
  readonly output: Writable
  /** Aborts when the client has closed the channel, or is gone. */
  readonly signal: AbortSignal
  /** Whether the client has sent far more than its window allows: the library doesn't check, and buffers it all. */
  readonly isFlooded: () => boolean
  /** Whether data has moved lately. */
  readonly isMoving: () => boolean
  /** Shows a line to the user. */
  readonly say: (words: string) => void
  /** Flushes the output, sends the exit code, and closes the channel. */
  readonly finish: (code: number) => Promise<void>
  /** Aborts the conversation: the client has closed the channel or is gone, or an error occurred that the client must notice. */
  readonly cut: () => void
}

/** A channel without data for this long is closed: a client that pushes may compress for minutes before it sends anything. */
const SILENCE_MS = 10 * 60 * 1000

/** A conversation without data for this long is not waited for at shutdown. */
const STILL_MS = 10_000

/** Bytes that a client may send beyond its window, and bytes that may wait for a client during a key exchange. */
const SLACK = 4 * 1024 * 1024
const SLACK_PAUSE_MS = 50

/** `stallMs`: how long a client may leave what it is sent unread. */
export function openConversation(channel: ServerChannel, socket: Socket, stallMs: number): Conversation {
  const gone = new AbortController()
  const isOpen = (): boolean => !gone.signal.aborted && !socket.destroyed
  const cut = (): void => {
    if (gone.signal.aborted) return
    clearTimeout(silence)
    gone.abort()
    input.destroy()
    output.destroy()
    if (!socket.destroyed) channel.close()
  }
  const silence = setTimeout(cut, SILENCE_MS).unref()
  let moved = performance.now()
  const noteActivity = (): void => {
    silence.refresh()
    moved = performance.now()
  }

  const input = new Readable({
    read: () => {
      if (isOpen()) channel.resume()
    },
  })
  channel.on("data", (chunk: Buffer) => {
    noteActivity()
    if (!input.push(chunk)) channel.pause()
  })
  channel.on("end", () => input.push(null))

  const before = socket.bytesWritten
  let handed = 0
  /** Calls back once the client has taken most of what it was sent. */
  const whenTaken = (callback: () => void): void => {
    if (isOpen() && socket.writableNeedDrain) socket.once("drain", () => whenTaken(callback))
    // Data not handed to the socket waits in the library until the key exchange ends, which the client may delay for ever.
    else if (isOpen() && handed - (socket.bytesWritten - before) > SLACK) setTimeout(() => whenTaken(callback), SLACK_PAUSE_MS)
    else callback()
  }
  const output = new Writable({
    write: (chunk: Buffer, _encoding, callback) => {
      if (!isOpen()) return callback(new Error("the client is gone"))
      noteActivity()
      handed += chunk.length
      const unread = setTimeout(cut, stallMs).unref()
      const taken = () => {
        clearTimeout(unread)
        callback()
      }
      channel.write(chunk, () => whenTaken(taken))
    },
  })

  // Errors without a listener would end the whole process.
  for (const stream of [channel, channel.stderr, input, output]) stream.on("error", () => undefined)

  return {
    input,
    output,
    signal: gone.signal,
    cut,
    isFlooded: () => channel.readableLength > SLACK,
    isMoving: () => performance.now() - moved < STILL_MS,
    say: (words) => {
      if (isOpen()) channel.stderr.write(`${printable(words)}\n`)
    },
    finish: async (code) => {
      if (!output.writableEnded) output.end()
      await flushed(output)
      clearTimeout(silence)
      if (!isOpen()) return
      channel.exit(code)
      channel.end()
    },
  }
}

/** Resolves when all is written, or nothing can be any more. */
async function flushed(output: Writable): Promise<void> {
  if (output.writableFinished || output.destroyed) return
  await new Promise<void>((resolve) => output.once("finish", resolve).once("close", resolve))
}

/** Names can hold any characters, and go to a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const printable = (words: string): string => words.replace(/[\x00-\x1f\x7f-\x9f]+/g, " ")
