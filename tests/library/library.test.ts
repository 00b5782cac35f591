import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { startHearth } from "../../src/app.ts"

// Its own folder for temporary files: other tests run forges in parallel.
let place: string
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "library-"))
  vi.stubEnv("TMPDIR", place)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await rm(place, { recursive: true })
})

const version = async (url: string): Promise<unknown> => (await fetch(`${url}/api/v1/version`)).json()

describe("a forge inside a test", () => {
  it("runs beside others in one process, each with its own data", async () => {
    const [one, two] = await Promise.all([startHearth({ memory: true }), startHearth({ memory: true })])
    const post = (hearth: typeof one, name: string) =>
      fetch(`${hearth.url}/api/v1/orgs`, {
        method: "POST",
        headers: { authorization: `token ${hearth.token}`, "content-type": "application/json" },
        body: JSON.stringify({ username: name }),
      })
    expect((await post(one, "only-here")).status).toBe(201)
    expect((await fetch(`${one.url}/api/v1/orgs/only-here`)).status).toBe(200)
    expect((await fetch(`${two.url}/api/v1/orgs/only-here`)).status).toBe(404)
    expect((await fetch(`${two.url}/api/v1/user`, { headers: { authorization: `token ${one.token}` } })).status).toBe(401)
    await Promise.all([one.close(), two.close()])
  })

  it("leaves nothing behind, twenty times", async () => {
    const resources = () =>
      process
        .getActiveResourcesInfo()
        .filter((kind) => kind !== "CloseReq" && kind !== "Immediate")
        .sort()
    const files = async () => (await readdir("/proc/self/fd")).length
    const first = await startHearth({ memory: true })
    expect(await readdir(place)).toHaveLength(1)
    await first.close()
    const openResources = resources()
    const openFiles = await files()
    const listeners = process.eventNames().map((name) => [name, process.listenerCount(name)])
    for (let round = 0; round < 20; round++) {
      const hearth = await startHearth({ memory: true })
      if (round % 10 === 0) expect(await version(hearth.url)).toHaveProperty("version")
      await hearth.close()
    }
    expect(await readdir(place)).toEqual([])
    expect(process.eventNames().map((name) => [name, process.listenerCount(name)])).toEqual(listeners)
    expect(resources().length).toBeLessThanOrEqual(openResources.length + 2)
    expect(await files()).toBeLessThanOrEqual(openFiles + 4)
  })

  it("closes twice without complaint and refuses connections afterwards", async () => {
    const hearth = await startHearth({ memory: true })
    await hearth.close()
    await hearth.close()
    await expect(version(hearth.url)).rejects.toThrow()
  })
})
