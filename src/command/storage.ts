import { StorageUnavailable } from "../core/blobs/blobs.ts"
import { blobsIn } from "../core/blobs/folder.ts"
import { type Amount, countBlobs, inWords, moveBlobs } from "../core/blobs/move.ts"
import { type ObjectStore, openStore } from "../core/blobs/object-store.ts"
import { type Config, isSharedByServers } from "../core/config.ts"
import { DatabaseUnavailable } from "../core/database/failures.ts"
import { CommandFailed, DONE, type ExitCode, FAILED } from "./failure.ts"
import { onSignals } from "./signals.ts"
import { openRepositoryMove, type RepositoryMove } from "./storage-repositories.ts"
import type { Terminal } from "./terminal.ts"

export interface MoveOptions {
  /** Without it, `storage.place`. */
  readonly to?: Config["storage"]["place"]
  readonly switch: boolean
  readonly remove: boolean
  readonly dryRun: boolean
}

type Wanted = MoveOptions & { readonly to: Config["storage"]["place"] }

const AGAIN = "What was moved stays moved. Run it again to go on."

/**
 * Moves all files, and where servers share repositories these first. It takes no lock. Ends early at the first signal, after what is under way.
 *
 * Servers find files in both places, and repositories in one: so files follow once repositories are where servers have the store, or have it no more.
 */
export async function move(terminal: Terminal, config: Config, options: MoveOptions): Promise<ExitCode> {
  if (config.storage.url === "")
    throw new CommandFailed("There is no object store.", "Set HEARTH_STORAGE_URL and its keys, also to move files out of one.")
  if (options.switch && options.dryRun) throw new CommandFailed("--switch moves, and --dry-run does not.", "Give one of them.")
  const wanted = { ...options, to: options.to ?? config.storage.place }
  const store = await openStore(config.storage)
  const stopped = new AbortController()
  const quiet = onSignals({ stop: () => stopped.abort(), stopNow: () => process.exit(FAILED) })
  const { signal } = stopped
  try {
    const code = isSharedByServers(config)
      ? await moveAll({ terminal, config, store, signal }, wanted)
      : await moveFiles({ terminal, config, store, signal }, wanted)
    if (signal.aborted) terminal.say(`Stopped. ${AGAIN}`)
    return signal.aborted ? FAILED : code
  } catch (error) {
    if (error instanceof StorageUnavailable) throw new CommandFailed(`The object store fails: ${error.message}.`, AGAIN)
    if (error instanceof DatabaseUnavailable) throw new CommandFailed(`The database fails: ${error.message}.`, AGAIN)
    throw error
  } finally {
    quiet()
    store.close()
  }
}

interface Moving {
  readonly terminal: Terminal
  readonly config: Config
  readonly store: ObjectStore
  readonly signal: AbortSignal
}

async function moveAll(moving: Moving, wanted: Wanted): Promise<ExitCode> {
  const { terminal, config, store, signal } = moving
  const repositories = await openRepositoryMove({ terminal, config, blobs: store.blobs, signal }, wanted.to)
  try {
    if (repositories.isThere) return await moveAfterSwitch(moving, wanted, repositories)
    const code = await repositories.bring(wanted)
    if (wanted.dryRun) return await moveFiles(moving, wanted)
    if (code !== DONE || signal.aborted || !wanted.switch) return code
    // Servers with the store find files in both places, and servers without it only in the folder.
    if (wanted.to === "store") await repositories.settle()
    const moved = await moveFiles(moving, wanted)
    if (moved !== DONE || signal.aborted) return moved
    if (wanted.to === "folder") await repositories.settle()
    return wanted.remove ? await repositories.removeOthers() : DONE
  } finally {
    await repositories.close()
  }
}

async function moveAfterSwitch(moving: Moving, wanted: Wanted, repositories: RepositoryMove): Promise<ExitCode> {
  moving.terminal.out(`Servers keep repositories in the ${wanted.to === "store" ? "object store" : "data folder"} already.`)
  const moved = await moveFiles(moving, wanted)
  return moved === DONE && wanted.remove && !wanted.dryRun && !moving.signal.aborted ? repositories.removeOthers() : moved
}

/** Moves all files. It needs no database. */
async function moveFiles({ terminal, config, store, signal }: Moving, { to: place, dryRun }: Wanted): Promise<ExitCode> {
  const folder = blobsIn(config.dataDir)
  const [from, to] = place === "store" ? [folder, store.blobs] : [store.blobs, folder]
  const direction = place === "store" ? "from the data folder to the object store" : "from the object store to the data folder"
  const all = await countBlobs(from, signal)
  if (dryRun) {
    terminal.out(`${inWords(all)} would be moved ${direction}.`)
    return DONE
  }
  const progress = (done: Amount) =>
    terminal.progress(
      `moved ${inWords(done)}; ${inWords({ files: Math.max(0, all.files - done.files), bytes: Math.max(0, all.bytes - done.bytes) })} left`,
    )
  progress({ files: 0, bytes: 0 })
  const { damaged, ...moved } = await moveBlobs({ from, to, signal, progress })
  terminal.progress("")
  terminal.out(`${inWords(moved)} moved ${direction}.`)
  for (const key of damaged) terminal.say(`${key} is left where it was: its copy is not the same.`)
  return damaged.length > 0 ? FAILED : DONE
}
