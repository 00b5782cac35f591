import { crc32 } from "node:zlib"
import { CHUNK_BYTES, type ChunkReader, type ChunkWriter } from "./chunks.ts"

/** Streams as lists of chunks. */

/** Stores bytes in chunks of one length. Gives their names, and how many bytes they are. */
export async function storeBytes(
  writer: Pick<ChunkWriter, "add">,
  content: AsyncIterable<Buffer>,
): Promise<{ readonly chunks: readonly string[]; readonly size: number }> {
  const chunks: string[] = []
  let [size, held, parts]: [number, number, Buffer[]] = [0, 0, []]
  for await (const piece of content) {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + CHUNK_BYTES - held)
      parts.push(part)
      held += part.length
      at += part.length
      if (held < CHUNK_BYTES) continue
      chunks.push(await writer.add(Buffer.concat(parts)))
      ;[held, parts] = [0, []]
    }
    size += piece.length
  }
  if (held > 0) chunks.push(await writer.add(Buffer.concat(parts)))
  return { chunks, size }
}

export async function* readBytes(reader: ChunkReader, chunks: readonly string[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield await reader.read(chunk)
}

/** Bytes of lines before a chunk may end, and of which it ends in any case. */
const FEWEST = 2 ** 18
/** One of so many lines, chosen by its content, ends a chunk: where lines are added or removed, the chunks after that are the same again. */
const ONE_OF = 32

export interface LineWriter {
  readonly add: (line: string) => Promise<void>
  /** Gives the names of all chunks. */
  readonly end: () => Promise<readonly string[]>
}

export function lineWriter(writer: Pick<ChunkWriter, "add">): LineWriter {
  const chunks: string[] = []
  let [held, parts]: [number, Buffer[]] = [0, []]
  const put = async (): Promise<void> => {
    if (held === 0) return
    const bytes = Buffer.concat(parts)
    ;[held, parts] = [0, []]
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) chunks.push(await writer.add(bytes.subarray(at, at + CHUNK_BYTES)))
  }
  return {
    async add(line) {
      const bytes = Buffer.from(`${line}\n`)
      parts.push(bytes)
      held += bytes.length
      if (held >= CHUNK_BYTES || (held >= FEWEST && crc32(bytes) % ONE_OF === 0)) await put()
    },
    async end() {
      await put()
      return chunks
    },
  }
}

export async function* readLines(reader: ChunkReader, chunks: readonly string[]): AsyncGenerator<string> {
  let rest: Buffer[] = []
  for (const chunk of chunks) {
    const bytes = await reader.read(chunk)
    let start = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      yield Buffer.concat([...rest, bytes.subarray(start, end)]).toString("utf8")
      rest = []
      start = end + 1
    }
    if (start < bytes.length) rest.push(bytes.subarray(start))
  }
  if (rest.length > 0) yield Buffer.concat(rest).toString("utf8")
}
