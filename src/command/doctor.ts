import { join } from "node:path"
import type { Config } from "../core/config.ts"
import { openInspector } from "../git/repositories/inspect.ts"
import { checkIntegrity, checkJobs, findDatabase } from "./checks/database.ts"
import { type Finding, failure } from "./checks/finding.ts"
import { checkAddress, checkDataFolder, checkGit, checkHostKey, checkKey, checkSpace } from "./checks/installation.ts"
import { checkLocks, checkObjects, compareRepositories, findRepositories } from "./checks/repositories.ts"
import { checkSigningKey } from "./checks/signing-key.ts"
import { checkStorage } from "./checks/storage.ts"
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
  const { database, there, finding } = await findDatabase(config)
  yield finding
  yield await checkKey(config, there)
  yield await checkHostKey(config)
  if (database === undefined) return
  try {
    yield await checkIntegrity(database)
    yield await checkJobs(database)
    yield await checkSigningKey(config, database)
    const root = join(config.dataDir, "repositories")
    const inspector = openInspector({ root, program: config.git.path })
    try {
      const repositories = await findRepositories(database, inspector)
      yield* compareRepositories(repositories, join(config.dataDir, "lost+found"))
      yield* await checkLocks(repositories, inspector)
      if (fsck && git.level === "ok")
        yield* await checkObjects(repositories, inspector, { whole: deep }, (done, of, name) =>
          terminal.progress(`checking objects: ${done} of ${of} (${name})`),
        )
      terminal.progress("")
    } finally {
      await inspector.close()
    }
  } finally {
    await database.close()
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
