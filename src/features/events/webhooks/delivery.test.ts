import { afterAll, afterEach, expect } from "vitest"
import type { FreshKind } from "../../../../tests/support/database.ts"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { type Caller, openWorld } from "../../code/repositories/testing.ts"
import { openReceiver, passTime, type Receiver, signature } from "./testing.ts"

const open = (kind: FreshKind) => openWorld(kind, { outgoing: { allowedHosts: "loopback" } })

withWorld("deliveries of webhooks", { on: databaseKinds, open }, ({ test: it, world }) => {
  let ada: Caller
  let receiver: Receiver
  const repo = "/repos/ada/home"
  it.beforeAll(async () => {
    receiver = await openReceiver()
    ada = await world.person("ada")
    await ada.call("POST", "/user/repos", { name: "home", auto_init: true })
  })
  afterAll(() => receiver.close())

  const made: number[] = []
  async function hook(options: { readonly config?: object; readonly [name: string]: unknown } = {}) {
    const { config = {}, ...rest } = options
    const { status, body } = await ada.call("POST", `${repo}/hooks`, {
      type: "gitea",
      active: true,
      events: ["issues"],
      config: { url: `${receiver.url}/in?key=1`, content_type: "json", ...config },
      ...rest,
    })
    expect(status, JSON.stringify(body)).toBe(201)
    made.push(body.id)
    return { id: body.id, at: `${repo}/hooks/${body.id}` }
  }
  const open = (title = "It flickers") => ada.call("POST", `${repo}/issues`, { title })
  const drain = () => world.hearth.services.jobs.drain()
  const deliveriesOf = async (at: string) => (await ada.call("GET", `${at}/deliveries`)).body

  afterEach(async () => {
    for (const id of made.splice(0)) await ada.call("DELETE", `${repo}/hooks/${id}`)
    await drain()
    receiver.answer(200)
    receiver.take()
  })

  it("are signed, and carry the headers that receivers know", async () => {
    const { at } = await hook({ config: { secret: "hush" }, authorization_header: "Bearer xyzzy" })
    await open()
    await drain()
    const [request] = receiver.take()
    const [delivery] = await deliveriesOf(at)
    expect(request).toMatchObject({
      method: "POST",
      path: "/in?key=1",
      headers: {
        "content-type": "application/json",
        authorization: "Bearer xyzzy",
        "x-gitea-delivery": delivery.uuid,
        "x-gitea-event": "issues",
        "x-gitea-event-type": "issues",
        "x-gitea-hook-installation-target-type": "repository",
        "x-gogs-delivery": delivery.uuid,
        "x-gogs-event": "issues",
        "x-github-delivery": delivery.uuid,
        "x-github-event": "issues",
        "x-github-hook-installation-target-type": "repository",
        "x-hearth-delivery-attempt": "1",
      },
    })
    const text = request?.text ?? ""
    expect(request?.headers["x-gitea-signature"]).toBe(signature("hush", text))
    expect(request?.headers["x-gogs-signature"]).toBe(signature("hush", text))
    expect(request?.headers["x-hub-signature-256"]).toBe(`sha256=${signature("hush", text)}`)
    expect(request?.headers["x-hub-signature"]).toBe(`sha1=${signature("hush", text, "sha1")}`)
    expect(text).toMatch(/^\{\n {2}"/)

    expect(delivery).toMatchObject({ state: "delivered", attempts: 1, error: "", event: "issues", next_attempt_at: null })
    const { body: details } = await ada.call("GET", `${at}/deliveries/${delivery.id}`)
    expect(details).toMatchObject({
      payload: text,
      request: { method: "POST", url: `${receiver.url}/in?key=1`, body: text },
      response: { status: 200, headers: { "content-type": "text/plain" }, body: "thanks" },
    })
    expect(JSON.stringify(details)).not.toMatch(/xyzzy|hush/)
  })

  it("without a secret are not signed; as a form the JSON is what is signed", async () => {
    const { at } = await hook({ config: { content_type: "form" } })
    await open()
    await drain()
    const [first] = receiver.take()
    expect(first?.headers).toMatchObject({
      "content-type": "application/x-www-form-urlencoded",
      "x-gitea-signature": "",
      "x-hub-signature": "sha1=",
      "x-hub-signature-256": "sha256=",
    })
    await ada.call("PATCH", at, { config: { secret: "later" } })
    await open()
    await drain()
    const [second] = receiver.take()
    const json = new URLSearchParams(second?.text).get("payload") ?? ""
    expect(second?.headers["x-gitea-signature"]).toBe(signature("later", json))
    expect(second?.body).toMatchObject({ action: "opened", repository: { full_name: "ada/home" }, sender: { login: "ada" } })
  })

  it("that fail are tried again under the same id, until they succeed", async () => {
    const { at } = await hook()
    receiver.answer(500, "out of order")
    await open()
    await drain()
    expect(await deliveriesOf(at)).toMatchObject([{ state: "waiting", attempts: 1, error: "the receiver answered 500" }])
    await passTime(world.hearth.services)
    receiver.answer(204, "")
    await passTime(world.hearth.services)
    const [delivery] = await deliveriesOf(at)
    expect(delivery).toMatchObject({ state: "delivered", attempts: 3, error: "" })
    const requests = receiver.take()
    expect(requests.map(({ headers }) => headers["x-hearth-delivery-attempt"])).toEqual(["1", "2", "3"])
    expect(new Set(requests.map(({ headers }) => headers["x-gitea-delivery"]))).toEqual(new Set([delivery.uuid]))
    expect(new Set(requests.map(({ text }) => text)).size).toBe(1)
    await passTime(world.hearth.services)
    expect(receiver.take()).toEqual([])
  })

  it("are given up after a day, and the webhook stays on; on demand they are sent again", async () => {
    const { at, id } = await hook()
    receiver.answer(302, "go away")
    await open()
    await drain()
    const { database, now } = world.hearth.services
    await database.write((tx) =>
      tx
        .updateTable("webhook_deliveries")
        .set({ started_at: now() - 86_000 })
        .where("webhook_id", "=", id)
        .execute(),
    )
    await passTime(world.hearth.services)
    const [delivery] = await deliveriesOf(at)
    expect(delivery).toMatchObject({ state: "failed", attempts: 2, error: "the receiver answered 302", next_attempt_at: null })
    // A redirect is an answer like any other, and is not followed.
    expect(receiver.take().length).toBe(2)
    expect((await ada.call("GET", at)).body.active).toBe(true)

    receiver.answer(200)
    const again = await ada.call("POST", `${at}/deliveries/${delivery.id}/redelivery`)
    expect(again).toMatchObject({ status: 202, body: { id: delivery.id, uuid: delivery.uuid } })
    await drain()
    expect((await deliveriesOf(at))[0]).toMatchObject({ state: "delivered", attempts: 3 })
    expect(receiver.take()).toMatchObject([{ headers: { "x-gitea-delivery": delivery.uuid, "x-hearth-delivery-attempt": "3" } }])
  })

  it("are tried some eleven times in a day, later and later", async () => {
    const { at, id } = await hook()
    receiver.answer(500)
    await open()
    await drain()
    const { database, now } = world.hearth.services
    const pauses: number[] = []
    for (;;) {
      const row = await database.read.selectFrom("webhook_deliveries").selectAll().where("webhook_id", "=", id).executeTakeFirstOrThrow()
      if (row.state !== "waiting") break
      const pause = row.next_attempt_at - row.attempted_at
      pauses.push(pause)
      // Ends the pause before the next attempt.
      await database.write((tx) =>
        tx
          .updateTable("webhook_deliveries")
          .set({ started_at: row.started_at - (row.next_attempt_at - now()) })
          .where("id", "=", row.id)
          .execute(),
      )
      await passTime(world.hearth.services)
    }
    const [delivery] = await deliveriesOf(at)
    expect(delivery).toMatchObject({ state: "failed", attempts: pauses.length + 1, error: "the receiver answered 500" })
    expect(pauses.length).toBeGreaterThanOrEqual(8)
    expect(pauses.length).toBeLessThanOrEqual(15)
    expect(pauses[0]).toBeLessThanOrEqual(12)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(1.2 * 21_600)
    const whole = pauses.reduce((sum, pause) => sum + pause, 0)
    expect(whole).toBeLessThanOrEqual(86_400 + 60)
    expect(whole).toBeGreaterThan(43_200)
    expect(receiver.take().map(({ headers }) => headers["x-gitea-delivery"])).toEqual(pauses.map(() => delivery.uuid).concat(delivery.uuid))
    expect((await ada.call("GET", at)).body.active).toBe(true)
    // Later events are delivered as usual.
    receiver.answer(200)
    await open("Up again")
    await drain()
    await passTime(world.hearth.services)
    expect((await deliveriesOf(at))[0]).toMatchObject({ state: "delivered" })
  })

  it("of one moment that fail are not all tried again at one moment", async () => {
    const hooks: string[] = []
    for (let count = 0; count < 12; count++) hooks.push((await hook()).at)
    receiver.answer(500)
    await open()
    await drain()
    const failed = (await Promise.all(hooks.map(deliveriesOf))).flat()
    expect(failed).toHaveLength(12)
    const pauses = failed.map(({ attempted_at, next_attempt_at }) => (Date.parse(next_attempt_at) - Date.parse(attempted_at)) / 1000)
    for (const pause of pauses) expect(pause).toBeOneOf([8, 9, 10, 11, 12])
    expect(new Set(pauses).size).toBeGreaterThan(1)
  })

  it("to a receiver that fails wait without keeping workers busy", async () => {
    const { at } = await hook()
    receiver.answer(503)
    for (let count = 0; count < 20; count++) await open(`Number ${count}`)
    await drain()
    // Each worker may have begun one before the first failure was recorded.
    expect(receiver.take().length).toBeLessThanOrEqual(8)
    // The list shows until when they wait.
    const { now } = world.hearth.services
    for (const { next_attempt_at } of await deliveriesOf(at)) expect(Date.parse(next_attempt_at) / 1000).toBeGreaterThan(now())
    receiver.answer(200)
    await passTime(world.hearth.services)
    expect(receiver.take().length).toBeLessThanOrEqual(20)
    const all = await ada.call("GET", `${at}/deliveries?limit=50`)
    expect(all.body.every(({ state }: { readonly state: string }) => state === "delivered")).toBe(true)
    expect(all.headers.get("x-total-count")).toBe("20")
  })

  it("don't go to forbidden addresses", async () => {
    const { at } = await hook({ config: { url: "http://169.254.169.254/latest" } })
    await open()
    await drain()
    const [delivery] = await deliveriesOf(at)
    expect(delivery).toMatchObject({ state: "waiting", attempts: 1 })
    expect(delivery.error).toMatch(/169\.254\.169\.254/)
  })

  it("are made only for what is switched on, on a webhook that is active", async () => {
    const { at } = await hook({ active: false })
    const { at: other } = await hook({ events: ["push"] })
    const { body } = await open()
    await ada.call("PATCH", at, { active: true, events: ["issues_only"] })
    await ada.call("POST", `${repo}/issues/${body.number}/comments`, { body: "Still." })
    await drain()
    expect(await deliveriesOf(at)).toEqual([])
    expect(await deliveriesOf(other)).toEqual([])
  })

  it("that wait for a webhook which is switched off are not sent, unless they are requested again", async () => {
    const { at } = await hook()
    receiver.answer(500)
    await open()
    await drain()
    receiver.take()
    await ada.call("PATCH", at, { active: false })
    const [delivery] = await deliveriesOf(at)
    expect(delivery).toMatchObject({ state: "failed", error: "the webhook was switched off" })
    receiver.answer(200)
    await passTime(world.hearth.services)
    expect(receiver.take()).toEqual([])
    await ada.call("POST", `${at}/deliveries/${delivery.id}/redelivery`)
    await drain()
    expect(receiver.take()).toHaveLength(1)
  })

  it("of a rolled-back change are never sent", async () => {
    await hook()
    expect((await ada.call("POST", `${repo}/issues`, { title: "Half", assignees: ["nobody-at-all"] })).status).toBe(422)
    await drain()
    expect(receiver.take()).toEqual([])
  })

  it("of owners and of the system cover every repository", async () => {
    const config = { content_type: "json" }
    const common = { type: "gitea", active: true, events: ["issues"] }
    const mine = await ada.call("POST", "/user/hooks", { ...common, config: { ...config, url: `${receiver.url}/mine` } })
    const system = await world.root.call("POST", "/admin/hooks", {
      ...common,
      config: { ...config, url: `${receiver.url}/system`, is_system_webhook: "true" },
    })
    const template = await world.root.call("POST", "/admin/hooks", { ...common, config: { ...config, url: `${receiver.url}/default` } })
    await open()
    await drain()
    const targets = receiver.take().map(({ path, headers }) => [path, headers["x-gitea-hook-installation-target-type"]])
    expect(targets.sort()).toEqual([
      ["/mine", "user"],
      ["/system", "system"],
    ])
    await ada.call("DELETE", `/user/hooks/${mine.body.id}`)
    for (const { body } of [system, template]) await world.root.call("DELETE", `/admin/hooks/${body.id}`)
  })

  it("are seen by those who may see the webhook", async () => {
    const { at } = await hook()
    await open()
    await drain()
    const [{ id }] = await deliveriesOf(at)
    const ben = await world.person("ben")
    for (const [method, path] of [
      ["GET", `${at}/deliveries`],
      ["GET", `${at}/deliveries/${id}`],
      ["POST", `${at}/deliveries/${id}/redelivery`],
    ] as const) {
      expect((await ben.call(method, path)).status).toBe(403)
      expect((await world.anonymous.call(method, path)).status).toBe(401)
    }
    const { at: other } = await hook()
    expect((await ada.call("GET", `${other}/deliveries/${id}`)).status).toBe(404)
    expect((await ada.call("POST", `${other}/deliveries/${id}/redelivery`)).status).toBe(404)
    expect((await ada.call("GET", `${repo}/hooks/0/deliveries`)).status).toBe(404)
  })

  it("are forgotten a week after they ended", async () => {
    const { at, id } = await hook()
    await open()
    await drain()
    receiver.answer(500)
    await open()
    await drain()
    const { database, now, jobs } = world.hearth.services
    await database.write((tx) =>
      tx
        .updateTable("webhook_deliveries")
        .set({ attempted_at: now() - 8 * 86_400 })
        .where("webhook_id", "=", id)
        .execute(),
    )
    const before = await deliveriesOf(at)
    expect(await jobs.tasks.run("cleanup_hook_task_table")).toBe("ok")
    const waiting = before.filter(({ state }: { readonly state: string }) => state === "waiting")
    expect(waiting.length).toBeGreaterThan(0)
    expect(waiting.length).toBeLessThan(before.length)
    expect(await deliveriesOf(at)).toEqual(waiting)
  })

  it("can be tried with the last commit", async () => {
    const { at } = await hook({ active: false, events: ["wiki"], branch_filter: "nothing" })
    expect((await ada.call("POST", `${at}/tests`)).status).toBe(204)
    await drain()
    const [request] = receiver.take()
    expect(request?.headers["x-gitea-event"]).toBe("push")
    expect(request?.body).toMatchObject({ ref: "refs/heads/main", total_commits: 1, pusher: { login: "ada" } })
    expect(request?.body.commits).toHaveLength(1)
    expect((await ada.call("POST", `${at}/tests?ref=nowhere`)).status).toBe(404)
    expect((await ada.call("POST", `${repo}/hooks/0/tests`)).status).toBe(404)
    await ada.call("POST", "/user/repos", { name: "empty" })
    const { body } = await ada.call("POST", "/repos/ada/empty/hooks", {
      type: "gitea",
      config: { url: receiver.url, content_type: "json" },
    })
    expect((await ada.call("POST", `/repos/ada/empty/hooks/${body.id}/tests`)).status).toBe(204)
    expect(await deliveriesOf(`/repos/ada/empty/hooks/${body.id}`)).toEqual([])
  })
})
