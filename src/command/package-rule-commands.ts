import { type Command, InvalidArgumentError } from "commander"
import { examples } from "./examples.ts"
import type { Environment } from "./installation.ts"
import type { RuleWords } from "./package-rules.ts"
import type { Terminal } from "./terminal.ts"

function wholeNumber(given: string): number {
  if (!/^\d{1,7}$/.test(given)) throw new InvalidArgumentError("Give a whole number.")
  return Number(given)
}

/** Adds `hearth package-rule …`: what the nightly clean-up removes of an owner's packages. */
export function packageRuleCommands(program: Command, terminal: Terminal, env: () => Environment): void {
  const rule = program
    .command("package-rule")
    .description("Make, list and remove the rules by which old versions of packages are removed every night.")
    .helpCommand(false)
    .addHelpText(
      "after",
      examples(
        "hearth package-rule set tools generic --keep 10 --older-than 30",
        "hearth package-rule list tools",
        "hearth package-rule set --help",
      ),
    )
  const verbs = () => import("./package-rules.ts")

  rule
    .command("set")
    .description("Set the owner's rule for packages of a type, in the place of the one that there was.")
    .argument("<owner>", "the person or organisation")
    .argument("<type>", "the registry: generic, npm")
    .option("--keep <count>", "so many of the newest versions of each package stay", wholeNumber, 0)
    .option("--older-than <days>", "younger versions stay", wholeNumber, 0)
    .option("--only <expression>", "only versions are removed that match as a whole, in any letter case", "")
    .option("--except <expression>", "versions stay that match as a whole, in any letter case", "")
    .option("--off", "keep the rule, and don't follow it", false)
    .addHelpText(
      "after",
      examples("hearth package-rule set tools npm --only '.*-nightly.*' --older-than 14", "hearth package-rule set ada generic --keep 5"),
    )
    .action(async (owner: string, type: string, options: RuleWords) => (await verbs()).setRule(terminal, env(), owner, type, options))

  rule
    .command("list")
    .description("Print the owner's rules, and why one could not be followed last night.")
    .argument("<owner>", "the person or organisation")
    .option("--json", "print JSON", false)
    .addHelpText("after", examples("hearth package-rule list tools", "hearth package-rule list tools --json"))
    .action(async (owner: string, options: { json: boolean }) => (await verbs()).listRules(terminal, env(), owner, options))

  rule
    .command("remove")
    .description("Remove the owner's rule for packages of a type.")
    .argument("<owner>", "the person or organisation")
    .argument("<type>", "the registry: generic, npm")
    .addHelpText("after", examples("hearth package-rule remove tools npm"))
    .action(async (owner: string, type: string) => (await verbs()).dropRule(terminal, env(), owner, type))
}
