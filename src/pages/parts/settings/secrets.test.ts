import { describe, expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { type Visitor, visit } from "../../../../tests/support/visitor.ts"
import { addRunner } from "../../../features/actions/testing.ts"

withHearth("pages of secrets, variables and runners", { people: ["ann", "ben"] }, ({ test, forge, ann }) => {
  let anns: Visitor
  let bens: Visitor
  let roots: Visitor
  test.beforeAll(async () => {
    await forge.call(ann, "POST /orgs", { username: "guild" })
    await forge.call(ann, "POST /user/repos", { name: "lamp" })
    await forge.person("cleo")
    await forge.call(forge.root, "PATCH /admin/users/cleo", { login_name: "cleo", admin: true })
    anns = await visit(forge, "ann")
    bens = await visit(forge, "ben")
    roots = await visit(forge, "cleo")
  })

  describe.each([
    ["/ann/lamp/settings/actions", "/repos/ann/lamp/actions"],
    ["/org/guild/settings/actions", "/orgs/guild/actions"],
    ["/user/settings/actions", "/user/actions"],
  ])("at %s", (at, api) => {
    test("a secret is set, replaced and deleted, and never shown", async () => {
      const list = `${at}/secrets`
      expect((await anns.get(list)).html).toContain("No secrets")
      expect((await anns.send(list, { name: "key", data: "sesame", description: "Opens" })).to).toBe(list)
      const { html } = await anns.get(`${list}?name=KEY`)
      expect([html.includes("Opens"), html.includes("sesame"), html.includes('value="KEY"')]).toEqual([true, false, true])
      const refused = await anns.send(list, { name: "1st", data: "typed" })
      expect(refused.status).toBe(400)
      for (const part of ['value="1st"', "typed</textarea>", "secrets-set-name-fault"].map((each) => new RegExp(each, "i")))
        expect(refused.html).toMatch(part)
      expect((await anns.send(`${list}/KEY/delete`)).to).toBe(list)
      expect((await anns.get(list)).html).toContain("No secrets")
    })

    test("a variable is made, changed and deleted", async () => {
      const list = `${at}/variables`
      expect((await anns.send(list, { name: "tone", value: "low\r\nhigh", description: "" })).to).toBe(list)
      expect((await forge.call(ann, `GET ${api}/variables/tone`)).body.data).toBe("low\nhigh")
      expect((await anns.send(list, { name: "TONE", value: "again" })).html).toContain("There is a variable of this name.")
      expect((await anns.get(`${list}/TONE`)).html).toContain("low\nhigh</textarea>")
      expect((await anns.send(`${list}/TONE`, { name: "pitch", value: "b", description: "New" })).to).toBe(list)
      expect((await forge.call(ann, `GET ${api}/variables`)).body).toMatchObject([{ name: "PITCH", data: "b", description: "New" }])
      expect((await anns.send(`${list}/PITCH/delete`)).to).toBe(list)
      expect((await forge.call(ann, `GET ${api}/variables`)).body).toEqual([])
    })

    test("others see and change nothing", async () => {
      if (at.startsWith("/user")) return
      for (const part of ["secrets", "variables", "runners"]) expect((await bens.get(`${at}/${part}`)).status).toBe(404)
      expect((await bens.send(`${at}/secrets`, { name: "key", data: "x" })).status).toBe(403)
      expect((await bens.send(`${at}/variables`, { name: "key", value: "x" })).status).toBe(403)
      expect((await bens.send(`${at}/runners/token`)).status).toBe(403)
    })
  })

  describe.each([
    ["/ann/lamp/settings/actions/runners", "/repos/ann/lamp"],
    ["/org/guild/settings/actions/runners", "/orgs/guild"],
    ["/user/settings/actions/runners", "/user"],
    ["/-/admin/actions/runners", "/admin"],
  ])("at %s", (at, api) => {
    test("a runner registers with the token, is switched off and on, and deleted", async () => {
      const visitor = api === "/admin" ? roots : anns
      const by = api === "/admin" ? forge.root : ann
      const { html } = await visitor.send(`${at}/token`)
      const { token } = (await forge.call(by, `POST ${api}/actions/runners/registration-token`)).body
      expect(html).toContain(token)
      const id = await addRunner(forge, api, { name: "mill", labels: ["linux", "arm"] })
      const shown = (await visitor.get(at)).html
      for (const part of ["mill", "linux", "arm"]) expect(shown).toContain(part)
      const state = async () => (await forge.call(by, `GET ${api}/actions/runners/${id}`)).body
      expect((await visitor.send(`${at}/${id}`, { disabled: "true" })).to).toBe(at)
      expect((await state()).disabled).toBe(true)
      expect((await visitor.get(at)).html).toContain("Disabled")
      await visitor.send(`${at}/${id}`, { disabled: "false" })
      expect((await state()).disabled).toBe(false)
      expect((await visitor.send(`${at}/${id}/delete`)).to).toBe(at)
      expect((await forge.call(by, `GET ${api}/actions/runners/${id}`)).status).toBe(404)
    })
  })
})
