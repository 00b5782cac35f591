/**
 * 80 parallel sign-ins with wrong passwords from one address filled the queue in front of the two password checks that run at once, and kept it
 * full: all others who signed in for the first time were refused as "busy". Now addresses take turns in that queue, and an address with too many
 * wrong ones is refused before anything is hashed.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import { startHearth } from "../../../src/app.ts"
import { type FreshKind, freshUrl } from "../../support/database.ts"
import { withWorld } from "../../support/fixture.ts"
import { ask, type Heard } from "../../support/from-address.ts"
import { basic, PASSWORD } from "../../support/hearth.ts"

/** A server whose password hashes cost what they cost in earnest. `perAddress`: see the setting. */
const opener = (perAddress: number) => async (kind: FreshKind) => {
  const fresh = await freshUrl(kind)
  const dataDir = await mkdtemp(join(tmpdir(), "hearth-flood-"))
  const { url, token, close } = await startHearth({
    env: {},
    config: {
      dataDir,
      databaseUrl: fresh.url,
      http: { port: 0 },
      ssh: { port: 0 },
      log: { level: "silent" },
      security: { guesses: { perAddress } },
    },
  })
  const people = ["bob", "carol", "dave"]
  for (const name of people) {
    const headers = { authorization: `token ${token}`, "content-type": "application/json" }
    const body = JSON.stringify({ username: name, email: `${name}@example.com`, password: PASSWORD, must_change_password: false })
    expect((await ask("127.0.0.1", `${url}/api/v1/admin/users`, { method: "POST", headers, body })).status).toBe(201)
  }
  const signIn = (address: string, login: string, password: string) =>
    ask(address, `${url}/api/v1/user`, { headers: { authorization: basic(login, password) } })
  /** 80 wrong ones at once from one address; `first` is called with the first one that is refused as busy. */
  const flood = (address: string, first: () => void = () => {}): Promise<readonly Heard[]> =>
    Promise.all(
      Array.from({ length: 80 }, async (_, index) => {
        const heard = await signIn(address, `name-${index}`, `wrong ${index}`)
        if (heard.status === 503) first()
        return heard
      }),
    )
  return {
    signIn,
    flood,
    close: async () => {
      await close()
      await fresh.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const count = (heard: readonly Heard[], status: number): number => heard.filter((each) => each.status === status).length

withWorld("a flood of wrong passwords, with any number allowed,", { open: opener(10_000) }, ({ test, world }) => {
  test("leaves room in the queue for the first sign-ins of others", async () => {
    const { flood, signIn } = world
    const full = Promise.withResolvers<void>()
    const flooding = flood("127.0.0.2", full.resolve)
    await full.promise
    const others = await Promise.all([signIn("127.0.0.3", "bob", PASSWORD), signIn("127.0.0.4", "carol", PASSWORD)])
    expect(others.map(({ status }) => status)).toEqual([200, 200])
    const heard = await flooding
    expect(count(heard, 401) + count(heard, 503)).toBe(80)
    expect(count(heard, 503)).toBeGreaterThan(0)
  })
})

withWorld("a flood of wrong passwords", { open: opener(4) }, ({ test, world }) => {
  test("is refused before anything is hashed, and others sign in for the first time", async () => {
    const { flood, signIn } = world
    const heard = await flood("127.0.0.2")
    expect(count(heard, 401)).toBe(4)
    expect(count(heard, 429)).toBe(76)
    const [next, other] = await Promise.all([flood("127.0.0.2"), signIn("127.0.0.3", "dave", PASSWORD)])
    expect(count(next, 429)).toBe(80)
    expect(next.every(({ retryAfter }) => Number(retryAfter) > 0)).toBe(true)
    expect(other.status).toBe(200)
  })
})
