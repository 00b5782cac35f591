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

/** The number of leading bytes inspected to detect text. */
const LOOKED_AT = 8000
/** Files up to this size are read whole instead of streamed. */
const SMALL = 1024 * 1024

/** The raw bytes of a file or symbolic link at a path. Refuses `notFound` if there is neither. */
export const rawFile = async (place: Place, path: string): Promise<Download> => downloadOf(place, await locateBlob(place, path))

/** Like `rawFile`, but for an LFS pointer to an object that the repository has, the object's bytes. */
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

/** Images and videos get their type by file extension; all other text is served as plain text, and the rest as a download. */
function deliver(name: string, start: Buffer): Omit<OpenDownload, "content"> {
  const { type, disposition } = fileHeadersOf(name)
  if (/^(image|video)\//.test(type)) return { type, disposition }
  const isText = !start.subarray(0, LOOKED_AT).includes(0)
  return {
    type: isText ? "text/plain; charset=utf-8" : "application/octet-stream",
    disposition: disposition.replace(/^\w+/, isText ? "inline" : "attachment"),
  }
}

/** Peeks at the first bytes of a stream without consuming them. */
async function beginning(content: Readable): Promise<Buffer> {
  await new Promise<void>((resolve, reject) => {
    content.once("readable", resolve).once("error", reject)
  })
  const start: unknown = content.read()
  if (!Buffer.isBuffer(start)) return Buffer.alloc(0)
  content.unshift(start)
  return start
}
