import type { FreshKind } from "../../../../tests/support/database.ts"
import type { ConfigOverrides } from "../../../core/config.ts"
import type { Services } from "../../../core/services.ts"
import { type Answer, type Caller, openWorld, type World } from "../repositories/testing.ts"

/** For tests: a forge that mirrors, and another one that is mirrored. */
export interface Forges {
  readonly here: World
  readonly there: World
  readonly ann: Caller
  readonly bob: Caller
  /** A user there. */
  readonly zoe: Caller
  /** Zoe's token there, used as a password. */
  readonly token: string
  /** Creates a repository of zoe's there with one commit; returns its clone URL. */
  readonly origin: (name: string, options?: object) => Promise<string>
  /** Asks for ann's import, runs it, and gives the answer. */
  readonly migrate: (options: object) => Promise<Answer>
  /** Commits one file there. */
  readonly commit: (name: string, branch: string, path: string) => Promise<Answer>
  readonly close: () => Promise<void>
}

/** Sends a request and expects success. */
export async function must(caller: Caller, method: string, path: string, body?: unknown) {
  const answer = await caller.call(method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Sends a request whose answer waits for a job that it stores; runs the job once. One that fails is tried again before the answer. */
export async function runJobOf<T>({ database, jobs }: Services, ask: () => Promise<T>): Promise<{ readonly answer: Promise<T> }> {
  const stored = Promise.withResolvers<void>()
  const stop = database.observe(({ name }) => {
    if (name === "jobs.insert") stored.resolve()
  })
  const answer = ask()
  await Promise.race([stored.promise, answer]).finally(stop)
  // SQLite has one writer: the job is claimed after the commit of what stores it.
  await jobs.drain()
  return { answer }
}

export async function openForges(kind: FreshKind, config: ConfigOverrides = {}): Promise<Forges> {
  const here = await openWorld(kind, { outgoing: { allowedHosts: "loopback" }, ...config })
  const there = await openWorld("sqlite")
  const [ann, bob, zoe] = await Promise.all([here.person("ann"), here.person("bob"), there.person("zoe")])
  const { createToken } = await import("../../people/sign-in/credentials/tokens.ts")
  const { token } = await there.hearth.services.database.write((tx) =>
    createToken(tx, { userId: zoe.id, name: "mirror", scopes: ["all"], now: 0 }),
  )
  return {
    here,
    there,
    ann,
    bob,
    zoe,
    token,
    origin: async (name, options = {}) => {
      await must(zoe, "POST", "/user/repos", { name, auto_init: true, default_branch: "trunk", ...options })
      return `${there.hearth.url}/zoe/${name}.git`
    },
    migrate: async (options) => (await runJobOf(here.hearth.services, () => ann.call("POST", "/repos/migrate", options))).answer,
    commit: (name, branch, path) =>
      must(zoe, "POST", `/repos/zoe/${name}/contents/${path}`, { branch, content: btoa(`${path}\n`), message: `add ${path}` }),
    close: async () => {
      await here.close()
      await there.close()
    },
  }
}
