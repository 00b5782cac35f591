/** Creates what tests act on: people, organisations, teams and repositories, each new and with a name of its own. */
import { type Hearth, startHearth } from "../../src/app.ts"
import type { ConfigOverrides } from "../../src/core/config.ts"
import { createToken } from "../../src/features/people/sign-in/credentials/tokens.ts"
import { createPerson } from "../../src/features/people/users/rules.ts"
import { type AnswerCheck, checkAnswers } from "./answers.ts"
import { type FreshKind, freshUrl } from "./database.ts"
import type { Background } from "./hearth.ts"
import { basic, type Calling, must } from "./http.ts"

export interface Person {
  readonly id: number
  readonly name: string
  /** The Authorization header with a token that has all scopes. */
  readonly authorization: string
  /** The same token in a Basic header. */
  readonly basic: string
}

export interface Organization {
  readonly id: number
  readonly name: string
  readonly owner: Person
}

export interface Team {
  readonly id: number
  readonly name: string
}

export interface Repository {
  readonly id: number
  readonly owner: string
  readonly repo: string
}

export interface World {
  readonly hearth: Hearth
  /** The site administrator's Authorization header. */
  readonly root: string
  /** An unused name. */
  readonly unique: (stem: string) => string
  readonly person: () => Promise<Person>
  /** The first of a shared set of people. */
  readonly crowd: (count: number) => Promise<readonly Person[]>
  readonly organization: (owner: Person, options?: object) => Promise<Organization>
  readonly team: (organization: Organization, options?: object) => Promise<Team>
  readonly repository: (owner: Person | Organization, options?: object) => Promise<Repository>
  /** The first so many of a set of public repositories, each with another owner, that is shared by all who ask. */
  readonly shelf: (count: number) => Promise<readonly Repository[]>
  /** A call that prepares something, and must succeed. */
  readonly must: <T>(who: Person | "root", route: string, body?: unknown) => Promise<T>
}

export interface CheckedWorld extends World {
  /** Compares every answer with what its operation declares. */
  readonly check: AnswerCheck
  readonly close: () => Promise<void>
}

/** A world of its own, on a new database. */
export async function openCheckedWorld(
  kind: FreshKind,
  config: ConfigOverrides = {},
  { now, running = false }: Background = {},
): Promise<CheckedWorld> {
  const check = checkAnswers()
  const fresh = await freshUrl(kind)
  const settings = { ...config, databaseUrl: fresh.url }
  const hearth = await startHearth({ halted: !running, memory: true, config: settings, now, onAnswer: check.onAnswer })
  const close = async () => {
    await hearth.close()
    await fresh.drop()
  }
  return { ...openWorld(hearth), check, close }
}

/** `work` for 0, 1, 2 … in order. */
export async function times<T>(count: number, work: (index: number) => Promise<T>): Promise<readonly T[]> {
  const made: T[] = []
  for (let index = 0; index < count; index++) made.push(await work(index))
  return made
}

export function openWorld(hearth: Hearth): World {
  const { services } = hearth
  const root = `token ${hearth.token}`
  let last = 0
  const unique = (stem: string) => `${stem}-${++last}`
  const people: Person[] = []
  const repositories: Repository[] = []

  const call = <T>(who: Person | "root", route: string, body?: unknown): Promise<T> => {
    const [method = "", path = ""] = route.split(" ")
    const calling: Calling = { authorization: who === "root" ? root : who.authorization, body }
    return must<T>(hearth.url, method, path, calling)
  }

  // Not through the API, where each new person costs the hashing of a password.
  const person = (): Promise<Person> => {
    const name = unique("person")
    return services.database.write(async (tx) => {
      const now = services.now()
      const user = await createPerson(tx, { name, email: `${name}@example.com`, passwordHash: "", now })
      const { token } = await createToken(tx, { userId: user.id, name: "tests", scopes: ["all"], now })
      return { id: user.id, name, authorization: `token ${token}`, basic: basic(name, token) }
    })
  }
  const organization = async (owner: Person, options: object = {}): Promise<Organization> => {
    const name = unique("org")
    const { id } = await call<{ id: number }>(owner, "POST /orgs", { username: name, ...options })
    return { id, name, owner }
  }
  const team = async (of: Organization, options: object = {}): Promise<Team> => {
    const name = unique("team")
    const { id } = await call<{ id: number }>(of.owner, `POST /orgs/${of.name}/teams`, {
      name,
      units_map: { "repo.code": "read" },
      ...options,
    })
    return { id, name }
  }
  const repository = async (owner: Person | Organization, options: object = {}): Promise<Repository> => {
    const repo = unique("repo")
    const [doer, route] = "owner" in owner ? [owner.owner, `POST /orgs/${owner.name}/repos`] : [owner, "POST /user/repos"]
    const { id } = await call<{ id: number }>(doer, route, { name: repo, ...options })
    return { id, owner: owner.name, repo }
  }

  return {
    hearth,
    root,
    unique,
    person,
    organization,
    team,
    repository,
    must: call,
    async crowd(count) {
      while (people.length < count) people.push(await person())
      return people.slice(0, count)
    },
    async shelf(count) {
      while (repositories.length < count) repositories.push(await repository(await person()))
      return repositories.slice(0, count)
    },
  }
}
