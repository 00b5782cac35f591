/** Tokens, codes and secrets end up where others read them: in addresses, in the Referer header, in caches, in logs, in the database (RFC 9700, 4.2 and 4.3). */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { expect } from "vitest"
import { withWorld } from "../support/fixture.ts"
import { newPair, openOAuth2World } from "../support/oauth2.ts"

const lines: string[] = []

async function open(kind: Parameters<typeof openOAuth2World>[0]) {
  const world = await openOAuth2World(kind, { log: { level: "trace", format: "json" } })
  return world
}

withWorld("secrets of OAuth2", { open }, ({ test, world }) => {
  // The log writes to the descriptor itself.
  const { writeSync } = fs
  const writeBy = (replaced: typeof fs.writeSync) => {
    fs.writeSync = replaced
    syncBuiltinESMExports()
  }
  test.beforeAll(() => {
    const captured = new Proxy(writeSync, {
      apply: (target, self, given: readonly unknown[]) => {
        const [descriptor, content] = given
        if (descriptor !== 2 || !(content instanceof Uint8Array)) return Reflect.apply(target, self, [...given])
        lines.push(Buffer.from(content).toString())
        return content.byteLength
      },
    })
    writeBy(captured)
  })
  test.afterAll(() => writeBy(writeSync))

  test("are in no line of the log, and stand in no table as they are", async () => {
    const { authorize, codeOf, hearth, post, redeem, refresh, server, signedIn, worksFor } = world
    const browser = await signedIn()
    const pair = newPair()
    const code = codeOf(
      await authorize(browser, server, { code_challenge: pair.challenge, code_challenge_method: "S256", scope: "openid" }),
    )
    await redeem(server, code, { code_verifier: newPair().verifier })
    const tokens = (await redeem(server, code, { code_verifier: pair.verifier })).body
    const renewed = (await refresh(server, tokens.refresh_token)).body
    await worksFor(renewed.access_token)
    await refresh(server, tokens.refresh_token)
    await post("revoke", { token: "gtr_unknown", client_id: server.id, client_secret: server.secret })
    await fetch(`${world.url}/login/oauth/authorize?access_token=${renewed.access_token}&client_secret=${server.secret}`)
    const [cookie = ""] = browser.cookies.values()
    const secrets = {
      cookie,
      code,
      verifier: pair.verifier,
      client: server.secret,
      id: tokens.id_token,
      access: tokens.access_token,
      refresh: tokens.refresh_token,
      access2: renewed.access_token,
      refresh2: renewed.refresh_token,
    }
    const { database } = hearth.services
    const tables = [
      "sessions",
      "oauth2_applications",
      "oauth2_grants",
      "oauth2_authorizations",
      "oauth2_tokens",
      "oauth2_keys",
      "events",
    ] as const
    const rows = await Promise.all(tables.map((table) => database.read.selectFrom(table).selectAll().execute()))
    const stored = JSON.stringify(rows)
    const logged = lines.join("")
    expect(logged).toContain("/login/oauth/access_token")
    for (const [name, secret] of Object.entries(secrets)) {
      expect([name, secret.length > 20]).toEqual([name, true])
      expect([name, stored.includes(secret), logged.includes(secret)]).toEqual([name, false, false])
    }
    expect(stored).not.toContain("PRIVATE KEY")
  })

  test("are in no address but the code, which nothing is told of that comes after", async () => {
    const { authorize, authorizePath, server, signedIn, tokensFor } = world
    const browser = await signedIn()
    const back = await authorize(browser, server)
    expect([...new URL(back.location).searchParams.keys()]).toEqual(["code", "state", "iss"])
    expect(back.headers.get("referrer-policy")).toBe("no-referrer")
    expect(back.headers.get("cache-control")).toBe("no-store")
    // Without the implicit grant there are no tokens in addresses.
    for (const type of ["token", "id_token", "code token", "code id_token", "none", ""]) {
      const { location } = await browser.get(authorizePath(server, { response_type: type }))
      expect([type, new URL(location).searchParams.get("error")]).toEqual([type, "unsupported_response_type"])
      expect(location).not.toMatch(/access_token|id_token=|code=/)
    }
    for (const mode of ["fragment", "form_post"]) {
      const { location } = await browser.get(authorizePath(server, { response_mode: mode }))
      expect(new URL(location).searchParams.get("error")).toBe("invalid_request")
    }
    const { access_token: token } = await tokensFor(server)
    for (const name of ["access_token", "token"]) {
      expect((await browser.get(`/api/v1/user?${name}=${token}`)).status).toBe(401)
      expect((await browser.get(`/login/oauth/userinfo?${name}=${token}`)).status).toBe(401)
    }
  })

  test("are in no cache", async () => {
    const { authorize, codeOf, introspect, redeem, server, signedIn, url } = world
    const answer = await redeem(server, codeOf(await authorize(await signedIn(), server)))
    const userinfo = await fetch(`${url}/login/oauth/userinfo`, { headers: { authorization: `Bearer ${answer.body.access_token}` } })
    for (const { headers } of [answer, await introspect(server, answer.body.access_token), await redeem(server, "x"), userinfo])
      expect(headers.get("cache-control")).toBe("no-store")
  })

  test("are not readable for pages of other sites; public documents are", async () => {
    const { url } = world
    const shares = async (path: string, method: string) =>
      (await fetch(url + path, { method, headers: { origin: "https://evil.example" } })).headers.get("access-control-allow-origin")
    for (const path of ["access_token", "introspect", "revoke", "userinfo"]) expect(await shares(`/login/oauth/${path}`, "POST")).toBeNull()
    for (const path of ["/login/oauth/keys", "/.well-known/openid-configuration"]) expect(await shares(path, "GET")).toBe("*")
  })
})
