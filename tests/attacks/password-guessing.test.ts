/**
 * Passwords could be guessed without end: as many as the server could check were checked, from one address or many, and no one saw it. Now wrong
 * ones are counted by account in the database, and by network in memory, at all doors together; each try beyond the first few has to wait longer.
 * An attacker with many addresses can't lock the owner out: networks that the account was used from before, tokens and recovery by mail go on.
 */

import { expect } from "vitest"
import { startHearth } from "../../src/app.ts"
import { findAddressesOf } from "../../src/features/people/users/addresses-store.ts"
import { makeCode } from "../../src/features/people/users/codes.ts"
import { databaseKinds, type FreshKind, statementsOf } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"
import { ask } from "../support/from-address.ts"
import { basic, freshHearth, PASSWORD } from "../support/hearth.ts"

const clock = { now: 1_800_000_000 }
const now = () => clock.now

async function open(kind: FreshKind) {
  // Nothing is remembered, so that each sign-in is a check.
  const forge = await freshHearth(kind, { security: { rememberSignInSeconds: 0 } }, { now })
  for (const name of ["alice", "bob", "carol", "dave"]) await forge.person(name)
  const { services, url } = forge.hearth
  await forge.call(basic("bob", PASSWORD), "POST /user/repos", { name: "code", auto_init: true })
  const get = (address: string, login: string, password: string, to = url) =>
    ask(address, `${to}/api/v1/user`, { headers: { authorization: basic(login, password) } })
  const statuses = async (address: string, login: string, count: number) => {
    const found: number[] = []
    for (let index = 0; index < count; index++) found.push((await get(address, login, `wrong ${index}`)).status)
    return found
  }
  /** A link as it would be mailed. */
  const recoveryLink = async (name: string) => {
    const user = await services.database.read.selectFrom("users").selectAll().where("lower_name", "=", name).executeTakeFirstOrThrow()
    const address = await findAddressesOf.first(services.database.read, { userId: user.id })
    if (!address) throw new Error(`${name} has no address`)
    return makeCode(services.secrets, { purpose: "recover", user, address }, clock.now + 600)
  }
  return { ...forge, services, url, get, statuses, recoveryLink }
}

withWorld("guessing passwords", { open, on: databaseKinds }, ({ test, world, kind }) => {
  test("of one account ends after five, from all addresses that it was never used from", async () => {
    const { get, statuses } = world
    expect((await get("127.0.0.9", "alice", PASSWORD)).status).toBe(200)
    expect(await statuses("127.0.0.2", "alice", 7)).toEqual([401, 401, 401, 401, 401, 429, 429])
    for (const address of ["127.0.0.2", "127.0.0.3"]) {
      const refused = await get(address, "alice", PASSWORD)
      expect(refused).toMatchObject({ status: 429, retryAfter: "30" })
      expect(refused.text).toContain("Access tokens and SSH keys go on; try the password again in 30 seconds.")
    }
    expect((await get("127.0.0.2", "alice@example.com", PASSWORD)).status).toBe(429)
  })

  test("does not lock the owner out", async () => {
    const { call, get, recoveryLink, root, url } = world
    expect((await get("127.0.0.9", "alice", PASSWORD)).status).toBe(200)
    const administrator = basic("root", (root ?? "").replace("token ", ""))
    const { sha1 } = (await call(administrator, "POST /users/alice/tokens", { name: "t", scopes: ["all"] })).body
    expect((await ask("127.0.0.3", `${url}/api/v1/user`, { headers: { authorization: `token ${sha1}` } })).status).toBe(200)
    expect((await get("127.0.0.8", "alice", PASSWORD)).status).toBe(429)
    const fields = { code: await recoveryLink("alice"), new_password: "another-Pass-9", new_password_again: "another-Pass-9" }
    const body = new URLSearchParams(fields).toString()
    expect(
      (
        await ask("127.0.0.8", `${url}/user/recover_account`, {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body,
        })
      ).status,
    ).toBe(200)
    expect((await get("127.0.0.8", "alice", "another-Pass-9")).status).toBe(200)
    expect((await get("127.0.0.3", "alice", "another-Pass-9")).status).toBe(429)
  })

  test("waits longer and longer, also at an address that the account was used from", async () => {
    const { get, statuses } = world
    clock.now += 30
    expect((await get("127.0.0.3", "alice", "wrong")).status).toBe(401)
    expect((await get("127.0.0.4", "alice", "another-Pass-9")).retryAfter).toBe("60")
    expect(await statuses("127.0.0.8", "alice", 6)).toEqual([401, 401, 401, 401, 401, 429])
    clock.now += 30
    expect((await get("127.0.0.8", "alice", "wrong")).status).toBe(401)
    expect((await get("127.0.0.8", "alice", "another-Pass-9")).retryAfter).toBe("60")
    clock.now += 60
    expect((await get("127.0.0.8", "alice", "another-Pass-9")).status).toBe(200)
    expect((await get("127.0.0.4", "alice", "another-Pass-9")).status).toBe(200)
    // A right one ended the count.
    expect(await statuses("127.0.0.5", "alice", 3)).toEqual([401, 401, 401])
  })

  test("is counted at all doors together, and before it is checked", async () => {
    const { url } = world
    const git = (address: string, password: string) =>
      ask(address, `${url}/bob/code.git/info/refs?service=git-receive-pack`, { headers: { authorization: basic("bob", password) } })
    const lfs = (address: string, password: string) =>
      ask(address, `${url}/bob/code.git/info/lfs/locks`, {
        headers: { authorization: basic("bob", password), accept: "application/vnd.git-lfs+json" },
      })
    const raw = (address: string, password: string) =>
      ask(address, `${url}/bob/code/archive/main.zip`, { headers: { authorization: basic("bob", password) } })
    const page = (address: string, password: string) => {
      const body = new URLSearchParams({ login: "bob", password, new_password: "x", new_password_again: "x" }).toString()
      return ask(address, `${url}/user/change_password`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body,
      })
    }
    const doors = [git, lfs, raw, page]
    const tries = doors.flatMap((door, d) => [0, 1, 2, 3].map((n) => door(`127.0.1.${4 * d + n + 1}`, `wrong ${d} ${n}`)))
    const found = (await Promise.all(tries)).map(({ status }) => status)
    expect(found.filter((status) => status === 401)).toHaveLength(5)
    expect(found.filter((status) => status === 429)).toHaveLength(11)
    for (const door of doors) expect(await door("127.0.1.99", PASSWORD)).toMatchObject({ status: 429, retryAfter: "30" })
  })

  test("of a name without an account looks and costs the same", async () => {
    const { get, services } = world
    const [known, unknown]: [string[][], string[][]] = [[], []]
    const [there, missing]: [unknown[], unknown[]] = [[], []]
    for (let count = 0; count < 7; count++) {
      const tryOf = (login: string, answers: unknown[]) => async () => void answers.push(await get(`127.0.2.${count + 1}`, login, "wrong"))
      const namesOf = async (login: string, answers: unknown[]) =>
        (await statementsOf(services.database, tryOf(login, answers))).map(({ sql }) => sql)
      known.push(await namesOf("dave", there))
      unknown.push(await namesOf("no-such-name", missing))
    }
    expect(missing).toEqual(there)
    expect(there).toMatchObject([...Array(5).fill({ status: 401 }), { status: 429 }, { status: 429 }])
    expect(unknown).toEqual(known)
  })

  test("of many names from one address ends too, and others are not slowed", async () => {
    const { get, services } = world
    // Names without an account share counts: with bad luck, one of these has that of the name above, which waits.
    await services.database.write((tx) => tx.deleteFrom("guesses").where("subject", "<", 0).execute())
    const found: number[] = []
    for (let index = 0; index < 32; index++) found.push((await get("127.0.0.6", `name-${index}`, "wrong")).status)
    expect(found).toEqual([...Array(30).fill(401), 429, 429])
    expect((await get("127.0.0.6", "carol", PASSWORD)).retryAfter).toBe("30")
    expect((await get("127.0.0.7", "carol", PASSWORD)).status).toBe(200)
    clock.now += 30
    expect((await get("127.0.0.6", "carol", PASSWORD)).status).toBe(200)
    // The address is full again, but not for accounts that were used from there.
    expect((await get("127.0.0.6", "name-40", "wrong")).status).toBe(401)
    expect((await get("127.0.0.6", "name-41", "wrong")).status).toBe(429)
    expect((await get("127.0.0.6", "carol", PASSWORD)).status).toBe(200)
  })

  test("is seen by administrators, in one entry for an account, an address and an hour", async () => {
    const { call, hearth, root } = world
    const ofAlice = (await call(root, "GET /admin/audit?account=alice&operation=wrongPassword")).body
    expect(ofAlice.map(({ ip, times }: { ip: string; times: number }) => `${ip} ${times}`)).toEqual([
      "127.0.0.5 3",
      "127.0.0.8 6",
      "127.0.0.3 1",
      "127.0.0.2 5",
    ])
    const all = (await call(root, "GET /admin/audit?operation=wrongPassword&limit=50")).body
    expect(all.filter(({ ip }: { ip: string }) => ip === "127.0.0.6")).toMatchObject([{ account: "", times: 31, administrator: "" }])
    expect(JSON.stringify(all)).not.toContain("name-")
    const metrics = await (await fetch(`${hearth.url}/metrics`)).text()
    for (const outcome of ["right", "wrong", "refused"])
      expect(metrics).toMatch(new RegExp(`hearth_sign_ins_total\\{kind="password",outcome="${outcome}"\\} [1-9]`))
    expect(metrics).toMatch(/hearth_sign_ins_total\{kind="token",outcome="right"\} [1-9]/)
  })

  test("is forgotten after a day, and the entries after a month", async () => {
    const { call, root, services } = world
    const rows = async () => (await services.database.read.selectFrom("guesses").selectAll().execute()).length
    expect(await rows()).toBeGreaterThan(0)
    clock.now += 100_000
    await services.jobs.tasks.run("forget_guesses")
    expect(await rows()).toBe(0)
    clock.now += 30 * 86_400
    await services.jobs.tasks.run("forget_guesses")
    expect((await call(root, "GET /admin/audit?operation=wrongPassword")).body).toEqual([])
  })

  test("a flood from many networks fills no table", async () => {
    const { services } = world
    const { database, signIns } = services
    await database.write(async (tx) => {
      for (let index = 0; index < 1_100; index++)
        await signIns.noteFailure(tx, { kind: "password", user: undefined, network: `10.0.${index >> 8}.${index & 255}` })
    })
    const rows = await database.read.selectFrom("deeds").select(["ip", "times"]).where("operation", "=", "wrongPassword").execute()
    expect(rows).toHaveLength(1_001)
    expect(rows.find(({ ip }) => ip === "")?.times).toBe(100)
  })

  if (kind === "postgres")
    test("is counted together by all processes on the database", async () => {
      const { get, services, statuses } = world
      expect(await statuses("127.0.3.1", "dave", 5)).toEqual([401, 401, 401, 401, 401])
      const other = await startHearth({ halted: true, memory: true, now, config: { databaseUrl: services.config.databaseUrl } })
      try {
        expect((await get("127.0.3.2", "dave", PASSWORD, other.url)).status).toBe(429)
        clock.now += 30
        expect((await get("127.0.3.2", "dave", PASSWORD, other.url)).status).toBe(200)
        expect((await get("127.0.3.3", "dave", PASSWORD)).status).toBe(200)
      } finally {
        await other.close()
      }
    })
})
