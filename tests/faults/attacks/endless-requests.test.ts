/*
 * Someone begins requests and never ends them. Eight anonymous fetches whose body never ended held all permits for packs for an hour, and other people's clones were
 * refused; sixteen pushes of one account stopped all pushes; forms and bodies sent byte by byte stayed open without end, and connections were not counted. Now a
 * request is taken in whole before it may hold anything, bodies have a least rate and a deadline, and connections are bounded.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import { ok } from "../../../src/git/testing.ts"
import { commit } from "../../../src/servers/git-http/testing.ts"
import { CHUNKED, chunk, dial, head, times } from "../../attacks/sockets.ts"
import { withHearth } from "../../support/fixture.ts"
import { PASSWORD } from "../../support/hearth.ts"

const patient = { http: { trustedProxies: "none" } }
withHearth("endless requests of git", { people: ["ann", "eve"], config: patient }, ({ test, forge, call, ann }) => {
  const git = () => forge.hearth.services.git
  const held = () =>
    git()
      .limits()
      .filter(({ active, waiting }) => active + waiting > 0)
  let folder = ""
  test.beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-attack-"))
    await call(ann, "POST /user/repos", { name: "tool", auto_init: true })
    await call(ann, "PUT /repos/ann/tool/collaborators/eve", { permission: "write" })
  })
  test.afterAll(() => rm(folder, { recursive: true, force: true }))

  const cloneAndPush = async (name: string) => {
    const url = new URL(`${forge.hearth.url}/ann/tool.git`)
    Object.assign(url, { username: "ann", password: PASSWORD })
    await ok(folder, "clone", "-q", url.href, name)
    await commit(join(folder, name), name)
    await ok(join(folder, name), "push", "-q", "origin", "HEAD:main")
  }

  test("fetches of strangers that are still coming hold nothing", async () => {
    const headers = { ...CHUNKED, "content-type": "application/x-git-upload-pack-request", "git-protocol": "version=2" }
    const begun = await Promise.all(
      times(24, async () => {
        const dialled = await dial(forge.hearth.url, head("POST /ann/tool.git/git-upload-pack", { headers }))
        dialled.socket.write(chunk("0011command=fetch"))
        return dialled
      }),
    )
    await cloneAndPush("one")
    expect(held()).toEqual([])
    expect(begun.every(({ received }) => received() === "")).toBe(true)
    for (const { socket } of begun) socket.destroy()
  })

  test("pushes of one account that are still coming hold nothing", async () => {
    const headers = { ...CHUNKED, "content-type": "application/x-git-receive-pack-request" }
    const command = `${"0".repeat(40)} ${"1".repeat(40)} refs/heads/x\0report-status`
    const begun = await Promise.all(
      times(24, async () => {
        const dialled = await dial(forge.hearth.url, head("POST /ann/tool.git/git-receive-pack", { headers, login: `eve:${PASSWORD}` }))
        const packet = `${(command.length + 4).toString(16).padStart(4, "0")}${command}`
        dialled.socket.write(chunk(`${packet}0000PACK\0\0\0\x02\0\0\0\x05`))
        return dialled
      }),
    )
    await cloneAndPush("two")
    expect(held()).toEqual([])
    for (const { socket } of begun) socket.destroy()
  })
})

const strict = { http: { trustedProxies: "none", stallSeconds: 1, minBodyRate: 1024, bodySeconds: 3 } }
withHearth("endless requests", { people: ["ann"], config: strict }, ({ test, forge, status, ann }) => {
  const isWell = async () => expect(await status(ann, "GET /user")).toBe(200)
  const login = `ann:${PASSWORD}`
  const json = { "content-type": "application/json" }

  test("heads, bodies and forms that stop coming are cut", async () => {
    const stopped = await Promise.all([
      dial(forge.hearth.url, "GET / HTTP/1.1\r\nhost: loc"),
      dial(forge.hearth.url, ""),
      dial(forge.hearth.url, `${head("POST /api/v1/user/repos", { login, headers: { ...json, "content-length": "100" } })}{"name":`),
      dial(forge.hearth.url, `${head("POST /api/v1/user/repos", { login, headers: { ...json, ...CHUNKED } })}`),
      dial(
        forge.hearth.url,
        `${head("POST /user/forgot_password", { headers: { "content-type": "application/x-www-form-urlencoded", "content-length": "50" } })}email`,
      ),
    ])
    await Promise.all(stopped.map(({ closed }) => closed))
    await isWell()
  })

  test("a body that comes byte by byte is cut", async () => {
    const slow = await dial(forge.hearth.url, head("POST /api/v1/user/repos", { login, headers: { ...json, "content-length": "100000" } }))
    const drip = setInterval(() => slow.socket.write(" "), 50)
    await slow.closed
    clearInterval(drip)
    await isWell()
  })

  test("a body that takes too long in all is cut, however fast it comes", async () => {
    const long = await dial(
      forge.hearth.url,
      head("POST /api/v1/user/repos", { login, headers: { ...json, "content-length": "30000000" } }),
    )
    const stream = setInterval(() => long.socket.write(" ".repeat(1000)), 50)
    await long.closed
    clearInterval(stream)
    await isWell()
  })
})

const crowded = { http: { trustedProxies: "none", maxConnections: 12, maxConnectionsPerAddress: 5 } }
withHearth("connections", { people: ["ann"], config: crowded }, ({ test, forge }) => {
  const isWell = async () => {
    const answer = await fetch(`${forge.hearth.url}/api/v1/version`, { headers: { connection: "close" } })
    expect(answer.status).toBe(200)
  }
  const begin = (from: string) => dial(forge.hearth.url, "GET / HTTP/1.1\r\n", { from })

  test("of one address are bounded; the next are refused at once", async () => {
    const open = [...(await Promise.all(times(5, () => begin("127.0.0.9"))))]
    const refused = await begin("127.0.0.9")
    await refused.closed
    expect(refused.received()).toMatch(/^HTTP\/1\.1 503 .*\r\nRetry-After: 5\r\n/)
    await isWell()
    for (const { socket } of open) socket.destroy()
    await Promise.all(open.map(({ closed }) => closed))
    await expect
      .poll(async () => {
        const again = await dial(forge.hearth.url, head("GET /api/v1/version", { headers: { connection: "close" } }))
        await again.closed
        return again.received().slice(0, 12)
      })
      .toBe("HTTP/1.1 200")
  })

  test("of all addresses are bounded, and idle ones of those who have most make room", async () => {
    const idle = [...(await Promise.all(times(12, (index) => begin(`127.0.0.${20 + Math.floor(index / 4)}`))))]
    await isWell()
    await expect.poll(() => idle.filter(({ socket }) => socket.destroyed).length).toBeGreaterThan(0)
    for (const { socket } of idle) socket.destroy()
  })
})
