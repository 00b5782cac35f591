import { Argument, type Command, InvalidArgumentError } from "commander"
import { examples } from "./examples.ts"
import type { Environment } from "./installation.ts"
import type { Terminal } from "./terminal.ts"

const PASSWORD_STDIN = "--password-stdin"
const FROM_STDIN = "take the password from standard input; a line end after it doesn't count"
const ON_OFF = "on or off"
const onOff = () => new Argument("<state>", ON_OFF).choices(["on", "off"])

function readDays(given: string): number {
  if (!/^\d{1,5}$/.test(given)) throw new InvalidArgumentError("Give a whole number of days.")
  return Number(given)
}

/** Adds `hearth user …`: users without the API, also while a server runs. */
export function userCommands(program: Command, terminal: Terminal, env: () => Environment): void {
  const user = program
    .command("user")
    .description("Make, list and change people.")
    .helpCommand(false)
    .addHelpText("after", examples("hearth user add ada --email ada@example.org", "hearth user add --help"))
  const verbs = () => import("./users.ts")

  user
    .command("add")
    .description("Make a person. Without a terminal to ask on, a password is made up and printed once.")
    .argument("<name>", "what the person signs in as")
    .requiredOption("--email <address>", "primary e-mail address")
    .option("--full-name <name>", "name as people write it", "")
    .option("--admin", "let the person administer the site", false)
    .option("--must-change", "ask for another password before anything else is possible", false)
    .option(PASSWORD_STDIN, FROM_STDIN, false)
    .addHelpText(
      "after",
      examples(
        'hearth user add ada --email ada@example.org --full-name "Ada King"',
        "hearth user add ada --email ada@example.org --admin --password-stdin < password.txt",
      ),
    )
    .action(
      async (name: string, options: { email: string; fullName: string; admin: boolean; mustChange: boolean; passwordStdin: boolean }) =>
        (await verbs()).addUser(terminal, env(), name, options),
    )

  user
    .command("list")
    .description("Print all users, by name.")
    .option("--json", "print JSON", false)
    .addHelpText("after", examples("hearth user list", "hearth user list --json | jq -r '.[] | select(.is_admin) | .login'"))
    .action(async (options: { json: boolean }) => (await verbs()).listUsers(terminal, env(), options))

  user
    .command("password")
    .description("Give a person another password. Without a terminal to ask on, one is made up and printed once.")
    .argument("<name>", "whose password")
    .option(PASSWORD_STDIN, FROM_STDIN, false)
    .addHelpText("after", examples("hearth user password ada", "hearth user password ada --password-stdin < password.txt"))
    .action(async (name: string, options: { passwordStdin: boolean }) => (await verbs()).changePassword(terminal, env(), name, options))

  user
    .command("rename")
    .description("Give a person another name. The old one leads to the new one.")
    .argument("<old>", "the name until now")
    .argument("<new>", "the name from now on")
    .addHelpText("after", examples("hearth user rename ada ada-king"))
    .action(async (name: string, newName: string) => (await verbs()).renameUser(terminal, env(), name, newName))

  user
    .command("delete")
    .description("Delete a user. Users who own repositories or belong to an organisation are kept, unless --purge is given.")
    .argument("<name>", "whom")
    .option("--purge", "also delete their repositories, and organisations without another owner", false)
    .option("--yes", "don't ask", false)
    .addHelpText("after", examples("hearth user delete ada", "hearth user delete ada --purge --yes"))
    .action(async (name: string, options: { purge: boolean; yes: boolean }) => (await verbs()).deleteUser(terminal, env(), name, options))

  user
    .command("admin")
    .description("Let a person administer the site, or no longer.")
    .argument("<name>", "whom")
    .addArgument(onOff())
    .addHelpText("after", examples("hearth user admin ada on"))
    .action(async (name: string, state: string) => (await verbs()).setAdministrator(terminal, env(), name, state === "on"))

  user
    .command("active")
    .description("Let a person use its account, or no longer. Nothing is deleted.")
    .argument("<name>", "whom")
    .addArgument(onOff())
    .addHelpText("after", examples("hearth user active ada off"))
    .action(async (name: string, state: string) => (await verbs()).setActive(terminal, env(), name, state === "on"))

  user
    .command("link")
    .description(
      "Let a person who has an account here sign in as who they are at a provider or in a directory. With a directory, the password there counts from now on, and that of the account no more.",
    )
    .argument("<name>", "whom")
    .argument("<source>", "the name of the provider or directory in the settings")
    .argument("<id>", "the lasting id there: a provider's sub, a directory's entryUUID or objectGUID (its bytes as 32 hexadecimal digits)")
    .option("--login <login>", "what the person signs in as there, where that is another name than here")
    .addHelpText(
      "after",
      examples(
        "hearth user link ada company 248289761001",
        "hearth user link ada staff 6f9619ff-8b86-d011-b42d-00c04fc964ff --login aking",
      ),
    )
    .action(async (name: string, source: string, id: string, options: { login?: string }) =>
      (await verbs()).linkUser(terminal, env(), name, { source, id, login: options.login }),
    )

  user
    .command("second-factor")
    .description(
      "Let a person go without the second factor that the site requires for some days from now; or have an organisation require none.",
    )
    .argument("<name>", "whom, or which organisation")
    .option("--days <number>", "for how many days, of a person", readDays, 7)
    .addHelpText("after", examples("hearth user second-factor ada --days 30", "hearth user second-factor acme"))
    .action(async (name: string, { days }: { days: number }) => (await verbs()).liftSecondFactor(terminal, env(), name, days))

  user
    .command("two-factor")
    .description("Ask a person for a code beside the password, or no longer. Switching it on prints the secret once.")
    .argument("<name>", "whom")
    .addArgument(onOff())
    .addHelpText("after", examples("hearth user two-factor ada on", "hearth user two-factor ada off"))
    .action(async (name: string, state: string) => (await verbs()).setTwoFactor(terminal, env(), name, state === "on"))
}
