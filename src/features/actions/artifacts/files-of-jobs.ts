import { Readable, type Transform } from "node:stream"
import { crc32, createGunzip } from "node:zlib"
import { lockRow } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"
import { writeRow } from "../../../core/files.ts"
import type { Services } from "../../../core/services.ts"
import { discardFile, openFile, storeFile } from "../files/files.ts"
import type { RunningTask } from "../tokens/store.ts"
import type { Part, Upload } from "../uploads/store.ts"
import { contentOf, endUpload, findUpload, partsByFile } from "../uploads/uploads.ts"
import { isExpired, requireArtifactName, writeArtifact } from "./artifacts.ts"
import type { Artifact } from "./store.ts"
import { findNamedArtifact } from "./store.ts"
import { type FoundEntry, type NewEntry, readZip, writeZip, type ZipEntry } from "./zip.ts"

/**
 * Artifacts of version 3: their files come one by one, and several jobs may add to one. They are kept like all others, in one zip file, so that people and
 * newer clients can load them.
 */

const LONGEST_PATH = 1024

/** What is before the path of a file that came compressed. */
const GZIP = "gzip:"
const PLAIN = "plain:"

/** Names a file of an upload. Refuses `invalid` a path that leads elsewhere, or isn't below the name of the artifact. */
export function fileOf(upload: Pick<Upload, "name">, itemPath: string, isGzip: boolean): string {
  const [first, ...rest] = itemPath.split("/")
  const path = rest.join("/")
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  const isPlain = path !== "" && path.length <= LONGEST_PATH && !/[\\\u0000-\u001f]/.test(path)
  const isUsable = isPlain && rest.every((part) => !["", ".", ".."].includes(part))
  if (first !== upload.name || !isUsable)
    throw refuse.invalid("itemPath", "must be the name of the artifact, a slash and the path of a file")
  return `${isGzip ? GZIP : PLAIN}${path}`
}

/**
 * Makes an artifact of the files of an upload; files of the same artifact that other jobs have added stay. Refuses `notFound` without an upload, `invalid`
 * files that are not complete or can't be unpacked, `tooLarge`, and `busy` where another job adds to the artifact at this moment.
 */
export async function finishFiles(services: Services, task: RunningTask, name: string): Promise<Artifact> {
  const { database, config, now } = services
  const { run, job, repository } = task
  const { storage } = repository
  const of = { runId: run.id, attempt: job.attempt, name: requireArtifactName(name) }
  const upload = await findUpload(database.read, task, { kind: "files", name })
  const there = await findNamedArtifact.first(database.read, of)
  if (!upload) {
    if (!there || there.file === "") throw refuse.notFound(`no upload of an artifact named ${name} has begun`)
    return there
  }
  const open = { ...upload, storage }
  const before = there && there.file !== "" && !isExpired(there, now()) ? there : undefined
  const handle = before && (await openFile(services, { storage, file: before.file }))
  try {
    const { maxArtifactBytes: maxBytes } = config.actions
    const added = await newEntries(services, open, maxBytes)
    const kept = handle ? await readZip(handle) : []
    if (!kept) throw refuse.conflict(`the artifact ${name} was made by another version, and can't be added to`)
    const replaced = new Set(added.map(({ path }) => path))
    const entries = kept.filter(({ path }) => !replaced.has(path)).map((entry): NewEntry => ({ ...entry, content: entry.stored }))
    const content = Readable.from(writeZip([...entries, ...added]))
    const stored = await storeFile(services, { storage, maxBytes, expected: {} }, content)
    const write = () =>
      database.write(async (tx) => {
        const artifact = { repository, ...of, jobId: job.id, expiresAt: upload.expires_at || undefined }
        await lockRow(tx, "action_runs", run.id)
        const unchanged = await findNamedArtifact.first(tx, of)
        if (unchanged?.file !== there?.file) throw refuse.busy("another job adds to this artifact; try again in a moment")
        const row = await writeArtifact(tx, services, artifact, stored)
        await endUpload(tx, services, open, { stored, isNew: true })
        return row
      })
    return await writeRow(write, () => discardFile(services, stored))
  } finally {
    await handle?.close()
  }
}

/** The entries of an upload's files. Each is read once for its size and checksum, which a zip file has before its bytes. */
async function newEntries(
  services: Services,
  upload: Upload & { readonly storage: string },
  maxBytes: number,
): Promise<readonly NewEntry[]> {
  const entries: NewEntry[] = []
  let total = 0
  for (const [file, parts] of await partsByFile(services.database.read, upload)) {
    const content = () => bytesOf(services, upload.storage, file, parts)
    let [crc, size] = [0, 0]
    try {
      for await (const chunk of content()) {
        crc = crc32(chunk, crc)
        size += chunk.length
        total += chunk.length
        if (total > maxBytes) throw refuse.tooLarge(`an artifact has at most ${maxBytes} bytes`)
      }
    } catch (error) {
      if (error instanceof Error && "code" in error && String(error.code).startsWith("Z_"))
        throw refuse.invalid("content", `${pathIn(file)} can't be unpacked`)
      throw error
    }
    entries.push({ path: pathIn(file), method: 0, crc, packed: size, size, content })
  }
  return entries
}

const pathIn = (file: string): string => file.slice(file.indexOf(":") + 1)

const bytesOf = (services: Services, storage: string, file: string, parts: readonly Part[]): AsyncGenerator<Buffer> => {
  const content = contentOf(services, storage, parts)
  return file.startsWith(GZIP) ? unpacked(content, createGunzip()) : content
}

/** What a stream makes of packed bytes; an error of either ends it. */
async function* unpacked(content: AsyncIterable<Buffer>, through: Transform): AsyncGenerator<Buffer> {
  const source = Readable.from(content)
  source.on("error", (error) => through.destroy(error))
  yield* source.pipe(through)
}

/** The artifact's file, to be closed, and the files in it. Refuses `notFound` where it is no zip file that can be read. */
async function openZip(services: Services, task: RunningTask, { file }: Artifact) {
  const handle = await openFile(services, { storage: task.repository.storage, file })
  const entries = handle && (await readZip(handle))
  if (entries) return { handle, entries }
  await handle?.close()
  throw refuse.notFound("the files of this artifact can't be loaded one by one")
}

/** The files in an artifact. Refuses `notFound` where it is no zip file that can be read. */
export async function filesOf(services: Services, task: RunningTask, artifact: Artifact): Promise<readonly ZipEntry[]> {
  const { handle, entries } = await openZip(services, task, artifact)
  await handle.close()
  return entries
}

/** The bytes of a file in an artifact. Refuses `notFound`. */
export async function openFileOf(
  services: Services,
  task: RunningTask,
  artifact: Artifact,
  path: string,
): Promise<{ readonly size: number; readonly content: Readable }> {
  const { handle, entries } = await openZip(services, task, artifact)
  const entry = entries.find((one) => one.path === path)
  if (!entry) {
    await handle.close()
    throw refuse.notFound("there is no such file in this artifact")
  }
  async function* content(found: FoundEntry): AsyncGenerator<Buffer> {
    try {
      yield* found.content()
    } finally {
      await handle.close()
    }
  }
  return { size: entry.size, content: Readable.from(content(entry)) }
}
