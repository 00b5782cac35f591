import type { Command } from "commander"
import { loadConfig } from "../core/config.ts"
import { examples } from "./examples.ts"
import type { ExitCode } from "./failure.ts"
import type { Environment } from "./installation.ts"
import type { Terminal } from "./terminal.ts"

/** Adds `hearth database …`. */
export function databaseCommands(program: Command, terminal: Terminal, env: () => Environment, end: (code: ExitCode) => void): void {
  const database = program
    .command("database")
    .description("Move the database from SQLite to PostgreSQL, or back.")
    .helpCommand(false)
    .addHelpText("after", examples("hearth database move --to postgres://hearth@db.example.org/hearth"))

  database
    .command("move")
    .description(
      "Copy all rows into another, empty database, while no server runs; count and compare them there. It is one transaction: ended anywhere, the other database is empty, and this one is only read. Then set HEARTH_DATABASE_URL. Code is indexed anew for the search.",
    )
    .option(
      "--to <url>",
      "the other database: sqlite:/path/hearth.db or postgres://…; without it HEARTH_MOVE_TO, which other users of this machine can't see",
    )
    .addHelpText(
      "after",
      examples(
        "hearth database move --to postgres://hearth@db.example.org/hearth",
        "hearth database move --to sqlite:/var/lib/hearth/hearth.db",
      ),
    )
    .action(async ({ to }: { readonly to?: string }) => {
      const { moveDatabase } = await import("./database.ts")
      const { HEARTH_MOVE_TO: named = "", ...rest } = env()
      end(await moveDatabase(terminal, loadConfig({ env: rest }).config, to ?? named))
    })
}
