/** A part of a text that is too large to be taken in whole: it is read as a stream, up to the end of the part, and no more of it is kept. */

export interface PartLimits {
  /** Lines in one part. */
  readonly lines: number
  /** Bytes that are kept of one line, and of all lines of a part. */
  readonly lineBytes: number
  readonly bytes: number
  /** Bytes that are read to find a part. */
  readonly readBytes: number
}

export interface Line {
  readonly text: string
  /** The bytes that were left out at its end. */
  readonly cut: number
}

export interface Part {
  /** The number of the first line. */
  readonly from: number
  readonly lines: readonly Line[]
  /** More lines follow. */
  readonly hasMore: boolean
  /** The rest is too far behind to be read. */
  readonly isTooFar: boolean
  /** The beginning of the text has bytes that no text has. */
  readonly isBinary: boolean
}

/** The bytes that tell whether a file is text. */
const PROBED_BYTES = 8000
const LINE_FEED = 0x0a
const RETURN = 0x0d

/** Reads the lines from this number on. Leaves the iteration as soon as the part is whole. */
export async function readPart(content: AsyncIterable<Buffer>, from: number, limits: PartLimits): Promise<Part> {
  const lines: Line[] = []
  let number = 1
  let kept = 0
  let open: Buffer[] = []
  let [size, keptOfLine] = [0, 0]
  let read = 0
  const part = (more: Partial<Part> = {}): Part => ({ from, lines, hasMore: false, isTooFar: false, isBinary: false, ...more })
  const add = (piece: Buffer): void => {
    const some = piece.subarray(0, Math.max(0, Math.min(limits.lineBytes - keptOfLine, limits.bytes - kept)))
    // A copy: the chunk that it is of would stay otherwise.
    if (some.length > 0) open.push(Buffer.from(some))
    size += piece.length
    keptOfLine += some.length
    kept += some.length
  }
  const end = (): void => {
    const bytes = Buffer.concat(open)
    const cut = size - bytes.length
    const whole = cut === 0 && bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes
    // What is cut in the middle of a character has no rest of it.
    lines.push({ text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(whole, { stream: cut > 0 }), cut })
    open = []
    size = 0
    keptOfLine = 0
  }
  let isFull = false
  for await (const chunk of content) {
    if (chunk.length === 0) continue
    if (isFull) return part({ hasMore: true })
    if (read < PROBED_BYTES && chunk.subarray(0, PROBED_BYTES - read).includes(0)) return part({ isBinary: true })
    read += chunk.length
    let start = 0
    for (let at = chunk.indexOf(LINE_FEED); at >= 0 && !isFull; at = chunk.indexOf(LINE_FEED, start)) {
      if (number >= from) {
        add(chunk.subarray(start, at))
        end()
        isFull = lines.length >= limits.lines || kept >= limits.bytes
      }
      number++
      start = at + 1
    }
    if (isFull && start < chunk.length) return part({ hasMore: true })
    if (number >= from) add(chunk.subarray(start))
    if (read <= limits.readBytes) continue
    if (size > 0) end()
    return part({ hasMore: true, isTooFar: true })
  }
  if (size > 0) end()
  return part()
}
