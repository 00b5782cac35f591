import { type Command, Option } from "commander"
import { loadConfig } from "../core/config.ts"
import { examples } from "./examples.ts"
import type { ExitCode } from "./failure.ts"
import type { Environment } from "./installation.ts"
import type { MoveOptions } from "./storage.ts"
import type { Terminal } from "./terminal.ts"

/** Adds `hearth storage …`: files and repositories in the data folder and in an object store, also while servers run. */
export function storageCommands(program: Command, terminal: Terminal, env: () => Environment, end: (code: ExitCode) => void): void {
  const storage = program
    .command("storage")
    .description("Move files and repositories between the data folder and the object store.")
    .helpCommand(false)
    .addHelpText("after", examples("hearth storage move", "hearth storage move --dry-run"))

  storage
    .command("move")
    .description(
      "Move all files to the object store, or out of it; servers that have both find them in either. Each is removed once its copy was read and compared. With PostgreSQL, repositories and wikis first: they are copied while servers run, as often as you like, and at last with --switch while none runs. When this is ended, run it again.",
    )
    .addOption(new Option("--to <place>", "where to; by default what storage.place says").choices(["store", "folder"]))
    .option(
      "--switch",
      "all servers are stopped: bring the last changes of repositories, and let servers keep them there from now on",
      false,
    )
    .option("--remove", "remove the copies of repositories that the switch has left behind", false)
    .option("--dry-run", "count what would be moved", false)
    .addHelpText(
      "after",
      examples("hearth storage move --to store", "hearth storage move --to store --switch", "hearth storage move --to store --remove"),
    )
    .action(async (options: MoveOptions) => {
      const { move } = await import("./storage.ts")
      end(await move(terminal, loadConfig({ env: env() }).config, options))
    })
}
