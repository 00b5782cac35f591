import { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import { LRUCache } from "lru-cache"
import type { ZipFileOptions } from "yauzl"
import { type OpenBlob, StorageUnavailable } from "../../../core/blobs/blobs.ts"
import { refuse } from "../../../core/errors.ts"
import { nextTurn } from "../../../core/work.ts"

/**
 * Zip files, as far as artifacts of version 3 need them: read by yauzl, also those of the newer format (Zip64), and written by hand. A package that writes streams
 * puts sizes and checksums behind the bytes, where clients that unpack while they load can't use them; here they are known before. What is written is not
 * compressed, so that nothing depends on the order in which files arrive, and has the sizes of the format's first version: 4 GiB and 65,534 files.
 */

/** A file in a zip file. */
export interface ZipEntry {
  readonly path: string
  /** 0 as it is, 8 deflated. */
  readonly method: number
  readonly crc: number
  /** Bytes in the zip file, and of the file itself. */
  readonly packed: number
  readonly size: number
}

/** An entry to write, with its bytes as they are to be stored. */
export interface NewEntry extends ZipEntry {
  readonly content: () => AsyncIterable<Buffer>
}

/** An entry that was read: the bytes of the file itself, and as they are stored. */
export interface FoundEntry extends ZipEntry {
  readonly content: () => AsyncIterable<Buffer>
  readonly stored: () => AsyncIterable<Buffer>
}

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const LOCAL_BYTES = 30
const CENTRAL_BYTES = 46
const END_BYTES = 22
const LARGEST = 0xffffffff
const MOST = 0xfffe
/** Names are in UTF-8. */
const UTF8 = 0x0800
/** After so many entries others have their turn. */
const TURN_ENTRIES = 1000
/** 1980-01-01, the first day of the format. */
const DATE = 0x0021
const VERSION = 20

/** How many bytes such a zip file has. */
export const zipSize = (entries: readonly Pick<NewEntry, "path" | "packed">[]): number =>
  entries.reduce((sum, { path, packed }) => sum + LOCAL_BYTES + CENTRAL_BYTES + 2 * Buffer.byteLength(path) + packed, END_BYTES)

/** The bytes of a zip file. Refuses `tooLarge` what the format can't hold. */
export async function* writeZip(entries: readonly NewEntry[]): AsyncGenerator<Buffer> {
  if (entries.length > MOST) throw refuse.tooLarge(`an artifact of version 3 has at most ${MOST} files`)
  const central: Buffer[] = []
  let offset = 0
  for (const [index, entry] of entries.entries()) {
    if (index % TURN_ENTRIES === TURN_ENTRIES - 1) await nextTurn()
    const name = Buffer.from(entry.path)
    if (offset + LOCAL_BYTES + name.length + entry.packed > LARGEST || entry.size > LARGEST)
      throw refuse.tooLarge("an artifact of version 3 has at most 4 GiB; use version 4")
    const local = Buffer.alloc(LOCAL_BYTES)
    local.writeUInt32LE(LOCAL, 0)
    writeMembers(local, 4, entry, name.length)
    yield Buffer.concat([local, name])
    yield* entry.content()
    const header = Buffer.alloc(CENTRAL_BYTES)
    header.writeUInt32LE(CENTRAL, 0)
    header.writeUInt16LE(VERSION, 4)
    writeMembers(header, 6, entry, name.length)
    header.writeUInt32LE(offset, 42)
    central.push(header, name)
    offset += LOCAL_BYTES + name.length + entry.packed
  }
  const directory = Buffer.concat(central)
  if (offset + directory.length > LARGEST) throw refuse.tooLarge("an artifact of version 3 has at most 4 GiB; use version 4")
  const end = Buffer.alloc(END_BYTES)
  end.writeUInt32LE(END, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  yield Buffer.concat([directory, end])
}

/** Writes what both headers of an entry have in common. */
function writeMembers(header: Buffer, at: number, { method, crc, packed, size }: ZipEntry, nameLength: number): void {
  header.writeUInt16LE(VERSION, at)
  header.writeUInt16LE(UTF8, at + 2)
  header.writeUInt16LE(method, at + 4)
  header.writeUInt16LE(DATE, at + 8)
  header.writeUInt32LE(crc, at + 10)
  header.writeUInt32LE(packed, at + 14)
  header.writeUInt32LE(size, at + 18)
  header.writeUInt16LE(nameLength, at + 22)
}

/** The directory of a zip file may take so many bytes: names are short. */
const DIRECTORY_BYTES = 64 * 2 ** 20
/** What an entry takes in it beside its texts. */
const ENTRY_BYTES = 46

/** Bytes of a zip file that are read at once where few are asked for, and how many such blocks are kept: each may be a request to an object store. */
const BLOCK_BYTES = 256 * 1024
const MOST_BLOCKS = 4

/** The pieces of a range of a file, as far as it is in it, from blocks that are kept for ranges beside it. */
function piecesOf(blob: OpenBlob): (start: number, end: number) => AsyncGenerator<Buffer> {
  const blocks = new LRUCache<number, Promise<Buffer>>({ max: MOST_BLOCKS })
  function blockAt(start: number): Promise<Buffer> {
    const kept = blocks.get(start)
    if (kept) return kept
    const block = buffer(blob.slice({ start, end: Math.min(start + BLOCK_BYTES, blob.size) - 1 }))
    blocks.set(start, block)
    return block
  }
  return async function* (start, end) {
    for (let at = start - (start % BLOCK_BYTES); at < Math.min(end, blob.size); at += BLOCK_BYTES)
      yield (await blockAt(at)).subarray(Math.max(0, start - at), end - at)
  }
}

/**
 * The files in a zip file, to be read while it is open; undefined where it is none, or one that is packed in another way. Directories are left out.
 * What a file holds ends with an error where its size is another one than was said.
 */
export async function readZip(blob: OpenBlob): Promise<readonly FoundEntry[] | undefined> {
  const { fromRandomAccessReaderPromise, RandomAccessReader } = await import("yauzl")
  const pieces = piecesOf(blob)
  class Reader extends RandomAccessReader {
    override _readStreamForRange(start: number, end: number): Readable {
      return end - start > BLOCK_BYTES ? blob.slice({ start, end: end - 1 }) : Readable.from(pieces(start, end), { objectMode: false })
    }
    // As the one above does, without a stream for each of many thousand entries.
    override read(target: Buffer, offset: number, length: number, position: number, done: (error: Error | null, bytes?: number) => void) {
      const copy = async (): Promise<number> => {
        let bytes = 0
        for await (const piece of pieces(position, position + length)) bytes += piece.copy(target, offset + bytes)
        return bytes
      }
      copy().then((bytes) => done(null, bytes), done)
    }
  }
  try {
    // Names are paths in artifacts, and never in a file system.
    const zip = await fromRandomAccessReaderPromise(new Reader(), blob.size, { autoClose: false, lazyEntries: true, decodeStrings: false })
    if (zip.entryCount > MOST) return undefined
    const found: FoundEntry[] = []
    let [bytes, count] = [0, 0]
    for await (const entry of zip.eachEntry()) {
      if (++count % TURN_ENTRIES === 0) await nextTurn()
      const { compressionMethod: method, crc32: crc, compressedSize: packed, uncompressedSize: size, fileNameRaw } = entry
      bytes += ENTRY_BYTES + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength
      if (bytes > DIRECTORY_BYTES || !entry.canDecodeFileData()) return undefined
      const path = fileNameRaw.toString()
      const read = async function* (options: ZipFileOptions): AsyncGenerator<Buffer> {
        yield* await zip.openReadStreamPromise(entry, options)
      }
      if (!path.endsWith("/"))
        found.push({ path, method, crc, packed, size, content: () => read({}), stored: () => read({ decodeFileData: false }) })
    }
    return found
  } catch (error) {
    // Errors of the file system have a code; others than those of storage say what is wrong with the zip file.
    if (error instanceof StorageUnavailable || (error instanceof Error && "code" in error)) throw error
    return undefined
  }
}
