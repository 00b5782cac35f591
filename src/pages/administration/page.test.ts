import { describe, expect } from "vitest"
import { withHearth } from "../../../tests/support/fixture.ts"
import { type Visitor, visit } from "../../../tests/support/visitor.ts"

withHearth("pages of site administrators", { people: ["ann", "ben"] }, ({ test, forge, ann }) => {
  let root: Visitor
  let anns: Visitor
  test.beforeAll(async () => {
    await forge.person("cleo")
    await forge.call(forge.root, "PATCH /admin/users/cleo", { login_name: "cleo", admin: true })
    await forge.call(ann, "POST /user/repos", { name: "lamp" })
    root = await visit(forge, "cleo")
    anns = await visit(forge, "ann")
  })
  const userRecord = async (name: string) => (await forge.call(forge.root, `GET /users/${name}`)).body

  const all = [
    ["", "Healthy"],
    ["/users", "ben@example.com"],
    ["/users/new", "New account"],
    ["/users/ben", "Danger zone"],
    ["/users?only=never_signed_in", "ben@example.com"],
    ["/emails?q=ben", "ben@example.com"],
    ["/orgs", "New organization"],
    ["/repos", "lamp"],
    ["/repos/unadopted", "Nothing to adopt"],
    ["/monitor/cron", "check_repo_stats"],
    ["/audit", "adminEditUser"],
    ["/config?q=HTTP_PORT", "http.port"],
  ] as const

  test.each(all)("/-/admin%s is shown to administrators, and missing for others", async (path, part) => {
    const shown = await root.get(`/-/admin${path}`)
    expect(shown.status).toBe(200)
    expect(shown.html).toContain(part)
    expect((await anns.get(`/-/admin${path}`)).status).toBe(404)
  })

  test("the menu of an administrator leads there, that of others does not", async () => {
    expect((await root.get("/")).html).toContain('href="/-/admin"')
    expect((await anns.get("/")).html).not.toContain('href="/-/admin"')
  })

  describe("people", () => {
    test("are found by name and by state", async () => {
      const { html } = await root.get("/-/admin/users?only=administrators")
      expect([html.includes(">cleo<"), html.includes(">ben<")]).toEqual([true, false])
      expect((await root.get("/-/admin/users?q=nobody-like-this")).html).toContain("No users found")
    })

    test("are made; a mistake shows what was typed, but no password", async () => {
      const fields = { username: "dora", email: "dora@example.com", password: "a-long-password-1", visibility: "limited" }
      const refused = await root.send("/-/admin/users/new", { ...fields, username: "ann" })
      expect(refused.status).toBe(422)
      expect([refused.html.includes('value="dora@example.com"'), refused.html.includes("a-long-password-1")]).toEqual([true, false])
      expect((await anns.send("/-/admin/users/new", fields)).status).toBe(403)
      expect((await root.send("/-/admin/users/new", fields)).to).toBe("/-/admin/users/dora")
      expect(await userRecord("dora")).toMatchObject({ visibility: "limited", active: true })
    })

    test("are suspended and let in again, and the audit log says by whom", async () => {
      await forge.person("eve")
      const fields = { login_name: "eve", active: "true", max_repo_creation: "3" }
      expect((await root.send("/-/admin/users/eve/account", { ...fields, prohibit_login: "true" })).to).toBe("/-/admin/users/eve")
      expect(await userRecord("eve")).toMatchObject({ prohibit_login: true, active: true, is_admin: false })
      expect((await root.get("/-/admin/users/eve")).html).toContain('value="3"')
      await root.send("/-/admin/users/eve/account", fields)
      expect((await userRecord("eve")).prohibit_login).toBe(false)
      const { html } = await root.get("/-/admin/audit?administrator=cleo&operation=adminEditUser")
      expect(html).toContain("/-/admin/users/eve/account")
      expect((await root.get("/-/admin/audit?administrator=nobody")).html).toContain("Nothing matches")
      expect((await root.get("/-/admin/audit?since=2100-01-01")).html).toContain("Nothing matches")
    })

    test("get another profile, password and name", async () => {
      await forge.person("fay")
      const profile = { login_name: "fay", full_name: "Fay <F>", email: "fay@example.com", visibility: "public" }
      expect((await root.send("/-/admin/users/fay/profile", profile)).status).toBe(303)
      expect((await root.send("/-/admin/users/fay/profile", { ...profile, email: "ann@example.com" })).status).toBe(400)
      expect(await userRecord("fay")).toMatchObject({ full_name: "Fay <F>", email: "fay@example.com" })
      expect((await root.send("/-/admin/users/fay/password", { login_name: "fay", password: "short" })).status).toBe(400)
      expect((await root.send("/-/admin/users/fay/password", { login_name: "fay", password: "another-pass-1" })).status).toBe(303)
      expect((await (await visit(forge, "fay", "another-pass-1")).get("/user/settings/security")).status).toBe(200)
      expect((await root.send("/-/admin/users/fay/rename", { new_username: "flo" })).to).toBe("/-/admin/users/flo")
      expect((await userRecord("flo")).full_name).toBe("Fay <F>")
    })

    test("are deleted when their name was typed", async () => {
      await forge.person("gil")
      await forge.call(forge.root, "POST /admin/users/gil/repos", { name: "own" })
      const remove = (fields: Record<string, string>) => root.send("/-/admin/users/gil/delete", fields)
      expect((await remove({ confirm: "gi" })).html).toContain("must be gil")
      expect((await remove({ confirm: "gil" })).status).toBe(422)
      expect((await anns.send("/-/admin/users/gil/delete", { confirm: "gil", purge: "true" })).status).toBe(403)
      expect((await remove({ confirm: "gil", purge: "true" })).to).toBe("/-/admin/users")
      expect((await forge.call(forge.root, "GET /users/gil")).status).toBe(404)
    })
  })

  test("organisations are made for someone, and deleted by name", async () => {
    const at = "/-/admin/orgs"
    expect((await root.send(at, { username: "guild", owner: "nobody", visibility: "public" })).html).toContain('value="nobody"')
    expect((await root.send(at, { username: "guild", owner: "ben", visibility: "private" })).to).toBe(at)
    expect((await root.get(at)).html).toContain("guild")
    expect((await root.send(`${at}/delete`, { name: "nothing" })).status).toBe(404)
    expect((await root.send(`${at}/delete`, { name: "guild" })).to).toBe(at)
    expect((await forge.call(forge.root, "GET /orgs/guild")).status).toBe(404)
  })

  test("repositories are deleted by their whole name", async () => {
    const at = "/-/admin/repos"
    await forge.call(ann, "POST /user/repos", { name: "old" })
    for (const name of ["old", "ann/nothing", ""]) expect((await root.send(`${at}/delete`, { name })).status).toBe(404)
    expect((await anns.send(`${at}/delete`, { name: "ann/old" })).status).toBe(403)
    expect((await root.send(`${at}/delete`, { name: "ann/old" })).to).toBe(at)
    expect((await forge.call(ann, "GET /repos/ann/old")).status).toBe(404)
    expect((await root.send(`${at}/unadopted/ann/nothing`)).status).toBe(404)
    expect((await root.send(`${at}/unadopted/delete`, { name: "ann/nothing" })).status).toBe(404)
  })

  test("tasks run now", async () => {
    const at = "/-/admin/monitor/cron"
    expect((await root.send(`${at}/check_repo_stats`)).to).toBe(at)
    expect((await root.send(`${at}/no_such_task`)).status).toBe(404)
    expect((await anns.send(`${at}/check_repo_stats`)).status).toBe(403)
  })

  test("secrets of the configuration are hidden", async () => {
    const { html } = await root.get("/-/admin/config?q=secretKey")
    expect(html).toContain("security.secretKey")
    expect(html).not.toContain(forge.hearth.services.config.security.secretKey || "no such text")
  })
})

withHearth(
  "a site that sends mail and takes new accounts",
  { people: ["ann"], config: { users: { registration: "invitation" }, mail: { host: "127.0.0.1", port: 1, tls: "none" } } },
  ({ test, forge }) => {
    let root: Visitor
    test.beforeAll(async () => {
      await forge.person("cleo")
      await forge.call(forge.root, "PATCH /admin/users/cleo", { login_name: "cleo", admin: true })
      root = await visit(forge, "cleo")
    })

    test("invites people, and shows the link", async () => {
      const { status, html } = await root.send("/-/admin/users/invite", { email: "guest@example.com" })
      const [, code = ""] = /sign_up\?code=([\w.-]+)/.exec(html) ?? []
      expect([status, code]).toEqual([200, expect.stringMatching(/^\d+\.[\w-]+$/)])
      expect((await fetch(`${forge.hearth.url}/user/sign_up?code=${code}`)).status).toBe(200)
      const taken = await root.send("/-/admin/users/invite", { email: "ann@example.com" })
      expect([taken.status, taken.html.includes('value="ann@example.com"')]).toEqual([409, true])
      expect((await (await visit(forge, "ann")).send("/-/admin/users/invite", { email: "x@example.com" })).status).toBe(403)
    })

    test("says why a test mail was not taken", async () => {
      const { status, html } = await root.send("/-/admin/mail/test", { email: "guest@example.com" })
      expect([status, html.includes("The mail server did not take it"), html.includes('value="guest@example.com"')]).toEqual([
        400,
        true,
        true,
      ])
      expect((await root.send("/-/admin/mail/test", { email: "nobody" })).status).toBe(422)
    })
  },
)
