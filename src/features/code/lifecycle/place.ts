import { StorageRefused } from "../../../core/blobs/blobs.ts"
import type { Database, Handle } from "../../../core/database/database.ts"
import { findValue, putValue } from "../../../core/values/store.ts"
import { countRepositories } from "../repositories/store.ts"

/**
 * Where all servers of this site keep repositories and wikis: in the data folder, or in the database and an object store. It is written down, since after a move
 * there are copies in both, and only one of them goes on.
 */
export type RepositoryPlace = "folder" | "store"

const NAME = "repositories"

export const placeOfRepositories = async (db: Handle): Promise<RepositoryPlace> =>
  (await findValue.first(db, { name: NAME }))?.value === "store" ? "store" : "folder"

export const putPlaceOfRepositories = (database: Database, place: RepositoryPlace): Promise<void> =>
  database.write(async (tx) => {
    await putValue(tx, { name: NAME, value: place })
  })

/** Refuses to look for repositories where they are not, with {@link StorageRefused}. One look-up of a row; where there is no repository yet, the place is changed. */
export async function requirePlace(database: Database, wanted: RepositoryPlace): Promise<void> {
  if ((await placeOfRepositories(database.read)) === wanted) return
  const fault = await misplaced(database.read, wanted)
  if (fault) throw fault
  await putPlaceOfRepositories(database, wanted)
}

/** Why repositories can't be served from a place; undefined where they can. */
export async function misplaced(db: Handle, wanted: RepositoryPlace): Promise<StorageRefused | undefined> {
  if ((await placeOfRepositories(db)) === wanted) return undefined
  const count = (await countRepositories.first(db))?.count ?? 0
  if (count === 0) return undefined
  const some = count === 1 ? "1 repository is" : `${count} repositories are`
  return wanted === "store"
    ? new StorageRefused(
        `${some} in the data folder, and not in the object store.`,
        "Move them with `hearth storage move --to store`, or take storage.url out of the settings.",
      )
    : new StorageRefused(
        `${some} in the object store, and not in the data folder.`,
        "Set storage.url and databaseUrl as they were, or move them with `hearth storage move --to folder`.",
      )
}
