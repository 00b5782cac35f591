import { type Command, InvalidArgumentError } from "commander"
import { isScope, SCOPE_CATEGORIES } from "../access/scopes.ts"
import { examples } from "./examples.ts"
import type { Environment } from "./installation.ts"
import type { Terminal } from "./terminal.ts"
import type { NewTokenOptions } from "./tokens.ts"

const SCOPES = `all, public-only, or read: or write: with one of ${SCOPE_CATEGORIES.toSorted().join(", ")}`

function collectScopes(given: string, before: readonly string[] | undefined): readonly string[] {
  const scopes = given.split(",")
  const unknown = scopes.find((scope) => !isScope(scope))
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no scope "${unknown}". Give ${SCOPES}.`)
  return [...(before ?? []), ...scopes]
}

const collected = (given: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), given]

function readDays(given: string): number {
  if (!/^[1-9]\d{0,4}$/.test(given)) throw new InvalidArgumentError("Give a whole number of days.")
  return Number(given)
}

/** Adds `hearth token …`: access tokens without the API, also while a server runs. */
export function tokenCommands(program: Command, terminal: Terminal, env: () => Environment): void {
  const token = program
    .command("token")
    .description("Make, list and remove access tokens.")
    .helpCommand(false)
    .addHelpText("after", examples("hearth token add ada ci --scope write:repository", "hearth token add --help"))
  const verbs = () => import("./tokens.ts")

  token
    .command("add")
    .description("Make a token. It alone is printed to standard output, this once.")
    .argument("<user>", "whose token")
    .argument("<name>", "what it is for; unique among the person's tokens")
    .requiredOption("--scope <scope>", `what it may do, several with commas or given several times: ${SCOPES}`, collectScopes)
    .option("--days <number>", "for how many days it is good; by default as long as the site allows", readDays)
    .option("--repository <owner/name>", "limit it to this repository; may be given several times", collected)
    .option(
      "--owner <name>",
      "limit it to the repositories of this owner, the person or an organisation of theirs; may be given several times",
      collected,
    )
    .addHelpText(
      "after",
      examples(
        "hearth token add ada ci --scope write:repository",
        "hearth token add ada deploy --scope read:repository --repository acme/rocket --days 90",
        "TOKEN=$(hearth token add ada backup --scope read:repository,read:user)",
      ),
    )
    .action(async (user: string, name: string, options: NewTokenOptions) => (await verbs()).addToken(terminal, env(), user, name, options))

  token
    .command("list")
    .description("Print a person's tokens, newest first. The tokens themselves can't be shown again.")
    .argument("<user>", "whose tokens")
    .option("--json", "print JSON", false)
    .addHelpText("after", examples("hearth token list ada", "hearth token list ada --json"))
    .action(async (user: string, options: { json: boolean }) => (await verbs()).listTokens(terminal, env(), user, options))

  token
    .command("remove")
    .description("Take a token back. It is refused from the next request on.")
    .argument("<user>", "whose token")
    .argument("<name>", "its name")
    .addHelpText("after", examples("hearth token remove ada ci"))
    .action(async (user: string, name: string) => (await verbs()).removeToken(terminal, env(), user, name))
}
