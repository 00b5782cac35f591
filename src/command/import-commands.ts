import type { Command } from "commander"
import { examples } from "./examples.ts"
import type { ExitCode } from "./failure.ts"
import type { ImportCommand } from "./import.ts"
import type { Environment } from "./installation.ts"
import type { Terminal } from "./terminal.ts"

/** Adds `hearth import`: many repositories at once, or an archive. */
export function importCommand(program: Command, terminal: Terminal, env: () => Environment, end: (code: ExitCode) => void): void {
  program
    .command("import")
    .description(
      "Import many repositories: a folder of bare repositories (NAME.git, each perhaps with NAME.wiki.git), which is only read and taken at once, as private ones; or a list of addresses, one a line, behind a space what it is to be called here, which the server brings in the background; or an archive (.tar.gz): a migration archive of GitHub, or a project export of GitLab. Run again it takes what is not there yet.",
    )
    .argument("<what>", "the folder, the file with the list, or the archive")
    .requiredOption("--owner <name>", "the account or organisation that gets them")
    .option("--as <name>", "in whose name; for an organisation one of its owners, otherwise the owner")
    .option("--name <name>", "for an archive: what the repository is to be called; by default as the file")
    .option("--service <word>", "for a list: git, gitea, gogs, github or gitlab; all but git also bring issues and the like", "git")
    .option("--private", "for a list: only people with access can see them", false)
    .addHelpText(
      "after",
      examples(
        "hearth import /srv/git --owner ada",
        "hearth import rocket.tar.gz --owner acme --as ada",
        "hearth import list.txt --owner acme --as ada --service github",
      ),
    )
    .action(async (what: string, options: ImportCommand) =>
      end(await (await import("./import.ts")).importMany(terminal, env(), what, options)),
    )
}
