import type { Command } from "commander"
import { loadConfig } from "../core/config.ts"
import { API_VERSION, VERSION } from "../core/version.ts"
import { accountCommands } from "./account-commands.ts"
import { backupCommands } from "./backup-commands.ts"
import { databaseCommands } from "./database-commands.ts"
import { examples } from "./examples.ts"
import type { ExitCode } from "./failure.ts"
import { importCommand } from "./import-commands.ts"
import type { Environment } from "./installation.ts"
import { packageRuleCommands } from "./package-rule-commands.ts"
import { runnerCommands } from "./runner-commands.ts"
import { signingKeyCommands } from "./signing-key-commands.ts"
import { storageCommands } from "./storage-commands.ts"
import { takeoverCommand } from "./takeover-commands.ts"
import type { Terminal } from "./terminal.ts"
import { tokenCommands } from "./token-commands.ts"
import { userCommands } from "./user-commands.ts"

/** Adds every command but the one that serves, in the order in which help lists them. */
export function otherCommands(program: Command, terminal: Terminal, env: () => Environment, end: (code: ExitCode) => void): void {
  userCommands(program, terminal, env)
  program
    .command("invite")
    .description(
      "Let a person make an account of their own, with a link that is good once. It goes out by mail, and alone to standard output.",
    )
    .argument("<address>", "whose")
    .addHelpText("after", examples("hearth invite ada@example.org"))
    .action(async (address: string) => (await import("./invite.ts")).inviteAddress(terminal, env(), address))
  tokenCommands(program, terminal, env)
  packageRuleCommands(program, terminal, env)
  runnerCommands(program, terminal, env)
  signingKeyCommands(program, terminal, env)
  storageCommands(program, terminal, env, end)
  takeoverCommand(program, terminal, env, end)
  databaseCommands(program, terminal, env, end)
  backupCommands(program, terminal, env, end)
  accountCommands(program, terminal, env, end)
  importCommand(program, terminal, env, end)

  program
    .command("doctor")
    .description("Look for what is wrong with this installation, and say what to do about it.")
    .option("--repair", "put right what can be put right safely", false)
    .option("--no-fsck", "leave out the check of every repository's objects, which takes a while")
    .option("--deep", "read every object whole, which takes far longer, and finds those that are damaged", false)
    .addHelpText("after", examples("hearth doctor", "hearth doctor --repair --no-fsck", "hearth doctor --deep"))
    .action(async (options: { repair: boolean; fsck: boolean; deep: boolean }) => {
      const { examine } = await import("./doctor.ts")
      end(await examine(terminal, loadConfig({ env: env() }).config, options))
    })

  program
    .command("config")
    .description("Print the effective settings and where each comes from.")
    .option("--json", "print JSON", false)
    .option("--explain", "print what each setting means instead", false)
    .addHelpText("after", examples("hearth config", "hearth config --explain"))
    .action(async (options: { json: boolean; explain: boolean }) => {
      const { explainConfig, printConfig } = await import("./config.ts")
      if (options.explain) explainConfig(terminal)
      else printConfig(terminal, loadConfig({ env: env() }), options)
    })

  program
    .command("version")
    .description("Print the versions of Hearth, of its API, and of Node.js.")
    .addHelpText("after", examples("hearth version"))
    .action(() => printVersion(terminal))
}

/** Prints the versions of Hearth, of the interface that it speaks, and of what it runs on. */
function printVersion({ out }: Terminal): void {
  out(`hearth ${VERSION}`)
  out(`api ${API_VERSION}`)
  out(`node ${process.versions.node}`)
}
