import { expect } from "vitest"
import { openBrowser } from "../../../../../tests/support/browser.ts"
import type { FreshKind } from "../../../../../tests/support/database.ts"
import { withWorld } from "../../../../../tests/support/fixture.ts"
import { freshHearth, PASSWORD } from "../../../../../tests/support/hearth.ts"
import { freePort } from "../../../../../tests/support/ports.ts"
import { mappedTeams } from "./groups.ts"

/** A site whose people come from another Hearth, with the groups that they are in there. */
async function open(kind: FreshKind) {
  const [port, port2] = [await freePort(), await freePort()]
  const [url, issuer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port2}`]
  const there = await freshHearth("sqlite", { rootUrl: issuer, http: { port: port2 } })
  await there.person("finn")
  const { body } = await there.call(there.root, "POST /user/applications/oauth2", {
    name: "Here",
    redirect_uris: [`${url}/user/oauth2/grouped/callback`],
    confidential_client: true,
  })
  const here = await freshHearth(kind, {
    rootUrl: url,
    http: { port },
    outgoing: { allowedHosts: "loopback" },
    signIn: {
      providers: [
        {
          name: "grouped",
          issuer,
          clientId: body.client_id,
          clientSecret: body.client_secret,
          scopes: "openid profile email groups",
          registration: true,
          requiredGroups: ["company"],
          adminGroups: ["company:owners"],
          teams: ["company:makers = Acme/Builders", "company:owners = acme/nowhere"],
          leaveTeams: true,
        },
      ],
    },
  })
  const through = async (name: string) => {
    const [browser, person] = [openBrowser(url), openBrowser(issuer)]
    const sent = await browser.get("/user/oauth2/grouped?redirect_to=%2Fx")
    await person.signIn(name, PASSWORD)
    const asked = await person.get(sent.location)
    const back = asked.status === 200 ? await person.submit(asked, { granted: "true" }) : asked
    return { browser, page: await browser.get(back.location) }
  }
  const close = async () => {
    await here.close()
    await there.close()
  }
  return { here, there, through, close }
}

withWorld("groups of a provider", { open }, ({ test, world }) => {
  test("let people in, into teams and out of them, and make administrators; who loses the required one is closed", async () => {
    const { here, there, through } = world
    const isClosed = async () => (await here.call(here.root, "GET /users/finn")).body.prohibit_login
    const members = async () => (await here.call(here.root, "GET /orgs/acme/members")).body.map((each: { login: string }) => each.login)
    await here.call(here.root, "POST /orgs", { username: "acme" })
    await here.call(here.root, "POST /orgs/acme/teams", { name: "builders", permission: "write", units_map: { "repo.code": "write" } })
    await there.call(there.root, "POST /orgs", { username: "company" })
    const team = { name: "makers", permission: "read", units_map: { "repo.code": "read" } }
    const { body: makers } = await there.call(there.root, "POST /orgs/company/teams", team)
    const stranger = await through("finn")
    expect([stranger.page.status, stranger.page.text]).toEqual([403, expect.stringContaining("none of the groups")])

    await there.call(there.root, `PUT /teams/${makers.id}/members/finn`)
    const { browser, page } = await through("finn")
    expect(page.location).toBe("/user/link_account")
    expect((await browser.post("/user/link_account", { new: "1", name: "finn" })).location).toBe("/x")
    expect(await members()).toContain("finn")
    expect((await here.call(here.root, "GET /users/finn")).body.is_admin).toBe(false)

    const [owners] = (await there.call(there.root, "GET /orgs/company/teams")).body
    await there.call(there.root, `PUT /teams/${owners.id}/members/finn`)
    await there.call(there.root, `DELETE /teams/${makers.id}/members/finn`)
    expect((await through("finn")).page.location).toBe("/x")
    expect((await here.call(here.root, "GET /users/finn")).body.is_admin).toBe(true)
    expect(await members()).not.toContain("finn")

    await there.call(there.root, "DELETE /orgs/company/members/finn")
    expect((await browser.get("/user/settings/security")).status).toBe(200)
    expect((await through("finn")).page.status).toBe(403)
    expect([await isClosed(), (await browser.get("/user/settings/security")).status]).toEqual([true, 303])

    await there.call(there.root, `PUT /teams/${makers.id}/members/finn`)
    expect((await through("finn")).page.location).toBe("/x")
    expect([await isClosed(), (await here.call(here.root, "GET /users/finn")).body.is_admin]).toEqual([false, false])
    // Closed by the groups, opened and closed by an administrator: who has the last word.
    const patch = async (prohibit_login: boolean) =>
      expect((await here.call(here.root, "PATCH /admin/users/finn", { login_name: "finn", source_id: 0, prohibit_login })).status).toBe(200)
    await there.call(there.root, "DELETE /orgs/company/members/finn")
    expect((await through("finn")).page.status).toBe(403)
    await patch(false)
    await patch(true)
    await there.call(there.root, `PUT /teams/${makers.id}/members/finn`)
    expect([(await through("finn")).page.status, await isClosed()]).toEqual([403, true])
  })

  test("a mapping is read from its last equals sign", () => {
    expect(mappedTeams({ teams: ["cn=dev,ou=groups = acme/core", "x=a/b"] })).toEqual([
      { group: "cn=dev,ou=groups", organization: "acme", team: "core" },
      { group: "x", organization: "a", team: "b" },
    ])
  })
})
