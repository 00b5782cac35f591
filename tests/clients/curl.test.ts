import { execFile } from "node:child_process"
import { promisify } from "node:util"
import * as OTPAuth from "otpauth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import { enableTwoFactor } from "../../src/features/people/sign-in/second-factor/two-factor.ts"
import { must } from "../support/http.ts"

const run = promisify(execFile)

/** curl, as in every example of such an API. */
describe("curl", () => {
  let hearth: Hearth
  beforeAll(async () => {
    hearth = await startHearth({ halted: true, memory: true, config: { admin: { username: "root", password: "root-pass-1" } } })
    const body = { username: "alice", email: "alice@example.com", password: "alice-pass-1", must_change_password: false }
    await must(hearth.url, "POST", "/admin/users", { authorization: `token ${hearth.token}`, body })
  })
  afterAll(() => hearth.close())

  /** Status and body of one call. */
  async function curl(path: string, ...options: readonly string[]): Promise<{ readonly status: number; readonly body: string }> {
    const address = `${hearth.url}/api/v1${path}`
    const { stdout } = await run("curl", [
      "--silent",
      "--show-error",
      "--noproxy",
      "*",
      "--write-out",
      "\n%{http_code}",
      ...options,
      address,
    ])
    const lines = stdout.split("\n")
    return { status: Number(lines.at(-1)), body: lines.slice(0, -1).join("\n") }
  }
  const loginOf = async (...options: readonly string[]): Promise<unknown> => {
    const { status, body } = await curl("/user", ...options)
    return status === 200 ? JSON.parse(body).login : status
  }

  it("signs in with user and password", async () => {
    expect(await loginOf("--user", "alice:alice-pass-1")).toBe("alice")
    expect(await loginOf("--user", "ALICE:alice-pass-1")).toBe("alice")
    expect(await loginOf("--user", "alice@example.com:alice-pass-1")).toBe("alice")
    expect(await loginOf("--user", "alice:wrong")).toBe(401)
    expect(await loginOf("--user", "no one:alice-pass-1")).toBe(401)
    expect(await loginOf()).toBe(401)
  })

  it("sends JSON and forms", async () => {
    const json = await curl("/user/repos", "--user", "alice:alice-pass-1", "--json", '{"name":"from-json"}')
    expect([json.status, JSON.parse(json.body).full_name]).toEqual([201, "alice/from-json"])
    const form = await curl("/user/repos", "--user", "alice:alice-pass-1", "--data", "name=from-form&private=true")
    expect([form.status, JSON.parse(form.body).private]).toEqual([201, true])
    const wrong = await curl("/user/repos", "--user", "alice:alice-pass-1", "--header", "content-type: text/plain", "--data", "name=x")
    expect(wrong.status).toBe(422)
  })

  it("acts as another user by header and by parameter, as administrators may", async () => {
    const root = ["--header", `Authorization: token ${hearth.token}`]
    expect(await loginOf(...root, "--header", "Sudo: alice")).toBe("alice")
    expect(JSON.parse((await curl("/user?sudo=alice", ...root)).body).login).toBe("alice")
    expect((await curl("/user?sudo=nobody", ...root)).status).toBe(404)
    expect(await loginOf("--user", "alice:alice-pass-1", "--header", "Sudo: root")).toBe(403)
  })

  it("asks for a code where there is a second factor, and takes each once", async () => {
    const { services } = hearth
    const body = { username: "tara", email: "tara@example.com", password: "tara-pass-1", must_change_password: false }
    await must(hearth.url, "POST", "/admin/users", { authorization: `token ${hearth.token}`, body })
    const { address } = await services.database.write(async (tx) => {
      const user = await tx.selectFrom("users").selectAll().where("lower_name", "=", "tara").executeTakeFirstOrThrow()
      return enableTwoFactor(services, tx, user)
    })
    const app = OTPAuth.URI.parse(address)
    if (!(app instanceof OTPAuth.TOTP)) throw new Error("that is no clock's secret")
    const withCode = (code: string) => loginOf("--user", "tara:tara-pass-1", "--header", `X-Gitea-OTP: ${code}`)
    expect(await loginOf("--user", "tara:tara-pass-1")).toBe(401)
    expect(await withCode("000000")).toBe(401)
    const code = app.generate()
    expect(await withCode(code)).toBe("tara")
    expect(await withCode(code)).toBe(401)
  })

  it("is shown what it knows already as 304", async () => {
    const { stdout } = await run("curl", ["--silent", "--noproxy", "*", "--head", `${hearth.url}/api/v1/repos/alice/from-json`])
    const [, tag = ""] = /^etag: (.+)\r$/im.exec(stdout) ?? []
    expect(tag).toMatch(/^"/)
    expect((await curl("/repos/alice/from-json", "--header", `If-None-Match: ${tag}`)).status).toBe(304)
    await must(hearth.url, "PATCH", "/repos/alice/from-json", { authorization: `token ${hearth.token}`, body: { description: "changed" } })
    expect((await curl("/repos/alice/from-json", "--header", `If-None-Match: ${tag}`)).status).toBe(200)
  })
})
