import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import type { ObjectFormat } from "../model/names.ts"
import { defaultLimits } from "../process/context.ts"
import { namesIn } from "../process/files.ts"
import { createLimiter, ownCaller } from "../process/limits.ts"
import { createProcesses } from "../process/process.ts"
import { checkObjects } from "./maintenance.ts"

/** A repository on disk. */
export interface StoredRepository {
  readonly key: string
  readonly directory: string
  /** When its folder last changed, in milliseconds since 1970. */
  readonly changedAt: number
}

/** Inspects repositories without a running forge. */
export interface Inspector {
  /** Every repository below the root, sorted by key; none if the root doesn't exist. */
  readonly list: () => Promise<readonly StoredRepository[]>
  /**
   * The problems of a repository's objects, one sentence each; none when all objects that its references need are present. With `whole` every object is
   * read, which takes far longer. Throws when git can't check.
   */
  readonly check: (repository: StoredRepository, format: ObjectFormat, options?: { readonly whole?: boolean }) => Promise<readonly string[]>
  /** Lock files that are older than an hour, which no process can hold any more. */
  readonly staleLocks: (repository: StoredRepository) => Promise<readonly string[]>
  readonly close: () => Promise<void>
}

const HOUR_MS = 3_600_000
const DEEPEST = 4

/** Makes an inspector for the repositories below `root`. */
export function openInspector({ root, program }: { readonly root: string; readonly program: string }): Inspector {
  const commands = createLimiter({
    ...defaultLimits,
    name: "commands",
    total: defaultLimits.commands,
    perRepository: defaultLimits.commands,
  })
  const processes = createProcesses({ ...defaultLimits, program, agent: "hearth", root, durable: true, commands, caller: () => ownCaller })

  async function walk(folder: string, prefix: string, depth: number): Promise<StoredRepository[]> {
    const found: StoredRepository[] = []
    for (const name of await namesIn(folder)) {
      if (name.startsWith(".")) continue
      const directory = join(folder, name)
      const status = await stat(directory)
      if (!status.isDirectory()) continue
      if (name.endsWith(".git")) found.push({ key: `${prefix}${name.slice(0, -4)}`, directory, changedAt: status.mtimeMs })
      else if (depth < DEEPEST) found.push(...(await walk(directory, `${prefix}${name}/`, depth + 1)))
    }
    return found
  }

  async function locks(folder: string, deep: boolean): Promise<string[]> {
    const found: string[] = []
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && deep) found.push(...(await locks(path, deep)))
      if (entry.isFile() && entry.name.endsWith(".lock") && Date.now() - (await stat(path)).mtimeMs > HOUR_MS) found.push(path)
    }
    return found
  }

  return {
    list: () => walk(root, "", 1),
    check: ({ key, directory }, format, options) => checkObjects(processes, { key, directory, format }, options),
    staleLocks: async ({ directory }) => [...(await locks(directory, false)), ...(await locks(join(directory, "refs"), true))],
    close: processes.close,
  }
}
