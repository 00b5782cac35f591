import { type FreshKind, freshUrl } from "../../../../tests/support/database.ts"
import { startHearth } from "../../../app.ts"
import type { User } from "../../../core/actor.ts"
import type { ConfigOverrides } from "../../../core/config.ts"
import { flag } from "../../../core/database/tables/index.ts"
import type { Services } from "../../../core/services.ts"
import { addCreator } from "../../code/collaborators/rules.ts"
import { recountWatchers } from "../../code/repositories/counters-store.ts"
import { createToken } from "../sign-in/credentials/tokens.ts"
import { attachNewRepository } from "../teams/rules.ts"
import { createPerson } from "../users/rules.ts"

/** Shared by tests of organisations and teams: a complete server, users with tokens, and rows of repositories without anything in git. */

export interface Person {
  readonly user: User
  readonly name: string
  readonly token: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** The id in the answer; fails where it has none. */
export function idOf({ status, body }: Answer): number {
  if (typeof body === "object" && body !== null && "id" in body && typeof body.id === "number") return body.id
  throw new Error(`an answer without id: ${status} ${JSON.stringify(body)}`)
}

/** One member of each record of a list, or of a search's data. */
export function each({ body }: Answer, member: string): readonly unknown[] {
  const rows = typeof body === "object" && body !== null && "data" in body ? body.data : body
  if (!Array.isArray(rows)) throw new Error(`no list: ${JSON.stringify(body)}`)
  return rows.map((row: unknown) => (typeof row === "object" && row !== null ? Reflect.get(row, member) : undefined))
}

/** The message of a refusal; it names the field where there is one. */
export const messageOf = ({ body }: Answer): unknown =>
  typeof body === "object" && body !== null ? Reflect.get(body, "message") : undefined

export interface World {
  readonly services: Services
  /** The site's administrator. */
  readonly root: Person
  /** A user; every call returns another one, whose name begins with the given word. */
  readonly person: (word: string, options?: { readonly restricted?: boolean; readonly mayCreate?: boolean }) => Promise<Person>
  /** A name that is not in use. */
  readonly name: (word: string) => string
  /** Calls the API, as a user or anonymously. */
  readonly call: (as: Person | undefined, request: string, body?: object) => Promise<Answer>
  /** A repository of the organisation, with the rows that its creation by a user would write. */
  readonly repository: (
    organization: string,
    creator: Person,
    options?: { readonly isPrivate?: boolean },
  ) => Promise<{ readonly id: number; readonly name: string }>
  /** Makes the person watch the repository. */
  readonly watch: (person: Person, repositoryId: number) => Promise<void>
  /** The ids of the users who watch the repository; fails where its counter differs. */
  readonly watchers: (repositoryId: number) => Promise<readonly number[]>
  readonly close: () => Promise<void>
}

/** The row of a repository without anything in git. `name` is in lower case. */
export const plainRepository = (ownerId: number, name: string, now: number) => ({
  owner_id: ownerId,
  name,
  lower_name: name,
  storage: name,
  default_branch: "main",
  object_format: "sha1" as const,
  created_at: now,
  updated_at: now,
})

export async function openWorld(kind: FreshKind, config: ConfigOverrides = {}): Promise<World> {
  const fresh = await freshUrl(kind)
  const hearth = await startHearth({ halted: true, memory: true, config: { ...config, databaseUrl: fresh.url } })
  const { services } = hearth
  const { database, now } = services
  let count = 0
  const name = (word: string): string => `${word}${++count}`
  const rootUser = await database.read.selectFrom("users").selectAll().where("is_admin", "=", 1).executeTakeFirstOrThrow()

  const findOrganization = (organization: string) =>
    database.read.selectFrom("users").selectAll().where("lower_name", "=", organization.toLowerCase()).executeTakeFirstOrThrow()

  return {
    services,
    root: { user: rootUser, name: rootUser.name, token: hearth.token },
    name,

    async person(word, { restricted = false, mayCreate = true } = {}) {
      const own = name(word)
      return database.write(async (tx) => {
        const user = await createPerson(tx, {
          name: own,
          email: `${own}@example.com`,
          passwordHash: "",
          restricted,
          allowCreateOrganization: mayCreate,
          now: now(),
        })
        const { token } = await createToken(tx, { userId: user.id, name: "test", scopes: ["all"], now: now() })
        return { user, name: own, token }
      })
    },

    async call(as, request, body) {
      const [method = "", path = ""] = request.split(" ")
      const response = await fetch(`${hearth.url}/api/v1${path}`, {
        method,
        redirect: "manual",
        headers: { ...(as ? { authorization: `token ${as.token}` } : {}), ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) }
    },

    async repository(organization, creator, { isPrivate = false } = {}) {
      const owner = await findOrganization(organization)
      const own = name("repo")
      return database.write(async (tx) => {
        const { id } = await tx
          .insertInto("repositories")
          .values({ ...plainRepository(owner.id, own, now()), is_private: flag(isPrivate) })
          .returning("id")
          .executeTakeFirstOrThrow()
        if (!(await attachNewRepository(tx, owner, id, creator.user))) await addCreator(tx, id, creator.user, now())
        return { id, name: own }
      })
    },

    async watch({ user }, repositoryId) {
      await database.write(async (tx) => {
        await tx
          .insertInto("watches")
          .values({ user_id: user.id, repository_id: repositoryId, mode: "normal", created_at: now() })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        await recountWatchers(tx, [repositoryId])
      })
    },

    async watchers(repositoryId) {
      const rows = await database.read
        .selectFrom("watches")
        .select("user_id")
        .where("repository_id", "=", repositoryId)
        .orderBy("user_id")
        .execute()
      const { watchers_count: counted } = await database.read
        .selectFrom("repositories")
        .select("watchers_count")
        .where("id", "=", repositoryId)
        .executeTakeFirstOrThrow()
      if (counted !== rows.length) throw new Error(`watchers_count says ${counted}, the rows ${rows.length}`)
      return rows.map((row) => row.user_id)
    },

    async close() {
      await hearth.close()
      await fresh.drop()
    },
  }
}
