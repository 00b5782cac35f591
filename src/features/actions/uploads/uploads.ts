import { Readable } from "node:stream"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"
import { writeRow } from "../../../core/files.ts"
import type { Services } from "../../../core/services.ts"
import { discardFile, type Expected, openFile, removeFiles, type StoredFile, storeFile } from "../files/files.ts"
import type { RunningTask } from "../tokens/store.ts"
import {
  countUploads,
  findNamedUpload,
  findUploadParts,
  findUploadSize,
  findUploadSizeOfTask,
  insertUpload,
  insertUploadPart,
  type OpenUpload,
  type Part,
  removeUpload,
  removeUploadPart,
  type Upload,
  writeOrder,
} from "./store.ts"

/**
 * Uploads of jobs that come in parts, in any order and several at once. Each part is a file with a row, so that an upload goes on after a restart and on
 * another process, and its parts stay until the whole is stored.
 */

const ENDED_ELSEWHERE = "this upload is being ended by another call; try again in a moment"

/** The most parts of an upload. */
const MOST_PARTS = 10_000
/** The most uploads that a task may have begun and not ended. */
const MOST_UPLOADS = 1_000

export type NewUpload = Pick<Upload, "kind" | "name"> & Partial<Pick<Upload, "version" | "scope" | "media_type" | "expires_at">>

/** The upload that a task has begun under a name. */
export const findUpload = (db: Handle, { task }: RunningTask, { kind, name, version = "" }: NewUpload): Promise<Upload | undefined> =>
  findNamedUpload.first(db, { taskId: task.id, kind, name, version })

/** Begins an upload; what the task has uploaded under the same name before is dropped. Refuses `invalid` more than a thousand at once. */
export async function beginUpload(
  tx: Transaction,
  services: Services,
  { task, repository }: Pick<RunningTask, "task" | "repository">,
  { kind, name, version = "", ...more }: NewUpload,
): Promise<Upload> {
  const before = await findNamedUpload.first(tx, { taskId: task.id, kind, name, version })
  if (before) await dropUpload(tx, services, { ...before, storage: repository.storage })
  const { total } = (await countUploads.first(tx, { taskId: task.id })) ?? { total: 0 }
  if (total >= MOST_UPLOADS) throw refuse.invalid("name", `this job has begun ${MOST_UPLOADS} uploads without ending them`)
  return insertUpload(tx, { ...more, kind, name, version, task_id: task.id, repository_id: repository.id, created_at: services.now() })
}

/** Where a part belongs: a named block, whose position a list says later; at an offset; after what is there; or it is all. */
export type PartPosition =
  | { readonly kind: "block"; readonly id: string }
  | { readonly kind: "offset"; readonly offset: number; readonly of?: string }
  | { readonly kind: "end" }
  | { readonly kind: "whole" }

const WHOLE = "whole"
const OFFSET_DIGITS = 16

/** The name of a block in the list of parts. */
export const blockName = (id: string): string => `block ${id}`

function nameOf(position: Exclude<PartPosition, { kind: "end" }>): string {
  if (position.kind === "block") return blockName(position.id)
  if (position.kind === "whole") return WHOLE
  return `${String(position.offset).padStart(OFFSET_DIGITS, "0")} ${position.of ?? ""}`
}

/**
 * Stores a part as its bytes arrive; one at the same position is replaced. Refuses `tooLarge` where the upload would have more than `maxBytes`, or all uploads
 * that the job has not ended more than its run may store, `invalid` too many parts, and `notFound` where the upload was ended meanwhile.
 */
export async function storePart(
  services: Services,
  upload: OpenUpload,
  { position, maxBytes, expected = {} }: { readonly position: PartPosition; readonly maxBytes: number; readonly expected?: Expected },
  content: Readable,
): Promise<void> {
  const { database, config } = services
  const { id, storage, task_id: taskId } = upload
  const most = config.actions.maxArtifactBytesPerRun + config.actions.maxCacheBytes
  /** What others leave for the part of this name. */
  const roomFor = async (db: Handle, name: string) => {
    const there = (await findUploadSize.first(db, { id, except: name })) ?? { bytes: 0, parts: 0 }
    const ofTask = (await findUploadSizeOfTask.first(db, { taskId, id, except: name })) ?? { bytes: 0 }
    const bytes = Math.min(maxBytes - (name === WHOLE ? 0 : there.bytes), most - ofTask.bytes)
    return { ...there, room: Math.max(0, bytes) }
  }
  const tooLarge = () => refuse.tooLarge(`an upload has at most ${maxBytes} bytes, and all that a job has not ended ${most}`)

  const { room } = await roomFor(database.read, position.kind === "end" ? "" : nameOf(position))
  if (expected.size !== undefined && expected.size > room) throw tooLarge()
  const stored = await storeFile(services, { storage, maxBytes: room, expected }, content)
  const write = () =>
    database.write(async (tx) => {
      if (!(await lockRow(tx, "action_uploads", id))) throw refuse.notFound("this upload has ended")
      const at: Exclude<PartPosition, { kind: "end" }> =
        position.kind === "end" ? { kind: "offset", offset: (await roomFor(tx, "")).bytes } : position
      const name = nameOf(at)
      const left = await roomFor(tx, name)
      if (stored.size > left.room) throw tooLarge()
      if (left.parts >= MOST_PARTS) throw refuse.invalid("parts", `an upload has at most ${MOST_PARTS} parts`)
      const replaced = await removeUploadPart(tx, { id, name })
      await removeFiles(
        tx,
        services,
        replaced.map(({ file }) => ({ storage, file })),
      )
      await insertUploadPart(tx, {
        upload_id: id,
        name,
        position: at.kind === "offset" ? at.offset : 0,
        file: stored.file,
        size: stored.size,
        sha256: stored.sha256,
      })
      if (at.kind === "whole") await writeOrder(tx, id, [name])
    })
  await writeRow(write, () => discardFile(services, stored))
}

/** Says which blocks an upload has, in their order. Refuses `invalid` one that has not arrived, and `notFound` where the upload was ended. */
export async function orderParts({ database }: Services, { id }: Upload, blocks: readonly string[]): Promise<void> {
  if (blocks.length > MOST_PARTS) throw refuse.invalid("parts", `an upload has at most ${MOST_PARTS} parts`)
  await database.write(async (tx) => {
    if (!(await lockRow(tx, "action_uploads", id))) throw refuse.notFound("this upload has ended")
    const there = new Set((await findUploadParts(tx, { id })).map(({ name }) => name))
    const names = blocks.map(blockName)
    if (!names.every((name) => there.has(name))) throw refuse.invalid("parts", "a block of this list has not arrived")
    await writeOrder(tx, id, names)
  })
}

/** The parts of an upload in their order. Refuses `invalid` where some are missing. */
export async function partsOf(db: Handle, { id, parts }: Upload): Promise<readonly Part[]> {
  const there = await findUploadParts(db, { id })
  if (parts !== "") {
    const names: readonly string[] = JSON.parse(parts)
    const byName = new Map(there.map((part) => [part.name, part]))
    return names.flatMap((name) => byName.get(name) ?? [])
  }
  requireWhole(there)
  return there
}

function requireWhole(parts: readonly Part[]): void {
  let end = 0
  for (const { position, size } of parts) {
    if (position !== end) throw refuse.invalid("parts", "some bytes of this upload have not arrived, or came twice")
    end += size
  }
}

/** The parts of each file of an upload that has several. Refuses `invalid` where some are missing. */
export async function partsByFile(db: Handle, { id }: Upload): Promise<ReadonlyMap<string, readonly Part[]>> {
  const files = Map.groupBy(await findUploadParts(db, { id }), ({ name }) => name.slice(OFFSET_DIGITS + 1))
  for (const parts of files.values()) requireWhole(parts)
  return files
}

/** What an upload has become: one file, new unless the upload had a single part. */
export interface Assembled {
  readonly stored: StoredFile
  readonly isNew: boolean
}

/**
 * Makes one file of the parts, which stay. Refuses `invalid` missing parts and what differs from the expected size or digest, `tooLarge`, and `busy` where
 * another call ends the same upload at this moment.
 */
export async function assemble(
  services: Services,
  upload: OpenUpload,
  { maxBytes, expected }: { readonly maxBytes: number; readonly expected: Expected },
): Promise<Assembled> {
  const { storage } = upload
  const parts = await partsOf(services.database.read, upload)
  const [only, ...more] = parts
  if (only && more.length === 0) {
    const { file, size, sha256 } = only
    requireExpected({ size, sha256 }, expected)
    return { stored: { storage, file, size, sha256 }, isNew: false }
  }
  const stored = await storeFile(services, { storage, maxBytes, expected }, Readable.from(contentOf(services, storage, parts)))
  return { stored, isNew: true }
}

function requireExpected(given: Required<Expected>, { size, sha256 }: Expected): void {
  if (size !== undefined && size !== given.size) throw refuse.invalid("size", `${given.size} bytes came where ${size} were announced`)
  if (sha256 !== undefined && sha256 !== given.sha256) throw refuse.invalid("hash", "the SHA-256 of what came is another one")
}

/** The bytes of parts, one after the other. */
export async function* contentOf(services: Services, storage: string, parts: readonly Part[]): AsyncGenerator<Buffer> {
  for (const { file } of parts) {
    const handle = await openFile(services, { storage, file })
    if (!handle) throw refuse.busy(ENDED_ELSEWHERE)
    yield* handle.read()
  }
}

/** Gives an upload up: the files of its parts are removed once the transaction is committed. */
export async function dropUpload(
  tx: Transaction,
  services: Pick<Services, "jobs">,
  { id, storage }: Pick<OpenUpload, "id" | "storage">,
): Promise<void> {
  const parts = await findUploadParts(tx, { id })
  await removeFiles(
    tx,
    services,
    parts.map(({ file }) => ({ storage, file })),
  )
  await removeUpload(tx, { id })
}

/**
 * Ends an upload whose file has a row in this transaction; the files of its parts are removed after the commit, except of one that became the whole.
 * Refuses `busy` where another call has ended or changed the upload meanwhile.
 */
export async function endUpload(
  tx: Transaction,
  services: Pick<Services, "jobs">,
  { id, storage }: Pick<OpenUpload, "id" | "storage">,
  { stored, isNew }: Assembled,
): Promise<void> {
  const there = await lockRow(tx, "action_uploads", id)
  const parts = await findUploadParts(tx, { id })
  const others = parts.filter(({ file }) => file !== stored.file)
  if (!there || (!isNew && others.length === parts.length)) throw refuse.busy(ENDED_ELSEWHERE)
  await removeFiles(
    tx,
    services,
    others.map(({ file }) => ({ storage, file })),
  )
  await removeUpload(tx, { id })
}

/** Removes the file of an assembled upload that gets no row. */
export const discardAssembled = async (services: Services, { stored, isNew }: Assembled): Promise<void> => {
  if (isNew) await discardFile(services, stored)
}
