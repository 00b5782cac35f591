import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type FreshKind, freshUrl } from "../../../tests/support/database.ts"
import type { Repository } from "../../access/permission.ts"
import { type Hearth, startHearth } from "../../app.ts"
import type { User } from "../../core/actor.ts"
import type { ConfigOverrides } from "../../core/config.ts"
import { flag } from "../../core/database/tables/index.ts"
import type { RepositoriesTable } from "../../core/database/tables/repositories.ts"
import type { Services } from "../../core/services.ts"
import { createToken } from "../../features/people/sign-in/credentials/tokens.ts"
import { createPerson } from "../../features/people/users/rules.ts"
import { ok } from "../../git/testing.ts"

/** Shared by tests of git over HTTP: a complete server, users with tokens, repositories, and folders for a real git client. */

/** The password of all users made here. */
export const PASSWORD = "correct horse"

export interface Person {
  readonly user: User
  readonly token: string
}

export interface World {
  readonly hearth: Hearth
  readonly services: Services
  /** A temporary folder for clients. */
  readonly folder: string
  readonly close: () => Promise<void>
}

export async function openWorld(kind: FreshKind, config: ConfigOverrides = {}): Promise<World> {
  const fresh = await freshUrl(kind)
  const hearth = await startHearth({ halted: true, memory: true, config: { ...config, databaseUrl: fresh.url } })
  const folder = await mkdtemp(join(tmpdir(), "hearth-git-http-"))
  return {
    hearth,
    services: hearth.services,
    folder,
    async close() {
      await hearth.close()
      await fresh.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A person with a password and a token. */
export async function person({ services }: World, name: string, scopes: readonly string[] = ["all"]): Promise<Person> {
  const { database, passwords, now } = services
  const passwordHash = await passwords.hash(PASSWORD)
  return database.write(async (tx) => {
    const user = await createPerson(tx, { name, email: `${name}@example.com`, passwordHash, now: now() })
    const { token } = await createToken(tx, { userId: user.id, name: "git", scopes, now: now() })
    return { user, token }
  })
}

export const tokenOf = ({ services }: World, { user }: Person, scopes: readonly string[]): Promise<string> =>
  services.database.write(
    async (tx) => (await createToken(tx, { userId: user.id, name: scopes.join(), scopes, now: services.now() })).token,
  )

/** An empty repository. */
export async function repository(
  { services }: World,
  owner: User,
  name: string,
  values: Partial<Pick<RepositoriesTable, "object_format" | "default_branch">> & { readonly isPrivate?: boolean } = {},
): Promise<Repository> {
  const { isPrivate = false, object_format = "sha1", default_branch = "main" } = values
  const storage = `${owner.lower_name}/${name.toLowerCase()}`
  await services.git.repositories.create(storage, { format: object_format, branch: default_branch })
  const now = services.now()
  return services.database.write((tx) =>
    tx
      .insertInto("repositories")
      .values({
        owner_id: owner.id,
        name,
        lower_name: name.toLowerCase(),
        storage,
        object_format,
        default_branch,
        is_private: flag(isPrivate),
        created_at: now,
        updated_at: now - 1000,
      })
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}

/** The repository's row as it is now. */
export const reload = ({ services }: World, { id }: Repository): Promise<Repository> =>
  services.database.read.selectFrom("repositories").selectAll().where("id", "=", id).executeTakeFirstOrThrow()

export const change = async ({ services }: World, { id }: Repository, values: Partial<Repository>): Promise<void> => {
  await services.database.write((tx) => tx.updateTable("repositories").set(values).where("id", "=", id).execute())
}

/** A repository's address, with credentials where a login is given. */
export function address({ hearth }: World, path: string, login?: string, password = ""): string {
  const url = new URL(`${hearth.url}/${path}`)
  if (login !== undefined) {
    url.username = login
    url.password = password
  }
  return url.href
}

/** A client's new repository with one commit on `main`. */
export async function workFolder({ folder }: Pick<World, "folder">, name: string, ...init: readonly string[]): Promise<string> {
  const work = join(folder, name)
  await mkdir(work)
  await ok(work, "init", "-q", "-b", "main", ...init)
  await commit(work, "one")
  return work
}

/** Commits a change of a file, and gives the commit's id. */
export async function commit(work: string, message: string, file = "file", content: string | Uint8Array = message): Promise<string> {
  await writeFile(join(work, file), content)
  await ok(work, "add", ".")
  await ok(work, "-c", "core.compression=0", "commit", "-q", "-m", message)
  return ok(work, "rev-parse", "HEAD")
}

/** The names and commits of a repository's branch rows. */
export async function branchRows({ services }: World, { id }: Repository): Promise<Readonly<Record<string, string>>> {
  const rows = await services.database.read
    .selectFrom("branches")
    .select(["name", "commit_id"])
    .where("repository_id", "=", id)
    .orderBy("name")
    .execute()
  return Object.fromEntries(rows.map(({ name, commit_id }) => [name, commit_id]))
}

/** The actor's own feed of a repository, oldest first. */
export const feed = ({ services }: World, { id }: Repository) =>
  services.database.read
    .selectFrom("activities")
    .select(["op_type", "ref_name", "content", "receiver_id", "actor_id", "is_private"])
    .where("repository_id", "=", id)
    .orderBy("id")
    .execute()

/** Bytes that can't be compressed. */
export function noise(size: number): Buffer {
  const state = new Uint32Array([0x9e3779b9])
  const words = new Uint32Array(Math.ceil(size / 4))
  for (let index = 0; index < words.length; index++) {
    let word = state[0] ?? 0
    word ^= word << 13
    word ^= word >>> 17
    word ^= word << 5
    state[0] = word
    words[index] = word
  }
  return Buffer.from(words.buffer).subarray(0, size)
}
