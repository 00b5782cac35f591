import { describe, expect, test } from "vitest"
import { must, openForges } from "./testing.ts"

describe("without the operator's permission", () => {
  test("nothing is imported, mirrored or pushed elsewhere", async () => {
    const forges = await openForges("sqlite", { mirror: { enabled: false } })
    try {
      const clone_addr = await forges.origin("x")
      const migrate = (body: object) => forges.migrate({ clone_addr, repo_name: "x", ...body })
      expect([(await migrate({ mirror: true })).status, (await migrate({})).status]).toEqual([403, 201])
      const at = "/repos/ann/x/push_mirrors"
      for (const [method, path] of [
        ["GET", at],
        ["POST", at],
        ["POST", `${at}-sync`],
        ["GET", `${at}/one`],
        ["DELETE", `${at}/one`],
      ] as const)
        expect((await forges.ann.call(method, path, method === "POST" ? {} : undefined)).status).toBe(400)
      expect(await must(forges.ann, "GET", "/settings/repository")).toMatchObject({
        mirrors_disabled: true,
        migrations_disabled: false,
        time_tracking_disabled: false,
      })
    } finally {
      await forges.close()
    }
    const closed = await openForges("sqlite", { migrations: { enabled: false } })
    try {
      const clone_addr = await closed.origin("x")
      expect((await closed.ann.call("POST", "/repos/migrate", { clone_addr, repo_name: "x" })).status).toBe(403)
      expect(await must(closed.ann, "GET", "/settings/repository")).toMatchObject({ mirrors_disabled: false, migrations_disabled: true })
    } finally {
      await closed.close()
    }
  })

  test("private networks are not called, by whatever name", async () => {
    const forges = await openForges("sqlite", { outgoing: { allowedHosts: "external" } })
    try {
      const address = await forges.origin("x")
      const { port } = new URL(address)
      for (const host of ["127.0.0.1", "localhost", "localhost.", "[::1]", "127.1", "0x7f000001", "[::ffff:127.0.0.1]", "0.0.0.0"]) {
        const clone_addr = `http://${host}:${port}/zoe/x.git`
        const answer = await forges.ann.call("POST", "/repos/migrate", { clone_addr, repo_name: "x" })
        expect([host, answer.status, answer.body.message]).toEqual([host, 422, expect.stringContaining("may not be called")])
        expect(answer.body.message).not.toContain("(127")
      }
    } finally {
      await forges.close()
    }
  })
})
