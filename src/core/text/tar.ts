/** Archives as `tar` has them (POSIX ustar): plain files alone, one after the other. */

const BLOCK = 512
/** Bytes that the eleven octal digits of a header can say; larger sizes are written in base 256, as GNU has it. */
const MOST_OCTAL = 8 ** 11

/** The header of a file. Names have at most 100 bytes, or 255 where a slash divides them. Throws for a longer one. */
export function tarHeader(name: string, size: number, at: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  const [prefix, last] = divided(name)
  header.write(last, 0, 100, "utf8")
  header.write("0000644\0", 100, "latin1")
  header.write("0000000\0", 108, "latin1")
  header.write("0000000\0", 116, "latin1")
  if (size < MOST_OCTAL) header.write(`${size.toString(8).padStart(11, "0")}\0`, 124, "latin1")
  else {
    header[124] = 0x80
    header.writeUIntBE(size, 130, 6)
  }
  header.write(`${at.toString(8).padStart(11, "0")}\0`, 136, "latin1")
  header.write("        ", 148, "latin1")
  header.write("0", 156, "latin1")
  header.write("ustar\0" + "00", 257, "latin1")
  header.write(prefix, 345, 155, "utf8")
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1")
  return header
}

function divided(name: string): readonly [prefix: string, last: string] {
  if (Buffer.byteLength(name) <= 100) return ["", name]
  for (let slash = name.indexOf("/"); slash > 0; slash = name.indexOf("/", slash + 1)) {
    const [prefix, last] = [name.slice(0, slash), name.slice(slash + 1)]
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(last) <= 100) return [prefix, last]
  }
  throw new RangeError("the name is too long for an archive")
}

/** What comes after the bytes of a file. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)

/** What comes after the last file. */
export const TAR_END = Buffer.alloc(2 * BLOCK)

/** Bytes of an entry that says a long name. */
const MOST_NAME = 64 * 1024

export interface TarEntry {
  readonly name: string
  readonly size: number
  /** Must be read before the next entry is asked for; what is not read is skipped. */
  readonly content: AsyncIterable<Buffer>
}

/** What is read is no archive, or breaks off. */
export class TarBroken extends Error {
  constructor(message: string) {
    super(message)
    this.name = "TarBroken"
  }
}

/** The plain files of an archive, as they come; all else is skipped. Throws {@link TarBroken}. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const chunks = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  async function some(most: number): Promise<Buffer> {
    while (rest.length === 0) {
      const next = await chunks.next()
      if (next.done) throw new TarBroken("the archive breaks off")
      rest = next.value
    }
    const part = rest.subarray(0, most)
    rest = rest.subarray(part.length)
    return part
  }
  async function exactly(size: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let left = size; left > 0; ) {
      const part = await some(left)
      parts.push(part)
      left -= part.length
    }
    return Buffer.concat(parts)
  }
  /** The name of the next entry, where an entry of its own says it: headers have no place for long ones. */
  let longName: string | undefined
  for (;;) {
    const header = await exactly(BLOCK)
    if (header.every((byte) => byte === 0)) return
    const { name: shortName, size, type } = readHeader(header)
    if ((type === "L" || type === "x") && size <= MOST_NAME) {
      const said = await exactly(size)
      await exactly((BLOCK - (size % BLOCK)) % BLOCK)
      longName = (type === "L" ? said.toString("utf8").split("\0", 1)[0] : pathIn(said)) ?? longName
      continue
    }
    const name = longName ?? shortName
    longName = undefined
    const isFile = type === "0" || type === ""
    let left = size
    const content = async function* (): AsyncGenerator<Buffer> {
      while (left > 0) {
        const part = await some(left)
        left -= part.length
        yield part
      }
    }
    if (isFile) yield { name, size, content: content() }
    while (left > 0) left -= (await some(left)).length
    await exactly((BLOCK - (size % BLOCK)) % BLOCK)
  }
}

/** The path that an extended header (pax) says: records of a length, a word and a value. */
function pathIn(records: Buffer): string | undefined {
  for (let rest = records; rest.length > 0; ) {
    const length = Number.parseInt(rest.toString("latin1", 0, 12), 10)
    if (!(length > 0)) return undefined
    const [, path] = /^\d+ path=(.*)\n$/s.exec(rest.toString("utf8", 0, length)) ?? []
    if (path !== undefined) return path
    rest = rest.subarray(length)
  }
  return undefined
}

function readHeader(header: Buffer): { readonly name: string; readonly size: number; readonly type: string } {
  const text = (start: number, length: number): string => header.toString("utf8", start, start + length).split("\0", 1)[0] ?? ""
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (Number.parseInt(text(148, 8).trim(), 8) !== sum) throw new TarBroken("the archive is damaged, or no archive")
  const size = header[124] === 0x80 ? header.readUIntBE(130, 6) : Number.parseInt(text(124, 12).trim() || "0", 8)
  const prefix = text(345, 155)
  const type = text(156, 1)
  return { name: prefix === "" ? text(0, 100) : `${prefix}/${text(0, 100)}`, size, type }
}
