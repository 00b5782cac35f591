import type { Command } from "commander"
import { examples } from "./examples.ts"
import type { ExitCode } from "./failure.ts"
import type { Environment } from "./installation.ts"
import type { Terminal } from "./terminal.ts"

const WHERE = "a folder, s3://BUCKET?endpoint=…, or one file that ends in .hearth; by default backup.to"

/** Adds `hearth backup …` and `hearth restore`. The passphrase is backup.passphrase, or is asked for. */
export function backupCommands(program: Command, terminal: Terminal, env: () => Environment, end: (code: ExitCode) => void): void {
  const verbs = () => import("./backup.ts")
  const backup = program
    .command("backup")
    .description(
      "Take a backup of everything, also while servers run: database, repositories, large files and keys, of one moment, sealed with a passphrase (HEARTH_BACKUP_PASSPHRASE, or it is asked for). A folder or a bucket holds many backups, and only what is new is stored. When this is ended, run it again: what was stored is not stored again.",
    )
    .argument("[to]", `where to: ${WHERE}`)
    .option("--rate <bytes>", "the most bytes a second that are written, such as 20MiB; by default backup.maxRate")
    .option("--keep <rules>", "remove other backups then, but for these: last=3,daily=7,weekly=5,monthly=12; by default none is removed")
    .helpCommand(false)
    .addHelpText(
      "after",
      examples(
        "hearth backup /mnt/disk/hearth",
        "hearth backup 's3://backups?endpoint=https://s3.example.org' --keep daily=7,weekly=5",
        "hearth backup monday.hearth",
        "hearth backup list /mnt/disk/hearth",
      ),
    )
    .action(async (to: string | undefined, options: { readonly rate?: string; readonly keep?: string }) =>
      end(await (await verbs()).takeBackup(terminal, env(), to, options)),
    )

  backup
    .command("list")
    .description("List the backups in a place, the oldest first.")
    .argument("[from]", WHERE)
    .option("--json", "print JSON", false)
    .addHelpText("after", examples("hearth backup list", "hearth backup list /mnt/disk/hearth --json"))
    .action(async (from: string | undefined, options: { readonly json: boolean }) =>
      end(await (await verbs()).listBackups(terminal, env(), from, options)),
    )

  backup
    .command("show")
    .description("Show what is in a backup: rows by table, repositories, and how many files.")
    .argument("<id>", "which, as `hearth backup list` names it; `latest` is the last one")
    .argument("[from]", WHERE)
    .addHelpText("after", examples("hearth backup show latest", "hearth backup show 1f0c9a2b /mnt/disk/hearth"))
    .action(async (id: string, from: string | undefined) => end(await (await verbs()).showBackup(terminal, env(), id, from)))

  backup
    .command("verify")
    .description("Read all that is stored, and name what is damaged, and which part of which backup that is.")
    .argument("[from]", WHERE)
    .option("--forget", "forget what is damaged, so that the next backup stores it anew where the site still has it", false)
    .addHelpText("after", examples("hearth backup verify", "hearth backup verify /mnt/disk/hearth --forget"))
    .action(async (from: string | undefined, options: { readonly forget: boolean }) =>
      end(await (await verbs()).verifyBackups(terminal, env(), from, options)),
    )

  program
    .command("restore")
    .description(
      "Restore a backup into an empty place: the database of the settings and the data folder, and with storage.url the object store; whichever of them the backup is from. No server works with it before all is there. When this is ended, run it again.",
    )
    .argument("[from]", WHERE)
    .option("--backup <id>", "which, as `hearth backup list` names it", "latest")
    .option("--repository <owner/name>", "restore this one repository into the site of the settings, whose servers may run")
    .option("--account <name>", "restore this one account or organisation with its repositories, likewise")
    .option("--as <name>", "the new name of that repository, OWNER/NAME with an owner who is there, or of that account")
    .option("--despite-faults", "let servers work with what could be restored, though some of it is damaged and missing", false)
    .addHelpText(
      "after",
      examples(
        "hearth --data-dir /var/lib/hearth restore /mnt/disk/hearth",
        "HEARTH_DATABASE_URL=postgres://hearth@db/hearth hearth restore monday.hearth",
        "hearth restore /mnt/disk/hearth --repository acme/rocket --as acme/rocket-of-monday",
        "hearth restore /mnt/disk/hearth --account acme --as acme-of-monday",
      ),
    )
    .action(
      async (
        from: string | undefined,
        options: {
          readonly backup: string
          readonly despiteFaults: boolean
          readonly repository?: string
          readonly account?: string
          readonly as?: string
        },
      ) => end(await (await verbs()).restoreBackup(terminal, env(), from, options)),
    )
}
