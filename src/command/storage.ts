import { StorageUnavailable } from "../core/blobs/blobs.ts"
import { blobsIn } from "../core/blobs/folder.ts"
import { type Amount, countBlobs, inWords, moveBlobs } from "../core/blobs/move.ts"
import { openStore } from "../core/blobs/object-store.ts"
import type { Config } from "../core/config.ts"
import { CommandFailed, DONE, type ExitCode, FAILED } from "./failure.ts"
import { onSignals } from "./signals.ts"
import type { Terminal } from "./terminal.ts"

const AGAIN = "What was moved stays moved. Run it again to go on."

/** Moves all files to the place of new ones. It takes no lock and needs no database. Ends early at the first signal, after the files that are under way. */
export async function moveFiles(terminal: Terminal, config: Config, { dryRun }: { readonly dryRun: boolean }): Promise<ExitCode> {
  const { dataDir, storage } = config
  if (storage.url === "")
    throw new CommandFailed("There is no object store.", "Set HEARTH_STORAGE_URL and its keys, also to move files out of one.")
  const store = await openStore(storage)
  const stopped = new AbortController()
  const quiet = onSignals({ stop: () => stopped.abort(), stopNow: () => process.exit(FAILED) })
  try {
    const folder = blobsIn(dataDir)
    const [from, to] = storage.place === "store" ? [folder, store.blobs] : [store.blobs, folder]
    const direction = storage.place === "store" ? "from the data folder to the object store" : "from the object store to the data folder"
    const all = await countBlobs(from, stopped.signal)
    if (dryRun) {
      terminal.out(`${inWords(all)} would be moved ${direction}.`)
      return DONE
    }
    const progress = (done: Amount) =>
      terminal.progress(
        `moved ${inWords(done)}; ${inWords({ files: Math.max(0, all.files - done.files), bytes: Math.max(0, all.bytes - done.bytes) })} left`,
      )
    progress({ files: 0, bytes: 0 })
    const { damaged, ...moved } = await moveBlobs({ from, to, signal: stopped.signal, progress })
    terminal.progress("")
    terminal.out(`${inWords(moved)} moved ${direction}.`)
    for (const key of damaged) terminal.say(`${key} is left where it was: its copy is not the same.`)
    if (stopped.signal.aborted) terminal.say(`Stopped. ${AGAIN}`)
    return damaged.length > 0 || stopped.signal.aborted ? FAILED : DONE
  } catch (error) {
    if (error instanceof StorageUnavailable) throw new CommandFailed(`The object store fails: ${error.message}.`, AGAIN)
    throw error
  } finally {
    quiet()
    store.close()
  }
}
