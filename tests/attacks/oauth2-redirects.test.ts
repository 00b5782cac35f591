/**
 * A code that is sent to another address than the application's is stolen (RFC 9700, 4.1). Addresses are compared letter by letter; only the port of a
 * loopback address is free, and only for public clients. Where the address is not trusted, nothing is sent to it: not even an error, which would make the
 * authorization endpoint a redirector to anywhere (4.11).
 */
import { expect } from "vitest"
import { withWorld } from "../support/fixture.ts"
import { newPair, openOAuth2World } from "../support/oauth2.ts"

const VARIANTS = [
  "https://board.example.com/cb/",
  "https://board.example.com/cb/../evil",
  "https://board.example.com/cb%2f..%2fevil",
  "https://board.example.com/CB",
  "https://BOARD.example.com/cb",
  "https://board.example.com:8443/cb",
  "https://board.example.com:443/cb",
  "http://board.example.com/cb",
  "https://board.example.com/cb?next=https://evil.example",
  "https://board.example.com/cb#",
  "https://board.example.com/cb#fragment",
  "https://board.example.com/cb/more",
  "https://board.example.com/c",
  "https://board.example.com.evil.example/cb",
  "https://board.example.com@evil.example/cb",
  "https://evil.example/https://board.example.com/cb",
  "https://evil.example\\@board.example.com/cb",
  "https:\\\\board.example.com\\cb",
  "https:board.example.com/cb",
  "//board.example.com/cb",
  "/cb",
  " https://board.example.com/cb",
  "https://board.example.com/cb\n",
  "https://board.example.com/cb\t",
  "javascript:alert(1)",
  "data:text/html,x",
  "https://board.example.com/cb https://evil.example",
  "",
]

const PORTS = [
  ["http://127.0.0.1/done", true],
  ["http://127.0.0.1:1/done", true],
  ["http://127.0.0.1:65535/done", true],
  ["http://127.0.0.1:65536/done", false],
  ["http://127.0.0.1:123456/done", false],
  ["http://127.0.0.1:/done", false],
  ["http://127.0.0.1:80:80/done", false],
  ["http://127.0.0.1:80/other", false],
  ["http://127.0.0.1:80/done/", false],
  ["http://127.0.0.1:80/done?x=1", false],
  ["http://127.0.0.1:80@evil.example/done", false],
  ["http://user@127.0.0.1:80/done", false],
  ["http://127.0.0.1.evil.example:80/done", false],
  ["http://127.0.0.2:80/done", false],
  ["http://2130706433:80/done", false],
  ["http://0x7f.0.0.1:80/done", false],
  ["http://localhost:80/done", false],
  ["http://[::1]:80/done", false],
  ["https://127.0.0.1:80/done", false],
  ["HTTP://127.0.0.1:80/done", false],
] as const

withWorld("redirect addresses", { open: openOAuth2World }, ({ test, world }) => {
  const pkce = () => ({ code_challenge: newPair().challenge, code_challenge_method: "S256" })

  test.for(VARIANTS)("%j is not the registered one", async (redirect) => {
    const { authorizePath, server, signedIn } = world
    const page = await (await signedIn()).get(authorizePath(server, { redirect_uri: redirect }))
    expect([page.status, page.location]).toEqual([400, ""])
    expect(page.text).not.toContain("evil.example")
  })

  test("the registered one is", async () => {
    const { authorizePath, server, signedIn } = world
    expect((await (await signedIn()).get(authorizePath(server))).status).toBe(200)
  })

  test.for(PORTS)("of a public client, %s: %s", async ([redirect, isRight]) => {
    const { authorizePath, installed, signedIn } = world
    const page = await (await signedIn()).get(authorizePath(installed, { redirect_uri: redirect, ...pkce() }))
    expect(page.status).toBe(isRight ? 200 : 400)
  })

  test("a confidential client has no port free, and a registered port binds a public one", async () => {
    const { application, authorizePath, signedIn } = world
    const browser = await signedIn()
    const local = await application({ redirect_uris: ["http://127.0.0.1/done"] })
    expect((await browser.get(authorizePath(local, { redirect_uri: "http://127.0.0.1:80/done" }))).status).toBe(400)
    const fixed = await application({ redirect_uris: ["http://127.0.0.1:7000/done"], confidential_client: false })
    for (const [port, status] of [
      [7000, 200],
      [7001, 400],
    ]) {
      const redirect = `http://127.0.0.1:${port}/done`
      expect((await browser.get(authorizePath(fixed, { redirect_uri: redirect, ...pkce() }))).status).toBe(status)
    }
  })

  test("two addresses or two clients in one request are one too many", async () => {
    const { authorizePath, installed, server, signedIn } = world
    const browser = await signedIn()
    for (const more of [`&redirect_uri=${encodeURIComponent("https://evil.example/")}`, `&client_id=${installed.id}`]) {
      const page = await browser.get(authorizePath(server) + more)
      expect([page.status, page.location]).toEqual([400, ""])
    }
  })

  test("an error goes to the registered address only", async () => {
    const { authorizePath, server, signedIn } = world
    const browser = await signedIn()
    const wrong = { response_type: "token" }
    const elsewhere = await browser.get(authorizePath(server, { ...wrong, redirect_uri: "https://evil.example/" }))
    expect([elsewhere.status, elsewhere.location]).toEqual([400, ""])
    const { status, location } = await browser.get(authorizePath(server, wrong))
    expect([status, new URL(location).searchParams.get("error")]).toEqual([303, "unsupported_response_type"])
  })

  test("the code is bound to the address of its request", async () => {
    const { application, authorize, codeOf, redeem, signedIn } = world
    const client = await application({ redirect_uris: ["https://a.example/cb", "https://b.example/cb"] })
    const code = codeOf(await authorize(await signedIn(), client))
    for (const redirect of ["https://b.example/cb", undefined]) {
      const { status, body } = await redeem(client, code, { redirect_uri: redirect })
      expect([status, body.error]).toEqual([400, "invalid_grant"])
    }
    expect((await redeem(client, code)).status).toBe(200)
  })

  test.for([
    ["ftp://x.example/", 400],
    ["javascript:alert(1)", 400],
    ["https://x.example/#f", 400],
    ["https://u:p@x.example/", 400],
    ["https:x.example", 400],
    ["https://x.example/a b", 400],
    ["https://x.example\\a", 400],
    ["https://x;sandbox/", 400],
    ["https://x,y/", 400],
    ["https://x'y/", 400],
    ["https://exämple.org/", 400],
    ["https://x.example/ä", 400],
    ["http://[::1]:80/ok", 201],
    ["https://xn--exmple-cua.example:8443/ok?a=b&c=d", 201],
    ["", 400],
    ["https://x.example/ok", 201],
  ] as const)("%s is registered with %s", async ([redirect, status]) => {
    const { ann, call } = world
    const made = await call(ann, "POST /user/applications/oauth2", { name: "x", redirect_uris: [redirect] })
    expect(made.status).toBe(status)
  })

  test("after the sign-in too, one goes on inside of this site only", async () => {
    const { signedIn } = world
    const browser = await signedIn()
    const paths = [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example",
      "https:evil.example",
      "/\t/evil.example",
      "/%0d%0aset-cookie:a",
      "\\\\evil.example",
      "/..//evil.example",
      "@evil.example",
      "javascript:alert(1)",
      "/ok?x=%2F%2Fevil",
    ]
    const found = []
    for (const path of paths) found.push((await browser.get(`/user/login?redirect_to=${encodeURIComponent(path)}`)).location)
    expect(found).toEqual(["/", "/", "/", "/", "/", "/%0d%0aset-cookie:a", "/", "/", "/", "/", "/ok?x=%2F%2Fevil"])
  })
})
