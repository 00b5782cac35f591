/*
 * Someone asks for large files and diffs, and reads none of the answers. Sixteen unread files held all object readers, and other people's files were refused after
 * a minute; thirty-two unread diffs were thirty-two processes with 3.5 GB. Now what a client reads at its own pace has processes and limits of its own, one
 * address gets half of them, and a connection on which nothing moves is cut.
 */
import { randomBytes } from "node:crypto"
import { expect } from "vitest"
import { commitFile, MIB, noisyText } from "../../attacks/repositories.ts"
import { dial, head, times } from "../../attacks/sockets.ts"
import { withHearth } from "../../support/fixture.ts"

const config = { http: { trustedProxies: "none", stallSeconds: 1 }, git: { maxComparedBytes: 64 * MIB } }
withHearth("unread downloads", { people: ["ann"], config }, ({ test, forge, call, ann }) => {
  let commit = ""
  const limit = (name: string) => forge.hearth.services.git.limits().find((state) => state.name === name)
  test.beforeAll(async () => {
    for (const name of ["one", "two"]) await call(ann, "POST /user/repos", { name, auto_init: true })
    await commitFile(call, ann, "ann/one", "large.bin", randomBytes(12 * MIB))
    const made = await commitFile(call, ann, "ann/one", "large.txt", noisyText(12 * MIB))
    commit = made.commit
    await commitFile(call, ann, "ann/two", "small.txt", "small")
    await commitFile(call, ann, "ann/two", "large.bin", randomBytes(2 * MIB))
  })

  /** Files and lists of references come at once. */
  const isWell = async () => {
    const get = async (path: string) => {
      const answer = await fetch(`${forge.hearth.url}${path}`, { signal: AbortSignal.timeout(120_000) })
      return [answer.status, (await answer.arrayBuffer()).byteLength]
    }
    expect(await get("/api/v1/repos/ann/two/raw/small.txt")).toEqual([200, 5])
    expect(await get("/api/v1/repos/ann/two/raw/large.bin")).toEqual([200, 2 * MIB])
    expect((await get("/api/v1/repos/ann/two/contents/small.txt"))[0]).toBe(200)
    expect((await get("/ann/two.git/info/refs?service=git-upload-pack"))[0]).toBe(200)
  }

  test("of files hold no reader, and half of the downloads at most, until they are cut", async () => {
    const path = "GET /api/v1/repos/ann/one/raw/large.bin"
    const unread = await Promise.all(times(20, () => dial(forge.hearth.url, head(path), { reads: false })))
    await expect.poll(() => limit("downloads")?.active).toBe(8)
    await expect.poll(() => limit("readers")?.active).toBe(0)
    await isWell()
    await expect.poll(() => limit("downloads")).toMatchObject({ active: 0, waiting: 0 })
    for (const { socket } of unread) socket.destroy()
  })

  test("of diffs are few processes", async () => {
    const path = `GET /api/v1/repos/ann/one/git/commits/${commit}.diff`
    const unread = await Promise.all(times(10, () => dial(forge.hearth.url, head(path), { reads: false })))
    await expect.poll(() => limit("diffs")?.active).toBe(2)
    expect(forge.hearth.services.git.running()).toBeLessThan(24)
    await isWell()
    await expect.poll(() => limit("diffs")).toMatchObject({ active: 0, waiting: 0 })
    for (const { socket } of unread) socket.destroy()
    const metrics = await (await fetch(`${forge.hearth.url}/metrics`)).text()
    expect(metrics).toMatch(/^hearth_limit_in_use\{limit="diffs"\} 0$/m)
    expect(metrics).toMatch(/^hearth_http_connections_cut_total [1-9]/m)
  })
})
