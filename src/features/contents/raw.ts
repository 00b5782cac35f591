import type { Readable } from "node:stream"
import type { Download, OpenDownload } from "../../core/download.ts"
import { refuse } from "../../core/errors.ts"
import { deliveryOf } from "../attachments/disposition.ts"
import { findEntry, partsToRead } from "./paths.ts"
import { type Place, repositoryOf } from "./present.ts"

/** The first bytes of a file, by which it is told whether people can read it. */
const LOOKED_AT = 8000
/** What is read whole rather than in pieces. */
const SMALL = 1024 * 1024

/** The bare bytes of a file or symbolic link at a path. Refuses `notFound` where there is neither. */
export async function rawFile(place: Place, path: string): Promise<Download> {
  const { objects } = place.services.git
  const repository = repositoryOf(place)
  const parts = partsToRead(path)
  const entry = await findEntry(place.services.git, repository, place.revision.commit.tree, parts)
  if (!entry || entry.mode === "40000" || entry.mode === "160000") throw refuse.notFound()
  const info = await objects.info(repository, entry.id)
  if (info?.type !== "blob") throw refuse.notFound()
  return {
    tag: `"${entry.id}"`,
    size: info.size,
    open: async () => {
      if (info.size <= SMALL) {
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
  const { type, disposition } = deliveryOf(name)
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
