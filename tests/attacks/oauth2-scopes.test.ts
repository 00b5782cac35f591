/** A token does more than was agreed to: by unknown words, by a wider request that no one sees, by making itself a token that lasts, or by what it opens. */
import { expect } from "vitest"
import { withWorld } from "../support/fixture.ts"
import { basic } from "../support/hearth.ts"
import { openOAuth2World } from "../support/oauth2.ts"

withWorld("scopes", { open: openOAuth2World }, ({ test, world }) => {
  test.for(["bogus", "write:issue bogus", "openid write:everything", "READ:user", "read:user,read:issue", "admin"])(
    "%s has an unknown word, and is refused",
    async (scope) => {
      const { authorizePath, server, signedIn } = world
      const { location } = await (await signedIn()).get(authorizePath(server, { scope }))
      expect(new URL(location).searchParams.get("error")).toBe("invalid_scope")
    },
  )

  test.for([
    ["read:repository", { "/user": 403, "/user/repos": 403, "/repos/search": 200 }, 403],
    ["openid read:user read:issue", { "/user": 200, "/repos/issues/search": 200, "/repos/search": 403 }, 200],
    ["openid", { "/user": 200, "/repos/search": 403, "/repos/issues/search": 403 }, 200],
    ["openid public-only", { "/user": 403, "/repos/search": 403 }, 200],
    ["", { "/user": 200, "/repos/search": 200, "/repos/issues/search": 200 }, 200],
  ] as const)("%j opens what it says", async ([scope, expected, userinfo]) => {
    const { call, server, tokensFor, url } = world
    const { access_token: token } = await tokensFor(server, { scope })
    for (const [path, status] of Object.entries(expected))
      expect([path, (await call(`Bearer ${token}`, `GET ${path}`)).status]).toEqual([path, status])
    expect((await fetch(`${url}/login/oauth/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(userinfo)
  })

  test("what may be done is said in words, and everything with a warning", async () => {
    const { authorizePath, server, signedIn } = world
    const browser = await signedIn("ann")
    const all = await browser.get(authorizePath(server))
    expect(all.text).toContain("Do everything that you can do")
    expect(all.text).toContain('role="alert">This is full access')
    const some = await browser.get(authorizePath(server, { scope: "write:repository read:user" }))
    expect(some.text).toContain("Read and change repositories")
    expect(some.text).not.toContain(
      "This is full access: it can delete repositories and change your account. Authorize it only if you trust it",
    )
  })

  test("an application can't make itself a token, end one, or look at them, whatever it may do", async () => {
    const { ben, call, server, tokensFor } = world
    const { access_token: token } = await tokensFor(server)
    await call(ben, "POST /users/ben/tokens", { name: "own", scopes: ["all"] })
    for (const header of [
      `Bearer ${token}`,
      `token ${token}`,
      basic("ben", token),
      basic("oauth2", token),
      basic(token, "x-oauth-basic"),
    ]) {
      for (const route of ["GET /users/ben/tokens", "POST /users/ben/tokens", "DELETE /users/ben/tokens/own"])
        expect([route, (await call(header, route, route.startsWith("POST") ? { name: "x", scopes: ["all"] } : undefined)).status]).toEqual([
          route,
          401,
        ])
      // Personal tokens with the same id are others.
      for (const route of ["GET /token", "DELETE /token"]) expect([route, (await call(header, route)).status]).toEqual([route, 404])
    }
    expect((await call(ben, "GET /users/ben/tokens")).body).toHaveLength(1)
  })

  test("it is no password: not at the sign-in, and not for a change of the password", async () => {
    const { server, signedIn, tokensFor } = world
    const { access_token: token } = await tokensFor(server)
    const browser = await signedIn("ann")
    browser.cookies.clear()
    expect((await browser.signIn("ben", token)).status).toBe(401)
    const fields = { login: "ben", password: token, new_password: "another-Pass-9", new_password_again: "another-Pass-9" }
    expect((await browser.post("/user/change_password", fields)).status).toBe(401)
    expect(browser.cookies.size).toBe(0)
  })

  test("nor is a session's cookie a key to the API", async () => {
    const { signedIn } = world
    const browser = await signedIn("ann")
    expect((await browser.get("/user/settings/applications")).status).toBe(200)
    expect((await browser.get("/api/v1/user")).status).toBe(401)
  })
})
