/**
 * An attacker who had someone's password sent second-factor codes: 2,886 a second were checked, so that one of the three valid ones is hit within
 * minutes, and after all the wrong ones the right one was still taken. Now a try is counted in the database before it is checked; after five wrong
 * ones none is taken for a while, not even the right one, at no door; the account is told by mail, and tokens go on.
 */

import { TOTP } from "otpauth"
import { expect } from "vitest"
import { mailConfig, openMailServer } from "../../src/features/events/mail/testing.ts"
import { requireTry } from "../../src/features/people/sign-in/guesses/guesses.ts"
import { enableTwoFactor } from "../../src/features/people/sign-in/second-factor/two-factor.ts"
import { findAddressesOf } from "../../src/features/people/users/addresses-store.ts"
import { makeCode } from "../../src/features/people/users/codes.ts"
import { databaseKinds, type FreshKind } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"
import { type Asking, ask } from "../support/from-address.ts"
import { freshHearth, PASSWORD } from "../support/hearth.ts"

const clock = { now: 1_800_000_000 }

async function open(kind: FreshKind) {
  const mails = await openMailServer()
  const forge = await freshHearth(kind, { mail: mailConfig(mails) }, { now: () => clock.now })
  const { services, url } = forge.hearth
  const alice = await forge.person("alice")
  const made = await forge.call(forge.root, "PATCH /admin/users/alice", { source_id: 0, login_name: "alice", admin: true })
  expect(made.status).toBe(200)
  const token: string = (await forge.call(alice, "POST /users/alice/tokens", { name: "t", scopes: ["all"] })).body.sha1
  const user = await services.database.read.selectFrom("users").selectAll().where("lower_name", "=", "alice").executeTakeFirstOrThrow()
  const { secret } = await services.database.write((tx) => enableTwoFactor(services, tx, user))
  const code = () => new TOTP({ secret }).generate({ timestamp: clock.now * 1000 })
  const valid = () => [-30, 0, 30].map((shift) => new TOTP({ secret }).generate({ timestamp: (clock.now + shift) * 1000 }))
  const wrong = (count: number) => {
    const right = new Set(valid())
    const all = Array.from({ length: count + 3 }, (_, index) => String(index).padStart(6, "0"))
    return all.filter((each) => !right.has(each)).slice(0, count)
  }
  const get = (path: string, otp?: string) =>
    ask("127.0.0.2", `${url}${path}`, { headers: { authorization: alice, ...(otp && { "x-gitea-otp": otp }) } })
  const post = (path: string, fields: Readonly<Record<string, string>>) => {
    const asking: Asking = {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields).toString(),
    }
    return ask("127.0.0.2", `${url}${path}`, asking)
  }
  const mailed = async () => {
    await services.jobs.drain()
    return mails.arrived.splice(0)
  }
  const close = async () => {
    await forge.close()
    await mails.close()
  }
  return { ...forge, services, token, user, code, wrong, get, post, mailed, close }
}

withWorld("guessing codes", { open, on: databaseKinds }, ({ test, world }) => {
  test("ends after five, for the right one too, at every door", async () => {
    const { services, user, code, wrong, get, post } = world
    expect((await get("/api/v1/user", code())).status).toBe(200)
    clock.now += 60
    const answers = await Promise.all(wrong(200).map((each) => get("/api/v1/user", each)))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(195)
    for (const { retryAfter, text } of refused) {
      expect(retryAfter).toBe("30")
      expect(JSON.parse(text).message).toBe(
        "There were too many wrong codes, and even a right one is not accepted now. Try again in 30 seconds.",
      )
    }

    const right = code()
    const [fresh, address] = await Promise.all([
      services.database.read.selectFrom("users").selectAll().where("id", "=", user.id).executeTakeFirstOrThrow(),
      findAddressesOf.first(services.database.read, { userId: user.id }),
    ])
    if (!address) throw new Error("alice has no address")
    const link = makeCode(services.secrets, { purpose: "recover", user: fresh, address }, clock.now + 600)
    const words = { new_password: "another-Pass-9", new_password_again: "another-Pass-9" }
    const doors = [
      await get("/api/v1/user", right),
      await get("/api/v1/user?sudo=root", right),
      await get("/attachments/3f2504e0-4f89-11d3-9a0c-0305e82c3301", right),
      await post("/user/change_password", { login: "alice", password: PASSWORD, code: right, ...words }),
      await post("/user/recover_account", { code: link, second_factor: right, ...words }),
    ]
    for (const { status, retryAfter, text } of doors) {
      expect({ status, retryAfter }).toEqual({ status: 429, retryAfter: "30" })
      expect(text).toContain("Try again in 30 seconds.")
    }
  })

  test("stops neither tokens nor other accounts", async () => {
    const { call, person, token } = world
    expect((await call(`token ${token}`, "GET /user")).status).toBe(200)
    expect((await call(await person("bob"), "GET /user")).status).toBe(200)
  })

  test("is told to the account by one mail, and to administrators", async () => {
    const { call, mailed, hearth, root } = world
    const mails = await mailed()
    expect(mails.map(({ to, headers }) => [to, headers.get("subject")])).toEqual([
      ["alice@example.com", "Wrong second-factor codes for your account at localhost"],
    ])
    expect(mails[0]?.parts.get("text/plain")).toContain("someone knows your password")
    const { body } = await call(root, "GET /admin/audit?account=alice")
    expect(body).toMatchObject([{ operation: "wrongSecondFactor", account: "alice", ip: "127.0.0.2", times: 5, status: 401 }])
    const metrics = await (await fetch(`${hearth.url}/metrics`)).text()
    expect(metrics).toContain('hearth_sign_ins_total{kind="second_factor",outcome="wrong"} 5')
    expect(metrics).toContain('hearth_sign_ins_total{kind="second_factor",outcome="refused"} 200')
  })

  test("waits twice as long after each further wrong one, and for an hour at most", async () => {
    const { get, wrong } = world
    const [one = ""] = wrong(1)
    let wait = 30
    for (const next of [60, 120, 240, 480, 960, 1920, 3600, 3600]) {
      clock.now += wait - 1
      expect((await get("/api/v1/user", one)).retryAfter).toBe("1")
      clock.now += 1
      expect((await get("/api/v1/user", one)).status).toBe(401)
      wait = next
      expect((await get("/api/v1/user", one)).retryAfter).toBe(String(wait))
    }
    clock.now += wait
  })

  test("starts anew after a right code, which is good once", async () => {
    const { get, code, wrong } = world
    const right = code()
    expect((await get("/api/v1/user", right)).status).toBe(200)
    for (const each of [right, ...wrong(3)]) expect((await get("/api/v1/user", each)).status).toBe(401)
    clock.now += 60
    expect((await get("/api/v1/user", code())).status).toBe(200)
  })

  test("is not tried by a request without a code", async () => {
    const { get, code } = world
    clock.now += 60
    for (let count = 0; count < 10; count++) expect((await get("/api/v1/user")).status).toBe(401)
    expect((await get("/api/v1/user", code())).status).toBe(200)
  })

  test("is counted before it is checked, also where all tries have seen that none was made yet", async () => {
    const { services } = world
    const tries = Array.from({ length: 50 }, () => requireTry(services, { kind: "secondFactor", subject: 123_456 }))
    const ends = await Promise.allSettled(tries)
    expect(ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : [])).sort((a, b) => a - b)).toEqual([0, 0, 0, 0, 30])
    for (const end of ends) if (end.status === "rejected") expect(end.reason).toMatchObject({ kind: "tooMany", retryAfter: 30 })
  })
})
