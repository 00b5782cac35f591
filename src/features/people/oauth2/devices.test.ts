import { expect } from "vitest"
import { openBrowser } from "../../../../tests/support/browser.ts"
import { databaseKinds, type FreshKind } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { GIT_CREDENTIAL_OAUTH, jsonOf, openOAuth2World } from "../../../../tests/support/oauth2.ts"
import { DEVICE_GRANT } from "./device-paths.ts"

async function openDeviceWorld(kind: FreshKind) {
  let moment = 1_900_000_000
  const world = await openOAuth2World(kind, {}, () => moment)
  const { url, application, post } = world
  const television = await application({
    name: "Television",
    redirect_uris: ["http://127.0.0.1"],
    confidential_client: false,
    device_flow: true,
  })
  const ask = async (fields: Readonly<Record<string, string>> = {}, id = television.id) => {
    const body = new URLSearchParams({ client_id: id, ...fields })
    const answer = await fetch(`${url}/login/device/code`, { method: "POST", body })
    return { status: answer.status, body: await jsonOf(Promise.resolve(answer)) }
  }
  const poll = (code: string, id = television.id) => post("access_token", { grant_type: DEVICE_GRANT, client_id: id, device_code: code })
  const wordOf = async (code: string) => (await poll(code)).body.error
  const pass = (seconds: number) => {
    moment += seconds
  }
  return { ...world, television, ask, poll, wordOf, pass }
}

withWorld("codes of devices", { open: openDeviceWorld, on: databaseKinds }, ({ test, world }) => {
  test("a device gets tokens once, after a person has typed its code, seen who asks for what, and agreed", async () => {
    const { ask, poll, wordOf, pass, signedIn, worksFor, refresh, television, hearth } = world
    const { status, body } = await ask({ scope: "openid read:repository" })
    expect([status, body.expires_in, body.interval, body.user_code]).toEqual([200, 900, 5, expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/)])
    expect(await wordOf(body.device_code)).toBe("authorization_pending")
    expect(await wordOf(body.device_code)).toBe("slow_down")
    pass(10)
    expect(await wordOf(body.device_code)).toBe("authorization_pending")
    const browser = await signedIn()
    const typed = await browser.get(new URL(body.verification_uri_complete).pathname + new URL(body.verification_uri_complete).search)
    const asked = await browser.submit(typed, { user_code: body.user_code.toLowerCase().replace("-", " ") })
    for (const words of ["Television", "ann", "Read repositories with their code", "Know who you are", body.user_code])
      expect(asked.text).toContain(words)
    const agreed = await browser.submit(asked, { granted: "true" })
    expect([agreed.status, agreed.text]).toEqual([200, expect.stringContaining("Your device is connected")])
    expect((await browser.submit(asked, { granted: "true" })).status).toBe(400)
    const answers = await Promise.all([poll(body.device_code), poll(body.device_code)])
    const [tokens, ...others] = answers.filter((each) => each.status === 200)
    expect([others, tokens?.body.scope]).toEqual([[], "openid read:repository"])
    expect(await worksFor(tokens?.body.access_token)).toBeUndefined()
    expect(await wordOf(body.device_code)).toBe("invalid_grant")
    const renewed = await refresh({ ...television, secret: "" }, tokens?.body.refresh_token, { client_secret: undefined })
    expect(renewed.status).toBe(200)
    const stored = JSON.stringify(await hearth.services.database.read.selectFrom("oauth2_device_codes").selectAll().execute())
    expect(stored).not.toContain(body.device_code)
  })

  test("a person says no, or never comes; another client's code is no one's", async () => {
    const { ask, poll, wordOf, pass, signedIn, hearth } = world
    const { body } = await ask()
    const row = await hearth.services.database.read.selectFrom("oauth2_device_codes").selectAll().executeTakeFirstOrThrow()
    for (const secret of [body.device_code, body.user_code, body.user_code.replace("-", "")])
      expect(JSON.stringify(row)).not.toContain(secret)
    expect((await poll(body.device_code, GIT_CREDENTIAL_OAUTH)).body.error).toBe("invalid_grant")
    const browser = await signedIn()
    const asked = await browser.submit(await browser.get("/login/device"), { user_code: body.user_code })
    expect(asked.text).toContain("full access")
    expect((await browser.submit(asked, { granted: "false" })).text).toContain("Your device is not connected")
    expect(await wordOf(body.device_code)).toBe("access_denied")
    const late = (await ask()).body
    pass(901)
    expect(await wordOf(late.device_code)).toBe("expired_token")
    expect((await browser.submit(await browser.get("/login/device"), { user_code: late.user_code })).status).toBe(422)
    await hearth.services.jobs.tasks.run("forget_oauth2_tokens")
    expect(await wordOf(late.device_code)).toBe("invalid_grant")
  })

  test("only public applications that allow it may ask, and not without end", async () => {
    const { ann, ask, call, installed, server, url } = world
    expect((await ask({}, installed.id)).body.error).toBe("unauthorized_client")
    expect((await ask({}, server.id)).body.error).toBe("invalid_client")
    expect((await ask({ scope: "everything" })).body.error).toBe("invalid_scope")
    const options = { name: "x", redirect_uris: ["https://x.example"], confidential_client: true, device_flow: true }
    expect((await call(ann, "POST /user/applications/oauth2", options)).status).toBe(422)
    const answers = []
    for (let count = 0; count < 21; count++) answers.push((await ask({}, GIT_CREDENTIAL_OAUTH)).status)
    expect([answers.slice(0, 15), answers.at(-1)]).toEqual([Array(15).fill(200), 429])
    const document = await (await fetch(`${url}/.well-known/openid-configuration`)).json()
    expect(document).toMatchObject({
      device_authorization_endpoint: `${url}/login/device/code`,
      grant_types_supported: ["authorization_code", "refresh_token", DEVICE_GRANT],
    })
  })

  test("codes are not guessed, and a visitor signs in first", async () => {
    const { pass, signedIn, url } = world
    pass(2_000)
    const browser = await signedIn()
    const statuses = []
    for (let count = 0; count < 7; count++)
      statuses.push((await browser.submit(await browser.get("/login/device"), { user_code: `BCDF-GHJ${"KLMNPQR"[count]}` })).status)
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429, 429])
    const stranger = openBrowser(url)
    const moved = await stranger.get("/login/device?user_code=BCDF-GHJK")
    expect(moved.location).toBe("/user/login?redirect_to=%2Flogin%2Fdevice%3Fuser_code%3DBCDF-GHJK")
  })
})
