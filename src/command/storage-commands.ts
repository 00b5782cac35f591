import type { Command } from "commander"
import { loadConfig } from "../core/config.ts"
import { examples } from "./examples.ts"
import type { ExitCode } from "./failure.ts"
import type { Environment } from "./installation.ts"
import type { Terminal } from "./terminal.ts"

/** Adds `hearth storage …`: files in the data folder and in an object store, also while a server runs. */
export function storageCommands(program: Command, terminal: Terminal, env: () => Environment, end: (code: ExitCode) => void): void {
  const storage = program
    .command("storage")
    .description("Move files between the data folder and the object store.")
    .helpCommand(false)
    .addHelpText("after", examples("hearth storage move", "hearth storage move --dry-run"))

  storage
    .command("move")
    .description(
      "Move all files to where storage.place says that new ones are written: to the object store, or out of it. Servers may run meanwhile, with the same setting. Each file is removed once its copy was read and compared; when this is ended, run it again.",
    )
    .option("--dry-run", "count what would be moved", false)
    .addHelpText("after", examples("hearth storage move", "HEARTH_STORAGE_PLACE=folder hearth storage move"))
    .action(async (options: { dryRun: boolean }) => {
      const { moveFiles } = await import("./storage.ts")
      end(await moveFiles(terminal, loadConfig({ env: env() }).config, options))
    })
}
