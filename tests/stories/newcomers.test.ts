import { expect } from "vitest"
import { openBrowser } from "../support/browser.ts"
import { databaseKinds } from "../support/database.ts"
import { withHearth } from "../support/fixture.ts"
import { PASSWORD } from "../support/hearth.ts"

/** Ann holds what newcomers open; Nel asks for an issue and a pull request, Ann approves the one and rejects the other. */
withHearth("first issues wait", { people: ["ann", "nel"], on: databaseKinds }, ({ test, forge, call, status, settle, ann, nel }) => {
  const at = "/repos/ann/tool"

  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "tool", auto_init: true, default_branch: "main" })
  })

  test("from the setting to the created issue", async () => {
    const rules = await call(ann, `PATCH ${at}/newcomers`, { mode: "held", days: 30 })
    expect(rules.body).toEqual({ mode: "held", days: 30, per_day: null, effective: { mode: "held", days: 30, per_day: 3 } })
    const asked = await call(nel, `POST ${at}/issues`, { title: "  It breaks ", body: "cc @ann" })
    expect([asked.status, asked.body.state, asked.body.title, asked.body.author.login]).toEqual([202, "waiting", "It breaks", "nel"])
    await settle()
    expect((await call(ann, `GET ${at}`)).body.open_issues_count).toBe(0)
    expect((await call(ann, "GET /notifications")).body).toEqual([])
    const [held] = (await call(ann, `GET ${at}/held`)).body
    expect((await call(nel, "GET /user/held")).body).toEqual([{ ...held, author: expect.anything() }])
    expect(await status(nel, `GET ${at}/held`)).toBe(403)

    const approved = await call(ann, `POST ${at}/held/${held.id}/approve`)
    expect([approved.status, approved.body.state, approved.body.number]).toEqual([201, "approved", 1])
    await settle()
    expect((await call(ann, `GET ${at}/issues/1`)).body).toMatchObject({ title: "It breaks", user: { login: "nel" }, state: "open" })
    expect((await call(ann, "GET /notifications")).body).toHaveLength(1)
    // Nel is no newcomer here any more.
    expect(await status(nel, `POST ${at}/issues`, { title: "Another" })).toBe(201)
    // Who belongs to the repository never was.
    expect(await status(ann, `POST ${at}/issues`, { title: "Mine" })).toBe(201)
  })

  test("a pull request from a fork, on pages", async () => {
    const pia = await forge.person("pia")
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn("pia", PASSWORD)
    await call(pia, `POST ${at}/forks`, {})
    await settle()
    await call(pia, "POST /repos/pia/tool/contents/a.txt", { content: "", message: "a", branch: "main", new_branch: "a" })
    const sent = await browser.post("/ann/tool/compare/main...pia:a", { base: "main", head: "pia:a", title: "Add a", body: "" })
    expect(sent.location).toBe("/-/held")
    expect((await browser.get("/-/held")).text).toContain("Add a")
    // The same once more is refused.
    expect(await status(pia, `POST ${at}/pulls`, { base: "main", head: "pia:a", title: "Again" })).toBe(409)
    const owner = openBrowser(forge.hearth.url)
    await owner.signIn("ann", PASSWORD)
    const list = await owner.get("/ann/tool/held")
    expect([list.status, list.text.includes("Add a"), list.text.includes("Reject and block")]).toEqual([200, true, true])
    const [held] = (await call(ann, `GET ${at}/held`)).body
    expect((await owner.post(`/ann/tool/held/${held.id}/approve`, {})).location).toBe("/ann/tool/held")
    const pulls = (await call(ann, `GET ${at}/pulls`)).body
    expect(pulls.map(({ title, user }: { title: string; user: { login: string } }) => [title, user.login])).toEqual([["Add a", "pia"]])
    expect((await owner.post("/ann/tool/settings/newcomers", { mode: "", days: "", per_day: "5" })).location).toBe(
      "/ann/tool/settings/newcomers",
    )
    expect((await call(ann, `GET ${at}/newcomers`)).body).toMatchObject({ mode: null, days: null, per_day: 5, effective: { mode: "free" } })
  })

  test("rejected, and blocked", async () => {
    await call(ann, "POST /orgs", { username: "acme" })
    await call(ann, "PATCH /orgs/acme/newcomers", { mode: "held" })
    await call(ann, "POST /orgs/acme/repos", { name: "tool" })
    const [first, second] = [
      (await call(nel, "POST /repos/acme/tool/issues", { title: "one" })).body,
      (await call(nel, "POST /repos/acme/tool/issues", { title: "two" })).body,
    ]
    expect(await status(ann, `POST /repos/acme/tool/held/${first.id}/reject`, {})).toBe(204)
    expect(await status(ann, `POST /repos/acme/tool/held/${first.id}/approve`)).toBe(404)
    expect(await status(ann, `POST /repos/acme/tool/held/${second.id}/reject`, { block: true })).toBe(204)
    expect(await status(nel, "POST /repos/acme/tool/issues", { title: "three" })).toBe(403)
    expect((await call(nel, "GET /user/held")).body.slice(0, 2).map(({ state }: { state: string }) => state)).toEqual([
      "rejected",
      "rejected",
    ])
  })
})
