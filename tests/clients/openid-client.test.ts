/** A well-known client library against our provider, through the real pages. */
import * as client from "openid-client"
import { expect } from "vitest"
import { withWorld } from "../support/fixture.ts"
import { openOAuth2World } from "../support/oauth2.ts"

withWorld("openid-client", { open: openOAuth2World }, ({ test, world }) => {
  const insecure = { execute: [client.allowInsecureRequests] }

  test("signs a person in: discovery, PKCE, id token, userinfo, introspection, refresh, revocation", async () => {
    const { server, signedIn, url, worksFor } = world
    const config = await client.discovery(new URL(url), server.id, server.secret, client.ClientSecretBasic(server.secret), insecure)
    expect(config.serverMetadata()).toMatchObject({ issuer: url, authorization_response_iss_parameter_supported: true })
    expect(config.serverMetadata().supportsPKCE()).toBe(true)
    const [pkceCodeVerifier, expectedState, expectedNonce] = [client.randomPKCECodeVerifier(), client.randomState(), client.randomNonce()]
    const address = client.buildAuthorizationUrl(config, {
      redirect_uri: server.redirect,
      scope: "openid profile email groups read:user",
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
      state: expectedState,
      nonce: expectedNonce,
    })
    const browser = await signedIn()
    const page = await browser.get(address.href)
    for (const words of [
      "Authorize Board?",
      'href="/ann"',
      "ben",
      "https://board.example.com/cb",
      "Know your e-mail address",
      "Read your account",
    ])
      expect(page.text).toContain(words)
    const back = await browser.submit(page, { granted: "true" })
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
    const tokens = await client.authorizationCodeGrant(config, new URL(back.location), checks)
    const claims = tokens.claims()
    expect(claims).toMatchObject({ iss: url, aud: [server.id], preferred_username: "ben", email: "ben@example.com", email_verified: true })
    expect(await worksFor(tokens.access_token)).toBe("ben")

    const told = await client.fetchUserInfo(config, tokens.access_token, claims?.sub ?? "")
    expect(told).toMatchObject({ sub: claims?.sub, name: "ben", email: "ben@example.com", groups: [] })
    const known = await client.tokenIntrospection(config, tokens.access_token)
    expect(known).toMatchObject({ active: true, username: "ben", client_id: server.id, scope: "openid profile email groups read:user" })

    const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? "", { scope: "openid read:user" })
    expect(renewed).toMatchObject({ scope: "openid read:user" })
    expect(await worksFor(renewed.access_token)).toBe("ben")
    await client.tokenRevocation(config, renewed.refresh_token ?? "")
    for (const token of [tokens.access_token, renewed.access_token]) {
      expect(await worksFor(token)).toBeUndefined()
      expect(await client.tokenIntrospection(config, token)).toEqual({ active: false })
    }
    await expect(client.refreshTokenGrant(config, renewed.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" })
  })

  test("does the same by RFC 8414 and as a client without a secret, and is asked for the page every time", async () => {
    const { installed, signedIn, url, worksFor } = world
    const config = await client.discovery(new URL(url), installed.id, undefined, client.None(), { ...insecure, algorithm: "oauth2" })
    const browser = await signedIn()
    for (let time = 0; time < 2; time++) {
      const pkceCodeVerifier = client.randomPKCECodeVerifier()
      const address = client.buildAuthorizationUrl(config, {
        redirect_uri: "http://127.0.0.1:50123/done",
        scope: "read:user",
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: "S256",
      })
      const page = await browser.get(address.href)
      expect(page.status).toBe(200)
      const back = await browser.submit(page, { granted: "true" })
      const tokens = await client.authorizationCodeGrant(config, new URL(back.location), { pkceCodeVerifier })
      expect(tokens.id_token).toBeUndefined()
      expect(await worksFor(tokens.access_token)).toBe("ben")
    }
  })

  test("is told when the person says no", async () => {
    const { authorizePath, server, signedIn, url } = world
    const config = await client.discovery(new URL(url), server.id, server.secret, undefined, insecure)
    const browser = await signedIn()
    const page = await browser.get(authorizePath(server, { scope: "write:admin" }))
    const back = await browser.submit(page, { granted: "false" })
    const answer = client.authorizationCodeGrant(config, new URL(back.location), { expectedState: "st" })
    await expect(answer).rejects.toMatchObject({ error: "access_denied" })
  })
})
