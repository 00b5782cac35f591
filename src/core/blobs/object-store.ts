import type { Config } from "../config.ts"
import { type Blobs, StorageRefused } from "./blobs.ts"
import { abortOldUploads, blobsOf, listUploads } from "./objects.ts"
import { openS3, type S3, type WatchRequest } from "./s3.ts"
import { readStoragePlace, type StoragePlace } from "./s3-place.ts"

export type { WatchRequest } from "./s3.ts"

export interface ObjectStore {
  readonly blobs: Blobs
  /** Asks for the first of its objects: rejects with {@link StorageUnavailable} where it does not give them. Gives what its clock says, in milliseconds since 1970. */
  readonly look: () => Promise<number>
  /** Takes back uploads in parts that began before this time, in milliseconds since 1970, and were not completed. Gives how many. */
  readonly abortOldUploads: (before: number, signal?: AbortSignal) => Promise<number>
  /** How many uploads in parts are not completed. */
  readonly countUploads: () => Promise<number>
  readonly close: () => void
}

/** Opens the store that settings name, once it has shown that it is there, unless it need not be tried. Rejects with {@link StorageRefused}. */
export async function openStore(
  storage: Omit<Config["storage"], "cacheBytes">,
  { isTried = true, watch }: { readonly isTried?: boolean; readonly watch?: WatchRequest } = {},
): Promise<ObjectStore> {
  const place = readStoragePlace(storage.url)
  if (typeof place === "string")
    throw new StorageRefused(`The object store can't be used: storage.url ${place}.`, "Put right HEARTH_STORAGE_URL.")
  const s3 = await openS3(place, storage, { watch })
  if (isTried) await tryStore(s3, place)
  return {
    blobs: blobsOf(s3, { isDirect: storage.presigned }),
    look: () => look(s3),
    abortOldUploads: (before, signal) => abortOldUploads(s3, before, signal),
    async countUploads() {
      let count = 0
      for await (const _ of listUploads(s3)) count += 1
      return count
    },
    close: s3.close,
  }
}

async function tryStore(s3: S3, { bucket, endpoint }: StoragePlace): Promise<void> {
  try {
    await look(s3)
  } catch (error) {
    s3.close()
    const reason = error instanceof Error ? error.message : String(error)
    throw new StorageRefused(
      `The object store can't be used: bucket ${bucket} at ${endpoint.origin}: ${reason}.`,
      "Check HEARTH_STORAGE_URL, HEARTH_STORAGE_ACCESS_KEY and HEARTH_STORAGE_SECRET_KEY, and that the store can be reached from here. Its bucket must be there.",
      error,
    )
  }
}

async function look(s3: S3): Promise<number> {
  const { headers } = await s3.askText({ method: "GET", query: { "list-type": "2", "max-keys": "1" }, accept: [200] })
  return Date.parse(headers.date ?? "")
}
