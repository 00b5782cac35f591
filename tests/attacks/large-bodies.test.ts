/*
 * Someone with an account sends many large bodies at once, slowly. Each was kept in memory until it had come as a whole: 256 connections with 32 MiB each were 8 GB. Now all
 * bodies together have a limit (`http.maxBodiesBytes`), of which one caller gets half; what is beyond is refused, and small requests go on.
 */
import { expect } from "vitest"
import { withHearth } from "../support/fixture.ts"
import { PASSWORD } from "../support/hearth.ts"
import { MIB } from "./repositories.ts"
import { dial, head, times } from "./sockets.ts"

const config = { http: { trustedProxies: "none", maxBodiesBytes: 8 * MIB } }

withHearth("large bodies", { people: ["ann", "eve"], config }, ({ test, forge, call, status, ann, eve }) => {
  const held = async () => {
    const metrics = await (await fetch(`${forge.hearth.url}/metrics`)).text()
    return Number(/^hearth_limit_in_use\{limit="body_bytes"\} (\d+)$/m.exec(metrics)?.[1])
  }
  const request = head("POST /api/v1/user/avatar", {
    login: `eve:${PASSWORD}`,
    headers: { "content-type": "application/json", "content-length": String(20 * MIB) },
  })
  const large = (bytes: number) => JSON.stringify({ image: "x".repeat(bytes) })

  test("of one caller take half of the memory at most, and others have the rest", async () => {
    const begun = await Promise.all(
      times(12, async () => {
        const dialled = await dial(forge.hearth.url, request)
        dialled.socket.write(" ".repeat(MIB))
        return dialled
      }),
    )
    await expect.poll(() => begun.filter(({ received }) => received().startsWith("HTTP/1.1 503")).length).toBe(8)
    expect(await held()).toBeGreaterThan(3 * MIB)
    expect(await held()).toBeLessThanOrEqual(4 * MIB)
    // Others can send large bodies, and the same caller small ones.
    expect(await status(ann, "POST /user/avatar", large(2 * MIB))).toBe(422)
    expect(await status(eve, "POST /user/repos", { name: "small" })).toBe(201)
    const refused = await call(eve, "POST /user/avatar", large(3 * MIB))
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"])
    for (const { socket } of begun) socket.destroy()
    await expect.poll(held).toBe(0)
  })

  test("count no longer when they are answered, and a body beyond its own limit never", async () => {
    expect(await status(eve, "POST /user/avatar", large(3 * MIB))).toBe(422)
    await expect.poll(held).toBe(0)
    expect(await status(eve, "POST /user/avatar", large(40 * MIB))).toBe(413)
    await expect.poll(held).toBe(0)
  })
})
