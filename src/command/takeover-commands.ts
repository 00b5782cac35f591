import type { Command } from "commander"
import { examples } from "./examples.ts"
import type { ExitCode } from "./failure.ts"
import type { Environment } from "./installation.ts"
import type { TakeoverCommand } from "./takeover.ts"
import type { Terminal } from "./terminal.ts"

/** Adds `hearth takeover`: another server's installation becomes this one's. */
export function takeoverCommand(program: Command, terminal: Terminal, env: () => Environment, end: (code: ExitCode) => void): void {
  program
    .command("takeover")
    .description(
      "Take over an installation of Gitea or Forgejo with everything that it has: accounts, repositories, issues and files, with their ids, passwords, tokens and keys. It is only read. While no server runs here; run it again to bring what has changed there, and once more when the old server is stopped.",
    )
    .option("--from <folder>", "the data folder of the old server, or its app.ini")
    .option("--database <url>", "its database: sqlite:/path, postgres://… or mysql://…; by default the one that app.ini names")
    .option("--dry-run", "tell what would be taken, and write nothing", false)
    .option("--link", "make hard links of files and objects where the file system can: the old server must not be used afterwards", false)
    .option("--compare <urls...>", "ask two running servers, the old and the new one, the same questions, and tell what differs")
    .option("--token <token>", "of an administrator of both, for --compare; by default HEARTH_COMPARE_TOKEN")
    .addHelpText(
      "after",
      examples(
        "hearth takeover --from /var/lib/gitea --dry-run",
        "hearth takeover --from /etc/gitea/app.ini --link",
        "hearth takeover --compare https://old.example.org https://new.example.org --token …",
      ),
    )
    .action(async (options: TakeoverCommand) => {
      const { takeover } = await import("./takeover.ts")
      end(await takeover(terminal, env(), options))
    })
}
