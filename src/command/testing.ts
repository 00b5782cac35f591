import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runCommandLine } from "./program.ts"

/** What tests of the command line share: a folder for data, and a terminal that remembers. */
export interface Shell {
  readonly dataDir: string
  /** Runs one command line on the data folder. */
  readonly run: (
    args: string,
    env?: Readonly<Record<string, string>>,
  ) => Promise<{ readonly code: number; readonly out: string; readonly said: string }>
  readonly close: () => Promise<void>
}

export async function openShell(): Promise<Shell> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-command-"))
  const dataDir = join(folder, "data")
  return {
    dataDir,
    async run(args, env = {}) {
      const out: string[] = []
      const said: string[] = []
      const terminal = { out: (line: string) => void out.push(line), say: (line: string) => void said.push(line), progress: () => {} }
      const code = await runCommandLine(args.split(" ").filter(Boolean), terminal, { HEARTH_DATA_DIR: dataDir, ...env })
      return { code, out: out.join("\n"), said: said.join("\n") }
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
