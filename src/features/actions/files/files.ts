import { createHash, randomUUID } from "node:crypto"
import type { Readable } from "node:stream"
import type { OpenBlob } from "../../../core/blobs/blobs.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"

/**
 * Files of artifacts and logs, stored under random names, with one folder for each repository. A row is written after
 * its file and deleted before it.
 */

const NAME = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

type WithBlobs = Pick<Services, "blobs">

/** The folder that contains the folders of all repositories. */
export const FOLDER = "actions"

/** The folder of a repository's artifacts and logs, by its storage key. */
export const actionFilesOf = (storage: string): string => `${FOLDER}/${storage}`

/** A file of a repository. */
export interface FileLocation {
  readonly storage: string
  readonly file: string
}

/** The key of a file, which need not exist. */
export function keyOf({ storage, file }: FileLocation): string {
  if (!NAME.test(file)) throw new TypeError("not the name of an artifact or a log")
  return `${actionFilesOf(storage)}/${file}`
}

export interface StoredFile extends FileLocation {
  /** Bytes. */
  readonly size: number
  /** In hex. */
  readonly sha256: string
}

/** The announced size and digest of the bytes, as far as known. */
export interface Expected {
  readonly size?: number | undefined
  /** In hex. */
  readonly sha256?: string | undefined
}

/**
 * Writes the bytes to a new file as they arrive. Refuses `tooLarge` at the first byte over the limit and `invalid` bytes that differ from
 * the expected size or digest, and fails with the error of `content` where it breaks off; no file is left then. If the process ends before
 * the row is written, the sweep removes the file.
 */
export async function storeFile(
  { blobs }: WithBlobs,
  { storage, maxBytes, expected }: { readonly storage: string; readonly maxBytes: number; readonly expected: Expected },
  content: Readable,
): Promise<StoredFile> {
  const location = { storage, file: randomUUID() }
  const digest = createHash("sha256")
  let [size, sha256] = [0, ""]
  async function* checked(): AsyncGenerator<Buffer> {
    for await (const chunk of content) {
      const bytes: Buffer = chunk
      size += bytes.length
      if (size > maxBytes) throw refuse.tooLarge(`an artifact has at most ${maxBytes} bytes`)
      digest.update(bytes)
      yield bytes
    }
    sha256 = digest.digest("hex")
    if (expected.size !== undefined && expected.size !== size)
      throw refuse.invalid("size", `${size} bytes came where ${expected.size} were announced`)
    if (expected.sha256 !== undefined && expected.sha256 !== sha256) throw refuse.invalid("hash", "the SHA-256 of what came is another one")
  }
  await blobs.write(keyOf(location), checked())
  return { ...location, size, sha256 }
}

/** Removes a file that no row names. */
export const discardFile = ({ blobs }: WithBlobs, location: FileLocation): Promise<void> => blobs.remove(keyOf(location))

/** Opens the file; undefined where it is gone. */
export const openFile = async ({ blobs }: WithBlobs, location: FileLocation): Promise<OpenBlob | undefined> => blobs.open(keyOf(location))

/** Removes files whose rows are deleted or no longer name them. */
export const removeActionFilesJob = defineJob({
  kind: "actions.removeFiles",
  payload: Type.Object({ storage: Type.String(), files: Type.Array(Type.String()) }),
  run: async ({ storage, files }, { context }) => {
    for (const file of files) await discardFile(context, { storage, file })
  },
})

/** Removes the folder of a deleted repository. */
export const removeActionFolderJob = defineJob({
  kind: "actions.removeFolder",
  payload: Type.Object({ storage: Type.String() }),
  run: ({ storage }, { context }) => context.blobs.removeBelow(actionFilesOf(storage)),
})

const FILES_OF_A_JOB = 500

/** Enqueues the removal of files after the commit; "" is ignored. */
export async function removeFiles(tx: Transaction, { jobs }: Pick<Services, "jobs">, locations: readonly FileLocation[]): Promise<void> {
  const there = Map.groupBy(
    locations.filter(({ file }) => file !== ""),
    ({ storage }) => storage,
  )
  for (const [storage, list] of there)
    for (let at = 0; at < list.length; at += FILES_OF_A_JOB)
      await jobs.enqueue(tx, removeActionFilesJob, { storage, files: list.slice(at, at + FILES_OF_A_JOB).map(({ file }) => file) })
}
