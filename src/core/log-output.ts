import { writeSync } from "node:fs"
import { hasCode } from "../git/model/errors.ts"

/** Where a log's lines go. */
export interface LogOutput {
  /** Writes a line, including its newline. Never waits for the reader. Further lines of the same turn of the event loop are written together at its end. */
  readonly write: (line: string) => void
  /** Waits up to a second until the buffered lines are written: for a last line. */
  readonly flush: () => void
  /** The lines that were dropped so far. */
  readonly dropped: () => number
  /** Sets the listener that is called with the number of dropped lines once lines can be written again. */
  readonly onResumed: (listener: (dropped: number) => void) => void
  /** Whether the lines are shown on a terminal. */
  readonly isTerminal: () => boolean
}

export interface LogOutputOptions {
  /** Writes without waiting, and returns how many bytes were written. Throws `EAGAIN` while none can be. */
  readonly send?: (bytes: Uint8Array) => number
  /** Bytes that are buffered while the pipe is full; 256 KiB by default, more than a thousand requests. */
  readonly limit?: number
  /** Whether it is a terminal that `send` writes to; by default whether standard error is one. */
  readonly isTerminal?: () => boolean
}

const LIMIT = 256 * 1024
const AGAIN_AFTER_MS = 50
const FLUSH_MS = 1_000
const PAUSE_MS = 10

/**
 * An output to standard error. While the pipe is full, because its reader has stopped, lines are buffered in memory, and those beyond the limit are dropped
 * and counted: the service goes on. It holds a timer and a listener for the process's exit only while lines are buffered.
 */
export function openLogOutput({
  send = toStandardError,
  limit = LIMIT,
  isTerminal = () => process.stderr.isTTY === true,
}: LogOutputOptions = {}): LogOutput {
  const kept: Uint8Array[] = []
  let bytes = 0
  let dropped = 0
  let untold = 0
  let resumed = (_dropped: number): void => {}
  /** Set while the pipe is full. */
  let timer: NodeJS.Timeout | undefined
  /** Set from a line to the end of its turn. */
  let turn: NodeJS.Immediate | undefined
  let isWatchingExit = false

  /** Writes buffered lines until the pipe is full. False if some are left. */
  function empty(): boolean {
    for (let first = kept[0]; first !== undefined; first = kept[0]) {
      let sent: number
      try {
        sent = send(kept.length === 1 ? first : Buffer.concat(kept))
      } catch (error) {
        if (hasCode(error, "EAGAIN")) return false
        // Nothing can be written any more: the reader of the pipe is gone, or a disk is full.
        drop(kept.length)
        kept.length = 0
        bytes = 0
        return true
      }
      remove(sent)
    }
    return true
  }

  /** Removes so many bytes from the beginning. */
  function remove(sent: number): void {
    bytes -= sent
    let left = sent
    const rest = kept.findIndex((line) => {
      if (left < line.length) return true
      left -= line.length
      return false
    })
    kept.splice(0, rest < 0 ? kept.length : rest)
    const [first] = kept
    if (first !== undefined && left > 0) kept[0] = first.subarray(left)
  }

  function drop(lines: number): void {
    dropped += lines
    untold += lines
  }

  function proceed(): void {
    const isEmpty = empty()
    watchExit(!isEmpty)
    if (!isEmpty) {
      timer = setTimeout(proceed, AGAIN_AFTER_MS).unref()
      return
    }
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
    const lines = untold
    untold = 0
    if (lines > 0) resumed(lines)
  }

  function watchExit(isWanted: boolean): void {
    if (isWanted === isWatchingExit) return
    isWatchingExit = isWanted
    if (isWanted) process.on("exit", flush)
    else process.off("exit", flush)
  }

  function endTurn(): void {
    turn = undefined
    if (timer === undefined) proceed()
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
      if (timer !== undefined) return
      if (turn !== undefined) return watchExit(true)
      proceed()
      turn = setImmediate(endTurn)
    },
    flush,
    dropped: () => dropped,
    onResumed(listener) {
      resumed = listener
    },
    isTerminal,
  }
}

function toStandardError(bytes: Uint8Array): number {
  // Reading this property makes Node set a pipe to non-blocking.
  return writeSync(process.stderr.fd, bytes)
}
