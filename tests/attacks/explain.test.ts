import { expect } from "vitest"
import { withHearth } from "../support/fixture.ts"

/** What one may not know isn't explained: an explanation of the hidden is that of the missing, byte for byte. */
const people = ["ann", "bob", { name: "zoe", visibility: "private" }] as const

withHearth("explanations of the hidden", { people }, ({ test, forge, call, ann, bob }) => {
  const asked = async (who: string | undefined, path: string, more: Readonly<Record<string, string>> = {}) => {
    const { status, body } = await call(who, `GET /explain?${new URLSearchParams({ path, ...more })}`)
    return [status, JSON.stringify(body)]
  }

  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "secret", private: true, auto_init: true })
    await call(ann, "POST /user/repos", { name: "open", auto_init: true })
    await call(ann, "POST /repos/ann/secret/issues", { title: "hidden" })
    await call(ann, "POST /orgs", { username: "lodge", visibility: "private" })
    await call(ann, "POST /orgs/lodge/repos", { name: "open" })
  })

  test("hidden repositories, accounts and what is in them are as missing", async () => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"])
      for (const [hidden, missing] of [
        ["/api/v1/repos/ann/secret", "/api/v1/repos/ann/nothing"],
        ["/api/v1/repos/ann/secret/issues/1", "/api/v1/repos/ann/nothing/issues/1"],
        ["/api/v1/repos/ann/secret/collaborators/bob", "/api/v1/repos/ann/nothing/collaborators/bob"],
        ["/api/v1/repositories/1", "/api/v1/repositories/999"],
        ["/api/v1/orgs/lodge", "/api/v1/orgs/nothing"],
        ["/api/v1/repos/lodge/open", "/api/v1/repos/nothing/open"],
        ["/api/v1/users/zoe", "/api/v1/users/nobody"],
        ["/ann/secret", "/ann/nothing"],
        ["/ann/secret/wiki", "/ann/nothing/wiki"],
        ["/ann/secret.git", "/ann/nothing.git"],
        ["/ann/secret/raw/branch/main/README.md", "/ann/nothing/raw/branch/main/README.md"],
        ["/ann/secret.git/git-receive-pack", "/ann/nothing.git/git-receive-pack"],
        ["/org/lodge/settings", "/org/nothing/settings"],
        ["/zoe", "/nobody"],
      ] as const)
        for (const who of [bob, undefined]) expect(await asked(who, hidden, { method })).toEqual(await asked(who, missing, { method }))
    // Anonymous callers are answered otherwise about teams that exist, by the operation itself.
    expect(await asked(bob, "/api/v1/teams/1")).toEqual(await asked(bob, "/api/v1/teams/999"))
  })

  test("who may not ask about others learns nothing by asking", async () => {
    const answers = new Set<string>()
    for (const path of [
      "/api/v1/repos/ann/secret",
      "/api/v1/repos/ann/nothing",
      "/api/v1/repos/ann/open",
      "/api/v1/user",
      "/nowhere",
      "/ann/secret",
    ])
      for (const as of ["ann", "zoe", "nobody"]) answers.add(String(await asked(bob, path, { as })))
    expect([...answers].map((answer) => answer.slice(0, 3))).toEqual(["403"])
    // An administrator of a repository asks within it only, and about nobody hidden.
    expect((await asked(ann, "/api/v1/repos/ann/open", { as: "bob" }))[0]).toBe(200)
    for (const path of [
      "/api/v1/user",
      "/api/v1/users/bob",
      "/ann",
      "/api/v1/repos/bob/x",
      "/api/v1/repos/ann/open/issues/1/subscriptions/zoe",
    ])
      expect((await asked(ann, path, { as: "bob" }))[0]).toBe(403)
    const hidden = await asked(ann, "/api/v1/repos/ann/open", { as: "zoe" })
    expect(hidden).toEqual([422, String((await asked(ann, "/api/v1/repos/ann/open", { as: "noe" }))[1]).replaceAll("noe", "zoe")])
  })

  test("tokens are told no more than they may have", async () => {
    const token = async (scopes: readonly string[]) =>
      `token ${(await call(ann, "POST /users/ann/tokens", { name: scopes.join(), scopes })).body.sha1}`
    const narrow = await token(["read:misc"])
    const openOnly = await token(["all", "public-only"])
    for (const path of ["/api/v1/repos/ann/secret", "/api/v1/repos/ann/nothing", "/ann/secret", "/ann/nothing", "/ann/secret.git"])
      expect(String((await asked(narrow, path))[1])).toContain('"status":403')
    for (const [hidden, missing] of [
      ["/api/v1/repos/ann/secret", "/api/v1/repos/ann/nothing"],
      ["/ann/secret", "/ann/nothing"],
      ["/ann/secret.git", "/ann/nothing.git"],
    ] as const)
      expect(await asked(openOnly, hidden)).toEqual(await asked(openOnly, missing))
    for (const who of [narrow, openOnly]) expect((await asked(who, "/api/v1/repos/ann/secret", { as: "bob" }))[0]).toBe(403)
  })

  test("the state of an account, and a review that is not sent, are for others to know", async () => {
    await call(ann, "PUT /repos/ann/secret/collaborators/bob", { permission: "read" })
    await call(forge.root, "PATCH /admin/users/bob", { login_name: "bob", source_id: 0, prohibit_login: true })
    expect(String((await asked(ann, "/api/v1/repos/ann/secret", { as: "bob" }))[1])).toContain('"allowed":true')
    expect(String((await asked(forge.root, "/api/v1/repos/ann/secret", { as: "bob" }))[1])).toContain('"status":401')
    await call(forge.root, "PATCH /admin/users/bob", { login_name: "bob", source_id: 0, prohibit_login: false })
    await call(ann, "POST /repos/ann/secret/branches", { new_branch_name: "side" })
    await call(ann, "POST /repos/ann/secret/contents/a", { content: "", message: "a", branch: "side" })
    expect((await call(ann, "POST /repos/ann/secret/pulls", { title: "a", head: "side", base: "main" })).status).toBe(201)
    const review = await call(bob, "POST /repos/ann/secret/pulls/2/reviews", { body: "draft" })
    const at = "/api/v1/repos/ann/secret/pulls/2/reviews"
    expect([review.status, String((await asked(bob, `${at}/${review.body.id}`))[1]).includes('"allowed":true')]).toEqual([200, true])
    expect(await asked(ann, `${at}/${review.body.id}`, { as: "bob" })).toEqual(await asked(ann, `${at}/9999`, { as: "bob" }))
  })
})
