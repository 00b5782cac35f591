/**
 * Someone else's page agrees in the place of the person: by sending the form itself (CSRF), by showing the page in a frame under something else
 * (clickjacking, RFC 9700, 4.16), or by having a form sent that was shown to another.
 */
import { expect } from "vitest"
import { withWorld } from "../support/fixture.ts"
import { PASSWORD } from "../support/hearth.ts"
import { newPair, openOAuth2World } from "../support/oauth2.ts"

withWorld("the consent page", { open: openOAuth2World }, ({ test, world }) => {
  const answerOf = ({ location }: { readonly location: string }) => [...new URL(location).searchParams.keys()]

  test("is not agreed to by pages of other sites", async () => {
    const { application, authorizePath, signedIn, url } = world
    const server = await application()
    const browser = await signedIn()
    const page = await browser.get(authorizePath(server))
    for (const elsewhere of [
      { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
      { "sec-fetch-site": "same-site", origin: "https://other.localhost" },
      { "sec-fetch-site": "cross-site", origin: "null" },
    ]) {
      const { status, location } = await browser.submit(page, { granted: "true" }, elsewhere)
      expect([elsewhere, status, location]).toEqual([elsewhere, 403, ""])
    }
    expect(answerOf(await browser.submit(page, { granted: "true" }, { origin: url }))).toEqual(["code", "state", "iss"])
  })

  test("is agreed to by what it shows only: its request can't be made up, changed, or taken from another session", async () => {
    const { application, authorizePath, signedIn } = world
    const server = await application()
    const [ben, ann, again] = [await signedIn("ben"), await signedIn("ann"), await signedIn("ben")]
    const page = await ben.get(authorizePath(server))
    const sealed = page.forms[0]?.fields["request"] ?? ""
    expect(sealed).not.toBe("")
    const changed = `${sealed.slice(0, -2)}${sealed.endsWith("AA") ? "BB" : "AA"}`
    for (const request of ["", "x", changed, new URLSearchParams(authorizePath(server).split("?")[1]).toString()]) {
      const { status, location } = await ben.post("/login/oauth/grant", { request, granted: "true" })
      expect([status, location]).toEqual([400, ""])
    }
    for (const browser of [ann, again]) {
      const { status, location } = await browser.post("/login/oauth/grant", { request: sealed, granted: "true" })
      expect([status, location]).toEqual([400, ""])
    }
    // Other fields are not looked at.
    const agreed = await ben.submit(page, { granted: "true", scope: "all", redirect_uri: "https://evil.example/", client_id: "x" })
    expect(agreed.location).toMatch(/^https:\/\/board\.example\.com\/cb\?code=gta_/)
  })

  test("means no by everything but yes", async () => {
    const { application, authorizePath, signedIn } = world
    const server = await application()
    const browser = await signedIn()
    for (const granted of ["", "false", "TRUE", "1"]) {
      const { location } = await browser.submit(await browser.get(authorizePath(server, { scope: "write:admin" })), { granted })
      expect(new URL(location).searchParams.get("error")).toBe("access_denied")
    }
  })

  test("is void once its session is over, or the application has moved", async () => {
    const { ann, application, authorizePath, call, signedIn } = world
    const server = await application()
    const browser = await signedIn()
    const page = await browser.get(authorizePath(server, { prompt: "consent" }))
    await browser.post("/user/logout", {})
    await browser.signIn("ben", PASSWORD)
    expect((await browser.submit(page, { granted: "true" })).status).toBe(400)
    const moving = await application({ name: "Moving" })
    const shown = await browser.get(authorizePath(moving))
    const { body } = await call(ann, "GET /user/applications/oauth2?limit=50")
    const { id } = body.find(({ client_id }: { readonly client_id: string }) => client_id === moving.id)
    const options = { name: "Moving", redirect_uris: ["https://new.example/"], confidential_client: true }
    expect((await call(ann, `PATCH /user/applications/oauth2/${id}`, options)).status).toBe(200)
    const { status, location } = await browser.submit(shown, { granted: "true" })
    expect([status, location]).toEqual([400, ""])
  })

  test("can't be shown in a frame, runs no scripts but the site's own, and its form leads to this site and the application only", async () => {
    const { application, authorizePath, installed, signedIn } = world
    const server = await application()
    const browser = await signedIn()
    const pkce = { code_challenge: newPair().challenge, code_challenge_method: "S256" }
    const pages = [
      [await browser.get(authorizePath(server, { prompt: "consent" })), "'self' https://board.example.com"],
      [
        await browser.get(authorizePath(installed, { redirect_uri: "http://127.0.0.1:5000/done", ...pkce })),
        "'self' http://127.0.0.1:5000",
      ],
      [await browser.get("/user/login?again=1"), "'self'"],
    ] as const
    for (const [{ status, headers }, targets] of pages) {
      expect(status).toBe(200)
      expect(headers.get("x-frame-options")).toBe("DENY")
      expect(headers.get("referrer-policy")).toBe("same-origin")
      expect(headers.get("cache-control")).toBe("no-store")
      const policy = headers.get("content-security-policy")?.split("; ") ?? []
      expect(policy).toEqual(
        expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", `form-action ${targets}`]),
      )
      expect(policy.join()).not.toMatch(/script-src (?!'self'(,|$))|unsafe/)
    }
  })

  test("shows what an application is called as text", async () => {
    const { application, authorizePath, signedIn } = world
    const name = `<script>alert(1)</script>"'&`
    const page = await (await signedIn()).get(authorizePath(await application({ name })))
    expect(page.status).toBe(200)
    expect(page.text).not.toContain("<script>alert")
    expect(page.text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;")
  })

  test("comes again for what was not agreed to, for public clients, and where it is asked for", async () => {
    const { application, authorize, authorizePath, signedIn, tokensFor } = world
    const server = await application()
    const browser = await signedIn("ann")
    const statusFor = async (fields: Readonly<Record<string, string>>) => (await browser.get(authorizePath(server, fields))).status
    expect(await statusFor({ scope: "read:issue" })).toBe(200)
    await authorize(browser, server, { scope: "read:issue" })
    expect(await statusFor({ scope: "read:issue" })).toBe(303)
    for (const scope of ["write:issue", "read:issue read:user", "openid read:issue", ""])
      expect([scope, await statusFor({ scope })]).toEqual([scope, 200])
    expect(await statusFor({ scope: "read:issue", prompt: "consent" })).toBe(200)
    await authorize(browser, server, { scope: "write:issue" })
    expect(await statusFor({ scope: "read:issue" })).toBe(303)
    // A public client can't prove that it is the one that was agreed to, unless its owner takes that on.
    const fields = { code_challenge: newPair().challenge, code_challenge_method: "S256", scope: "read:issue" }
    for (const [skip, status] of [
      [false, 200],
      [true, 303],
    ] as const) {
      const client = await application({ confidential_client: false, skip_secondary_authorization: skip })
      // `tokensFor` would send a secret; public clients' are not looked at.
      await tokensFor(client, { scope: "read:issue" }, browser)
      expect((await browser.get(authorizePath(client, fields))).status).toBe(status)
    }
  })

  test("without a session one signs in first, and is not asked where the client forbids it", async () => {
    const { application, authorizePath, signedIn } = world
    const server = await application()
    const errorOf = ({ location }: { readonly location: string }) => new URL(location).searchParams.get("error")
    const anonymous = await fetch(world.url + authorizePath(server), { redirect: "manual" })
    expect([anonymous.status, anonymous.headers.get("location")]).toEqual([
      303,
      `/user/login?redirect_to=${encodeURIComponent(authorizePath(server))}`,
    ])
    const silent = await fetch(world.url + authorizePath(server, { prompt: "none" }), { redirect: "manual" })
    expect(errorOf({ location: silent.headers.get("location") ?? "" })).toBe("login_required")
    const browser = await signedIn()
    expect(errorOf(await browser.get(authorizePath(server, { prompt: "none", scope: "write:package" })))).toBe("consent_required")
    for (const fields of [{ prompt: "login" }, { max_age: "0", prompt: "login consent" }]) {
      const { location } = await browser.get(authorizePath(server, fields))
      expect(location).toMatch(/^\/user\/login\?redirect_to=.*&again=1$/)
      expect(decodeURIComponent(location)).not.toMatch(/prompt=[^&]*login/)
      expect((await browser.get(location)).status).toBe(200)
    }
    // A form of another site, which comes without the cookie, is turned into a link.
    const posted = await fetch(`${world.url}/login/oauth/authorize`, {
      method: "POST",
      body: new URLSearchParams(authorizePath(server).split("?")[1]),
      headers: { "sec-fetch-site": "cross-site" },
      redirect: "manual",
    })
    expect([posted.status, posted.headers.get("location")]).toEqual([303, authorizePath(server)])
  })
})
