/*
 * Strangers at the registries, and uploads that never end. Every route of every registry is requested, as the records say, so a new registry is among them.
 */
import { expect } from "vitest"
import { registries } from "../../src/features/packages/registries.ts"
import { cleanUpAfter, send, storedFiles } from "../../src/features/packages/testing.ts"
import { withWorld } from "../support/fixture.ts"
import { openCheckedWorld, type Person } from "../support/world.ts"
import { CHUNKED, chunk, dial, head, times } from "./sockets.ts"

const routes = registries.flatMap(({ type, routes: of }) =>
  of.map(({ method, path, needs }) => ({
    method,
    needs,
    path: `${type}${path.replace(/:(\w+)/g, (_, name) => (name === "scope" ? "@a" : name))}`,
  })),
)

const config = { http: { stallSeconds: 1 } }
withWorld("strangers at the registries", { open: (kind) => openCheckedWorld(kind, config) }, ({ test, world }) => {
  let ann: Person
  let ben: Person
  test.beforeAll(async () => {
    ann = await world.person()
    ben = await world.person()
    await world.must("root", `PATCH /admin/users/${ann.name}`, { visibility: "private", login_name: ann.name, source_id: 0 })
  })

  const seen = async (who: Person | undefined, owner: string, { method, path }: (typeof routes)[number]) => {
    const { status, headers, text } = await send(world.hearth, who, `${method} ${owner}/${path}`, method === "PUT" ? { body: "{}" } : {})
    const shown = [...headers].filter(([name]) => !["x-request-id", "date", "connection", "keep-alive"].includes(name))
    return { status, shown, text: text.replaceAll(owner, "OWNER") }
  }

  test.for(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "can't tell a hidden owner from none by %s",
    async ([, route], { expect: see }) => {
      const missing = "x".repeat(ann.name.length)
      for (const [who, status] of [
        [ben, 404],
        [undefined, 401],
      ] as const) {
        const hidden = await seen(who, ann.name, route)
        see(hidden.status).toBe(status)
        see(hidden).toEqual(await seen(who, missing, route))
      }
    },
  )

  test.for(routes.filter(({ needs }) => needs === "write").map((route) => [`${route.method} ${route.path}`, route] as const))(
    "change nothing by %s",
    async ([, route], { expect: see }) => {
      const owner = await world.person()
      see((await seen(ben, owner.name, route)).status).toBe(403)
      see((await seen(undefined, owner.name, route)).status).toBe(401)
      see(await world.must(owner, `GET /packages/${owner.name}`)).toEqual([])
    },
  )

  test("who stall hold nothing that others need, not even the name, and leave nothing", async () => {
    const { services, url } = world.hearth
    const owner = await world.person()
    const begin = () =>
      dial(url, head(`PUT /api/packages/${owner.name}/generic/tool/1/a`, { headers: { ...CHUNKED, authorization: owner.authorization } }))
    const stalled = await Promise.all(times(30, begin))
    for (const { socket } of stalled) socket.write(chunk("the beginning"))
    await expect.poll(async () => (await storedFiles(services)).length).toBe(30)
    const upload = (path: string) => send(world.hearth, owner, `PUT ${owner.name}/generic/${path}`, { body: "whole" })
    expect((await upload("other/1/a")).status).toBe(201)
    expect((await upload("tool/1/a")).status).toBe(201)
    await world.must(owner, `DELETE /packages/${owner.name}/generic/other`)
    // They are cut, and what they had sent is gone.
    await Promise.all(stalled.map(({ closed }) => closed))
    await expect.poll(async () => (await storedFiles(services)).filter((name) => name.endsWith(".part"))).toEqual([])
    expect((await send(world.hearth, owner, `GET ${owner.name}/generic/tool/1/a`)).text).toBe("whole")
  })

  test("who are late get 409, and what they sent is not kept", async () => {
    const { services, url } = world.hearth
    const owner = await world.person()
    const before = (await storedFiles(services)).length
    const late = await dial(
      url,
      head(`PUT /api/packages/${owner.name}/generic/late/1/a`, { headers: { ...CHUNKED, authorization: owner.authorization } }),
    )
    late.socket.write(chunk("late"))
    await expect.poll(async () => (await storedFiles(services)).length).toBe(before + 1)
    expect((await send(world.hearth, owner, `PUT ${owner.name}/generic/late/1/a`, { body: "first" })).status).toBe(201)
    late.socket.write(`${chunk(" but whole").toString("latin1")}0\r\n\r\n`)
    await expect.poll(late.received).toContain("409")
    late.socket.destroy()
    expect((await storedFiles(services)).length).toBe(before + 1)
  })

  test("whose rights end during the upload publish nothing", async () => {
    const { services, url } = world.hearth
    const org = await world.organization(ben)
    const writer = await world.person()
    const team = await world.team(org, { units_map: { "repo.packages": "write" } })
    await world.must(ben, `PUT /teams/${team.id}/members/${writer.name}`)
    const before = (await storedFiles(services)).length
    const path = `PUT /api/packages/${org.name}/generic/tool/1/a`
    const slow = await dial(url, head(path, { headers: { ...CHUNKED, authorization: writer.authorization } }))
    slow.socket.write(chunk("begun"))
    await expect.poll(async () => (await storedFiles(services)).length).toBe(before + 1)
    await world.must(ben, `DELETE /teams/${team.id}/members/${writer.name}`)
    slow.socket.write("0\r\n\r\n")
    await expect.poll(slow.received).toContain("403")
    slow.socket.destroy()
    expect(await world.must(ben, `GET /packages/${org.name}`)).toEqual([])
    expect((await storedFiles(services)).length).toBe(before)
    await cleanUpAfter(services, 0)
  })
})
