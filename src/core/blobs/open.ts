import type { Config } from "../config.ts"
import type { Blobs } from "./blobs.ts"
import { blobsIn } from "./folder.ts"
import type { ObjectStore, WatchRequest } from "./object-store.ts"

export interface Storage {
  readonly blobs: Blobs
  /** The object store, where there is one. */
  readonly store: ObjectStore | undefined
  readonly close: () => void
}

/** Opens where blobs are: the data folder, or with `storage.url` that and an object store. Refuses a store that can't be used with `StorageRefused`. */
export async function openStorage({ dataDir, storage }: Config, watch?: WatchRequest): Promise<Storage> {
  const folder = blobsIn(dataDir)
  if (storage.url === "") return { blobs: folder, store: undefined, close() {} }
  const [{ openStore }, { blobsInBoth }] = await Promise.all([import("./object-store.ts"), import("./both.ts")])
  const store = await openStore(storage, watch)
  const target = storage.place === "store" ? store.blobs : folder
  return { blobs: blobsInBoth(folder, store.blobs, target), store, close: store.close }
}
