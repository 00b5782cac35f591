import type { Blobs } from "../core/blobs/blobs.ts"
import { bytesInWords } from "../core/blobs/move.ts"
import type { Config } from "../core/config.ts"
import type { Database } from "../core/database/database.ts"
import { openDatabase } from "../core/database/open.ts"
import { countServers } from "../core/database/servers.ts"
import { extend } from "../core/extensions.ts"
import { bringRepository, isSame, type Outcome, type Place } from "../core/repositories/move.ts"
import { openFolderPlace, openStorePlace } from "../core/repositories/places.ts"
import { dropAllPacks } from "../core/repositories/sweep.ts"
import { extensions } from "../extensions.ts"
import { commitsNamedBy } from "../features/code/lifecycle/maintenance.ts"
import { placeOfRepositories, putPlaceOfRepositories, type RepositoryPlace } from "../features/code/lifecycle/place.ts"
import { isGitError } from "../git/index.ts"
import { type Known, listAll } from "./checks/known.ts"
import { CommandFailed, DONE, type ExitCode, FAILED } from "./failure.ts"
import type { Terminal } from "./terminal.ts"

/** Repositories that are brought at once: git does the work, in processes. */
const AT_ONCE = 2
/** Faults that are told one by one. */
const MOST_TOLD = 50

interface Moving {
  readonly terminal: Terminal
  readonly config: Config
  /** Of the object store. */
  readonly blobs: Blobs
  readonly signal: AbortSignal
}

/** A move of all repositories and wikis to one place. */
export interface RepositoryMove {
  /** Whether servers keep repositories there already: then the copies elsewhere are older. */
  readonly isThere: boolean
  /** Makes the copies what the originals are; with `dryRun` it counts. */
  readonly bring: (how: { readonly switch: boolean; readonly dryRun: boolean }) => Promise<ExitCode>
  /** Lets servers keep repositories there from now on. */
  readonly settle: () => Promise<void>
  /** Removes the copies in the other place. */
  readonly removeOthers: () => Promise<ExitCode>
  readonly close: () => Promise<void>
}

const NAMES: Readonly<Record<RepositoryPlace, string>> = { folder: "data folder", store: "object store" }

export async function openRepositoryMove({ terminal, config, blobs, signal }: Moving, to: RepositoryPlace): Promise<RepositoryMove> {
  const database = await openDatabase({ url: config.databaseUrl })
  const folder = openFolderPlace(config)
  const places = { folder, store: openStorePlace(config, database, blobs) }
  const close = async () => {
    await folder.close()
    await database.close()
  }
  try {
    const now = await placeOfRepositories(database.read)
    const moving = { terminal, database, places, signal, to, other: to === "store" ? ("folder" as const) : ("store" as const) }
    return {
      isThere: now === to,
      bring: (how) => (how.dryRun ? count(moving) : bring(moving, how)),
      async settle() {
        await putPlaceOfRepositories(database, to)
        terminal.out(
          to === "store"
            ? "Servers keep repositories in the object store from now on. Start them with storage.url. The folder `repositories` holds copies that grow old: --remove removes them."
            : "Servers keep repositories in the data folder from now on. Start one without storage.url. The object store holds copies that grow old: --remove removes them.",
        )
      },
      removeOthers: () => removeOthers(moving, blobs),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface Open extends Pick<Moving, "terminal" | "signal"> {
  readonly database: Database
  readonly places: Readonly<Record<RepositoryPlace, Place>>
  readonly to: RepositoryPlace
  readonly other: RepositoryPlace
}

async function bring(open: Open, how: { readonly switch: boolean }): Promise<ExitCode> {
  const { terminal, database, places, signal, to, other } = open
  if (how.switch) await requireNoServer(database)
  const all = await listAll(database)
  const left = { repositories: all.length, bytes: all.reduce((sum, { git_size }) => sum + git_size, 0) }
  const done: Record<"same" | "brought" | "gone", number> = { same: 0, brought: 0, gone: 0 }
  const faults: { readonly row: Known; readonly fault: string }[] = []
  const services = { database, extensions: extend(extensions) }

  async function bringOne(row: Known): Promise<Outcome> {
    const keep = async () => (row.isWiki ? [] : commitsNamedBy(services, row.id))
    try {
      return await bringRepository(places[other], places[to], { key: row.storage, format: row.object_format, keep })
    } catch (error) {
      if (!isGitError(error)) throw error
      return { fault: error.detail === undefined ? error.message : `${error.message} (${error.detail})` }
    }
  }

  await inTurns(all, signal, async (row) => {
    const outcome = await bringOne(row)
    if (typeof outcome === "string") done[outcome]++
    if (outcome === "gone") faults.push({ row, fault: `it is missing in the ${NAMES[other]}` })
    if (typeof outcome !== "string") faults.push({ row, fault: outcome.fault })
    left.repositories--
    left.bytes -= row.git_size
    terminal.progress(
      `${done.brought} of ${all.length} repositories copied, ${done.same} the same; ${left.repositories} (${bytesInWords(left.bytes)}) left`,
    )
  })
  terminal.progress("")
  const direction = `from the ${NAMES[other]} to the ${NAMES[to]}`
  terminal.out(`${done.brought} of ${all.length} repositories and wikis copied ${direction}; ${done.same} were the same.`)
  const still = faults.length === 0 ? new Set() : new Set((await listAll(database)).map(({ storage }) => storage))
  // One that was deleted meanwhile is no fault.
  const told = faults.filter(({ row }) => still.has(row.storage))
  for (const { row, fault } of told.slice(0, MOST_TOLD)) terminal.say(`${row.owner}/${row.name}: ${fault}`)
  if (signal.aborted) return FAILED
  if (told.length > 0) {
    terminal.say(`${told.length} could not be copied: servers go on as they are. See \`hearth doctor\`, and run this again.`)
    return FAILED
  }
  if (!how.switch)
    terminal.out(
      "Nothing has changed for servers. Run this again to bring what is pushed meanwhile; then stop all servers, and run it with --switch. Files are moved after that.",
    )
  return DONE
}

async function requireNoServer(database: Database): Promise<void> {
  const servers = await countServers(database)
  if (servers > 0)
    throw new CommandFailed(
      `${servers === 1 ? "A process serves" : `${servers} processes serve`} from this database.`,
      "Stop all servers first: what is pushed while repositories are switched would be lost.",
    )
}

async function count({ terminal, database, places, signal, to, other }: Open): Promise<ExitCode> {
  const all = await listAll(database)
  const differing: Known[] = []
  await inTurns(all, signal, async (row) => {
    const [original, copy] = await Promise.all([looked(places[other], row), looked(places[to], row)])
    if (original && !(copy && isSame(original, copy))) differing.push(row)
  })
  const bytes = differing.reduce((sum, { git_size }) => sum + git_size, 0)
  terminal.out(
    `${differing.length} of ${all.length} repositories and wikis (${bytesInWords(bytes)}) would be copied from the ${NAMES[other]} to the ${NAMES[to]}.`,
  )
  return DONE
}

const looked = (place: Place, { storage, object_format }: Known) => place.look(storage, object_format)

async function removeOthers({ terminal, database, places, signal, to, other }: Open, blobs: Blobs): Promise<ExitCode> {
  const all = await listAll(database)
  let removed = 0
  let missing = 0
  await inTurns(all, signal, async (row) => {
    if (!(await looked(places[other], row))) return
    // The last copy of one that has gone meanwhile is not for this to remove.
    if (await looked(places[to], row)) {
      await places[other].use((git) => git.repositories.remove(git.at(row.storage, row.object_format)))
      removed++
    } else missing++
    terminal.progress(`${removed} of ${all.length} copies removed`)
  })
  terminal.progress("")
  if (other === "store" && missing === 0 && !signal.aborted) await dropAllPacks({ database, blobs })
  terminal.out(`${removed} copies of repositories and wikis removed from the ${NAMES[other]}.`)
  if (missing > 0) terminal.say(`${missing} are left there: they are missing in the ${NAMES[to]}. See \`hearth doctor\`.`)
  return missing > 0 ? FAILED : DONE
}

/** Does something with each, some at a time; begins no further one once the signal fires or one has failed. */
async function inTurns<Row>(rows: readonly Row[], signal: AbortSignal, act: (row: Row) => Promise<void>): Promise<void> {
  const rest = rows.values()
  const failed = new AbortController()
  const work = async (): Promise<void> => {
    for (const row of rest) {
      if (signal.aborted || failed.signal.aborted) return
      await act(row)
    }
  }
  const failing = (error: unknown) => {
    failed.abort()
    throw error
  }
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => work().catch(failing)))
  for (const end of ends) if (end.status === "rejected") throw end.reason
}
