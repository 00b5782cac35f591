import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { type Caller, openWorld } from "../../code/repositories/testing.ts"

const config = { url: "https://hooks.example.com/in", content_type: "json" }

withWorld("webhooks", { on: databaseKinds, open: openWorld }, ({ test: it, world }) => {
  let ada: Caller
  let ben: Caller
  it.beforeAll(async () => {
    ada = await world.person("ada")
    ben = await world.person("ben")
    await ada.call("POST", "/orgs", { username: "guild" })
    await ada.call("POST", "/user/repos", { name: "home" })
  })

  const places = ["/repos/ada/home/hooks", "/orgs/guild/hooks", "/user/hooks"]

  it.each(places)("are made, read, changed and deleted in %s", async (hooks) => {
    const made = await ada.call("POST", hooks, { type: "gitea", config, name: " bell ", events: ["ISSUES"], active: true })
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: "bell",
        active: true,
        config,
        events: ["issues", "issue_assign", "issue_label", "issue_milestone", "issue_comment"],
        authorization_header: "",
      },
    })
    const at = `${hooks}/${made.body.id}`
    expect((await ada.call("GET", at)).body).toEqual(made.body)
    expect((await ada.call("GET", hooks)).body).toEqual([made.body])
    // Members that are not sent remain unchanged.
    expect((await ada.call("PATCH", at, { active: false })).body).toMatchObject({ active: false, name: "bell", events: made.body.events })
    const changed = await ada.call("PATCH", at, { config: { content_type: "form" }, events: ["issues_only", "pull_request_review"] })
    expect(changed.body).toMatchObject({ config: { url: config.url, content_type: "form" }, events: ["issues", "pull_request_review"] })
    expect((await ada.call("PATCH", at, { config: { url: "nowhere" } })).status).toBe(422)
    expect((await ada.call("GET", at)).body).toEqual(changed.body)
    for (const [method, body] of [["GET"], ["PATCH", { active: true }], ["DELETE"]] as const) {
      expect((await world.anonymous.call(method, at, body)).status).toBe(401)
      expect((await ben.call(method, at, body)).status).toBe(hooks.startsWith("/user") ? 404 : 403)
      expect((await ada.call(method, `${hooks}/0`, body)).status).toBe(404)
    }
    expect((await ada.call("DELETE", at)).status).toBe(204)
    expect((await ada.call("GET", at)).status).toBe(404)
    expect((await ada.call("GET", hooks)).body).toEqual([])
  })

  it("of one place are not reached through another", async () => {
    const ids = await Promise.all(places.map(async (hooks) => (await ada.call("POST", hooks, { type: "gitea", config })).body.id))
    for (const [index, hooks] of places.entries())
      for (const [other, id] of ids.entries()) expect((await ada.call("GET", `${hooks}/${id}`)).status).toBe(index === other ? 200 : 404)
    for (const id of ids) expect((await world.root.call("GET", `/admin/hooks/${id}`)).status).toBe(404)
    for (const [index, hooks] of places.entries()) await ada.call("DELETE", `${hooks}/${ids[index]}`)
  })

  it("refuse what can't be used", async () => {
    const post = (body: object) => ada.call("POST", "/user/hooks", { type: "gitea", config, ...body })
    const withConfig = (more: object) => post({ config: { ...config, ...more } })
    expect(await post({ events: ["push", "nonsense"] })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining("[events]: there is no event nonsense; there are create, delete") },
    })
    for (const answer of [
      await post({ type: "pigeon" }),
      await post({ config: undefined }),
      await withConfig({ url: "" }),
      await withConfig({ url: "ftp://example.com" }),
      await withConfig({ url: "http://user:word@example.com" }),
      await withConfig({ content_type: "xml" }),
      await withConfig({ secret: 7 }),
      await post({ branch_filter: "[a" }),
      await post({ name: "n".repeat(256) }),
      await post({ authorization_header: "Bearer a\r\nHost: elsewhere" }),
      await post({ type: "slack" }),
    ])
      expect(answer.status, JSON.stringify(answer.body)).toBe(422)
    expect((await post({ type: "slack", config: { ...config, channel: "no such!" } })).status).toBe(400)
    expect((await ada.call("GET", "/user/hooks")).body).toEqual([])
  })

  it("keep their secrets sealed", async () => {
    const { body } = await ada.call("POST", "/user/hooks", {
      type: "gitea",
      config: { ...config, secret: "open sesame" },
      authorization_header: "Bearer xyzzy",
    })
    const row = await world.hearth.services.database.read
      .selectFrom("webhooks")
      .selectAll()
      .where("id", "=", body.id)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify([row, body])).not.toMatch(/sesame|xyzzy/)
    expect(row.sealed_secret).toMatch(/^v1\./)
    expect(row.sealed_authorization).toMatch(/^v1\./)
    const authorization = async (config: object) => {
      await ada.call("PATCH", `/user/hooks/${body.id}`, { config })
      const found = world.hearth.services.database.read.selectFrom("webhooks").selectAll().where("id", "=", body.id)
      return (await found.executeTakeFirstOrThrow()).sealed_authorization
    }
    expect(await authorization({ url: "https://hooks.example.com/other" })).toBe(row.sealed_authorization)
    // Its credentials are not sent to another server.
    expect(await authorization({ url: "https://elsewhere.example.com/other" })).toBe("")
    await ada.call("DELETE", `/user/hooks/${body.id}`)
  })

  it("of the site are for every repository wherever that is said", async () => {
    const system = async () => (await world.root.call("GET", "/admin/hooks?type=system&limit=50")).body.map(({ id }: { id: number }) => id)
    const make = async (body: object) => (await world.root.call("POST", "/admin/hooks", { type: "gitea", config, ...body })).body.id
    const [inConfig, beside, neither, both] = [
      await make({ config: { ...config, is_system_webhook: "true" } }),
      await make({ is_system_webhook: true }),
      await make({}),
      await make({ is_system_webhook: true, config: { ...config, is_system_webhook: "false" } }),
    ]
    expect(await system()).toEqual([inConfig, beside])
    for (const id of [inConfig, beside, neither, both]) await world.root.call("DELETE", `/admin/hooks/${id}`)
  })

  it("of a default kind are copied into new repositories, and those of a template on demand", async () => {
    const secret = "hush"
    const { body } = await world.root.call("POST", "/admin/hooks", { type: "gitea", config: { ...config, secret }, events: ["wiki"] })
    await ada.call("POST", "/user/repos", { name: "born" })
    const copies = (await ada.call("GET", "/repos/ada/born/hooks")).body
    expect(copies).toMatchObject([{ config, events: ["wiki"] }])
    await world.root.call("DELETE", `/admin/hooks/${body.id}`)
    // The copy's secret is encrypted for the copy.
    const { services } = world.hearth
    const row = await services.database.read.selectFrom("webhooks").selectAll().where("id", "=", copies[0].id).executeTakeFirstOrThrow()
    expect(services.secrets.unseal(row.sealed_secret, `webhook:${row.id}:secret`)).toBe(secret)

    await ada.call("PATCH", "/repos/ada/born", { template: true })
    for (const [name, webhooks] of [
      ["with", true],
      ["without", false],
    ] as const)
      await ada.call("POST", "/repos/ada/born/generate", { owner: "ada", name, webhooks, labels: true })
    expect((await ada.call("GET", "/repos/ada/with/hooks")).body).toMatchObject([{ config, events: ["wiki"] }])
    expect((await ada.call("GET", "/repos/ada/without/hooks")).body).toEqual([])
    const taking = { owner: "ben", name: "taken", webhooks: true, labels: true }
    expect((await ben.call("POST", "/repos/ada/born/generate", taking)).status).toBe(403)
    expect((await ben.call("POST", "/repos/ada/born/generate", { ...taking, webhooks: false })).status).toBe(201)
  })

  it("are no scripts", async () => {
    const hooks = "/repos/ada/home/hooks/git"
    expect(await ada.call("GET", hooks)).toMatchObject({ status: 200, body: [] })
    for (const method of ["GET", "DELETE"]) expect((await ada.call(method, `${hooks}/pre-receive`)).status).toBe(404)
    expect(await ada.call("PATCH", `${hooks}/pre-receive`, { content: "#!/bin/sh" })).toMatchObject({
      status: 403,
      body: { message: "this service runs no hook scripts" },
    })
    expect((await ben.call("GET", hooks)).status).toBe(403)
  })
})
