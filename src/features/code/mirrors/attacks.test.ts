import { createServer } from "node:http"
import { expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { must, openForges } from "./testing.ts"

withWorld("other servers", { open: openForges }, ({ test, world: forges }) => {
  test("that refuse, or accept a connection and never answer, time out, and the next is pushed to", async () => {
    await must(forges.ann, "POST", "/user/repos", { name: "several", auto_init: true })
    await must(forges.zoe, "POST", "/user/repos", { name: "several-there" })
    const hole = createServer(() => {})
    await new Promise<void>((resolve) => hole.listen(0, "127.0.0.1", resolve))
    const address = hole.address()
    const silent = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/x.git`
    const at = "/repos/ann/several"
    await must(forges.ann, "POST", `${at}/push_mirrors`, { remote_address: silent, interval: "0" })
    await must(forges.ann, "POST", `${at}/push_mirrors`, { remote_address: "http://127.0.0.1:1/x.git", interval: "0" })
    const good = {
      remote_address: `${forges.there.hearth.url}/zoe/several-there.git`,
      remote_username: "zoe",
      remote_password: forges.token,
    }
    await must(forges.ann, "POST", `${at}/push_mirrors`, { ...good, interval: "0" })
    const answer = await forges.ann.call("POST", `${at}/push_mirrors-sync`)
    expect([answer.status, answer.body.message]).toEqual([422, expect.stringMatching(/too slow.*can't be reached/)])
    expect(await must(forges.zoe, "GET", "/repos/zoe/several-there/branches")).toMatchObject([{ name: "main" }])
    hole.closeAllConnections()
    hole.close()
  })
})
