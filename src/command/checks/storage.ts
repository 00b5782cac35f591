import { randomUUID } from "node:crypto"
import type { Blobs } from "../../core/blobs/blobs.ts"
import { StorageRefused } from "../../core/blobs/blobs.ts"
import { blobsIn } from "../../core/blobs/folder.ts"
import { countBlobs, inWords } from "../../core/blobs/move.ts"
import { type ObjectStore, openStore } from "../../core/blobs/object-store.ts"
import type { Config } from "../../core/config.ts"
import { type Finding, failure, ok, warning } from "./finding.ts"

/** Signatures are refused beyond a quarter of an hour. */
const MOST_SKEW_MS = 5 * 60_000

/** The object store, where there is one: reachable, writable, on time, and with all files in one place. */
export async function* checkStorage(config: Config): AsyncGenerator<Finding> {
  const { dataDir, storage } = config
  if (storage.url === "") return yield ok("files: in the data folder")
  const store = await openStore(storage).catch((error: unknown) => {
    if (error instanceof StorageRefused) return failure(error.message, error.advice)
    throw error
  })
  if ("level" in store) return yield store
  try {
    yield await checkWriting(store.blobs)
    yield await checkClock(store)
    yield await checkUploads(store)
    yield await checkPlaces(blobsIn(dataDir), store.blobs, storage.place)
  } catch (error) {
    yield failure(`The object store fails: ${error instanceof Error ? error.message : String(error)}.`, "See whether it is well.")
  } finally {
    store.close()
  }
}

/** Writes an object, reads it, and removes it. */
async function checkWriting(blobs: Blobs): Promise<Finding> {
  const key = `probe/${randomUUID()}`
  const written = Buffer.from(key)
  const advice = "Let the access key list the bucket, and read, write and delete its objects."
  try {
    await blobs.write(key, [written])
    const chunks: Buffer[] = []
    for await (const chunk of (await blobs.open(key))?.read() ?? []) chunks.push(chunk)
    await blobs.remove(key)
    if (!Buffer.concat(chunks).equals(written)) return failure("The object store gives other bytes than were written to it.", advice)
    if (await blobs.open(key)) return failure("The object store still has what was removed.", advice)
    return ok("object store: written to, read and removed from")
  } catch (error) {
    return failure(`The object store can't be written to: ${error instanceof Error ? error.message : String(error)}.`, advice)
  }
}

async function checkClock(store: ObjectStore): Promise<Finding> {
  const skew = Math.abs((await store.look()) - Date.now())
  if (Number.isNaN(skew) || skew <= MOST_SKEW_MS) return ok("object store: its clock and this one agree")
  return warning(
    `The clocks of the object store and of this machine are ${Math.round(skew / 60_000)} minutes apart.`,
    "Set them right: beyond a quarter of an hour the store refuses every call.",
  )
}

async function checkUploads(store: ObjectStore): Promise<Finding> {
  const count = await store.countUploads()
  return ok(`object store: ${count} uploads under way or left behind; a server takes back those of more than a day`)
}

/** Files that are not where new ones are written. */
async function checkPlaces(folder: Blobs, store: Blobs, place: Config["storage"]["place"]): Promise<Finding> {
  const rest = await countBlobs(place === "store" ? folder : store, new AbortController().signal)
  if (rest.files === 0) return ok(`files: all in the ${place === "store" ? "object store" : "data folder"}`)
  const other = place === "store" ? "the data folder" : "the object store"
  return warning(`${inWords(rest)} are still in ${other}. They are found there too.`, "Move them with `hearth storage move`.")
}
