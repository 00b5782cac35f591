import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freshHearth, PASSWORD, type TestHearth } from "../../../../tests/support/hearth.ts"
import { type Visitor, visit } from "../../../../tests/support/visitor.ts"
import { openReceiver, type Receiver } from "../../../features/events/webhooks/testing.ts"

describe("pages of webhooks", () => {
  let forge: TestHearth
  let receiver: Receiver
  let ann = ""
  let anns: Visitor
  let bobs: Visitor
  let roots: Visitor

  beforeAll(async () => {
    forge = await freshHearth("sqlite", { outgoing: { allowedHosts: "loopback" } })
    receiver = await openReceiver()
    ann = await forge.person("ann")
    await forge.person("bob")
    await forge.person("cleo")
    await forge.call(forge.root, "PATCH /admin/users/cleo", { login_name: "cleo", admin: true })
    await forge.call(ann, "POST /user/repos", { name: "tools", auto_init: true })
    await forge.call(ann, "POST /orgs", { username: "guild" })
    anns = await visit(forge, "ann", PASSWORD)
    bobs = await visit(forge, "bob", PASSWORD)
    roots = await visit(forge, "cleo", PASSWORD)
  })
  afterAll(async () => {
    await forge.close()
    await receiver.close()
  })

  const fields = (more: object = {}) => ({
    type: "gitea",
    name: "bell",
    "config.url": `${receiver.url}/in`,
    "config.content_type": "json",
    "config.secret": "sesame",
    authorization_header: "Bearer open",
    events_0: ["push"],
    events_1: ["issues"],
    active: "true",
    ...more,
  })

  const places = [
    ["/ann/tools/settings/hooks", "/repos/ann/tools/hooks", "ann"],
    ["/org/guild/settings/hooks", "/orgs/guild/hooks", "ann"],
    ["/user/settings/hooks", "/user/hooks", "ann"],
    ["/-/admin/hooks", "/admin/hooks", "root"],
  ] as const

  it.each(places)("make, change and delete them at %s", async (at, api, who) => {
    const [visitor, caller] = who === "ann" ? [anns, ann] : [roots, forge.root]
    const list = async () => (await forge.call(caller, `GET ${api}?type=default`)).body
    expect((await visitor.get(`${at}/gitea/new`)).html).toContain("New webhook")
    const made = await visitor.send(`${at}/gitea/new`, fields())
    const [hook] = await list()
    expect([made.status, made.to]).toEqual([303, `${at}/${hook.id}`])
    expect(hook).toMatchObject({ name: "bell", active: true, events: ["push", "issues"], config: { url: `${receiver.url}/in` } })
    const shown = await visitor.get(`${at}/${hook.id}`)
    expect([shown.html.includes("sesame"), shown.html.includes("Bearer open"), shown.html.includes("Remove the secret")]).toEqual([
      false,
      false,
      true,
    ])
    const refused = await visitor.send(`${at}/${hook.id}`, fields({ name: "typed", "config.url": "nowhere" }))
    expect(refused.status).toBe(422)
    expect(refused.html).toContain('value="typed"')
    expect(refused.html).toMatch(/aria-invalid="true"[^>]*config-url-fault/)
    expect((await visitor.send(`${at}/${hook.id}`, fields({ events_0: [], events_1: [] }))).html).toContain("Choose at least one event.")
    expect((await list())[0].name).toBe("bell")
    expect((await visitor.send(`${at}/${hook.id}`, fields({ name: "gong", active: [], "config.secret": "" }))).status).toBe(303)
    expect((await list())[0]).toMatchObject({ name: "gong", active: false })
    expect((await visitor.get(`${at}/${hook.id}`)).html).toContain("Remove the secret")
    await visitor.send(`${at}/${hook.id}`, fields({ "config.secret": "", drop_secret: "true" }))
    expect((await visitor.get(`${at}/${hook.id}`)).html).not.toContain("Remove the secret")
    expect((await visitor.get(at)).html).toContain("bell")
    expect((await visitor.send(`${at}/${hook.id}/delete`)).to).toBe(at)
    expect(await list()).toEqual([])
  })

  it("have a box for the audit log where it is an organization's alone", async () => {
    for (const [at, has] of [
      ["/org/guild/settings/hooks", true],
      ["/ann/tools/settings/hooks", false],
    ] as const)
      expect((await anns.get(`${at}/gitea/new`)).html.includes('value="audit"')).toBe(has)
    const { to = "" } = await anns.send("/org/guild/settings/hooks/gitea/new", fields({ events_4: ["audit"] }))
    expect((await anns.get(to)).html).toMatch(/value="audit"[^>]*checked|checked[^>]*value="audit"/)
    expect((await forge.call(ann, "GET /orgs/guild/hooks")).body[0].events).toContain("audit")
  })

  it("show what was sent and answered, and send it again", async () => {
    const at = "/ann/tools/settings/hooks"
    const { to = "" } = await anns.send(`${at}/gitea/new`, fields({ name: "kettle" }))
    receiver.answer(418, "a teapot")
    expect((await anns.send(`${to}/test`)).to).toBe(to)
    await forge.hearth.services.jobs.drain()
    const hook = await anns.get(to)
    expect(hook.html).toContain("/deliveries/")
    const [, delivery = ""] = /href="([^"]+\/deliveries\/\d+)"/.exec(hook.html) ?? []
    const shown = await anns.get(delivery)
    for (const part of ["X-Gitea-Event", "refs/heads/main", "Status 418", "a teapot"]) expect(shown.html).toContain(part)
    expect(shown.html).not.toContain("Bearer open")
    receiver.answer(200)
    receiver.take()
    expect((await anns.send(`${delivery}/redeliver`)).to).toBe(delivery)
    await forge.hearth.services.jobs.drain()
    expect(receiver.take()).toHaveLength(1)
    expect((await anns.get(delivery)).html).toContain("Status 200")
  })

  it("are missing for those who may not manage them", async () => {
    for (const [at] of places.filter(([each]) => !each.startsWith("/user"))) {
      expect((await bobs.get(at)).status).toBe(404)
      expect((await bobs.get(`${at}/gitea/new`)).status).toBe(404)
      expect((await bobs.send(`${at}/gitea/new`, fields())).status).toBe(403)
    }
    expect((await anns.get("/ann/tools/settings/hooks/nothing/new")).status).toBe(404)
    expect((await anns.get("/ann/tools/settings/hooks/99999")).status).toBe(404)
  })
})
