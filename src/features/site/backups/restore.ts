import { findKeyFault, putKeyFile } from "../../../core/backup/key-files.ts"
import { Damaged } from "../../../core/backup/seal.ts"
import {
  type Backups,
  FileLine,
  isFileLine,
  isRepositoryLine,
  RepositoryLine,
  readLine,
  type Snapshot,
} from "../../../core/backup/snapshots.ts"
import { readBytes, readLines } from "../../../core/backup/streams.ts"
import type { Blobs } from "../../../core/blobs/blobs.ts"
import { bytesInWords } from "../../../core/blobs/move.ts"
import { openStorage } from "../../../core/blobs/open.ts"
import { type Config, isSharedByServers, sshHostKeyFile } from "../../../core/config.ts"
import type { Database } from "../../../core/database/database.ts"
import { DatabaseRefused } from "../../../core/database/failures.ts"
import { knownSteps, type Loadable, openLoadable } from "../../../core/database/loadable.ts"
import { openDatabase } from "../../../core/database/open.ts"
import { finish, loadDump, markOf } from "../../../core/database/portable/load.ts"
import { digesting, type TableDigest } from "../../../core/database/portable/rows.ts"
import { isSame, type Place, UNDER_WAY } from "../../../core/repositories/move.ts"
import { openFolderPlace, openStorePlace } from "../../../core/repositories/places.ts"
import { keyFile } from "../../../core/secrets.ts"
import { branchOf, isGitError, keptRef, objectId, type RefName, refName } from "../../../git/index.ts"
import { putPlaceOfRepositories } from "../../code/lifecycle/place.ts"

/**
 * Restores a backup into an empty place: the database that settings name and the data folder, and with `storage.url` the object store. Which of these the backup was taken from makes no difference.
 * Rows come first, in one transaction, with a mark that keeps servers away; then keys, repositories and files, of which each is written whole. So it can be ended anywhere, and goes on
 * when it is run again. What is damaged in the backup is left out, and named.
 */
export async function restore(config: Config, backups: Backups, snapshot: Snapshot, how: RestoreOptions = {}): Promise<Restored> {
  const restoring: Restoring = {
    config,
    backups,
    snapshot,
    progress: how.progress ?? (() => {}),
    check: () => how.signal?.throwIfAborted(),
    faults: [],
  }
  await requireKeys(restoring)
  const rows = await restoreRows(restoring)
  await restoreKeys(restoring)
  const { database, close } = await openUnfinished(config)
  try {
    const storage = await openStorage(config, { isTried: true, watch() {} })
    try {
      await putPlaceOfRepositories(database, isSharedByServers(config) ? "store" : "folder")
      const repositories = await restoreRepositories(restoring, database, storage.blobs)
      const files = await restoreFiles(restoring, storage.blobs)
      if (restoring.faults.length === 0 || how.despiteFaults) await finishRestore(config)
      restoring.progress("")
      return { rows, repositories, files, faults: restoring.faults }
    } finally {
      storage.close()
    }
  } finally {
    await close()
  }
}

export interface RestoreOptions {
  readonly progress?: (state: string) => void
  readonly signal?: AbortSignal
  /** Lets servers work with what could be restored, though some of it could not. */
  readonly despiteFaults?: boolean
}

export interface Restored {
  readonly rows: number
  readonly repositories: number
  readonly files: number
  /** A sentence for each thing that is missing. With one, and without `despiteFaults`, servers refuse what was restored. */
  readonly faults: readonly string[]
}

interface Restoring {
  readonly config: Config
  readonly backups: Backups
  readonly snapshot: Snapshot
  readonly progress: (state: string) => void
  readonly check: () => void
  readonly faults: string[]
}

const markFor = ({ id }: Snapshot): string => `restore of ${id}`

/** Fills the database, unless an earlier run has. Gives the number of rows. */
async function restoreRows({ config, snapshot, backups, progress, check }: Restoring): Promise<number> {
  requireKnown(snapshot)
  const target = await openLoadable({ url: config.databaseUrl, progress })
  try {
    const mark = await markOf(target.read)
    if (mark !== undefined && mark !== markFor(snapshot))
      throw new DatabaseRefused(
        "unfinished",
        `The database is in the middle of another: ${mark}.`,
        "Run that one again, or use an empty database.",
      )
    if (mark === undefined) {
      await target.migrateTo(snapshot.schema.step)
      await loadDump(target, dumpIn(backups, snapshot, check), { mark: markFor(snapshot), progress })
    }
    await target.migrateTo()
  } finally {
    await target.close()
  }
  return snapshot.tables.reduce((sum, { rows }) => sum + rows, 0)
}

export function requireKnown({ schema, version }: Snapshot): void {
  if (knownSteps()[schema.step - 1] === schema.name) return
  throw new DatabaseRefused(
    "newer",
    `The backup was made by Hearth ${version}, whose database has step ${schema.step} (${schema.name}), which this version does not know.`,
    "Restore it with that version or a newer one. Nothing was changed.",
  )
}

/** The rows of a snapshot. Their digests are those that were written with it. */
export const dumpIn = ({ reader }: Backups, snapshot: Snapshot, check: () => void = () => {}) => ({
  tables: snapshot.tables.map(({ name, columns, key, rows, sha256, chunks }) => ({
    shape: { name, columns, key },
    async *lines(): AsyncGenerator<string> {
      const { add, digest } = digesting()
      for await (const line of readLines(reader, chunks)) {
        check()
        add(line)
        yield line
      }
      const found = digest()
      if (found.rows !== rows || found.sha256 !== sha256) throw new Damaged(`the table ${name} is not what was backed up`)
    },
    digest: (): TableDigest => ({ rows, sha256 }),
  })),
  sequences: new Map(snapshot.sequences.map(({ table, last }) => [table, last])),
})

async function openUnfinished(config: Config): Promise<{ readonly database: Database; readonly close: () => Promise<void> }> {
  const database = await openDatabase({ url: config.databaseUrl, unfinished: true })
  return { database, close: () => database.close() }
}

async function finishRestore(config: Config): Promise<void> {
  const target: Loadable = await openLoadable({ url: config.databaseUrl })
  try {
    await finish(target)
  } finally {
    await target.close()
  }
}

/* Keys */

/** Refuses before anything is written where another key is there. */
async function requireKeys({ config, snapshot: { keys } }: Restoring): Promise<void> {
  const fault = await findKeyFault(config.security.secretKey, keyFile(config.dataDir), keys.secretKey)
  if (fault !== undefined)
    throw new DatabaseRefused(
      "occupied",
      fault,
      "What is sealed in the backup needs the backup's key. Take the other one away, or use an empty data folder. Nothing was changed.",
    )
}

async function restoreKeys({ config, snapshot: { keys } }: Restoring): Promise<void> {
  if (keys.secretKey !== "" && config.security.secretKey === "") await putKeyFile(keyFile(config.dataDir), keys.secretKey)
  if (keys.sshHostKey !== "") await putKeyFile(sshHostKeyFile(config.dataDir), keys.sshHostKey)
}

/* Repositories */

async function restoreRepositories(restoring: Restoring, database: Database, blobs: Blobs): Promise<number> {
  const { config, backups, snapshot, progress, check, faults } = restoring
  const { place, close } = openTarget(config, database, blobs)
  let count = 0
  const bring = async (text: string): Promise<void> => {
    check()
    const line = readLine(RepositoryLine, text, isRepositoryLine)
    try {
      const fault = await restoreRepository(place, backups, line)
      if (fault === undefined) count += 1
      else faults.push(`${line.name}: ${fault}`)
    } catch (error) {
      if (error instanceof Damaged) faults.push(`${line.name}: ${error.message}`)
      else if (isGitError(error)) faults.push(`${line.name}: ${error.detail ?? error.message}`)
      else throw error
    }
    progress(`${count} of ${snapshot.repositories.count} repositories`)
  }
  try {
    await forEach(listed(restoring, "repositories"), AT_ONCE, bring)
  } finally {
    await close()
  }
  return count
}

/** Repositories that are brought at once: most of the time of each is spent waiting for processes and for the disk. */
const AT_ONCE = 4

/** Does something with each, some at a time; begins no further one once one has failed, and throws what it threw. */
async function forEach<T>(items: AsyncGenerator<T>, atOnce: number, act: (item: T) => Promise<void>): Promise<void> {
  let isFailed = false
  const work = async (): Promise<void> => {
    while (!isFailed) {
      const { done, value } = await items.next()
      if (done) return
      await act(value).catch((error: unknown) => {
        isFailed = true
        throw error
      })
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work))
  for (const end of ends) if (end.status === "rejected") throw end.reason
}

export function openTarget(
  config: Config,
  database: Database,
  blobs: Blobs,
): { readonly place: Place; readonly close: () => Promise<void> } {
  if (isSharedByServers(config)) return { place: openStorePlace(config, database, blobs), close: async () => {} }
  const place = openFolderPlace(config)
  return { place, close: place.close }
}

/** Brings a repository, unless it is there as it should be. Gives what is wrong with it. */
export async function restoreRepository(
  place: Place,
  { reader }: Backups,
  line: RepositoryLine,
  key = line.key,
): Promise<string | undefined> {
  const { format } = line
  const head = refName(line.head)
  const references = new Map<RefName, ReturnType<typeof objectId>>(line.references.map(([name, id]) => [refName(name), objectId(id)]))
  const there = await place.look(key, format)
  if (there && isSame({ head, references }, there)) return undefined
  return place.use(async (git) => {
    const repository = git.at(key, format)
    // What an earlier run has left.
    if (there) await git.repositories.remove(repository)
    await git.repositories.create(key, { format, branch: branchOf(UNDER_WAY) ?? "" })
    for (const { chunks } of line.packs) await git.repositories.storePack(repository, readBytes(reader, chunks))
    const kept = line.kept.map((id) => ({ name: keptRef(objectId(id)), from: null, to: objectId(id) }))
    const put = [...references].map(([name, to]) => ({ name, from: null, to }))
    await git.references.update(repository, [...put, ...kept.filter(({ name }) => !references.has(name))])
    const faults = await git.maintenance.check(repository)
    if (faults.length > 0) return `it is damaged: ${faults.slice(0, 3).join("; ")}`
    await git.references.setHead(repository, head)
    return undefined
  })
}

/** The lines of a list, as far as it can be read. */
async function* listed({ backups, snapshot, faults }: Restoring, what: "repositories" | "files"): AsyncGenerator<string> {
  try {
    yield* readLines(backups.reader, snapshot[what].chunks)
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    faults.push(`the list of ${what} ends early, and what comes after is missing: ${error.message}`)
  }
}

/* Files */

async function restoreFiles(restoring: Restoring, blobs: Blobs): Promise<number> {
  const { backups, snapshot, progress, check, faults } = restoring
  let [count, bytes] = [0, 0]
  for await (const text of listed(restoring, "files")) {
    check()
    const line = readLine(FileLine, text, isFileLine)
    try {
      await restoreFile(blobs, backups, line)
      count += 1
      bytes += line.size
    } catch (error) {
      if (!(error instanceof Damaged)) throw error
      faults.push(`${line.key}: ${error.message}`)
    }
    progress(`${count} of ${snapshot.files.count} files (${bytesInWords(bytes)} of ${bytesInWords(snapshot.files.bytes)})`)
  }
  return count
}

export async function restoreFile(blobs: Blobs, { reader }: Backups, { key, size, chunks }: FileLine, to = key): Promise<void> {
  const there = await blobs.open(to)
  await there?.close()
  if (there?.size === size) return
  await blobs.write(to, readBytes(reader, chunks))
}
