import type { Readable } from "node:stream"
import type { Repository } from "../../../access/permission.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { writeRow } from "../../../core/files.ts"
import type { Services } from "../../../core/services.ts"
import { recountLfsSize } from "../repositories/counters-store.ts"
import { discardFile, isPut, storeFile } from "./files.ts"
import { isOid, isSize, type LargeFile } from "./pointers.ts"
import { findLinked, insertLink, keepObject, type LfsObject } from "./store.ts"

/** The repository's object with this id; undefined if it has none, even if another repository does. */
export const findObject = (db: Handle, { id: repositoryId }: Pick<Repository, "id">, oid: string): Promise<LfsObject | undefined> =>
  findLinked.first(db, { repositoryId, oids: [oid] })

/** Refuses `invalid` for a malformed object id or size. */
export function requireNameable({ oid, size }: LargeFile): void {
  if (!isOid(oid)) throw refuse.invalid("oid", "must be a SHA-256 in lower-case hex")
  if (!isSize(size)) throw refuse.invalid("size", "must be a whole number of bytes")
}

/**
 * Stores an object for a repository. All its bytes must be sent even if another repository has the same object: knowing an id gives no right to
 * its content. First the bytes are written, then row, link and size in one transaction. Concurrent uploads of one object end with one file.
 * Refuses `invalid` for a malformed id or size and for other bytes than announced, `tooLarge` over the site's limit.
 */
export async function takeObject(
  services: Services,
  repository: Pick<Repository, "id">,
  announced: LargeFile,
  content: Readable,
): Promise<void> {
  const { maxBytes } = services.config.lfs
  requireNameable(announced)
  if (announced.size > maxBytes) throw tooLarge(maxBytes)
  await linkFile(services, repository, announced, await storeFile(services, content, announced))
}

/**
 * Makes an object of a file that a client has put into the object store by the address that a batch gave it: its name is known to that client alone. False
 * where these bytes are not there.
 */
export async function takePutObject(
  services: Services,
  repository: Pick<Repository, "id">,
  announced: LargeFile,
  file: string,
): Promise<boolean> {
  if (announced.size > services.config.lfs.maxBytes || !(await isPut(services, file, announced))) return false
  await linkFile(services, repository, announced, file)
  return true
}

/** Writes row, link and size for a file that is in place. */
async function linkFile(
  services: Services,
  { id: repositoryId }: Pick<Repository, "id">,
  { oid, size }: LargeFile,
  file: string,
): Promise<void> {
  const { database, now } = services
  const discard = () => discardFile(services, file)
  const write = () =>
    database.write(async (tx) => {
      const [object] = await keepObject(tx, { oid, size, file, now: now() })
      if (!object) throw new TypeError("an insert gives its row")
      await insertLink.changes(tx, { repositoryId, objectId: object.id, now: now() })
      await recountLfsSize(tx, repositoryId)
      return object.file
    })
  // Another upload may have been first.
  if ((await writeRow(write, discard)) !== file) await discard()
}

export const tooLarge = (limit: number) => refuse.tooLarge(`a large file may have at most ${limit} bytes here`)
