import { constants } from "node:fs"
import { lstat, open } from "node:fs/promises"
import { join } from "node:path"
import type { Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import type { Repository } from "../../../git/index.ts"
import { type Expected, storeFile } from "../../code/lfs/files.ts"
import { findPointers } from "../../code/lfs/pointers.ts"
import { insertLink, keepObject } from "../../code/lfs/store.ts"
import { recountLfsSize } from "../../code/repositories/counters-store.ts"

/** The large files of a bare repository, which Git LFS keeps below its lfs/objects. */

export interface StoredFile extends Expected {
  readonly file: string
}

/**
 * Stores the files that the repository's pointers name and the folder has; those without a row are swept later. Others are missing, as after a push
 * without them. Refuses `invalid` for a file whose content is another one, or that is larger than the site allows.
 */
export async function storeLargeFiles(services: Services, repository: Repository, folder: string): Promise<readonly StoredFile[]> {
  const objects = join(folder, "lfs", "objects")
  if (!(await isFolder(join(folder, "lfs"))) || !(await isFolder(objects))) return []
  const { git, config } = services
  const most = config.lfs.enabled ? config.lfs.maxBytes : -1
  const to = (await git.references.list(repository)).map(({ id }) => id)
  const stored: StoredFile[] = []
  for (const { oid, size } of await findPointers(git, repository, { to, not: [] })) {
    const inner = [join(objects, oid.slice(0, 2)), join(objects, oid.slice(0, 2), oid.slice(2, 4))]
    if (!(await Promise.all(inner.map(isFolder))).every(Boolean)) continue
    const path = join(objects, oid.slice(0, 2), oid.slice(2, 4), oid)
    if (!(await lstat(path).catch(() => undefined))?.isFile()) continue
    // The folder will be removed, so nothing of it may be left out silently.
    if (size > most) throw refuse.invalid("repo", t`it can't be adopted: its large file ${oid} is larger than what this site keeps`)
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      stored.push({ oid, size, file: await storeFile(services, handle.createReadStream({ autoClose: false }), { oid, size }) })
    } finally {
      await handle.close()
    }
  }
  return stored
}

const isFolder = async (path: string): Promise<boolean> => (await lstat(path).catch(() => undefined))?.isDirectory() === true

/** Makes stored files the repository's. Of a file that the site has already the stored copy is left without a row. */
export async function linkLargeFiles(tx: Transaction, repositoryId: number, files: readonly StoredFile[], now: number): Promise<void> {
  if (files.length === 0) return
  for (const file of files) {
    const object = await keepObject.first(tx, { ...file, now })
    if (object) await insertLink.changes(tx, { repositoryId, objectId: object.id, now })
  }
  await recountLfsSize(tx, repositoryId)
}
