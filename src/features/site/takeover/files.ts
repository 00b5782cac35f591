import { createReadStream } from "node:fs"
import { mkdir, stat } from "node:fs/promises"
import { dirname, join, normalize } from "node:path"
import { pipeline, type Readable } from "node:stream"
import { crc32, createGunzip, createGzip, createZstdDecompress } from "node:zlib"
import type { Blobs } from "../../../core/blobs/blobs.ts"
import { ifMissing } from "../../../core/files.ts"
import { hasCode } from "../../../git/model/errors.ts"
import { linkOrCopy } from "../../../git/process/files.ts"
import { type NewEntry, writeZip } from "../../actions/artifacts/zip.ts"
import type { FilePart } from "./mapping/file-part.ts"
import type { TakenFile } from "./mapping/kind.ts"
import type { Layout } from "./source/layout.ts"

/** Files of the old server, brought before the rows that name them. */
export interface Files {
  /** Brings a file, unless it is here; says whether it is there. */
  readonly bring: (file: TakenFile) => Promise<"brought" | "same" | "missing">
  /** Whether it is there. */
  readonly look: (file: TakenFile) => Promise<"same" | "missing">
}

interface Options {
  readonly layout: Layout
  readonly blobs: Blobs
  /** The folder that our blobs are in, where they may be hard links; undefined to copy. */
  readonly linkInto: string | undefined
}

export function openFiles({ layout, blobs, linkInto }: Options): Files {
  const pathOf = ({ store, path }: Pick<TakenFile, "store" | "path">) => {
    const below = normalize(path)
    if (below.startsWith("..") || below.startsWith("/")) return undefined
    return join(layout.stores[store], below)
  }
  const sizeOf = async (path: string) => (await stat(path).catch(ifMissing(undefined)))?.size

  async function isHere(key: string, size: number | undefined): Promise<boolean> {
    const blob = await blobs.open(key)
    await blob?.close()
    return blob !== undefined && (size === undefined || blob.size === size)
  }

  return {
    async look(file) {
      const path = pathOf(file)
      return path !== undefined && (await sizeOf(path)) !== undefined ? "same" : "missing"
    },
    async bring(file) {
      const path = pathOf(file)
      const size = path === undefined ? undefined : await sizeOf(path)
      if (path === undefined || size === undefined) return "missing"
      const isAsItWas = file.recode === undefined && file.parts === undefined
      if (await isHere(file.key, isAsItWas ? size : undefined)) return "same"
      if (linkInto !== undefined && isAsItWas) {
        const target = join(linkInto, file.key)
        await mkdir(dirname(target), { recursive: true })
        await linkOrCopy(path, target)
        return "brought"
      }
      const content = file.parts ? await zipOf(file.parts, (part) => pathOf({ store: file.store, path: part })) : recoded(file, path)
      if (content === undefined) return "missing"
      return (await write(blobs, file.key, content)) ? "brought" : "missing"
    },
  }
}

/** Says whether it was there to the end. */
async function write(blobs: Blobs, key: string, content: AsyncIterable<Buffer>): Promise<boolean> {
  try {
    await blobs.write(key, content)
    return true
  } catch (error) {
    // Gone since it was looked for.
    if (!hasCode(error, "ENOENT")) throw error
    return false
  }
}

function recoded({ recode }: TakenFile, path: string): Readable {
  const plain = createReadStream(path)
  switch (recode) {
    case "plain to gzip":
      return through(plain, createGzip())
    case "zstd to gzip":
      return through(through(plain, createZstdDecompress()), createGzip())
    default:
      return plain
  }
}

function through<Through extends NodeJS.ReadWriteStream & Readable>(from: Readable, to: Through): Through {
  // What fails is seen by who reads.
  pipeline(from, to, (error) => {
    if (error) to.destroy(error)
  })
  return to
}

/** One zip file; undefined where one of the files is missing, or not as long as it was. Each is read twice, since its size and checksum come before its bytes. */
async function zipOf(parts: readonly FilePart[], pathOf: (path: string) => string | undefined): Promise<AsyncIterable<Buffer> | undefined> {
  const entries: NewEntry[] = []
  for (const { path, name, isGzip, size: declared } of parts) {
    const file = pathOf(path)
    if (file === undefined) return undefined
    const content = () => (isGzip ? through(createReadStream(file), createGunzip()) : createReadStream(file))
    let [crc, size] = [0, 0]
    try {
      for await (const chunk of content()) {
        crc = crc32(chunk, crc)
        size += chunk.length
      }
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error
      return undefined
    }
    // Its row says how long the zip file is, from the size that the old server has noted.
    if (size !== declared) return undefined
    entries.push({ path: name, method: 0, crc, packed: size, size, content })
  }
  return writeZip(entries)
}
