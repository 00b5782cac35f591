import { randomBytes } from "node:crypto"
import type { Owned } from "../access/permission.ts"
import type { User } from "../core/actor.ts"
import type { Services } from "../core/services.ts"
import { createRepository } from "../features/code/repositories/create.ts"
import { forkRepository } from "../features/code/repositories/fork.ts"
import { star } from "../features/code/stars/rules.ts"
import { replaceTopics } from "../features/code/topics/rules.ts"
import { watch } from "../features/code/watches/rules.ts"
import { createOrganization } from "../features/people/organizations/rules.ts"
import { createTeam } from "../features/people/teams/lifecycle.ts"
import { addTeamMember } from "../features/people/teams/membership.ts"
import { addTeamRepository } from "../features/people/teams/rules.ts"
import { changePerson, createPerson } from "../features/people/users/rules.ts"
import { type Author, addressOf, authors, builders, fieldNotes, fork, founder, gardeners, members, organization, sprinkle } from "./cast.ts"
import { fieldNotesStory } from "./field-notes.ts"
import { greenhouseStory } from "./greenhouse.ts"
import { play } from "./player.ts"
import { signedInAs } from "./push.ts"
import { beginning } from "./sprinkle/beginning.ts"
import { frost } from "./sprinkle/frost.ts"
import { holidays } from "./sprinkle/holidays.ts"
import type { Step } from "./story.ts"

/** What there is to look at. */
export interface Filled {
  readonly organization: string
  /** The one with the longest history first. */
  readonly repositories: readonly [Shown, ...Shown[]]
  readonly people: readonly string[]
  /** Everybody's password, made up for this server and stored nowhere in clear. */
  readonly password: string
}

export interface Shown {
  readonly fullName: string
  readonly description: string
}

type People = Readonly<Record<Author, User>>

const DAY = 86_400
/** How long ago the story begins; it ends two days ago. */
const STORY_DAYS = 37

/**
 * Fills a server with an example: people, an organisation with teams, and repositories with a past. Everything passes the rules that the API
 * passes, as of the moment at which it is said to have happened. Refuses as they do, such as for names that are taken.
 */
export async function fillDemo(services: Services, progress: (state: string) => void): Promise<Filled> {
  const midnight = Math.floor(services.now() / DAY) * DAY - STORY_DAYS * DAY
  const stage: Stage = { services, midnight, progress, at: (day, hour) => at(services, midnight + day * DAY + hour * 3600) }
  progress("people and teams")
  const password = randomBytes(9).toString("base64url")
  const people = await makePeople(stage, password)
  const { company, gardenersId } = await makeOrganization(stage, people)

  const notes = await makeRepository(stage, people, company, {
    ...fieldNotes,
    isPrivate: true,
    story: fieldNotesStory,
    createdOn: 5,
    hour: 18,
  })
  const story = [...beginning, ...frost, ...holidays]
  const main = await makeRepository(stage, people, company, { ...sprinkle, isPrivate: false, story, createdOn: 0, hour: 9 })
  const { database, config, now } = stage.at(9, 12)
  await database.write((tx) => addTeamRepository(tx, gardenersId, main.repository.id, now(), config.users.autoWatchNewRepositories))
  for (const name of sprinkle.watches) await database.write((tx) => watch(tx, signedInAs(people[name]), main.repository.id, now()))
  const forked = await makeFork(stage, people, main)

  return {
    organization: company.name,
    repositories: [shown(main, ""), shown(notes, " (private)"), shown(forked, " (a fork)")],
    people: authors,
    password,
  }
}

/** What the parts of the filling share. */
interface Stage {
  readonly services: Services
  /** Of the story's first day. */
  readonly midnight: number
  readonly progress: (state: string) => void
  /** The services with the clock at an hour (UTC) of a day of the story. */
  readonly at: (day: number, hour: number) => Services
}

const at = (services: Services, moment: number): Services => ({ ...services, now: () => moment })

const shown = ({ owner, repository }: Owned, remark: string): Shown => ({
  fullName: `${owner.name}/${repository.name}`,
  description: repository.description + remark,
})

async function makePeople(stage: Stage, password: string): Promise<People> {
  const { database, passwords, now } = stage.at(-2, 10)
  const passwordHash = await passwords.hash(password)
  const make = (name: Author): Promise<User> =>
    database.write(async (tx) => {
      const { fullName, location, description } = members[name]
      const { id } = await createPerson(tx, { name, email: addressOf(name), fullName, passwordHash, now: now() })
      return changePerson(tx, id, { location, description }, now())
    })
  return {
    mira: await make("mira"),
    tomas: await make("tomas"),
    noor: await make("noor"),
    lena: await make("lena"),
    ivo: await make("ivo"),
  }
}

async function makeOrganization(stage: Stage, people: People): Promise<{ readonly company: User; readonly gardenersId: number }> {
  const { database, config, now } = stage.at(-1, 10)
  const autoWatch = config.users.autoWatchNewRepositories
  return database.write(async (tx) => {
    const company = await createOrganization(tx, people[founder], organization, now())
    const circumstances = { now: now(), autoWatch }
    const ids: number[] = []
    for (const { wanted, members: names } of [builders, gardeners]) {
      const team = await createTeam(tx, company, wanted, circumstances)
      for (const name of names) await addTeamMember(tx, team.id, people[name], now(), autoWatch)
      ids.push(team.id)
    }
    return { company, gardenersId: ids[1] ?? 0 }
  })
}

interface RepositoryWish {
  readonly name: string
  readonly description: string
  readonly isPrivate: boolean
  readonly topics: readonly string[]
  readonly stars: readonly Author[]
  readonly story: readonly Step[]
  readonly createdOn: number
  readonly hour: number
}

async function makeRepository(stage: Stage, people: People, company: User, wish: RepositoryWish): Promise<Owned> {
  const { name, description, isPrivate, story, createdOn, hour } = wish
  const options = { name, description, private: isPrivate, auto_init: true, license: "MIT", gitignores: "Node", default_branch: "main" }
  const made = await createRepository(stage.at(createdOn, hour), { doer: people[founder], owner: company, options })
  await tell(stage, people, made, story)
  await mark(stage, people, made, wish)
  return made
}

async function makeFork(stage: Stage, people: People, base: Owned): Promise<Owned> {
  const by = people[fork.by]
  const forked = await forkRepository(stage.at(34, 20), base, { doer: by, owner: by, name: base.repository.name })
  await tell(stage, people, forked, greenhouseStory)
  await mark(stage, people, forked, fork)
  return forked
}

function tell({ services, midnight, progress }: Stage, people: People, owned: Owned, steps: readonly Step[]): Promise<void> {
  const told = (done: number, of: number) => progress(`${owned.owner.name}/${owned.repository.name}, ${done} of ${of}`)
  return play({ services, owned, people, beginning: midnight, steps, progress: told })
}

async function mark(
  stage: Stage,
  people: People,
  { repository }: Owned,
  { topics, stars }: { readonly topics: readonly string[]; readonly stars: readonly Author[] },
): Promise<void> {
  const { database, now } = stage.at(35, 19)
  await database.write((tx) => replaceTopics(tx, repository.id, topics, now()))
  for (const name of stars) await database.write((tx) => star(tx, signedInAs(people[name]), repository.id, now()))
}
