import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runCommandLine } from "./program.ts"
import type { Terminal } from "./terminal.ts"

/** The input of a command: piped, or typed where it asks. */
export interface Keyboard {
  readonly piped?: string
  readonly typed?: readonly string[]
}

/** Shared by tests of the command line: a data folder, and a terminal that records. */
export interface Shell {
  readonly dataDir: string
  /** Runs one command line on the data folder. */
  readonly run: (
    args: string,
    env?: Readonly<Record<string, string>>,
    keyboard?: Keyboard,
  ) => Promise<{ readonly code: number; readonly out: string; readonly said: string }>
  readonly close: () => Promise<void>
}

export async function openShell(): Promise<Shell> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-command-"))
  const dataDir = join(folder, "data")
  return {
    dataDir,
    async run(args, env = {}, { piped = "", typed } = {}) {
      const out: string[] = []
      const said: string[] = []
      const answers = [...(typed ?? [])]
      const terminal: Terminal = {
        out: (line) => void out.push(line),
        say: (line) => void said.push(line),
        progress: () => {},
        interactive: typed !== undefined,
        ask: async (question) => {
          said.push(question)
          return answers.shift() ?? ""
        },
        input: async () => piped,
      }
      const code = await runCommandLine(args.split(" ").filter(Boolean), terminal, { HEARTH_DATA_DIR: dataDir, ...env })
      return { code, out: out.join("\n"), said: said.join("\n") }
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
