import { writeSync } from "node:fs"

/** Where a log's lines go. */
export interface LogOutput {
  /** Takes a line with its end. Never waits for its reader. */
  readonly write: (line: string) => void
  /** Waits for up to a second until what is kept is written: for a last line. */
  readonly flush: () => void
  /** The lines that were dropped so far. */
  readonly dropped: () => number
  /** Calls `listener`, in place of one before, with the number of lines that were dropped, whenever lines are taken again after that. */
  readonly onResumed: (listener: (dropped: number) => void) => void
}

export interface LogOutputOptions {
  /** Writes to where lines go without waiting, and gives how many bytes it took. Throws `EAGAIN` while it takes none. */
  readonly send?: (bytes: Uint8Array) => number
  /** Bytes that are kept while nobody reads; 256 KiB by default, more than a thousand requests. */
  readonly limit?: number
}

const LIMIT = 256 * 1024
const AGAIN_AFTER_MS = 50
const FLUSH_MS = 1_000
const PAUSE_MS = 10

/**
 * An output to standard error. While a pipe there is full, as when nobody reads it any more, lines are kept in memory, and those that are too many are
 * dropped and counted: the service goes on. It holds a timer and a listener for the end of the process only as long as lines are kept.
 */
export function openLogOutput({ send = toStandardError, limit = LIMIT }: LogOutputOptions = {}): LogOutput {
  const kept: Uint8Array[] = []
  let bytes = 0
  let dropped = 0
  let untold = 0
  let resumed = (_dropped: number): void => {}
  let timer: NodeJS.Timeout | undefined

  /** Sends what is kept for as long as it is taken. False where some is left. */
  function empty(): boolean {
    for (let first = kept[0]; first !== undefined; first = kept[0]) {
      let sent: number
      try {
        sent = send(first)
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "EAGAIN") return false
        // There is no way out any more: the reader of a pipe is gone, or a disk is full.
        drop(kept.length)
        kept.length = 0
        bytes = 0
        return true
      }
      bytes -= sent
      if (sent === first.length) kept.shift()
      else kept[0] = first.subarray(sent)
    }
    return true
  }

  function drop(lines: number): void {
    dropped += lines
    untold += lines
  }

  function proceed(): void {
    if (!empty()) {
      if (timer === undefined) process.on("exit", flush)
      timer = setTimeout(proceed, AGAIN_AFTER_MS).unref()
      return
    }
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
    process.off("exit", flush)
    const lines = untold
    untold = 0
    if (lines > 0) resumed(lines)
  }

  function flush(): void {
    const end = performance.now() + FLUSH_MS
    while (!empty() && performance.now() < end) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
  }

  return {
    write(line) {
      const content = Buffer.from(line)
      if (bytes + content.length > limit) return drop(1)
      kept.push(content)
      bytes += content.length
      if (timer === undefined) proceed()
    },
    flush,
    dropped: () => dropped,
    onResumed(listener) {
      resumed = listener
    },
  }
}

function toStandardError(bytes: Uint8Array): number {
  // Looking at it makes Node set a pipe so that a write to it never waits.
  return writeSync(process.stderr.fd, bytes)
}
