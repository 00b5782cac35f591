import type { Serving } from "../app.ts"
import type { Handle } from "../core/database/database.ts"
import { fillDemo } from "../demo/fill.ts"
import { CommandFailed } from "./failure.ts"
import type { Terminal } from "./terminal.ts"

/** Fails with {@link CommandFailed} where there is anything beside the first administrator: examples must not get between what people have. */
export async function requireFresh(db: Handle): Promise<void> {
  const users = await db.selectFrom("users").select("id").limit(2).execute()
  const repository = await db.selectFrom("repositories").select("id").limit(1).executeTakeFirst()
  if (users.length > 1 || repository)
    throw new CommandFailed(
      "The example is for a fresh server, and there are people or repositories on this one.",
      "Start without --demo, or with an empty folder: hearth --data-dir <folder> serve --demo",
    )
}

/** Fills a fresh server with the example, and says what there is to look at and how to sign in. */
export async function showDemo({ out, progress }: Terminal, { services, administrator, url }: Serving): Promise<void> {
  const { organization, repositories, people, password } = await fillDemo(services, (state) => progress(`filling in the example: ${state}`))
  progress("")
  const [main] = repositories
  out(`\nThe example: the organisation ${organization}, which makes a program that waters gardens.`)
  for (const { fullName, description } of repositories) out(`  ${fullName.padEnd(24)}${description}`)
  out(`Its people are ${people.join(", ")}. The password of each is ${password} and is shown this once.`)
  out("Look at it as one of them, or as the administrator:")
  out(`  git clone ${url}/${main.fullName}.git`)
  out(`  curl ${url}/api/v1/repos/${main.fullName}`)
  out(`  curl -u ${people[0] ?? administrator.name} ${url}/api/v1/user/repos`)
}
