import type { Command } from "commander"
import { examples } from "./examples.ts"
import type { Environment } from "./installation.ts"
import type { Terminal } from "./terminal.ts"

/** Adds `hearth runner …`: what is needed to start runners, also while a server runs. */
export function runnerCommands(program: Command, terminal: Terminal, env: () => Environment): void {
  const runner = program
    .command("runner")
    .description("Get what runners need to register, and list them.")
    .helpCommand(false)
    .addHelpText("after", examples("hearth runner register-token", "hearth runner list"))
  const verbs = () => import("./runners.ts")

  runner
    .command("register-token")
    .description("Print the token that runners register with, and the commands that start one. The token alone goes to standard output.")
    .argument("[for]", "a person, an organisation, or owner/repository; without it runners serve the whole site")
    .option("--rotate", "make another token; the one before can't be used any more, and registered runners stay", false)
    .addHelpText(
      "after",
      examples("hearth runner register-token", "hearth runner register-token crafts", "hearth runner register-token ada/lamp --rotate"),
    )
    .action(async (place: string | undefined, options: { rotate: boolean }) =>
      (await verbs()).registerToken(terminal, env(), place, options),
    )

  runner
    .command("list")
    .description("Print all runners with their labels, and when they last called.")
    .option("--json", "print JSON", false)
    .addHelpText("after", examples("hearth runner list", "hearth runner list --json"))
    .action(async (options: { json: boolean }) => (await verbs()).listRunners(terminal, env(), options))
}
