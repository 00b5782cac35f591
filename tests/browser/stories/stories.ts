import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect } from "vitest"
import type { ConfigOverrides } from "../../../src/core/config.ts"
import { type Answer, basic, freshHearth, PASSWORD, type TestHearth } from "../../support/hearth.ts"
import { test } from "../browser.ts"
import { type Person, personAt, type Site } from "./person.ts"

/** What a story has: people in browsers of their own, which are closed at its end, and what the API says of what they did. */
export interface Stage {
  readonly forge: TestHearth
  readonly site: Site
  /** Whether this telling has scripts. */
  readonly scripts: boolean
  /** Opens a browser for someone; no one without a name. */
  readonly enter: (name?: string) => Promise<Person>
  /** The credentials of someone, for `forge.call`. */
  readonly of: (name: string) => string
  /** Makes a repository of ann's with a README, and gives its path; its name is that of this telling. */
  readonly made: (name: string, more?: object) => Promise<string>
  /** Asks the API in someone's name, and gives the body of its answer, which must not be a refusal. */
  readonly ask: (name: string, route: string, body?: object) => Promise<Answer["body"]>
  /** Runs the jobs that are due: none runs by itself. */
  readonly settled: () => Promise<void>
  /** The name in this telling: what stories make in one forge has names of their own. */
  readonly own: (name: string) => string
}

/** A picture of one pixel. */
export const PICTURE: Buffer = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
)

/** What only a forge of their own has; all other stories of a process share one, in which there are ann and bob. */
interface OwnForge {
  /** Whether ann administers the site. */
  readonly annAdministers?: boolean
  readonly config?: ConfigOverrides
}

interface StoryOptions {
  /** Stories that need scripts, or make no sense with them. */
  readonly only?: "with scripts" | "without scripts"
}

type Play = (stage: Stage) => Promise<void>
type Tell = (title: string, play: Play, options?: StoryOptions) => void

/** Real work from end to end: each story with scripts, and without. */
export function stories(tell: (story: Tell) => void): void {
  tell((title, play, { only } = {}) => {
    for (const scripts of waysOf(only)) test(titleOf(title, scripts), ({ browser, forge }) => told(play, { browser, forge, scripts }))
  })
}

/** Stories whose site is another one. */
export function storiesOfAnotherSite({ annAdministers = false, config }: OwnForge, tell: (story: Tell) => void): void {
  let forge: TestHearth
  beforeAll(async () => {
    forge = await freshHearth("sqlite", config)
    for (const name of ["ann", "bob"]) await forge.person(name)
    if (!annAdministers) return
    const changed = await forge.call(forge.root, "PATCH /admin/users/ann", { login_name: "ann", source_id: 0, admin: true })
    expect(changed.status).toBe(200)
  })
  afterAll(() => forge?.close())

  tell((title, play, { only } = {}) => {
    for (const scripts of waysOf(only)) test(titleOf(title, scripts), ({ browser }) => told(play, { browser, forge, scripts }))
  })
}

const waysOf = (only: StoryOptions["only"]): readonly boolean[] =>
  [true, false].filter((scripts) => only === undefined || (only === "with scripts") === scripts)

const titleOf = (title: string, scripts: boolean): string => `${title}, ${scripts ? "with scripts" : "without scripts"}`

let tellings = 0

async function told(
  play: Play,
  { browser, forge, scripts }: { readonly browser: Browser; readonly forge: TestHearth; readonly scripts: boolean },
): Promise<void> {
  const number = ++tellings
  const site = { browser, root: forge.hearth.services.site.rootUrl }
  const present: Person[] = []
  const own = (name: string) => `${name}-${number}`
  const of = (name: string) => basic(name, PASSWORD)
  const enter = async (name?: string) => {
    const person = await personAt(site, name, { scripts })
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
  try {
    await play({ forge, site, scripts, enter, of, ask, made, own, settled: forge.settle })
  } finally {
    await Promise.all(present.map((person) => person.close()))
  }
}
