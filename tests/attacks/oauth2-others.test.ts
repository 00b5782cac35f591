/**
 * One server takes an answer for another's (mix-up, RFC 9700, 4.4), one client uses or asks about what was given to another, strangers ask about tokens, and
 * secrets of clients are guessed.
 */
import { expect } from "vitest"
import { withWorld } from "../support/fixture.ts"
import { ask } from "../support/from-address.ts"
import { basic, PASSWORD } from "../support/hearth.ts"
import { jsonOf, openOAuth2World } from "../support/oauth2.ts"

const clock = { now: 1_800_000_000 }
const open = (kind: Parameters<typeof openOAuth2World>[0]) => openOAuth2World(kind, {}, () => clock.now)

withWorld("clients and servers", { open }, ({ test, world }) => {
  test("every answer says which server it is from, and errors do", async () => {
    const { authorizePath, server, signedIn, url } = world
    const browser = await signedIn()
    const shown = await browser.get(authorizePath(server))
    const answers = [
      await browser.submit(shown, { granted: "false" }),
      await browser.submit(shown, { granted: "true" }),
      await browser.get(authorizePath(server)),
      await browser.get(authorizePath(server, { response_type: "token" })),
      await browser.get(authorizePath(server, { scope: "bogus" })),
      await browser.get(authorizePath(server, { scope: "write:package", prompt: "none" })),
    ]
    for (const { status, location } of answers) {
      const told = new URL(location).searchParams
      expect([status, told.get("iss"), told.get("state")]).toEqual([303, url, "st"])
    }
    for (const path of ["openid-configuration", "oauth-authorization-server"]) {
      const metadata = await jsonOf(fetch(`${url}/.well-known/${path}`))
      expect(metadata).toMatchObject({ issuer: url, authorization_response_iss_parameter_supported: true })
    }
  })

  test("a client learns nothing about tokens of another, and can't end them", async () => {
    const { application, introspect, post, server, tokensFor, worksFor } = world
    const other = await application()
    const tokens = await tokensFor(server)
    for (const token of [tokens.access_token, tokens.refresh_token, "gtu_unknown", "x".repeat(5_000)])
      expect((await introspect(other, token)).body).toEqual({ active: false })
    expect((await introspect(server, tokens.access_token)).body).toMatchObject({ active: true, token_type: "bearer" })
    expect((await introspect(server, tokens.refresh_token)).body).toMatchObject({ active: true, token_type: "refresh_token" })
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      const { status, body } = await post("revoke", { token }, { authorization: basic(other.id, other.secret) })
      expect([status, body.error]).toEqual([400, "unauthorized_client"])
    }
    expect(await worksFor(tokens.access_token)).toBe("ben")
  })

  test("strangers can't ask about tokens, nor public clients, nor people with their password", async () => {
    const { installed, post, server, tokensFor } = world
    const { access_token: token } = await tokensFor(server)
    const strangers = [
      {},
      { authorization: basic(server.id, "gto_wrong") },
      { authorization: basic(server.id, "") },
      { authorization: basic(installed.id, installed.secret) },
      { authorization: basic("ann", PASSWORD) },
      { authorization: `Bearer ${token}` },
    ]
    for (const headers of strangers) {
      const { status, body, headers: answered } = await post("introspect", { token }, headers)
      expect([headers, status, body.error, answered.get("www-authenticate")]).toEqual([
        headers,
        401,
        "invalid_client",
        `Basic realm="${world.url}"`,
      ])
    }
    const form = await post("introspect", { token, client_id: server.id, client_secret: server.secret })
    expect(form.body).toMatchObject({ active: true })
  })

  test("revocation ends an access token alone, a refresh token with all the rest, and is silent about unknown ones", async () => {
    const { installed, post, refresh, server, tokensFor, worksFor } = world
    for (const client of [installed, server]) {
      const tokens = await tokensFor(client)
      const proof = { client_id: client.id, client_secret: client === installed ? undefined : client.secret }
      expect((await post("revoke", { ...proof, token: tokens.access_token })).status).toBe(200)
      expect(await worksFor(tokens.access_token)).toBeUndefined()
      const renewed = (await refresh(client, tokens.refresh_token)).body
      expect((await post("revoke", { ...proof, token: renewed.refresh_token, token_type_hint: "access_token" })).status).toBe(200)
      expect(await worksFor(renewed.access_token)).toBeUndefined()
      for (const token of [renewed.refresh_token, "unknown"]) expect((await post("revoke", { ...proof, token })).status).toBe(200)
      expect((await post("revoke", proof)).body.error).toBe("invalid_request")
    }
    expect((await post("revoke", { token: "x" })).body.error).toBe("invalid_client")
  })

  test("a body that can't be read, or says a thing twice, is refused", async () => {
    const { server, url } = world
    const send = async (body: string, type: string, more = {}) => {
      const answer = fetch(`${url}/login/oauth/access_token`, { method: "POST", body, headers: { "content-type": type, ...more } })
      return (await jsonOf(answer)).error
    }
    const form = "application/x-www-form-urlencoded"
    expect(await send("grant_type=refresh_token&grant_type=authorization_code", form)).toBe("invalid_request")
    expect(await send("{", "application/json")).toBe("invalid_request")
    expect(await send("[]", "application/json")).toBe("unsupported_grant_type")
    expect(await send("grant_type=refresh_token", form, { authorization: "Basic %%%" })).toBe("invalid_request")
    expect(await send("grant_type=refresh_token", form, { authorization: basic("%zz", "x") })).toBe("invalid_request")
    const both = `grant_type=refresh_token&client_id=${server.id}&client_secret=other`
    expect(await send(both, form, { authorization: basic(server.id, server.secret) })).toBe("invalid_request")
    // What is in the address ends up in logs, and is not read.
    const inAddress = `${url}/login/oauth/access_token?grant_type=refresh_token&client_id=${server.id}&client_secret=${server.secret}`
    expect((await jsonOf(fetch(inAddress, { method: "POST" }))).error).toBe("unsupported_grant_type")
    for (const [path, allowed] of [
      ["access_token", "POST"],
      ["revoke", "POST"],
      ["introspect", "POST"],
      ["keys", "GET"],
    ] as const) {
      const answer = await fetch(`${url}/login/oauth/${path}`, { method: "DELETE" })
      expect([path, answer.status, answer.headers.get("allow")]).toEqual([path, 405, allowed])
    }
  })

  test("guessing a client's secret ends after five, from this network, and keeps no other out", async () => {
    const { application, url } = world
    const client = await application()
    const guess = (address: string, secret: string, id = client.id) =>
      ask(address, `${url}/login/oauth/introspect`, {
        method: "POST",
        body: "token=x",
        headers: { authorization: basic(id, secret), "content-type": "application/x-www-form-urlencoded" },
      })
    const statuses = []
    for (let count = 0; count < 7; count++) statuses.push((await guess("127.0.0.2", `gto_${count}`)).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
    expect(await guess("127.0.0.2", client.secret)).toMatchObject({ status: 429, retryAfter: "30" })
    expect((await guess("127.0.0.3", client.secret)).status).toBe(200)
    clock.now += 30
    expect((await guess("127.0.0.2", client.secret)).status).toBe(200)
    // Ids that are unknown are no different.
    const unknown = []
    for (let count = 0; count < 6; count++) unknown.push((await guess("127.0.0.2", "gto_x", "a4792ccc-0000-0000-0000-000000000000")).status)
    expect(unknown).toEqual([401, 401, 401, 401, 401, 429])
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toMatch(/hearth_sign_ins_total\{kind="client_secret",outcome="wrong"\} [1-9]/)
  })
})
