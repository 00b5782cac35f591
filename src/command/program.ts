import { Command, CommanderError } from "commander"
import { VERSION } from "../core/version.ts"
import { examples } from "./examples.ts"
import { DONE, type ExitCode, explain, REFUSED } from "./failure.ts"
import type { Environment } from "./installation.ts"
import type { Terminal } from "./terminal.ts"

const EXIT_CODES = "\nEnds with 0 when done, 1 when it failed, 2 when the command line or the configuration is refused."

/** Runs one command line, given without the program's own name, and gives the exit code. Never throws: failures are printed. */
export async function runCommandLine(args: readonly string[], terminal: Terminal, env: Environment): Promise<ExitCode> {
  let code: ExitCode = DONE
  try {
    const program = await commands(args, terminal, env, (given) => {
      code = given
    })
    await program.parseAsync([...args], { from: "user" })
    return code
  } catch (error) {
    // Commander has printed its own message by then.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : REFUSED
    const { text, code: failed } = explain(error)
    terminal.say(text)
    return failed
  }
}

/** The table of commands. What a command needs is loaded when it runs, so that commands start quickly; a server loads no other command. */
async function commands(args: readonly string[], terminal: Terminal, given: Environment, end: (code: ExitCode) => void): Promise<Command> {
  const program = new Command("hearth")
    .description("Hearth serves git repositories and the work around them.")
    .version(VERSION, "--version", "print Hearth's own version")
    .option("-c, --config <file>", "read settings from this file")
    .option("-d, --data-dir <folder>", "use this data folder")
    .addHelpText("afterAll", EXIT_CODES)
    .helpCommand(false)
    // Switches that are off by default need no "(default: false)".
    .configureHelp({ optionDescription: ({ description }) => description })
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text.trimEnd()), writeErr: (text) => terminal.say(text.trimEnd()) })

  const env = (): Environment => {
    const { config, dataDir } = program.opts<{ config?: string; dataDir?: string }>()
    return { ...given, ...(config !== undefined && { HEARTH_CONFIG: config }), ...(dataDir !== undefined && { HEARTH_DATA_DIR: dataDir }) }
  }

  program
    .command("serve")
    .description("Serve until stopped. The first start makes an administrator.")
    .option(
      "--demo",
      "fill a fresh server with an example: an organisation, its people, and a repository with issues, reviews and releases",
      false,
    )
    .addHelpText("after", examples("hearth serve", "hearth --data-dir /tmp/look-around serve --demo"))
    .action(async (options: { demo: boolean }) => {
      const { serve } = await import("./serve.ts")
      end(await serve(terminal, env(), options))
    })

  if (program.parseOptions([...args]).operands[0] !== "serve")
    (await import("./other-commands.ts")).otherCommands(program, terminal, env, end)
  return program
}
