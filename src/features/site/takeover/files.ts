import { createReadStream } from "node:fs"
import { mkdir, stat } from "node:fs/promises"
import { dirname, join, normalize } from "node:path"
import { pipeline, type Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import { crc32, createGunzip, createGzip, createZstdDecompress } from "node:zlib"
import type { Blobs } from "../../../core/blobs/blobs.ts"
import { ifMissing } from "../../../core/files.ts"
import { hasCode } from "../../../git/model/errors.ts"
import { linkOrCopy } from "../../../git/process/files.ts"
import { writeZip } from "../../actions/artifacts/zip.ts"
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

/** The most bytes of a file that is put into a zip file in memory. */
const MOST_ZIPPED = 256 * 2 ** 20

export function openFiles({ layout, blobs, linkInto }: Options): Files {
  const pathOf = ({ store, path }: TakenFile) => {
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
      if (await isHere(file.key, file.recode === undefined ? size : undefined)) return "same"
      if (linkInto !== undefined && file.recode === undefined) {
        const target = join(linkInto, file.key)
        await mkdir(dirname(target), { recursive: true })
        await linkOrCopy(path, target)
      } else await write(blobs, file, path)
      return "brought"
    },
  }
}

async function write(blobs: Blobs, file: TakenFile, path: string): Promise<void> {
  const plain = createReadStream(path)
  try {
    await blobs.write(file.key, await recoded(file, plain))
  } catch (error) {
    // Gone since it was looked for.
    if (!hasCode(error, "ENOENT")) throw error
  } finally {
    plain.destroy()
  }
}

async function recoded(file: TakenFile, plain: Readable): Promise<AsyncIterable<Buffer>> {
  switch (file.recode) {
    case "plain to gzip":
      return through(plain, createGzip())
    case "zstd to gzip":
      return through(through(plain, createZstdDecompress()), createGzip())
    case "plain to zip":
      return zipOf(file, plain)
    case "gzip to zip":
      return zipOf(file, through(plain, createGunzip()))
    default:
      return plain
  }
}

function through<Through extends NodeJS.ReadWriteStream & Readable>(from: Readable, to: Through): Through {
  // What fails is seen by who reads.
  pipeline(from, to, () => {})
  return to
}

async function zipOf({ name = "file" }: TakenFile, from: Readable): Promise<AsyncIterable<Buffer>> {
  const content = await buffer(from)
  if (content.length > MOST_ZIPPED) throw new RangeError("an artifact is too large to be packed")
  return writeZip([
    {
      path: name,
      method: 0,
      crc: crc32(content),
      packed: content.length,
      size: content.length,
      content: async function* () {
        yield content
      },
    },
  ])
}
