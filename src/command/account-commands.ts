import type { Command } from "commander"
import { examples } from "./examples.ts"
import type { ExitCode } from "./failure.ts"
import type { Environment } from "./installation.ts"
import type { Terminal } from "./terminal.ts"

/** Adds `hearth account …`: an account or organisation in an archive, also while a server runs. */
export function accountCommands(program: Command, terminal: Terminal, env: () => Environment, end: (code: ExitCode) => void): void {
  const verbs = () => import("./accounts.ts")
  const account = program
    .command("account")
    .description("Write an account or organisation with its repositories into an archive, and take it over from one.")
    .helpCommand(false)
    .addHelpText("after", examples("hearth account export acme acme.tar.gz", "hearth account import acme.tar.gz --as acme"))

  account
    .command("export")
    .description(
      "Write an account with its repositories into an archive: rows as JSON Lines with schemas, bundles of git, and attached and large files, of one moment. Nothing in it lets anyone in.",
    )
    .argument("<name>", "which account or organisation")
    .argument("<file>", "the archive to write; it must not be there")
    .addHelpText("after", examples("hearth account export acme acme.tar.gz"))
    .action(async (name: string, file: string) => end(await (await verbs()).exportTo(terminal, env(), name, file)))

  account
    .command("import")
    .description(
      "Take an account over from such an archive of this or another Hearth, with its repositories. Where there is such an account already, it gets the repositories that it has not; so this goes on when it was ended. People are found by their names.",
    )
    .argument("<file>", "the archive")
    .option("--as <name>", "another name for the account")
    .addHelpText("after", examples("hearth account import acme.tar.gz", "hearth account import acme.tar.gz --as acme-2"))
    .action(async (file: string, options: { readonly as?: string }) =>
      end(await (await verbs()).importFrom(terminal, env(), file, options)),
    )
}
