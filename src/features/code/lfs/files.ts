import { createHash, randomUUID } from "node:crypto"
import { type FileHandle, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { refuse } from "../../../core/errors.ts"
import { openIfExists, writeAtomically } from "../../../core/files.ts"
import type { Services } from "../../../core/services.ts"

/**
 * The bytes of large files, kept below the data folder under names of our own: nothing that a client says becomes part of a path. Rows come after the
 * file and go before it.
 */

const NAME = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

type Housed = Pick<Services, "config">

/** The folder of all of them; the files lie in folders named after the beginnings of their names. */
export const folderOf = ({ config }: Housed): string => join(config.dataDir, "lfs")

function pathOf(services: Housed, file: string): string {
  if (!NAME.test(file)) throw new TypeError("not the name of a large file")
  return join(folderOf(services), file.slice(0, 2), file)
}

/** What the bytes must turn out to be. */
export interface Expected {
  readonly oid: string
  readonly size: number
}

/**
 * Writes the bytes to a new file as they arrive, and gives its name. Refuses `invalid` other bytes than those expected, at the first one too many, and
 * fails as `content` does where it breaks off; nothing is left of it then. `content` itself is not destroyed: the answer goes out on the same
 * connection. Should the process end before the row is written, the sweep removes the file.
 */
export async function storeFile(services: Housed, content: Readable, expected: Expected): Promise<string> {
  const file = randomUUID()
  await writeAtomically(pathOf(services, file), check(content.iterator({ destroyOnReturn: false }), expected))
  return file
}

async function* check(chunks: AsyncIterable<Buffer>, { oid, size }: Expected): AsyncGenerator<Buffer> {
  const hash = createHash("sha256")
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > size) throw refuse.invalid("size", `more than the ${size} bytes that were announced`)
    hash.update(chunk)
    yield chunk
  }
  if (length !== size) throw refuse.invalid("size", `${length} bytes came where ${size} were announced`)
  if (hash.digest("hex") !== oid) throw refuse.invalid("oid", "the SHA-256 of what came is another one")
}

/** Takes a file away again that no row needs. */
export const discardFile = (services: Housed, file: string): Promise<void> => rm(pathOf(services, file), { force: true })

/** The file, to be read and closed by the caller; undefined where it is gone. */
export const openFile = async (services: Housed, file: string): Promise<FileHandle | undefined> => openIfExists(pathOf(services, file))
