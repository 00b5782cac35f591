import { expect } from "vitest"
import { withHearth } from "../../../tests/support/fixture.ts"
import { basic, type Caller, PASSWORD } from "../../../tests/support/hearth.ts"

/** Feeds are read by programs, which sign in with a header. */
withHearth("feeds for programs", { people: ["ann", "ben", "eve"] }, ({ test, forge, ann, ben, eve, call }) => {
  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "hush", private: true, auto_init: true, default_branch: "main" })
    await call(ann, "POST /user/repos", { name: "open", auto_init: true })
    await call(ann, "PUT /repos/ann/hush/collaborators/ben", { permission: "read" })
  })

  const FEEDS = ["hush.atom", "hush.rss", "hush/releases.atom", "hush/tags.rss", "hush/atom/branch/main"].map((path) => `/ann/${path}`)
  const tokenOf = async (name: string, scopes: readonly string[]): Promise<string> => {
    const { body } = await call(basic(name, PASSWORD), `POST /users/${name}/tokens`, { name: scopes.join(), scopes })
    return `token ${body.sha1}`
  }
  const get = async (path: string, caller: Caller, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(forge.hearth.url + path, {
      redirect: "manual",
      headers: { ...(caller && { authorization: caller }), ...headers },
    })
    return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() }
  }
  const status = async (path: string, caller: Caller) => (await get(path, caller)).status

  test("of private repositories are for those who may read them", async () => {
    const reader = await tokenOf("ben", ["read:repository"])
    const stranger = await tokenOf("eve", ["read:repository"])
    for (const path of FEEDS) {
      const answer = await get(path, reader)
      expect([answer.status, answer.type], path).toEqual([200, expect.stringMatching(/^application\/(atom|rss)\+xml/)])
      expect(await status(path, ben), path).toBe(200)
      expect(await status(path, reader.replace("token", "Bearer")), path).toBe(200)
      for (const caller of [stranger, eve, undefined]) expect(await status(path, caller), path).toBe(404)
      expect(await status(path, basic("ben", "wrong")), path).toBe(401)
      expect(await status(path, `token ${"0".repeat(40)}`), path).toBe(401)
    }
  })

  test("need a token that may read such things through the API", async () => {
    for (const scopes of [["read:issue"], ["read:user"], ["public-only", "read:repository"]]) {
      const token = await tokenOf("ben", scopes)
      for (const path of FEEDS) expect(await status(path, token), `${path} ${scopes}`).toBe(404)
    }
    expect(await status("/ann/open.atom", await tokenOf("eve", ["public-only", "read:repository"]))).toBe(200)
    expect(await status("/ann.atom", await tokenOf("eve", ["write:user"]))).toBe(200)
    expect(await status("/ann.atom", await tokenOf("eve", ["read:issue", "read:package"]))).toBe(404)
  })

  test("of an account show its owner what is private, and are kept for no one else", async () => {
    await call(ann, "POST /repos/ann/hush/issues", { title: "A secret plan" })
    expect((await get("/ann.atom", ann)).text).toContain("hush")
    expect((await get("/ann.atom", undefined)).text).not.toContain("hush")
    expect((await get("/ann.atom", eve)).text).not.toContain("hush")
  })

  test("are the only pages that programs can sign in to", async () => {
    for (const path of ["/ann/hush", "/ann/hush/issues", "/ann/hush/releases"]) expect(await status(path, ann), path).toBe(404)
  })
})
