import { once } from "node:events"
import { createReadStream, createWriteStream } from "node:fs"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { finished } from "node:stream/promises"
import { type ChunkWriter, chunkWriter } from "../../../core/backup/chunks.ts"
import { holdRemovals } from "../../../core/backup/hold.ts"
import {
  type Backups,
  type FileLine,
  FileLine as FileSchema,
  isFileLine,
  isRepositoryLine,
  listSnapshots,
  newSnapshotId,
  putSnapshot,
  type RepositoryLine,
  RepositoryLine as RepositorySchema,
  readLine,
  type Snapshot,
} from "../../../core/backup/snapshots.ts"
import { lineWriter, readLines, storeBytes } from "../../../core/backup/streams.ts"
import { BlobGone } from "../../../core/blobs/blobs.ts"
import { bytesInWords } from "../../../core/blobs/move.ts"
import type { Handle } from "../../../core/database/database.ts"
import { knownSteps } from "../../../core/database/loadable.ts"
import { dumpOf } from "../../../core/database/portable/dump.ts"
import { readSchema } from "../../../core/database/portable/shapes.ts"
import { ifMissing } from "../../../core/files.ts"
import { keyFile } from "../../../core/secrets.ts"
import type { Services } from "../../../core/services.ts"
import { VERSION } from "../../../core/version.ts"
import { isGitError, type ObjectId, objectId } from "../../../git/index.ts"
import { commitsNamedBy } from "../../code/lifecycle/maintenance.ts"
import { placeOfRepositories } from "../../code/lifecycle/place.ts"
import { listWanted, type Wanted } from "./references.ts"

/** The tables that say where repositories are kept: repositories are backed up as git has them, wherever they are. */
export const OF_STORED: ReadonlySet<string> = new Set(["packs", "repository_packs", "repository_refs", "stored_repositories"])

/** The first parts of keys of large files that are backed up; what else there is can be made again. */
const FILES = ["actions", "attachments", "avatars", "lfs", "packages"]

/** A chain of more packs begins anew: to restore it takes each of them. */
const MOST_PACKS = 16

type BackedUp = Pick<Services, "database" | "git" | "blobs" | "config" | "extensions" | "site" | "now">

export interface BackupOptions {
  /** The most bytes a second that are written; 0 for no limit. */
  readonly rate?: number
  readonly progress?: (state: string) => void
  readonly signal?: AbortSignal
  /** The SSH host key, where it is in a file. */
  readonly sshKeyFile?: string
}

/**
 * Takes a backup of everything while the server serves. What is the same as in the last one is neither read nor stored again. Ended anywhere, it leaves what was there, and what the next one need
 * not store. What can't be backed up is named in the snapshot, and stays as the last one had it.
 */
export async function backUp(services: BackedUp, backups: Backups, options: BackupOptions = {}): Promise<Snapshot> {
  const { rate = 0, progress = () => {}, signal } = options
  const writer = chunkWriter(backups.place, backups.keys, backups.known, { rate })
  const last = (await listSnapshots(backups)).at(-1)
  const taking: Taking = { services, backups, writer, last, progress, faults: [], check: () => signal?.throwIfAborted() }
  const spool = await mkdtemp(join(tmpdir(), "hearth-backup-"))
  // From before the moment: what is removed later may be named by its rows.
  const release = await holdRemovals(services.database, services.now)
  try {
    const file = join(spool, "repositories")
    const moment = await services.database.snapshot((read) => takeRows(taking, read, file))
    const repositories = await takeRepositories(taking, file)
    const files = await takeFiles(taking)
    await writer.flush()
    const snapshot: Snapshot = {
      format: 1,
      id: newSnapshotId(),
      number: (last?.number ?? 0) + 1,
      ...moment,
      endedAt: services.now(),
      version: VERSION,
      rootUrl: services.site.rootUrl,
      repositories,
      files,
      keys: await readKeys(services, options.sshKeyFile),
      added: writer.written(),
      faults: [...taking.faults],
    }
    await putSnapshot(backups, snapshot)
    await backups.place.complete()
    progress("")
    return snapshot
  } finally {
    release()
    await rm(spool, { recursive: true, force: true })
  }
}

interface Taking {
  readonly services: BackedUp
  readonly backups: Backups
  readonly writer: ChunkWriter
  readonly last: Snapshot | undefined
  readonly progress: (state: string) => void
  readonly faults: string[]
  /** Throws where it is to end. */
  readonly check: () => void
}

/** All that is of the moment: rows, and references. References go to a file, since the moment is not to last as long as packing. */
async function takeRows({ services, writer, progress, check }: Taking, read: Handle, file: string) {
  const at = services.now()
  const step = await readSchema(read)
  const dump = await dumpOf(read, (table) => !OF_STORED.has(table))
  const tables: Snapshot["tables"] = []
  for (const { shape, lines, digest } of dump.tables) {
    const out = lineWriter(writer)
    for await (const line of lines()) {
      check()
      await out.add(line)
    }
    const chunks = [...(await out.end())]
    progress(`${digest().rows} rows of ${shape.name}`)
    tables.push({ name: shape.name, columns: [...shape.columns], key: [...shape.key], ...digest(), chunks })
  }
  const place = await placeOfRepositories(read)
  const spool = createWriteStream(file, { mode: 0o600 })
  let count = 0
  for await (const wanted of listWanted(read, services.git, place)) {
    check()
    if (!spool.write(`${JSON.stringify(wanted)}\n`)) await once(spool, "drain")
    count += 1
    progress(`references of ${count} repositories`)
  }
  spool.end()
  await finished(spool)
  return {
    at,
    schema: { step, name: knownSteps()[step - 1] ?? "" },
    tables,
    sequences: [...dump.sequences].map(([table, last]) => ({ table, last })),
  }
}

async function* wantedIn(file: string): AsyncGenerator<Wanted> {
  for await (const line of createInterface({ input: createReadStream(file) })) yield JSON.parse(line)
}

async function takeRepositories(taking: Taking, file: string): Promise<Snapshot["repositories"]> {
  const { backups, writer, last, progress, check } = taking
  const out = lineWriter(writer)
  let [count, bytes] = [0, 0]
  const before = inOrder(linesOf(backups, last?.repositories.chunks, RepositorySchema, isRepositoryLine))
  // Some are packed at once, and written down in their order.
  const under: Promise<RepositoryLine>[] = []
  const put = async (): Promise<void> => {
    const line = await under.shift()
    if (!line) return
    count += 1
    bytes += line.packs.reduce((sum, { size }) => sum + size, 0)
    await out.add(JSON.stringify(line))
    progress(`${count} repositories (${bytesInWords(bytes)}), ${bytesInWords(writer.written())} written`)
  }
  try {
    for await (const wanted of wantedIn(file)) {
      check()
      under.push(takeRepository(taking, wanted, await before(wanted.key)))
      if (under.length >= AT_ONCE) await put()
    }
    while (under.length > 0) await put()
  } finally {
    await Promise.allSettled(under)
  }
  return { count, bytes, chunks: [...(await out.end())] }
}

/** Repositories that are packed at once: most of the time of each is spent waiting for a process. */
const AT_ONCE = 4

async function takeRepository(taking: Taking, wanted: Wanted, before: RepositoryLine | undefined): Promise<RepositoryLine> {
  const { key, name, format, head } = wanted
  const references = wanted.references.map(([ref, id]): [string, string] => [ref, id])
  const same = { key, name, format, head, references }
  // What was damaged and forgotten is packed anew.
  const whole = before?.packs.every((pack) => areKnown(taking, pack.chunks)) ? before : undefined
  if (whole && JSON.stringify(whole.references) === JSON.stringify(references)) return { ...whole, ...same }
  try {
    if (wanted.isGone) throw new Error("it is not there")
    return { ...same, ...(await packRepository(taking, wanted, whole)) }
  } catch (error) {
    taking.check()
    if (!(error instanceof Error)) throw error
    const kept = before ? "the last backup of it is kept" : "it is not in the backup"
    taking.faults.push(`${name}: ${isGitError(error) ? (error.detail ?? error.message) : error.message}; ${kept}`)
    return before ? { ...before, name } : { ...same, references: [], kept: [], packs: [] }
  }
}

/** Packs what the last backup of a repository has not. */
async function packRepository(
  { services, writer }: Taking,
  { key, format, id, references }: Wanted,
  before: RepositoryLine | undefined,
): Promise<Pick<RepositoryLine, "kept" | "packs">> {
  const { git } = services
  const repository = git.at(key, format)
  const kept = id === undefined ? [] : await git.history.unreached(repository, await commitsNamedBy(services, id))
  const wants = [...new Set([...references.map(([, value]) => objectId(value)), ...kept])]
  if (wants.length === 0) return { kept: [], packs: [] }
  const goesOn = before !== undefined && before.packs.length < MOST_PACKS
  const known: ObjectId[] = []
  for (const each of goesOn ? new Set([...before.references.map(([, value]) => value), ...before.kept]) : []) {
    const value = objectId(each)
    if (await git.objects.info(repository, value)) known.push(value)
  }
  const stored = await storeBytes(writer, git.repositories.pack(repository, wants, known))
  const packs = goesOn ? before.packs : []
  // A pack without objects has twelve bytes, and its digest.
  const isEmpty = stored.size <= EMPTY_PACK
  return { kept: [...kept], packs: isEmpty ? packs : [...packs, { size: stored.size, chunks: [...stored.chunks] }] }
}

const EMPTY_PACK = 12 + 32

async function takeFiles(taking: Taking): Promise<Snapshot["files"]> {
  const { services, backups, writer, last, progress, check } = taking
  const out = lineWriter(writer)
  const before = inOrder(linesOf(backups, last?.files.chunks, FileSchema, isFileLine))
  let [count, bytes] = [0, 0]
  for (const folder of FILES) {
    for await (const { key, size } of services.blobs.list(folder)) {
      check()
      // What was not completed.
      if (key.endsWith(".part")) continue
      const known = await before(key)
      const line = known?.size === size && areKnown(taking, known.chunks) ? known : await takeFile(taking, key)
      if (!line) continue
      count += 1
      bytes += line.size
      await out.add(JSON.stringify(line))
      progress(`${count} files (${bytesInWords(bytes)}), ${bytesInWords(writer.written())} written`)
    }
  }
  return { count, bytes, chunks: [...(await out.end())] }
}

const areKnown = ({ backups }: Taking, chunks: readonly string[]): boolean => chunks.every((chunk) => backups.known.has(chunk))

/** A file never changes: it is read once, for all backups. Undefined for one that has gone. */
async function takeFile({ services, writer }: Taking, key: string): Promise<FileLine | undefined> {
  try {
    const blob = await services.blobs.open(key)
    if (!blob) return undefined
    if (blob.size === 0) {
      await blob.close()
      return { key, size: 0, chunks: [] }
    }
    const { chunks, size } = await storeBytes(writer, blob.read())
    return { key, size, chunks: [...chunks] }
  } catch (error) {
    if (error instanceof BlobGone) return undefined
    throw error
  }
}

async function* linesOf<T extends { readonly key: string }>(
  { reader }: Backups,
  chunks: readonly string[] | undefined,
  schema: typeof FileSchema | typeof RepositorySchema,
  is: (value: unknown) => value is T,
): AsyncGenerator<T> {
  for await (const line of readLines(reader, chunks ?? [])) yield readLine(schema, line, is)
}

/** Looks entries up that are asked for in the order that they have; none is kept in memory. */
function inOrder<T extends { readonly key: string }>(entries: AsyncGenerator<T>): (key: string) => Promise<T | undefined> {
  let current: Promise<IteratorResult<T>> | undefined
  return async (key) => {
    current ??= entries.next()
    for (let found = await current; !found.done; ) {
      if (found.value.key === key) return found.value
      if (found.value.key > key) return undefined
      current = entries.next()
      found = await current
    }
    return undefined
  }
}

async function readKeys({ config }: BackedUp, sshKeyFile: string | undefined): Promise<Snapshot["keys"]> {
  // A server in memory has none that outlives it.
  const secretKey = config.security.secretKey || (await readFile(keyFile(config.dataDir), "utf8").catch(ifMissing(""))).trim()
  const sshHostKey = sshKeyFile === undefined ? "" : await readFile(sshKeyFile, "utf8").catch(ifMissing(""))
  return { secretKey, sshHostKey }
}
