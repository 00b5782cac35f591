import { expect } from "vitest"
import { withHearth } from "../../tests/support/fixture.ts"
import { anyone } from "../access/policies/site.ts"
import { openMetrics } from "../core/metrics.ts"
import { page, sentText } from "../core/page.ts"
import { operations } from "../operations.ts"
import { openHttp } from "./http.ts"

withHearth("a server", {}, ({ test, forge }) => {
  test("loads pages with the first request for one, and again where that failed", async () => {
    let loads = 0
    const metrics = openMetrics()
    const app = await openHttp(forge.hearth.services, {
      operations,
      metrics,
      web: async () => {
        loads += 1
        if (loads === 1) throw new Error("too many open files")
        return {
          pages: [page({ id: "test.hello", address: "GET /hello", access: anyone, answer: () => sentText("text/plain", "hello") })],
          files: [],
        }
      },
    })
    try {
      const url = await app.listen({ host: "127.0.0.1", port: 0 })
      const statusOf = async (path: string) => [(await fetch(url + path)).status, loads]
      expect(await statusOf("/api/v1/version")).toEqual([200, 0])
      expect(await statusOf("/api/v1/users/nobody")).toEqual([404, 0])
      expect(await statusOf("/hello")).toEqual([500, 1])
      expect(await statusOf("/hello")).toEqual([200, 2])
      expect(await statusOf("/api/v1/nothing")).toEqual([404, 2])
      expect(await statusOf("/nothing")).toEqual([404, 2])
    } finally {
      await app.close()
      metrics.close()
    }
  })
})
