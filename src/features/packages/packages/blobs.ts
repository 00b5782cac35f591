import { createHash, randomUUID } from "node:crypto"
import { type FileHandle, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Config } from "../../../core/config.ts"
import { refuse } from "../../../core/errors.ts"
import { openIfExists, writeAtomically } from "../../../core/files.ts"
import type { Services } from "../../../core/services.ts"

/**
 * The contents of packages' files, stored below the data folder under generated names: no client input becomes part of a path. A row is inserted after
 * its file is written, and deleted before the file is removed.
 */

const NAME = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const DIGESTS = ["md5", "sha1", "sha256", "sha512"] as const

type WithConfig = Pick<Services, "config">

/** The folder of all contents; files are grouped in subfolders named after their prefix. */
export const folderOf = ({ config }: { readonly config: Pick<Config, "dataDir"> }): string => join(config.dataDir, "packages")

function pathOf(services: WithConfig, file: string): string {
  if (!NAME.test(file)) throw new TypeError("not the name of a package's content")
  return join(folderOf(services), file.slice(0, 2), file)
}

/** Content that is on the disk, and what was learnt while it was written. The digests are in hex. */
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
export async function storeContent(
  services: WithConfig,
  content: Iterable<Buffer> | AsyncIterable<Buffer>,
  limit: number,
): Promise<Stored> {
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
  await writeAtomically(pathOf(services, file), measured())
  const [md5 = "", sha1 = "", sha256 = "", sha512 = ""] = hashes.map((hash) => hash.digest("hex"))
  return { file, size, md5, sha1, sha256, sha512 }
}

/** Removes a file that no row uses. */
export const discardContent = (services: WithConfig, file: string): Promise<void> => rm(pathOf(services, file), { force: true })

/** Opens the file, which the caller closes; undefined if it is gone. */
export const openContent = async (services: WithConfig, file: string): Promise<FileHandle | undefined> =>
  openIfExists(pathOf(services, file))
