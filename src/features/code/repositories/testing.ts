import { type FreshKind, freshUrl } from "../../../../tests/support/database.ts"
import { type Hearth, startHearth } from "../../../app.ts"
import type { ConfigOverrides } from "../../../core/config.ts"
import { createToken } from "../../people/sign-in/credentials/tokens.ts"
import { createPerson } from "../../people/users/rules.ts"

/** For tests: a forge with users, called over HTTP. */

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly body: any
  readonly headers: Headers
}

export interface Caller {
  readonly id: number
  readonly name: string
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answer>
}

export interface World {
  readonly hearth: Hearth
  readonly root: Caller
  readonly anonymous: Caller
  readonly person: (name: string) => Promise<Caller>
  readonly close: () => Promise<void>
}

/** Starts a forge on a new database. */
export async function openWorld(kind: FreshKind, config: ConfigOverrides = {}): Promise<World> {
  const fresh = await freshUrl(kind)
  const hearth = await startHearth({ halted: true, memory: true, config: { ...config, databaseUrl: fresh.url } })
  const { database, now } = hearth.services
  const caller = (id: number, name: string, token?: string): Caller => ({
    id,
    name,
    call: async (method, path, body) => {
      const response = await fetch(`${hearth.url}/api/v1${path}`, {
        method,
        redirect: "manual",
        headers: {
          ...(token ? { authorization: `token ${token}` } : {}),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, body: text === "" ? undefined : JSON.parse(text), headers: response.headers }
    },
  })
  const first = await database.read.selectFrom("users").selectAll().orderBy("id").executeTakeFirstOrThrow()
  return {
    hearth,
    root: caller(first.id, first.name, hearth.token),
    anonymous: caller(0, ""),
    person: async (name) => {
      const { id, token } = await database.write(async (tx) => {
        const person = await createPerson(tx, { name, email: `${name}@example.com`, passwordHash: "", now: now() })
        const made = await createToken(tx, { userId: person.id, name: "test", scopes: ["all"], now: now() })
        return { id: person.id, token: made.token }
      })
      return caller(id, name, token)
    },
    close: async () => {
      await hearth.close()
      await fresh.drop()
    },
  }
}
