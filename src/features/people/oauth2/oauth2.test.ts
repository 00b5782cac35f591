import { hash } from "node:crypto"
import { expect } from "vitest"
import { databaseKinds, type FreshKind, statementsOf } from "../../../../tests/support/database.ts"
import { withHearth, withWorld } from "../../../../tests/support/fixture.ts"
import { jsonOf, openOAuth2World } from "../../../../tests/support/oauth2.ts"
import { startHearth } from "../../../app.ts"
import { openSigningKey } from "./signing-key.ts"

/** Processes of one site share its key. */
const KEY = { security: { secretKey: "5a".repeat(32) } }

withWorld("OAuth2", { open: (kind: FreshKind) => openOAuth2World(kind, KEY), on: databaseKinds }, ({ test, world, kind }) => {
  test("the check of an application's token costs as many statements as that of a person's", async () => {
    const { ben, call, hearth, server, tokensFor } = world
    const { access_token: token } = await tokensFor(server)
    const { body } = await call(ben, "POST /users/ben/tokens", { name: "own", scopes: ["all"] })
    const costOf = async (text: string) => {
      await call(`Bearer ${text}`, "GET /user/emails")
      return (await statementsOf(hearth.services.database, () => call(`Bearer ${text}`, "GET /user/emails?x"))).map(({ name }) => name)
    }
    const [application, own] = [await costOf(token), await costOf(body.sha1)]
    expect(application.length).toBe(own.length)
    expect(application).toContain("authentication.findApplicationToken")
  })

  test("an application that is edited has a new secret, and keeps its tokens; one that is deleted takes them with it", async () => {
    const { ann, ben, application, call, refresh, tokensFor, worksFor } = world
    const client = await application({ name: "Changing" })
    const tokens = await tokensFor(client)
    const [{ id }] = (await call(ann, "GET /user/applications/oauth2?limit=1")).body
    const options = { name: "Changed", redirect_uris: [client.redirect], confidential_client: true }
    expect((await call(ben, `PATCH /user/applications/oauth2/${id}`, options)).status).toBe(404)
    const { body } = await call(ann, `PATCH /user/applications/oauth2/${id}`, options)
    expect(body.client_secret).not.toBe(client.secret)
    expect((await refresh(client, tokens.refresh_token)).body.error).toBe("invalid_client")
    expect(await worksFor(tokens.access_token)).toBe("ben")
    expect((await call(ben, `DELETE /user/applications/oauth2/${id}`)).status).toBe(404)
    expect((await call(ann, `DELETE /user/applications/oauth2/${id}`)).status).toBe(204)
    expect(await worksFor(tokens.access_token)).toBeUndefined()
    expect((await refresh({ ...client, secret: body.client_secret }, tokens.refresh_token)).body.error).toBe("invalid_client")
  })

  test("the applications that come with the site are no one's to change", async () => {
    const { call, root } = world
    const options = { name: "x", redirect_uris: ["https://x.example/"] }
    for (const route of ["GET", "PATCH", "DELETE"])
      expect((await call(root, `${route} /user/applications/oauth2/1`, route === "PATCH" ? options : undefined)).status).toBe(404)
    expect((await call(root, "GET /user/applications/oauth2")).body).toEqual([])
  })

  test("what is missing or empty is refused by name", async () => {
    const { ann, call } = world
    for (const [body, field] of [
      [{ name: "x", redirect_uris: [] }, "redirect_uris"],
      [{ name: "x" }, "redirect_uris"],
      [{ name: " ", redirect_uris: ["https://x.example/"] }, "name"],
    ] as const) {
      const answer = await call(ann, "POST /user/applications/oauth2", body)
      expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining(`[${field}]`)])
    }
  })

  test("userinfo tells the groups, of public ones only where the token is for public things", async () => {
    const { ben, call, server, tokensFor, url } = world
    for (const [username, visibility] of [
      ["Open", "public"],
      ["Closed", "private"],
    ])
      expect((await call(ben, "POST /orgs", { username, visibility })).status).toBe(201)
    const told = async (scope: string) => {
      const { access_token: token } = await tokensFor(server, { scope })
      return jsonOf(fetch(`${url}/login/oauth/userinfo`, { headers: { authorization: `Bearer ${token}` } }))
    }
    expect((await told("openid groups")).groups).toEqual(["Closed", "Closed:owners", "Open", "Open:owners"])
    expect((await told("openid groups public-only")).groups).toEqual(["Open", "Open:owners"])
    expect(Object.keys(await told("openid"))).toEqual(["sub"])
    const { body } = await call(ben, "POST /users/ben/tokens", { name: "info", scopes: ["read:user"] })
    const own = await fetch(`${url}/login/oauth/userinfo`, { method: "POST", headers: { authorization: `Bearer ${body.sha1}` } })
    expect(await own.json()).toMatchObject({ preferred_username: "ben", email: "ben@example.com" })
    for (const [authorization, status, challenge] of [
      [undefined, 401, `Bearer realm="${url}"`],
      ["Bearer gtu_wrong", 401, `Bearer realm="${url}", error="invalid_token"`],
      [ben, 401, `Bearer realm="${url}"`],
    ] as const) {
      const answer = await fetch(`${url}/login/oauth/userinfo`, { headers: authorization === undefined ? {} : { authorization } })
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([status, challenge])
    }
  })

  test("what is granted and taken back is told once, by ids", async () => {
    const { application, authorize, call, ben, hearth, signedIn } = world
    const client = await application()
    const browser = await signedIn()
    const { database } = hearth.services
    const told = async () =>
      (await database.read.selectFrom("events").selectAll().where("kind", "like", "grant.%").orderBy("id").execute()).map((event) => ({
        kind: event.kind,
        actor: event.actor_id,
        data: JSON.parse(event.data),
      }))
    const before = (await told()).length
    for (const scope of ["read:issue", "read:issue", "write:issue", "read:issue"]) await authorize(browser, client, { scope })
    const row = await database.read.selectFrom("oauth2_grants").select("id").orderBy("id", "desc").executeTakeFirstOrThrow()
    const { id: actor } = (await call(ben, "GET /user")).body
    const event = { actor, data: { grant: row.id, user: actor } }
    const revoke = () => browser.post(`/user/settings/applications/grants/${row.id}/revoke`, {})
    expect([(await revoke()).status, (await revoke()).status]).toEqual([303, 404])
    expect((await told()).slice(before)).toEqual([
      { kind: "grant.given", ...event },
      { kind: "grant.given", ...event },
      { kind: "grant.revoked", ...event },
    ])
  })

  test("the key of id tokens is made once, however many ask for it first, and is the one that others read", async () => {
    const { hearth, url } = world
    await hearth.services.database.write((tx) => tx.deleteFrom("oauth2_keys").execute())
    const keys = await Promise.all([1, 2, 3].map(() => openSigningKey(hearth.services)))
    const read = (await jsonOf(fetch(`${url}/login/oauth/keys`))).keys
    for (const { publicKey } of keys) expect([publicKey]).toEqual(read)
    expect(read).toEqual([{ alg: "RS256", e: "AQAB", kid: expect.any(String), kty: "RSA", n: expect.any(String), use: "sig" }])
    const { e, kty, n } = read[0]
    expect(read[0].kid).toBe(hash("sha256", JSON.stringify({ e, kty, n }), "base64url"))
  })

  if (kind === "postgres")
    test("several processes share sessions, codes and tokens", async () => {
      const { authorizePath, hearth, redeem, server, signedIn, url, codeOf } = world
      const other = await startHearth({ memory: true, config: { ...KEY, databaseUrl: hearth.services.config.databaseUrl } })
      try {
        const browser = await signedIn()
        expect((await browser.get(`${other.url}/user/settings/applications`)).status).toBe(200)
        const page = await browser.get(authorizePath(server, { scope: "read:user" }))
        const code = page.status === 200 ? codeOf(await browser.submit(page, { granted: "true" })) : codeOf(page)
        const fields = {
          grant_type: "authorization_code",
          client_id: server.id,
          client_secret: server.secret,
          code,
          redirect_uri: server.redirect,
        }
        const answer = fetch(`${other.url}/login/oauth/access_token`, { method: "POST", body: new URLSearchParams(fields) })
        const { access_token: token } = await jsonOf(answer)
        const mine = await fetch(`${url}/api/v1/user`, { headers: { authorization: `Bearer ${token}` } })
        expect(mine.status).toBe(200)
        expect((await redeem(server, code)).body.error).toBe("invalid_grant")
        const gone = await fetch(`${other.url}/api/v1/user`, { headers: { authorization: `Bearer ${token}` } })
        expect(gone.status).toBe(401)
      } finally {
        await other.close()
      }
    })
})

withHearth("a site without OAuth2", { people: ["ann"], config: { oauth2: { enabled: false } } }, ({ test, forge, ann, status }) => {
  test("has no provider, and takes no tokens of applications", async () => {
    const paths = ["/.well-known/openid-configuration", "/login/oauth/authorize", "/login/oauth/keys", "/login/oauth/userinfo"]
    for (const path of paths) expect([path, (await fetch(forge.hearth.url + path)).status]).toEqual([path, 404])
    expect((await fetch(`${forge.hearth.url}/login/oauth/access_token`, { method: "POST" })).status).toBe(404)
    expect(await status(`Bearer gtu_${"a".repeat(52)}`, "GET /user")).toBe(401)
    expect(await status(ann, "GET /user/applications/oauth2")).toBe(200)
  })
})

withHearth(
  "a site with schemes of its own",
  { people: ["ann"], config: { oauth2: { customSchemes: "com.example.app, myapp" } } },
  ({ test, ann, status }) => {
    test.for([
      ["com.example.app:/cb", 201],
      ["myapp://cb", 201],
      ["other://cb", 400],
      ["myapp", 400],
      ["myapp://cb#f", 400],
    ] as const)("%s is registered with %s", async ([redirect, expected]) => {
      expect(await status(ann, "POST /user/applications/oauth2", { name: "x", redirect_uris: [redirect] })).toBe(expected)
    })
  },
)
