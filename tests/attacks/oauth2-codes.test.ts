/**
 * Codes are stolen on their way (RFC 9700, 4.2 and 4.5), injected into another's session, and used twice; PKCE is taken out of the request (4.8).
 * A code works once, for its client, address and verifier. A second use ends everything that followed from the first.
 */
import { expect } from "vitest"
import { databaseKinds } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"
import { newPair, openOAuth2World } from "../support/oauth2.ts"

const clock = { now: 1_800_000_000 }

const open = (kind: Parameters<typeof openOAuth2World>[0]) => openOAuth2World(kind, {}, () => clock.now)

withWorld("codes", { open, on: databaseKinds }, ({ test, world }) => {
  const withPkce = (pair = newPair()) => ({ pair, fields: { code_challenge: pair.challenge, code_challenge_method: "S256" } })
  const errorOf = ({ location }: { readonly location: string }) => new URL(location).searchParams.get("error")

  test("a code that is used twice ends the tokens of the first use", async () => {
    const { authorize, codeOf, redeem, refresh, server, signedIn, worksFor } = world
    const code = codeOf(await authorize(await signedIn(), server))
    const first = await redeem(server, code)
    expect(await worksFor(first.body.access_token)).toBe("ben")
    const again = await redeem(server, code)
    expect([again.status, again.body.error]).toEqual([400, "invalid_grant"])
    expect(await worksFor(first.body.access_token)).toBeUndefined()
    expect((await refresh(server, first.body.refresh_token)).body.error).toBe("invalid_grant")
  })

  test("of many that use it at once, at most one gets tokens, and they end", async () => {
    const { authorize, codeOf, redeem, server, signedIn, worksFor } = world
    const code = codeOf(await authorize(await signedIn(), server))
    const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(server, code)))
    const right = answers.filter(({ status }) => status === 200)
    expect(right).toHaveLength(1)
    expect(await worksFor(right[0]?.body.access_token)).toBeUndefined()
  })

  test("a stolen code is no use without its verifier, and the honest client still gets its tokens", async () => {
    const { authorize, codeOf, installed, redeem, signedIn } = world
    const { pair, fields } = withPkce()
    const code = codeOf(await authorize(await signedIn(), installed, fields))
    for (const verifier of [newPair().verifier, pair.challenge, "", undefined, `${pair.verifier}=`, "a".repeat(42), "a".repeat(129)]) {
      const { status, body } = await redeem(installed, code, { code_verifier: verifier })
      expect([verifier, status, body.error]).toEqual([verifier, 400, "invalid_grant"])
    }
    expect((await redeem(installed, code, { code_verifier: pair.verifier })).status).toBe(200)
  })

  test("a code can't be injected into the session of another, who has another verifier", async () => {
    const { authorize, codeOf, redeem, server, signedIn } = world
    const [victim, attacker] = [withPkce(), withPkce()]
    const stolen = codeOf(await authorize(await signedIn("ben"), server, victim.fields))
    codeOf(await authorize(await signedIn("ann"), server, attacker.fields))
    const { status, body } = await redeem(server, stolen, { code_verifier: attacker.pair.verifier })
    expect([status, body.error]).toEqual([400, "invalid_grant"])
  })

  test("PKCE can't be taken out of the request", async () => {
    const { authorize, authorizePath, codeOf, installed, redeem, server, signedIn } = world
    const browser = await signedIn()
    // A public client has to use it …
    expect(errorOf(await browser.get(authorizePath(installed)))).toBe("invalid_request")
    // … and what a client with a secret sends a verifier for must have been asked for with a challenge.
    const code = codeOf(await authorize(browser, server))
    const { status, body } = await redeem(server, code, { code_verifier: newPair().verifier })
    expect([status, body.error]).toEqual([400, "invalid_grant"])
  })

  test("PKCE can't be weakened to plain, in whatever words", async () => {
    const { authorizePath, installed, server, signedIn } = world
    const browser = await signedIn()
    const { challenge } = newPair()
    const weak = [
      { code_challenge: challenge, code_challenge_method: "plain" },
      { code_challenge: challenge },
      { code_challenge: challenge, code_challenge_method: "s256" },
      { code_challenge: challenge, code_challenge_method: "none" },
      { code_challenge_method: "S256" },
      { code_challenge: "short", code_challenge_method: "S256" },
    ]
    for (const client of [installed, server])
      for (const fields of weak)
        expect([fields, errorOf(await browser.get(authorizePath(client, fields)))]).toEqual([fields, "invalid_request"])
  })

  test("a challenge doesn't leak into the next request of the same browser", async () => {
    const { authorize, codeOf, installed, redeem, server, signedIn } = world
    const browser = await signedIn()
    await authorize(browser, installed, withPkce().fields)
    const code = codeOf(await authorize(browser, server))
    expect((await redeem(server, code)).status).toBe(200)
  })

  test("a code is not good after ten minutes", async () => {
    const { authorize, codeOf, redeem, server, signedIn } = world
    const browser = await signedIn()
    const [late, justInTime] = [codeOf(await authorize(browser, server)), codeOf(await authorize(browser, server))]
    clock.now += 599
    expect((await redeem(server, justInTime)).status).toBe(200)
    clock.now += 1
    expect((await redeem(server, late)).body.error).toBe("invalid_grant")
  })

  test("a code is not good for another client, nor for one that doesn't prove who it is", async () => {
    const { application, authorize, codeOf, redeem, server, signedIn } = world
    const other = await application()
    const code = codeOf(await authorize(await signedIn(), server))
    expect((await redeem(other, code)).body.error).toBe("invalid_grant")
    expect((await redeem({ ...server, secret: other.secret }, code)).body.error).toBe("invalid_client")
    expect((await redeem(server, code, { client_secret: undefined })).body.error).toBe("invalid_client")
    expect((await redeem(server, code)).status).toBe(200)
  })

  test("a code is not good once its person may not sign in, or has taken back what they granted", async () => {
    const { authorize, call, codeOf, person, redeem, root, server, signedIn } = world
    await person("carol")
    const carol = await signedIn("carol")
    const code = codeOf(await authorize(carol, server))
    const tokens = (await redeem(server, codeOf(await authorize(carol, server)))).body
    await call(root, "PATCH /admin/users/carol", { source_id: 0, login_name: "carol", prohibit_login: true })
    expect((await redeem(server, code)).body.error).toBe("invalid_grant")
    expect((await world.refresh(server, tokens.refresh_token)).body.error).toBe("invalid_grant")
    expect((await world.introspect(server, tokens.access_token)).body).toEqual({ active: false })
  })
})
