import { expect } from "vitest"
import { openBrowser } from "../support/browser.ts"
import { databaseKinds } from "../support/database.ts"
import { withHearth } from "../support/fixture.ts"
import { PASSWORD } from "../support/hearth.ts"

/** Ann owns a private repository, and finds out why Bob does not see it; what she is told is what Bob is answered, step by step until he may push. */
withHearth("why Bob can't see it", { people: ["ann", "bob", "carl"], on: databaseKinds }, ({ test, forge, call, status, ann, bob }) => {
  const explain = async (who: string | undefined, path: string, { as, method = "GET" }: { as?: string; method?: string } = {}) => {
    const query = new URLSearchParams({ path, method, ...(as !== undefined && { as }) })
    return (await call(who, `GET /explain?${query}`)).body
  }
  const failing = ({ steps }: { steps: readonly { holds: boolean; because: string; rule: string }[] }) =>
    steps.filter(({ holds }) => !holds).map(({ because }) => because)

  test("from hidden to pushing", async () => {
    await call(ann, "POST /orgs", { username: "acme" })
    await call(ann, "POST /orgs/acme/repos", { name: "secret", private: true, auto_init: true })
    const at = "/api/v1/repos/acme/secret"
    const before = await explain(ann, at, { as: "bob" })
    expect([before.allowed, before.status, await status(bob, "GET /repos/acme/secret")]).toEqual([false, 404, 404])
    expect(failing(before)).toEqual([
      "bob does not own the repository",
      "the repository is private",
      "bob is no collaborator",
      "bob is in no team with access",
      "the repository is not offered to bob",
      "bob: no access",
      "this needs: seeing the repository; nothing is there, or not for everyone to know",
    ])
    // Bob himself is told what he would be told of nothing.
    expect(await explain(bob, at)).toEqual(await explain(bob, "/api/v1/repos/acme/nothing"))

    await call(ann, "PUT /repos/acme/secret/collaborators/bob", { permission: "read" })
    expect(await explain(ann, at, { as: "bob" })).toMatchObject({ allowed: true, status: 200 })
    expect((await explain(bob, at)).steps).toContainEqual({
      rule: "repository.collaboration",
      holds: true,
      because: "bob is a collaborator",
    })
    // Git lets him begin a push, since he may offer commits.
    const push = await explain(bob, "/acme/secret.git/git-receive-pack", { method: "POST" })
    expect([push.status, push.steps.at(-1).because]).toEqual([200, expect.stringContaining("commits may be offered")])
    expect(await explain(bob, "/acme/secret.git")).toMatchObject({ allowed: true, status: 200 })
    const file = `${at}/contents/a.txt`
    expect(await explain(bob, file, { method: "POST" })).toMatchObject({ allowed: false, status: 403 })
    expect(await status(bob, "POST /repos/acme/secret/contents/a.txt", { content: "", message: "a" })).toBe(403)

    const team = await call(ann, "POST /orgs/acme/teams", { name: "crew", units_map: { "repo.code": "write" } })
    await call(ann, `PUT /teams/${team.body.id}/members/bob`)
    await call(ann, `PUT /teams/${team.body.id}/repos/acme/secret`)
    expect(await explain(ann, file, { as: "bob", method: "POST" })).toMatchObject({ allowed: true, status: 201 })
    await call(ann, "PATCH /repos/acme/secret", { archived: true })
    const archived = await explain(ann, file, { as: "bob", method: "POST" })
    expect([archived.status, archived.steps.at(-1).rule]).toEqual([423, "archived"])
    expect(await status(bob, "POST /repos/acme/secret/contents/a.txt", { content: "", message: "a" })).toBe(423)
  })

  test("an address that is not there, another method, and an old name", async () => {
    expect(await explain(ann, "/api/v1/nowhere")).toMatchObject({ allowed: false, status: 404 })
    expect(await explain(ann, "/api/v1/version", { method: "DELETE" })).toMatchObject({ allowed: false, status: 405 })
    await call(ann, "POST /user/repos", { name: "old" })
    await call(ann, "PATCH /repos/ann/old", { name: "new" })
    expect(await explain(ann, "/repos/ann/new", { method: "DELETE" })).toMatchObject({ allowed: true, status: 204 })
    expect(await explain(ann, "/version", { method: "DELETE" })).toMatchObject({ allowed: false, status: 405 })
    expect(await explain(bob, "/api/v1/repos/ann/old")).toMatchObject({ allowed: false, status: 301 })
    expect(await explain(undefined, "/ann/new/settings")).toMatchObject({ allowed: false, status: 303 })
  })

  test("on pages: from the settings, and from what is missing", async () => {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn("ann", PASSWORD)
    expect((await browser.get("/acme/secret/settings/collaboration")).text).toContain("What may they do here?")
    const asked = await browser.get("/-/explain?path=%2Facme%2Fsecret%2Fsettings&as=bob")
    expect([asked.status, asked.text.includes("bob does not own the repository")]).toEqual([200, true])
    await call(ann, "PATCH /repos/acme/secret", { archived: false })
    await call(ann, "PATCH /repos/acme/secret", { has_wiki: false })
    const missing = await browser.get("/acme/secret/wiki", { accept: "text/html" })
    expect([missing.status, missing.text.includes("Wiki: switched off")]).toEqual([404, true])
    expect((await browser.get("/-/explain?path=%2Fann&as=bob")).status).toBe(403)
  })
})
