import type { Readable } from "node:stream"
import { fileHeadersOf } from "../../../core/disposition.ts"
import type { Download, OpenDownload } from "../../../core/download.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import type { TreeEntry } from "../../../git/index.ts"
import { openFile } from "../lfs/files.ts"
import { findObject } from "../lfs/objects.ts"
import { POINTER_BYTES, readPointer } from "../lfs/pointers.ts"
import { findEntry, partsToRead } from "./paths.ts"
import { type Place, repositoryOf } from "./present.ts"

/** The first bytes of a file, by which it is told whether people can read it. */
const LOOKED_AT = 8000
/** What is read whole rather than in pieces. */
const SMALL = 1024 * 1024

/** The bare bytes of a file or symbolic link at a path. Refuses `notFound` where there is neither. */
export const rawFile = async (place: Place, path: string): Promise<Download> => downloadOf(place, await locateBlob(place, path))

/** Like `rawFile`, but where a pointer stands for a large file that the repository has, the bytes of that. */
export async function mediaFile(place: Place, path: string): Promise<Download> {
  const blob = await locateBlob(place, path)
  return (await largeFileOf(place, blob)) ?? downloadOf(place, blob)
}

interface Blob {
  readonly entry: TreeEntry
  /** Bytes. */
  readonly size: number
}

async function locateBlob(place: Place, path: string): Promise<Blob> {
  const { git } = place.services
  const repository = repositoryOf(place)
  const entry = await findEntry(git, repository, place.revision.commit.tree, partsToRead(path))
  if (!entry || entry.mode === "40000" || entry.mode === "160000") throw refuse.notFound()
  const info = await git.objects.info(repository, entry.id)
  if (info?.type !== "blob") throw refuse.notFound()
  return { entry, size: info.size }
}

async function largeFileOf(place: Place, { entry, size }: Blob): Promise<Download | undefined> {
  const { services, owned } = place
  if (!services.config.lfs.enabled || size > POINTER_BYTES || entry.mode === "120000") return undefined
  const pointer = readPointer(await services.git.objects.readBlob(repositoryOf(place), entry.id))
  const object = pointer && (await findObject(services.database.read, owned.repository, pointer.oid))
  if (!object || object.size !== pointer.size) return undefined
  return {
    tag: `"${object.oid}"`,
    size: object.size,
    open: async () => {
      const file = await openFile(services, object.file)
      if (!file) throw new Refusal("internal", `the file of large file ${object.oid} is gone`)
      const content = file.createReadStream()
      return { ...deliver(entry.name, await beginning(content)), content }
    },
  }
}

function downloadOf(place: Place, { entry, size }: Blob): Download {
  const { objects } = place.services.git
  const repository = repositoryOf(place)
  return {
    tag: `"${entry.id}"`,
    size,
    open: async () => {
      if (size <= SMALL) {
        const content = await objects.readBlob(repository, entry.id)
        return { ...deliver(entry.name, content), content }
      }
      const { content } = await objects.streamBlob(repository, entry.id)
      return { ...deliver(entry.name, await beginning(content)), content }
    },
  }
}

/** Pictures and films by the ending of the name; of all else texts are shown as plain text, whatever they are, and the rest can be saved. */
function deliver(name: string, start: Buffer): Omit<OpenDownload, "content"> {
  const { type, disposition } = fileHeadersOf(name)
  if (/^(image|video)\//.test(type)) return { type, disposition }
  const isText = !start.subarray(0, LOOKED_AT).includes(0)
  return {
    type: isText ? "text/plain; charset=utf-8" : "application/octet-stream",
    disposition: disposition.replace(/^\w+/, isText ? "inline" : "attachment"),
  }
}

/** The first bytes of a stream, which are still there for whoever reads it. */
async function beginning(content: Readable): Promise<Buffer> {
  await new Promise<void>((resolve, reject) => {
    content.once("readable", resolve).once("error", reject)
  })
  const start: unknown = content.read()
  if (!Buffer.isBuffer(start)) return Buffer.alloc(0)
  content.unshift(start)
  return start
}
