/**
 * A stolen refresh token works for years unless its theft is noticed (RFC 9700, 4.14). Each works once; when one comes a second time, its thief or its
 * owner has the newer one, and the whole authorization ends.
 */
import { expect } from "vitest"
import { databaseKinds } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"
import { openOAuth2World } from "../support/oauth2.ts"

const clock = { now: 1_800_000_000 }
const open = (kind: Parameters<typeof openOAuth2World>[0]) => openOAuth2World(kind, {}, () => clock.now)

withWorld("refresh tokens", { open, on: databaseKinds }, ({ test, world }) => {
  for (const which of ["installed", "server"] as const) {
    test(`a second use ends the authorization of the client ${which}, and no other`, async () => {
      const { refresh, tokensFor, worksFor } = world
      const client = world[which]
      const [tokens, elsewhere] = [await tokensFor(client), await tokensFor(client)]
      const renewed = (await refresh(client, tokens.refresh_token)).body
      expect(await worksFor(renewed.access_token)).toBe("ben")
      const again = await refresh(client, tokens.refresh_token)
      expect([again.status, again.body.error]).toEqual([400, "invalid_grant"])
      for (const token of [tokens.access_token, renewed.access_token]) expect(await worksFor(token)).toBeUndefined()
      expect((await refresh(client, renewed.refresh_token)).body.error).toBe("invalid_grant")
      expect(await worksFor(elsewhere.access_token)).toBe("ben")
    })
  }

  test("of many that use it at once, at most one gets tokens, and they end", async () => {
    const { refresh, server, tokensFor, worksFor } = world
    const tokens = await tokensFor(server)
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(server, tokens.refresh_token)))
    const right = answers.filter(({ status }) => status === 200)
    expect(right).toHaveLength(1)
    expect(await worksFor(right[0]?.body.access_token)).toBeUndefined()
  })

  test("refreshing and revoking at once don't lock each other out", async () => {
    const { post, refresh, server, tokensFor, worksFor } = world
    const browser = await world.signedIn()
    for (let round = 0; round < 5; round++) {
      const tokens = await tokensFor(server, {}, browser)
      const proof = { client_id: server.id, client_secret: server.secret, token: tokens.refresh_token }
      const [renewed, ended] = await Promise.all([refresh(server, tokens.refresh_token), post("revoke", proof)])
      expect(ended.status).toBe(200)
      expect([200, 400]).toContain(renewed.status)
      expect(await worksFor(tokens.access_token)).toBeUndefined()
      if (renewed.status === 200) expect(await worksFor(renewed.body.access_token)).toBeUndefined()
    }
  })

  test("an access token is no refresh token, and the other way round", async () => {
    const { refresh, server, tokensFor, worksFor } = world
    const tokens = await tokensFor(server)
    expect((await refresh(server, tokens.access_token)).body.error).toBe("invalid_grant")
    expect(await worksFor(tokens.refresh_token)).toBeUndefined()
    expect((await refresh(server, tokens.refresh_token)).status).toBe(200)
  })

  test("another client can't use it, and doesn't use it up", async () => {
    const { application, refresh, server, tokensFor } = world
    const other = await application()
    const tokens = await tokensFor(server)
    expect((await refresh(other, tokens.refresh_token)).body.error).toBe("invalid_grant")
    expect((await refresh({ ...server, secret: other.secret }, tokens.refresh_token)).body.error).toBe("invalid_client")
    expect((await refresh(server, tokens.refresh_token)).status).toBe(200)
  })

  test("it gives no more than was granted, and a narrower use narrows the access token only", async () => {
    const { call, refresh, server, tokensFor } = world
    const tokens = await tokensFor(server, { scope: "read:user read:repository" })
    for (const scope of ["write:user", "all", "read:user write:repository", "read:admin", "openid", "bogus"])
      expect([scope, (await refresh(server, tokens.refresh_token, { scope })).body.error]).toEqual([scope, "invalid_scope"])
    const narrow = (await refresh(server, tokens.refresh_token, { scope: "read:repository" })).body
    expect(narrow.scope).toBe("read:repository")
    expect((await call(`Bearer ${narrow.access_token}`, "GET /user")).status).toBe(403)
    expect((await refresh(server, narrow.refresh_token)).body.scope).toBe("read:repository read:user")
  })

  test("tokens end at their time, and are swept then", async () => {
    const { hearth, refresh, server, tokensFor, worksFor } = world
    const tokens = await tokensFor(server)
    const { database, jobs } = hearth.services
    clock.now += 3_600
    expect(await worksFor(tokens.access_token)).toBeUndefined()
    const renewed = (await refresh(server, tokens.refresh_token)).body
    const count = async (table: "oauth2_tokens" | "oauth2_authorizations" | "sessions") =>
      (await database.read.selectFrom(table).select("id").execute()).length
    await jobs.tasks.run("forget_oauth2_tokens")
    // A used refresh token is kept: its second use must be noticed.
    expect((await refresh(server, tokens.refresh_token)).body.error).toBe("invalid_grant")
    expect((await refresh(server, renewed.refresh_token)).body.error).toBe("invalid_grant")
    clock.now += 730 * 3_600
    await jobs.tasks.run("forget_oauth2_tokens")
    expect([await count("oauth2_tokens"), await count("oauth2_authorizations")]).toEqual([0, 0])
    expect(await count("sessions")).toBeGreaterThan(0)
    await jobs.tasks.run("forget_sessions")
    expect(await count("sessions")).toBe(0)
  })
})
