import type { FileHandle } from "node:fs/promises"
import { Readable, type Transform } from "node:stream"
import { createInflateRaw } from "node:zlib"
import { refuse } from "../../../core/errors.ts"

/**
 * Zip files, as far as artifacts of version 3 need them: written without compression, so that nothing depends on the order in which files arrive, and read
 * with or without. Sizes are those of the first version of the format: 4 GiB and 65,534 files.
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

/** An entry that was read, with the place of its local header. */
export interface FoundEntry extends ZipEntry {
  readonly offset: number
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
/** 1980-01-01, the first day of the format. */
const DATE = 0x0021
const VERSION = 20

/** The bytes of a zip file. Refuses `tooLarge` what the format can't hold. */
export async function* writeZip(entries: readonly NewEntry[]): AsyncGenerator<Buffer> {
  if (entries.length > MOST) throw refuse.tooLarge(`an artifact of version 3 has at most ${MOST} files`)
  const central: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
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

/** The files in a zip file; undefined where it is none, or one of the newer kind. Directories are left out. */
export async function readZip(handle: FileHandle, fileSize: number): Promise<readonly FoundEntry[] | undefined> {
  const tail = await readAt(handle, Math.max(0, fileSize - END_BYTES - 0xffff), fileSize)
  const at = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (at < 0 || tail.length - at < END_BYTES) return undefined
  const [count, length, start] = [tail.readUInt16LE(at + 10), tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
  if (count > MOST || start + length > fileSize || length > DIRECTORY_BYTES) return undefined
  const directory = await readAt(handle, start, start + length)
  const found: FoundEntry[] = []
  for (let from = 0, index = 0; index < count; index++) {
    if (directory.length - from < CENTRAL_BYTES || directory.readUInt32LE(from) !== CENTRAL) return undefined
    const [name, extra, comment] = [directory.readUInt16LE(from + 28), directory.readUInt16LE(from + 30), directory.readUInt16LE(from + 32)]
    const path = directory.toString("utf8", from + CENTRAL_BYTES, from + CENTRAL_BYTES + name)
    const entry = {
      path,
      method: directory.readUInt16LE(from + 10),
      crc: directory.readUInt32LE(from + 16),
      packed: directory.readUInt32LE(from + 20),
      size: directory.readUInt32LE(from + 24),
      offset: directory.readUInt32LE(from + 42),
    }
    if (entry.packed === LARGEST || entry.size === LARGEST || entry.offset === LARGEST || (entry.method !== 0 && entry.method !== 8))
      return undefined
    if (!path.endsWith("/")) found.push(entry)
    from += CENTRAL_BYTES + name + extra + comment
  }
  return found
}

/** The bytes of an entry as they are stored. */
export async function* packedContent(handle: FileHandle, { offset, packed }: FoundEntry): AsyncGenerator<Buffer> {
  const local = await readAt(handle, offset, offset + LOCAL_BYTES)
  if (local.length < LOCAL_BYTES || local.readUInt32LE(0) !== LOCAL) throw new Error("a zip file is damaged")
  const start = offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28)
  if (packed > 0) yield* handle.createReadStream({ start, end: start + packed - 1, autoClose: false })
}

/** The bytes of the file that an entry is. */
export async function* entryContent(handle: FileHandle, entry: FoundEntry): AsyncGenerator<Buffer> {
  if (entry.method === 0) yield* packedContent(handle, entry)
  else yield* unpacked(packedContent(handle, entry), createInflateRaw())
}

/** What a stream makes of packed bytes; an error of either ends it. */
export async function* unpacked(content: AsyncIterable<Buffer>, through: Transform): AsyncGenerator<Buffer> {
  const source = Readable.from(content)
  source.on("error", (error) => through.destroy(error))
  yield* source.pipe(through)
}

async function readAt(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - start), 0, end - start, start)
  return buffer.subarray(0, bytesRead)
}
