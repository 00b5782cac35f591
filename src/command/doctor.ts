import { join } from "node:path"
import { StorageUnavailable } from "../core/blobs/blobs.ts"
import { openStorage } from "../core/blobs/open.ts"
import { type Config, isSharedByServers, repositoryFolder } from "../core/config.ts"
import type { Database } from "../core/database/database.ts"
import { misplaced, placeOfRepositories } from "../features/code/lifecycle/place.ts"
import { openInspector } from "../git/repositories/inspect.ts"
import { checkIntegrity, checkJobs, findDatabase } from "./checks/database.ts"
import { type Finding, failure } from "./checks/finding.ts"
import { checkAddress, checkDataFolder, checkGit, checkHostKey, checkKey, checkSpace } from "./checks/installation.ts"
import { checkLocks, checkObjects, compareRepositories, findRepositories } from "./checks/repositories.ts"
import { checkDirectories, checkMappedTeams } from "./checks/sign-in.ts"
import { checkSigningKey } from "./checks/signing-key.ts"
import { checkStorage } from "./checks/storage.ts"
import { checkStored } from "./checks/stored.ts"
import { DONE, type ExitCode, FAILED } from "./failure.ts"
import type { Terminal } from "./terminal.ts"

export interface DoctorOptions {
  /** Repair what can be repaired safely. */
  readonly repair: boolean
  /** Check every repository's objects. */
  readonly fsck: boolean
  /** Read each of the objects, rather than only follow them. */
  readonly deep: boolean
}

/**
 * Checks everything that a server needs, prints the findings with advice, and fails when a problem remains that wasn't repaired. It may run beside
 * the server.
 */
export async function examine(terminal: Terminal, config: Config, options: DoctorOptions): Promise<ExitCode> {
  let failures = 0
  let warnings = 0
  for await (const finding of findings(terminal, config, options)) {
    const level = await report(terminal, finding, options.repair)
    if (level === "failure") failures++
    if (level === "warning") warnings++
  }
  terminal.out(failures + warnings === 0 ? "\nAll is well." : `\n${failures} wrong, ${warnings} to look at.`)
  return failures === 0 ? DONE : FAILED
}

async function* findings(terminal: Terminal, config: Config, { fsck, deep }: DoctorOptions): AsyncGenerator<Finding> {
  const git = await checkGit(config)
  yield git
  const folder = await checkDataFolder(config)
  yield folder
  if (folder.level === "ok") yield await checkSpace(config)
  yield checkAddress(config)
  yield* checkStorage(config)
  yield* checkDirectories(config)
  const { database, there, finding } = await findDatabase(config)
  yield finding
  yield await checkKey(config, there)
  yield await checkHostKey(config, database)
  if (database === undefined) return
  try {
    yield await checkIntegrity(database)
    yield await checkJobs(database)
    yield await checkSigningKey(config, database)
    yield* checkMappedTeams(config, database)
    const misplacement = await misplaced(database.read, isSharedByServers(config) ? "store" : "folder")
    if (misplacement) yield failure(misplacement.message, misplacement.advice)
    const depth = { fsck: fsck && git.level === "ok", deep, progress: terminal.progress }
    yield* (await placeOfRepositories(database.read)) === "store" ? inStore(config, database, depth) : inFolder(config, database, depth)
    terminal.progress("")
  } finally {
    await database.close()
  }
}

interface Depth {
  readonly fsck: boolean
  readonly deep: boolean
  readonly progress: (state: string) => void
}

async function* inFolder(config: Config, database: Database, { fsck, deep, progress }: Depth): AsyncGenerator<Finding> {
  const inspector = openInspector({ root: repositoryFolder(config), program: config.git.path })
  try {
    const repositories = await findRepositories(database, inspector)
    yield* compareRepositories(repositories, join(config.dataDir, "lost+found"))
    yield* await checkLocks(repositories, inspector)
    if (fsck)
      yield* await checkObjects(repositories, inspector, { whole: deep }, (done, of, name) =>
        progress(`checking objects: ${done} of ${of} (${name})`),
      )
  } finally {
    await inspector.close()
  }
}

async function* inStore(config: Config, database: Database, depth: Depth): AsyncGenerator<Finding> {
  const { blobs, close } = await openStorage(config, { isTried: false, watch() {} })
  try {
    yield* checkStored({ config, database, blobs }, depth)
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    yield failure(`The object store fails: ${error.message}.`, "See whether it is well.")
  } finally {
    close()
  }
}

const MARKS = { ok: "ok  ", warning: "warn", failure: "FAIL" } as const

async function report(terminal: Terminal, finding: Finding, repair: boolean): Promise<Finding["level"]> {
  terminal.out(`${MARKS[finding.level]}  ${finding.text}`)
  if (repair && finding.repair !== undefined) {
    try {
      terminal.out(`      Repaired: ${await finding.repair()}.`)
      return "ok"
    } catch (error) {
      return report(
        terminal,
        failure(`It can't be repaired: ${error instanceof Error ? error.message : String(error)}`, "Put it right by hand."),
        false,
      )
    }
  }
  if (finding.advice !== undefined) terminal.out(`      ${finding.advice}`)
  return finding.level
}
