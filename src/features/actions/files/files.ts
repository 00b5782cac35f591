import { createHash, randomUUID } from "node:crypto"
import { type FileHandle, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import type { Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { openIfExists, writeAtomically } from "../../../core/files.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"

/**
 * The bytes of artifacts and logs, kept below the data folder under names of our own, those of each repository in a folder that goes with it.
 * Rows come after the file and go before it.
 */

const NAME = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

type Housed = Pick<Services, "config">

/** The folder of all repositories' folders. */
export const folderOf = ({ config }: Housed): string => join(config.dataDir, "actions")

/** The folder of a repository's artifacts and logs, by its storage key. */
export const actionFilesOf = (services: Housed, storage: string): string => join(folderOf(services), storage)

/** A file of a repository. */
export interface Place {
  readonly storage: string
  readonly file: string
}

/** Where a file lies; it need not be there. */
export function pathOf(services: Housed, { storage, file }: Place): string {
  if (!NAME.test(file)) throw new TypeError("not the name of an artifact or a log")
  return join(actionFilesOf(services, storage), file)
}

export interface StoredFile extends Place {
  /** Bytes. */
  readonly size: number
  /** In hex. */
  readonly sha256: string
}

/** What the bytes must turn out to be, as far as it was said. */
export interface Expected {
  readonly size?: number | undefined
  /** In hex. */
  readonly sha256?: string | undefined
}

/**
 * Writes the bytes to a new file as they arrive. Refuses `tooLarge` at the first byte over the limit and `invalid` other bytes than those expected,
 * and fails as `content` does where it breaks off; nothing is left of it then. Should the process end before the row is written, the sweep
 * removes the file.
 */
export async function storeFile(
  services: Housed,
  { storage, maxBytes, expected }: { readonly storage: string; readonly maxBytes: number; readonly expected: Expected },
  content: Readable,
): Promise<StoredFile> {
  const place = { storage, file: randomUUID() }
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
  await writeAtomically(pathOf(services, place), checked())
  return { ...place, size, sha256 }
}

/** Takes a file away again that no row needs. */
export const discardFile = (services: Housed, place: Place): Promise<void> => rm(pathOf(services, place), { force: true })

/** The file, to be read and closed by the caller; undefined where it is gone. */
export const openFile = async (services: Housed, place: Place): Promise<FileHandle | undefined> => openIfExists(pathOf(services, place))

/** Removes files whose rows are gone, or say no more of them. */
export const removeActionFilesJob = defineJob({
  kind: "actions.removeFiles",
  payload: Type.Object({ storage: Type.String(), files: Type.Array(Type.String()) }),
  run: async ({ storage, files }, { context }) => {
    for (const file of files) await discardFile(context, { storage, file })
  },
})

/** Removes the folder of a repository that is gone. */
export const removeActionFolderJob = defineJob({
  kind: "actions.removeFolder",
  payload: Type.Object({ storage: Type.String() }),
  run: ({ storage }, { context }) => rm(actionFilesOf(context, storage), { recursive: true, force: true }),
})

const FILES_OF_A_JOB = 500

/** Has files removed once the transaction is committed; "" is none. */
export async function removeFiles(tx: Transaction, { jobs }: Pick<Services, "jobs">, places: readonly Place[]): Promise<void> {
  const there = Map.groupBy(
    places.filter(({ file }) => file !== ""),
    ({ storage }) => storage,
  )
  for (const [storage, list] of there)
    for (let at = 0; at < list.length; at += FILES_OF_A_JOB)
      await jobs.enqueue(tx, removeActionFilesJob, { storage, files: list.slice(at, at + FILES_OF_A_JOB).map(({ file }) => file) })
}
