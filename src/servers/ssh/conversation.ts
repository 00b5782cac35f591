import type { Socket } from "node:net"
import { Readable, Writable } from "node:stream"
import type { ServerChannel } from "ssh2"

/**
 * One channel of an SSH connection, as streams that behave: the library's own go on writing to clients that don't read, and can't be waited for once the
 * client is gone.
 */
export interface Conversation {
  readonly input: Readable
  readonly output: Writable
  /** Fires when the client has closed the channel, or is gone. */
  readonly signal: AbortSignal
  /** Whether the client has sent far more than it was told it may: the library lets it, and keeps it all. */
  readonly isFlooded: () => boolean
  /** Whether anything has moved lately. */
  readonly isMoving: () => boolean
  /** Shows a line to the person. */
  readonly say: (words: string) => void
  /** Sends everything that was written, then with what code it ended, and closes the channel. */
  readonly finish: (code: number) => Promise<void>
  /** Gives it up: because the client has closed the channel, or is gone, or because something has gone wrong that it must see. */
  readonly cut: () => void
}

/** A channel over which nothing moves for this long is given up. Git itself speaks every five seconds while it works. */
const SILENCE_MS = 10 * 60 * 1000

/** What has not moved for this long is not waited for when the server ends. */
const STILL_MS = 10_000

/** Bytes that a client may send beyond what it was told it may, and bytes that may wait for a client in the middle of changing keys. */
const SLACK = 4 * 1024 * 1024
const SLACK_PAUSE_MS = 50

export function converse(channel: ServerChannel, socket: Socket): Conversation {
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
  const stir = (): void => {
    silence.refresh()
    moved = performance.now()
  }

  const input = new Readable({
    read: () => {
      if (isOpen()) channel.resume()
    },
  })
  channel.on("data", (chunk: Buffer) => {
    stir()
    if (!input.push(chunk)) channel.pause()
  })
  channel.on("end", () => input.push(null))

  const before = socket.bytesWritten
  let handed = 0
  /** Calls back once the client has taken what it was sent, more or less. */
  const whenTaken = (callback: () => void): void => {
    if (isOpen() && socket.writableNeedDrain) socket.once("drain", () => whenTaken(callback))
    // What is not handed to the socket either waits in the library until keys have been changed, which the client may delay for ever.
    else if (isOpen() && handed - (socket.bytesWritten - before) > SLACK) setTimeout(() => whenTaken(callback), SLACK_PAUSE_MS)
    else callback()
  }
  const output = new Writable({
    write: (chunk: Buffer, _encoding, callback) => {
      if (!isOpen()) return callback(new Error("the client is gone"))
      stir()
      handed += chunk.length
      channel.write(chunk, () => whenTaken(callback))
    },
  })

  // Errors that nobody listens to would end the whole program.
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
      await settled(output)
      clearTimeout(silence)
      if (!isOpen()) return
      channel.exit(code)
      channel.end()
    },
  }
}

/** Resolves when all is written, or nothing can be any more. */
async function settled(output: Writable): Promise<void> {
  if (output.writableFinished || output.destroyed) return
  await new Promise<void>((resolve) => output.once("finish", resolve).once("close", resolve))
}

/** Names can hold anything, and go to a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const printable = (words: string): string => words.replace(/[\x00-\x1f\x7f-\x9f]+/g, " ")
