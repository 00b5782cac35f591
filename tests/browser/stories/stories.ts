import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { ConfigOverrides } from "../../../src/core/config.ts"
import { databaseKinds } from "../../support/database.ts"
import { type Answer, freshHearth, type TestHearth } from "../../support/hearth.ts"
import { launchChromium } from "../chromium.ts"
import { type Person, personAt, type Site } from "./person.ts"

/** What a story has: people in browsers of their own, which are closed at its end, and what the API says of what they did. */
export interface Stage {
  readonly forge: TestHearth
  readonly site: Site
  /** Whether this telling has scripts. */
  readonly scripts: boolean
  /** Opens a browser for somebody; nobody without a name. */
  readonly enter: (name?: string) => Promise<Person>
  /** The credentials of somebody, for `forge.call`. */
  readonly of: (name: string) => string
  /** Makes a repository of ann's with a README, and gives its path; its name is that of this telling. */
  readonly made: (name: string, more?: object) => Promise<string>
  /** Asks the API in somebody's name, and gives the body of its answer, which must not be a refusal. */
  readonly ask: (name: string, route: string, body?: object) => Promise<Answer["body"]>
  /** Waits until the jobs that were waiting are done. */
  readonly settled: () => Promise<void>
  /** The name in this telling: both tellings on one database have names of their own. */
  readonly own: (name: string) => string
}

/** A picture of one pixel. */
export const PICTURE: Buffer = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
)

interface StoriesOptions {
  /** Who has an account, with the password of the tests. */
  readonly people?: readonly string[]
  /** Those of them who administer the site. */
  readonly administrators?: readonly string[]
  readonly config?: ConfigOverrides
}

interface StoryOptions {
  /** Stories that need scripts, or make no sense with them. */
  readonly only?: "with scripts" | "without scripts"
}

/** Real work from end to end: each story with scripts on both databases, and without scripts. */
export function stories({ people = ["ann", "bob"], administrators = [], config }: StoriesOptions, tell: (story: Tell) => void): void {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 120_000)
  afterAll(() => browser?.close())

  describe.each(databaseKinds)("on %s", (kind) => {
    let forge: TestHearth
    const credentials = new Map<string, string>()
    beforeAll(async () => {
      forge = await freshHearth(kind, config)
      for (const name of people) credentials.set(name, await forge.person(name))
      for (const name of administrators)
        expect((await forge.call(forge.root, `PATCH /admin/users/${name}`, { login_name: name, source_id: 0, admin: true })).status).toBe(
          200,
        )
    })
    afterAll(() => forge?.close())

    tell((title, play, { only } = {}) => {
      for (const scripts of [true, false]) {
        const way = scripts ? "with scripts" : "without scripts"
        // What pages do without scripts is the same on both databases.
        if ((only !== undefined && only !== way) || (!scripts && only === undefined && kind !== "sqlite")) continue
        test(`${title}, ${way}`, async () => {
          const site = { browser, root: forge.hearth.services.site.rootUrl }
          const present: Person[] = []
          const own = (name: string) => `${name}-${scripts ? "a" : "b"}`
          const of = (name: string) => credentials.get(name) ?? ""
          const enter = async (name?: string) => {
            // Pages are the same on both databases.
            const person = await personAt(site, name, { scripts, axe: scripts && kind === "sqlite" })
            present.push(person)
            return person
          }
          const ask: Stage["ask"] = async (name, route, body) => {
            const answer = await forge.call(of(name), route, body)
            expect(answer.status, `${route} ${JSON.stringify(answer.body)}`).toBeLessThan(300)
            return answer.body
          }
          const made = async (name: string, more = {}) => {
            await ask("ann", "POST /user/repos", { name: own(name), auto_init: true, ...more })
            return `/ann/${own(name)}`
          }
          const settled = () => forge.hearth.services.jobs.drain()
          try {
            await play({ forge, site, scripts, enter, of, ask, made, own, settled })
          } finally {
            await Promise.all(present.map((person) => person.close()))
          }
        })
      }
    })
  })
}

type Tell = (title: string, play: (stage: Stage) => Promise<void>, options?: StoryOptions) => void
