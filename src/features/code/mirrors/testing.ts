import type { FreshKind } from "../../../../tests/support/database.ts"
import type { ConfigOverrides } from "../../../core/config.ts"
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

/** Polls a condition for a minute at most. */
export async function eventually<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (const until = performance.now() + 60_000; performance.now() < until; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const found = await look()
    if (found !== undefined && found !== false) return found
  }
  throw new Error("the awaited state was not reached")
}

export async function openForges(kind: FreshKind, config: ConfigOverrides = {}): Promise<Forges> {
  const here = await openWorld(kind, { outgoing: { allowedHosts: "loopback" }, ...config })
  const there = await openWorld("sqlite")
  const [ann, bob, zoe] = await Promise.all([here.person("ann"), here.person("bob"), there.person("zoe")])
  const { createToken } = await import("../../people/authentication/tokens.ts")
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
    commit: (name, branch, path) =>
      must(zoe, "POST", `/repos/zoe/${name}/contents/${path}`, { branch, content: btoa(`${path}\n`), message: `add ${path}` }),
    close: async () => {
      await here.close()
      await there.close()
    },
  }
}
