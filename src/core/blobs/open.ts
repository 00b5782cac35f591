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

interface StorageOptions {
  /** Refuses a store that does not answer, with `StorageRefused`. Commands go on: few of them need it. */
  readonly isTried: boolean
  readonly watch: WatchRequest
}

/** Opens where blobs are: the data folder, or with `storage.url` that and an object store. */
export async function openStorage({ dataDir, storage }: Config, options: StorageOptions): Promise<Storage> {
  const folder = blobsIn(dataDir)
  if (storage.url === "") return { blobs: folder, store: undefined, close() {} }
  const [{ openStore }, { blobsInBoth }] = await Promise.all([import("./object-store.ts"), import("./both.ts")])
  const store = await openStore(storage, options)
  const target = storage.place === "store" ? store.blobs : folder
  return { blobs: blobsInBoth(folder, store.blobs, target), store, close: store.close }
}
