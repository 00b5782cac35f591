import { Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { refuse } from "../../../core/errors.ts"
import { parseJson } from "../../../core/text/json.ts"

/** What the archive of a package says about itself. It is unpacked only to be counted, and never written. */

const BLOCK = 512
/** The largest package.json, and the largest header of a long name. */
const MOST_TEXT = 1024 * 1024
const MOST_ENTRIES = 100_000

export interface Contents {
  readonly fileCount: number
  /** Bytes. */
  readonly unpackedSize: number
  /** Every package.json that unpacking could put at the top: the last one would win. */
  readonly manifests: readonly unknown[]
}

const notTarball = (why: string) => refuse.badRequest(`the tarball can't be read: ${why}`)

/** Reads a compressed archive. Refuses `badRequest` what is none, and `tooLarge` one whose content is more than `limit` bytes. */
export async function inspectTarball(bytes: Buffer, limit: number): Promise<Contents> {
  const reader = openReader()
  let size = 0
  const gunzip = createGunzip()
  const source = Readable.from([bytes])
  try {
    for await (const chunk of source.pipe(gunzip)) {
      size += chunk.length
      if (size > limit) throw refuse.tooLarge(`unpacked, the tarball has more than ${limit} bytes`)
      reader.take(chunk)
    }
  } catch (error) {
    throw isCompressionError(error) ? notTarball("it is not compressed with gzip, or cut off") : error
  } finally {
    source.destroy()
    gunzip.destroy()
  }
  return reader.end()
}

const isCompressionError = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("Z_")

/** An entry whose content is being passed over or collected. */
interface Entry {
  readonly kind: "file" | "manifest" | "path" | "other"
  size: number
  /** With the zeros that fill the last block. */
  left: number
  readonly text: Buffer[]
}

function openReader() {
  let pending: Buffer = Buffer.alloc(0)
  let entry: Entry | undefined
  /** The name of the next entry, where it is told in an entry of its own. */
  let longPath: string | undefined
  let [entries, fileCount, unpackedSize] = [0, 0, 0]
  let isOver = false
  const manifests: unknown[] = []

  function begin(header: Buffer): void {
    if (header.every((byte) => byte === 0)) {
      isOver = true
      return
    }
    entries += 1
    if (entries > MOST_ENTRIES) throw refuse.tooLarge(`the tarball has more than ${MOST_ENTRIES} entries`)
    requireChecksum(header)
    const size = sizeIn(header)
    const type = String.fromCharCode(header[156] ?? 0)
    const path = longPath ?? pathIn(header)
    const kind = kindOf(type, path)
    if (kind !== "path") longPath = undefined
    if (kind === "file" || kind === "manifest") {
      fileCount += 1
      unpackedSize += size
    }
    if (kind !== "file" && kind !== "other" && size > MOST_TEXT) throw refuse.tooLarge(`package.json has more than ${MOST_TEXT} bytes`)
    entry = { kind, size, left: Math.ceil(size / BLOCK) * BLOCK, text: [] }
    if (entry.left === 0) finish(entry, type)
    else entryType = type
  }
  let entryType = ""

  function finish({ kind, text, size }: Entry, type: string): void {
    const content = Buffer.concat(text).subarray(0, size)
    if (kind === "path") longPath = type === "L" ? content.toString("utf8").replace(/\0.*$/s, "") : (paxPath(content) ?? longPath)
    if (kind === "manifest") manifests.push(parseManifest(content))
    entry = undefined
  }

  return {
    take(chunk: Buffer): void {
      let rest = chunk
      while (rest.length > 0 && !isOver) {
        if (entry) {
          const part = rest.subarray(0, entry.left)
          if (entry.kind === "manifest" || entry.kind === "path") entry.text.push(Buffer.from(part))
          entry.left -= part.length
          rest = rest.subarray(part.length)
          if (entry.left === 0) finish(entry, entryType)
          continue
        }
        const needed = BLOCK - pending.length
        pending = Buffer.concat([pending, rest.subarray(0, needed)])
        rest = rest.subarray(needed)
        if (pending.length < BLOCK) continue
        const header = pending
        pending = Buffer.alloc(0)
        begin(header)
      }
    },
    end(): Contents {
      if (entry || pending.length > 0) throw notTarball("it is cut off")
      if (manifests.length === 0) throw refuse.badRequest("the tarball has no package.json")
      return { fileCount, unpackedSize, manifests }
    },
  }
}

function kindOf(type: string, path: string): Entry["kind"] {
  if (type === "x" || type === "L") return "path"
  const parts = path.split("/").filter((part) => part !== "" && part !== ".")
  if (parts.includes("..")) throw refuse.badRequest("the tarball has a path that leads out of it")
  if (type !== "0" && type !== "\0" && type !== "7") return "other"
  // Tools leave the first folder of each path away.
  return parts.length === 2 && parts[1] === "package.json" ? "manifest" : "file"
}

const textIn = (header: Buffer, start: number, length: number): string =>
  header
    .subarray(start, start + length)
    .toString("utf8")
    .replace(/\0.*$/s, "")

function pathIn(header: Buffer): string {
  const prefix = textIn(header, 257, 5) === "ustar" ? textIn(header, 345, 155) : ""
  const name = textIn(header, 0, 100)
  return prefix === "" ? name : `${prefix}/${name}`
}

function sizeIn(header: Buffer): number {
  const text = textIn(header, 124, 12).trim()
  if (!/^[0-7]*$/.test(text)) throw notTarball("an entry has no readable size")
  return text === "" ? 0 : Number.parseInt(text, 8)
}

function requireChecksum(header: Buffer): void {
  const told = Number.parseInt(textIn(header, 148, 8).trim(), 8)
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0)
  if (sum !== told) throw notTarball("it is no tar archive")
}

/** The path among the extended attributes of the next entry: lines of length, name and value. */
const paxPath = (content: Buffer): string | undefined => /(?:^|\n)\d+ path=([^\n]*)\n/.exec(content.toString("utf8"))?.[1]

function parseManifest(content: Buffer): unknown {
  try {
    return parseJson(content.toString("utf8").replace(/^\uFEFF/, ""))
  } catch (error) {
    if (error instanceof SyntaxError) throw refuse.badRequest("the package.json in the tarball is no JSON")
    throw error
  }
}
