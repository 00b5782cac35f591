import { createHash, randomUUID } from "node:crypto"
import type { Content, OpenBlob } from "../../../core/blobs/blobs.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"

/**
 * The contents of packages' files, stored under generated names: no client input becomes part of a path. A row is inserted after
 * its file is written, and deleted before the file is removed.
 */

const NAME = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const DIGESTS = ["md5", "sha1", "sha256", "sha512"] as const

type WithBlobs = Pick<Services, "blobs">

/** The folder of all contents. */
export const FOLDER = "packages"

/** Files are grouped in subfolders named after their prefix. */
function keyOf(file: string): string {
  if (!NAME.test(file)) throw new TypeError("not the name of a package's content")
  return `${FOLDER}/${file.slice(0, 2)}/${file}`
}

/** Content that is stored, and what was learnt while it was written. The digests are in hex. */
export interface Stored {
  readonly file: string
  readonly size: number
  readonly md5: string
  readonly sha1: string
  readonly sha256: string
  readonly sha512: string
}

export const tooLarge = (limit: number) => refuse.tooLarge(`a file of a package may have at most ${limit} bytes here`)

/**
 * Writes the bytes to a new file as they arrive. Refuses `tooLarge` at the first byte over `limit`, and fails as `content` does if it breaks off; the
 * file is removed then. If the process ends before the row is written, the sweep removes the file.
 */
export async function storeContent({ blobs }: WithBlobs, content: Content, limit: number): Promise<Stored> {
  const file = randomUUID()
  const hashes = DIGESTS.map((name) => createHash(name))
  let size = 0
  async function* measured(): AsyncGenerator<Buffer> {
    for await (const chunk of content) {
      size += chunk.length
      if (size > limit) throw tooLarge(limit)
      for (const hash of hashes) hash.update(chunk)
      yield chunk
    }
  }
  await blobs.write(keyOf(file), measured())
  const [md5 = "", sha1 = "", sha256 = "", sha512 = ""] = hashes.map((hash) => hash.digest("hex"))
  return { file, size, md5, sha1, sha256, sha512 }
}

/** Removes a file that no row uses. */
export const discardContent = ({ blobs }: WithBlobs, file: string): Promise<void> => blobs.remove(keyOf(file))

/** Opens the file; undefined if it is gone. */
export const openContent = async ({ blobs }: WithBlobs, file: string): Promise<OpenBlob | undefined> => blobs.open(keyOf(file))
