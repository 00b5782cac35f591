import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { openMetrics } from "../core/metrics.ts"
import type { Services } from "../core/services.ts"
import { createPerson } from "../features/people/users/rules.ts"
import { operations } from "../operations.ts"
import { openHttp } from "../servers/http.ts"
import { openClient } from "./client.ts"
import { momentOf, people, readHistory, readStory, type Step, type StoryClock, storyMidnight } from "./story.ts"

/** The repository of the story. */
export const REPOSITORY = "dewpoint/sprinkle"

export interface Filling {
  /** Those of a fresh server, which go by the clock. */
  readonly services: Services
  readonly clock: StoryClock
  readonly progress: (state: string) => void
}

/**
 * Fills a server with an example: creates its users, and makes their calls over HTTP, each step at its moment. The server must not be used meanwhile:
 * its clock shows a past time. Gives the common password of the users, generated for this server and stored only as a hash. Refuses as the rules do,
 * such as for names that are taken.
 */
export async function fillDemo({ services, clock, progress }: Filling): Promise<string> {
  const midnight = storyMidnight(clock.now())
  const steps = await readStory()
  const password = randomBytes(9).toString("base64url")
  const folder = await mkdtemp(join(services.config.dataDir, "demo-"))
  // The server's own address may be reachable only from elsewhere.
  const loopback = await openLoopback(services)
  try {
    await makePeople(services, password, momentOf({ at: "-2 09:00" }, midnight))
    const history = await readHistory(midnight)
    const client = await openClient({
      url: loopback.url,
      password,
      git: services.config.git.path,
      folder,
      history,
      repository: REPOSITORY,
    })
    for (const [index, step] of steps.entries()) {
      clock.set(momentOf(step, midnight))
      await take(step)
      // What follows from a step belongs to the same moment.
      await services.jobs.drain()
      progress(`step ${index + 1} of ${steps.length}`)
    }
    return password

    function take(step: Step): Promise<void> {
      return "push" in step ? client.push(step.by, step) : client.call(step.by, step)
    }
  } finally {
    clock.set(undefined)
    await loopback.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** A second HTTP server of the same services, at a loopback port, and without mails to addresses that don't exist. */
async function openLoopback(services: Services): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const quiet: Services = { ...services, config: { ...services.config, mail: { ...services.config.mail, host: "" } } }
  const metrics = openMetrics()
  const app = await openHttp(quiet, { operations, web: async () => ({ pages: [], files: [] }), metrics })
  const close = async () => {
    await app.close()
    metrics.close()
  }
  try {
    return { url: await app.listen({ host: "127.0.0.1", port: 0 }), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function makePeople({ database, passwords }: Services, password: string, now: number): Promise<void> {
  const passwordHash = await passwords.hash(password)
  await database.write(async (tx) => {
    for (const { name, fullName } of people)
      await createPerson(tx, { name, fullName, email: `${name}@dewpoint.example`, passwordHash, now })
  })
}
