/** A whole forge for tests that speak HTTP, on either database. */
import { type Hearth, startHearth } from "../../src/app.ts"
import type { ConfigOverrides } from "../../src/core/config.ts"
import { recountStars, recountWatchers } from "../../src/features/code/repositories/counters-store.ts"
import { type FreshKind, freshUrl } from "./database.ts"
import { exchange } from "./http.ts"

/** The password of the people that `person` makes. */
export const PASSWORD = "pass-word-1"

/** The caller: the value of an Authorization header, or anonymous. */
export type Caller = string | undefined

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The parsed JSON, other texts unparsed, or undefined without a body. Untyped, for tests. */
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
  readonly body: any
}

export interface TestHearth {
  readonly hearth: Hearth
  /** The site administrator. */
  readonly root: Caller
  /** `call(root, "POST /admin/users", {…})`; the path is below /api/v1. */
  readonly call: (caller: Caller, route: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>
  /** Makes a person with the password `PASSWORD` and gives its Basic header. */
  readonly person: (name: string, more?: object) => Promise<string>
  /** Runs all background jobs that are due, and those that follow from them. */
  readonly settle: () => Promise<void>
  readonly close: () => Promise<void>
}

export const basic = (login: string, password: string): string => `Basic ${Buffer.from(`${login}:${password}`).toString("base64")}`

export interface Background {
  /** The clock of the test in place of the machine's. */
  readonly now?: (() => number) | undefined
  /** Whether jobs and scheduled tasks run by themselves, beside the test. Otherwise they run when it asks: `settle`, or `hearth.services.jobs.tasks.run(name)`. */
  readonly running?: boolean
}

export async function freshHearth(
  kind: FreshKind,
  config: ConfigOverrides = {},
  { now, running = false }: Background = {},
): Promise<TestHearth> {
  const fresh = await freshUrl(kind)
  const hearth = await startHearth({ halted: !running, memory: true, config: { ...config, databaseUrl: fresh.url }, now })
  const root = `token ${hearth.token}`
  const call: TestHearth["call"] = async (caller, route, body, more = {}) => {
    const [method = "GET", path = "/"] = route.split(" ")
    const { status, headers, text } = await exchange(`${hearth.url}/api/v1${path}`, {
      method,
      headers: {
        ...(caller === undefined ? {} : { authorization: caller }),
        ...(body === undefined || body instanceof FormData ? {} : { "content-type": "application/json" }),
        ...more,
      },
      body: body === undefined || typeof body === "string" || body instanceof FormData ? body : JSON.stringify(body),
    })
    const isJson = /\bjson\b/.test(headers.get("content-type") ?? "")
    return { status, headers, body: text === "" ? undefined : isJson ? JSON.parse(text) : text }
  }
  const person: TestHearth["person"] = async (name, more = {}) => {
    const made = await call(root, "POST /admin/users", {
      username: name,
      email: `${name}@example.com`,
      password: PASSWORD,
      must_change_password: false,
      ...more,
    })
    if (made.status !== 201) throw new Error(`${name} was not made: ${made.status} ${JSON.stringify(made.body)}`)
    return basic(name, PASSWORD)
  }
  const close = async () => {
    await hearth.close()
    await fresh.drop()
  }
  const settle = () => hearth.services.jobs.drain()
  return { hearth, root, call, person, settle, close }
}

/** Makes a person star, watch and collaborate on a repository, as rows. */
export async function connect({ hearth }: TestHearth, person: string, repository: string): Promise<void> {
  const { database, now } = hearth.services
  await database.write(async (tx) => {
    const user = await tx.selectFrom("users").select("id").where("lower_name", "=", person).executeTakeFirstOrThrow()
    const [owner = "", name = ""] = repository.split("/")
    const { id } = await tx
      .selectFrom("repositories")
      .innerJoin("users", "users.id", "repositories.owner_id")
      .select("repositories.id")
      .where("users.lower_name", "=", owner)
      .where("repositories.lower_name", "=", name)
      .executeTakeFirstOrThrow()
    const pair = { user_id: user.id, repository_id: id, created_at: now() }
    await tx.insertInto("stars").values(pair).execute()
    await tx
      .insertInto("watches")
      .values({ ...pair, mode: "normal" })
      .execute()
    await tx
      .insertInto("collaborations")
      .values({ ...pair, mode: 2 })
      .execute()
    await recountStars(tx, { userIds: [user.id], repositoryIds: [id] })
    await recountWatchers(tx, [id])
  })
}
