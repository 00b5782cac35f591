import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { startHearth } from "../app.ts"
import { openRunnerClient } from "../servers/runner/testing.ts"
import { openShell, type Shell } from "./testing.ts"

let shell: Shell
beforeEach(async () => {
  shell = await openShell()
})
afterEach(() => shell.close())

const served = () =>
  startHearth({ env: { HEARTH_DATA_DIR: shell.dataDir, HEARTH_HTTP_PORT: "0", HEARTH_SSH_PORT: "0", HEARTH_LOG_LEVEL: "error" } })

describe("hearth runner", () => {
  test("says how to start one, and its token registers runners until it is replaced", async () => {
    const hearth = await served()
    try {
      const first = await shell.run("runner register-token")
      expect(first.code).toBe(0)
      expect(first.out.trim()).toMatch(/^[A-Za-z0-9]{40}$/)
      expect(first.said).toContain(`--token ${first.out.trim()} --labels host:host`)
      expect((await shell.run("runner register-token")).out).toBe(first.out)
      const client = openRunnerClient(hearth.url)
      const register = (token: string, name: string) =>
        client.call("runner.v1.RunnerService/Register", { name, token: token.trim(), labels: ["host"] })
      expect((await register(first.out, "one")).status).toBe(200)

      const second = await shell.run("runner register-token --rotate")
      expect(second.out).not.toBe(first.out)
      expect(second.said).toContain("the one before is void")
      expect((await register(first.out, "two")).status).toBe(401)
      expect((await register(second.out, "three")).status).toBe(200)

      const list = await shell.run("runner list")
      expect(list.out).toMatch(/one +offline +host +never/)
      expect(JSON.parse((await shell.run("runner list --json")).out).map((runner: { name: string }) => runner.name)).toEqual([
        "one",
        "three",
      ])
    } finally {
      await hearth.close()
    }
  })

  test("knows people and repositories, and refuses what is not there", async () => {
    await (await served()).close()
    expect((await shell.run("runner list")).said).toContain("There are no runners.")
    expect((await shell.run("runner register-token root")).code).toBe(0)
    for (const place of ["nobody", "root/nothing", "root/a/b"]) {
      const { code, said } = await shell.run(`runner register-token ${place}`)
      expect([code, said]).toEqual([1, expect.stringMatching(/There is no one called|has no repository/)])
    }
  })
})
