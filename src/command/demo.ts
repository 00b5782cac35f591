import type { Serving } from "../app.ts"
import type { Handle } from "../core/database/database.ts"
import { fillDemo, REPOSITORY } from "../demo/fill.ts"
import { people, type StoryClock } from "../demo/story.ts"
import { countsOf } from "../features/site/administration/store.ts"
import { CommandFailed } from "./failure.ts"
import type { Example } from "./greet.ts"
import type { Terminal } from "./terminal.ts"

export { storyClock } from "../demo/story.ts"

/** Fails with {@link CommandFailed} where there is anything beside the first administrator: examples must not mix with real data. */
export async function requireFresh(db: Handle): Promise<void> {
  const counts = await countsOf(db)
  if (counts.people + counts.organizations > 1 || counts.repositories > 0)
    throw new CommandFailed(
      "The example is for a fresh server, and there are people or repositories on this one.",
      "Start without --demo, or with an empty folder: hearth --data-dir <folder> serve --demo",
    )
}

/** Fills a fresh server, which goes by the given clock, with the example. */
export async function fillExample({ progress }: Terminal, { services }: Serving, clock: StoryClock): Promise<Example> {
  const filling = { services, clock, progress: (state: string) => progress(`filling in the example: ${state}`) }
  const password = await fillDemo(filling).finally(() => progress(""))
  return { repository: REPOSITORY, people: people.map(({ name }) => name), password }
}

/** Prints what there is to see of the example, and how to sign in. */
export function describeExample({ out }: Terminal, { url }: Serving, { repository, people: names, password }: Example): void {
  out("\nThe example: the organisation dewpoint, which makes a program that waters gardens.")
  out(`Its people are ${names.join(", ")}. The password of each is ${password} and is shown this once.`)
  out(`${repository} has issues on a board, pull requests, and releases. Look at it as one of them, or as the administrator:`)
  out(`  git clone ${url}/${repository}.git`)
  out(`  curl ${url}/api/v1/repos/${repository}/issues`)
  out(`  curl ${url}/api/v1/repos/${repository}/pulls/7/reviews`)
  out(`  curl ${url}/api/v1/repos/${repository}/releases`)
  out(`  curl -u ${people[0].name} ${url}/api/v1/user/repos`)
}
