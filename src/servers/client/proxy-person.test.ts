import { expect } from "vitest"
import type { FreshKind } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { freshHearth } from "../../../tests/support/hearth.ts"
import { loadConfig } from "../../core/config.ts"

const HEADER = "x-webauth-user"

async function open(kind: FreshKind) {
  const proxy = { header: "X-Webauth-User", mailHeader: "X-Webauth-Email", networks: "loopback" }
  const forge = await freshHearth(kind, { signIn: { proxy: { ...proxy, registration: true, programs: true } } })
  const pages = await freshHearth(kind, { signIn: { proxy } })
  const elsewhere = await freshHearth(kind, { signIn: { proxy: { ...proxy, networks: "10.0.0.0/8", programs: true } } })
  const security = { secondFactor: "everyone", secondFactorGraceSeconds: 0 } as const
  const strict = await freshHearth(kind, { signIn: { proxy: { ...proxy, programs: true } }, security })
  const giveFactor = (name: string) =>
    strict.hearth.services.database.write((tx) =>
      tx.updateTable("users").set({ has_second_factor: 1 }).where("lower_name", "=", name).execute(),
    )
  await giveFactor("root")
  const all = [forge, pages, elsewhere, strict]
  for (const each of all) await each.person("ann")
  const ask = (at: (typeof all)[number], path: string, headers: Readonly<Record<string, string>>, method = "GET") =>
    fetch(at.hearth.url + path, { method, headers, redirect: "manual" })
  const nameIn = async (answer: Promise<Response>) => /Signed in as (\w+)/.exec(await (await answer).text())?.[1]
  const close = async () => {
    for (const each of all) await each.close()
  }
  return { forge, pages, elsewhere, strict, giveFactor, ask, nameIn, close }
}

withWorld("a person whom a proxy names", { open }, ({ test, world }) => {
  test("has a session on pages from its first one on, and another person gets another", async () => {
    const { ask, forge, nameIn } = world
    const first = await ask(forge, "/user/settings/security", { [HEADER]: "ann" })
    const cookie = (first.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
    expect([first.status, cookie]).toEqual([200, expect.stringMatching(/^hearth_session=[\w-]{43}$/)])
    const again = await ask(forge, "/", { [HEADER]: "ANN", cookie })
    expect(again.headers.get("set-cookie") ?? "").not.toContain("hearth_session")
    expect(await nameIn(ask(forge, "/", { [HEADER]: "root", cookie }))).toBe("root")
    expect(await nameIn(ask(forge, "/", { cookie }))).toBeUndefined()
  })

  test("counts for programs only where that is set, and never for who else sends it", async () => {
    const { ask, elsewhere, forge, nameIn, pages } = world
    const user = async (at: typeof forge, name: string, more = {}) => (await ask(at, "/api/v1/user", { [HEADER]: name, ...more })).status
    expect([await user(forge, "ann"), await user(pages, "ann"), await user(elsewhere, "ann")]).toEqual([200, 401, 401])
    expect(await user(elsewhere, "ann", { "x-forwarded-for": "10.0.0.1" })).toBe(401)
    expect(await nameIn(ask(pages, "/", { [HEADER]: "ann" }))).toBe("ann")
    expect(await nameIn(ask(elsewhere, "/", { [HEADER]: "root", "x-forwarded-for": "10.0.0.1" }))).toBeUndefined()
    expect(await user(forge, "ann, root")).toBe(401)
    expect((await ask(forge, "/api/v1/user", { [HEADER]: "root", authorization: "Basic YW5uOndyb25n" })).status).toBe(401)
  })

  test("git by the header, where programs may", async () => {
    const { ask, forge, pages } = world
    await forge.call(forge.root, "POST /user/repos", { name: "secret", private: true, auto_init: true })
    await pages.call(pages.root, "POST /user/repos", { name: "secret", private: true, auto_init: true })
    const refs = "/root/secret.git/info/refs?service=git-upload-pack"
    expect((await ask(forge, refs, { [HEADER]: "root" })).status).toBe(200)
    for (const [at, name] of [
      [forge, "ann"],
      [pages, "root"],
    ] as const)
      expect((await ask(at, refs, { [HEADER]: name })).status).toBeGreaterThanOrEqual(401)
  })

  test("needs the second factor that the site requires, on pages and for programs alike, and is never asked for its code", async () => {
    const { ask, giveFactor, strict } = world
    const seen = async () => {
      const page = await ask(strict, "/explore/repos", { [HEADER]: "ann" })
      const refs = await ask(strict, "/ann/secret.git/info/refs?service=git-upload-pack", { [HEADER]: "ann" })
      const user = await ask(strict, "/api/v1/user", { [HEADER]: "ann" })
      return [page.status, page.headers.get("location"), user.status, refs.status]
    }
    expect(await seen()).toEqual([303, "/user/second_factor?redirect_to=%2Fexplore%2Frepos", 403, 403])
    await giveFactor("ann")
    await strict.call(strict.root, "POST /admin/users/ann/repos", { name: "secret", private: true, auto_init: true })
    expect(await seen()).toEqual([200, null, 200, 200])
  })

  test("gets an account where that is set, and a page of another site changes nothing", async () => {
    const { ask, forge, nameIn, pages } = world
    const headers = { [HEADER]: "newcomer", "x-webauth-email": "new@example.com" }
    expect(await nameIn(ask(pages, "/", headers))).toBeUndefined()
    expect(await nameIn(ask(forge, "/", headers))).toBe("newcomer")
    expect((await ask(forge, "/api/v1/users/newcomer", { [HEADER]: "root" })).status).toBe(200)
    expect(await nameIn(ask(forge, "/", { [HEADER]: "other", "x-webauth-email": "new@example.com" }))).toBeUndefined()
    const otherSite = { [HEADER]: "ann", "sec-fetch-site": "cross-site", origin: "https://evil.example" }
    for (const path of ["/api/v1/user/repos", "/repo/create", "/user/logout"])
      expect((await ask(forge, path, otherSite, "POST")).status).toBe(403)
  })

  test("a list of networks that is none is refused", () => {
    expect(() => loadConfig({ env: {}, file: false, overrides: { signIn: { proxy: { networks: "proxy.example" } } } })).toThrow(
      "signIn.proxy.networks",
    )
  })
})
