/**
 * A page of another site sent bodies as `text/plain`, `text/x-json` and forms, which a browser sends without asking (no preflight), and the browser
 * added the password that it remembers for this site: 12 of 16 writes succeeded, among them new issues and new users, and a fork that needs no body.
 * Now every change that a page of another origin asks for is refused unless a token in the Authorization header allows it, whatever the protocol,
 * and JSON is read only from what says exactly that it is JSON. No answer lets such a page read it.
 */
import { expect } from "vitest"
import { withHearth } from "../support/fixture.ts"
import { PASSWORD } from "../support/hearth.ts"

const FROM = "https://evil.example"
/** What browsers send with requests of other pages; the last ones where the address is plain http, or for a page without an origin. */
const ELSEWHERE: readonly Readonly<Record<string, string>>[] = [
  { "sec-fetch-site": "cross-site", origin: FROM },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site", origin: "https://other.localhost" },
  { "sec-fetch-site": "same-origin, cross-site" },
  { origin: FROM },
  { origin: "null" },
  { origin: "http://localhost:1" },
  { origin: "not an origin" },
]

withHearth("pages of other sites", { people: ["ann", "ben"] }, ({ test, forge, ann, ben }) => {
  const send = async (method: string, path: string, headers: Readonly<Record<string, string>>, body?: string) => {
    const answer = await fetch(forge.hearth.url + path, { method, headers, redirect: "manual", ...(body !== undefined && { body }) })
    return { status: answer.status, text: await answer.text(), headers: answer.headers }
  }
  test.beforeAll(async () => {
    for (const name of ["lamp", "tray"]) await forge.call(ann, "POST /user/repos", { name, auto_init: true, default_branch: "main" })
  })

  const json = { "content-type": "application/json" }
  /** A change by each way: [what, method, address, headers, body]. */
  const changes = [
    ["an issue", "POST", "/api/v1/repos/ann/lamp/issues", json, '{"title":"x"}'],
    ["an issue by a form", "POST", "/api/v1/repos/ann/lamp/issues", { "content-type": "application/x-www-form-urlencoded" }, "title=x"],
    ["a fork without a body", "POST", "/api/v1/repos/ann/lamp/forks", {}, undefined],
    ["a star without a body", "PUT", "/api/v1/user/starred/ann/lamp", {}, undefined],
    ["a new name", "PATCH", "/api/v1/repos/ann/lamp", json, '{"name":"stolen"}'],
    ["an end", "DELETE", "/api/v1/repos/ann/lamp", {}, undefined],
    ["a picture", "POST", "/api/v1/repos/ann/lamp/issues/1/assets", { "content-type": "multipart/form-data; boundary=x" }, "--x--"],
    ["a lock", "POST", "/ann/lamp.git/info/lfs/locks", { accept: "application/vnd.git-lfs+json", ...json }, '{"path":"a"}'],
    ["a large file", "PUT", `/ann/lamp.git/info/lfs/objects/${"a".repeat(64)}/1`, {}, "x"],
    ["a push", "POST", "/ann/lamp.git/git-receive-pack", { "content-type": "application/x-git-receive-pack-request" }, "0000"],
    ["a page's form", "POST", "/user/change_password", { "content-type": "application/x-www-form-urlencoded" }, "login=ann"],
  ] as const

  test.for(changes)("%s is refused with the credentials that a browser adds, and without any", async ([, method, path, headers, body]) => {
    for (const elsewhere of ELSEWHERE)
      for (const authorization of [ann, undefined]) {
        const sent = { ...headers, ...elsewhere, ...(authorization !== undefined && { authorization }) }
        const { status, text } = await send(method, path, sent, body)
        expect([elsewhere, status, text]).toEqual([elsewhere, 403, expect.stringContaining("a page of another site asks for this change")])
      }
  })

  test("a token as a remembered password is refused too, in the Authorization header it is enough", async () => {
    const { body: token } = await forge.call(ben, "POST /users/ben/tokens", { name: "t", scopes: ["all"] })
    const call = (authorization: string) =>
      send("POST", "/api/v1/repos/ann/lamp/issues", { ...json, ...ELSEWHERE[0], authorization }, '{"title":"by token"}')
    expect((await call(`Basic ${btoa(`ben:${token.sha1}`)}`)).status).toBe(403)
    for (const scheme of ["token", "Bearer"]) expect((await call(`${scheme} ${token.sha1}`)).status).toBe(201)
    expect((await call("Bearer wrong")).status).toBe(401)
    expect((await call(`Digest username="ann", response="${PASSWORD}"`)).status).toBe(403)
  })

  test("our own pages, and what is no browser, may change things", async () => {
    const { url } = forge.hearth
    const ours = [
      {},
      { "sec-fetch-site": "same-origin", origin: url },
      // A page of ours that is not to tell its address.
      { "sec-fetch-site": "same-origin", origin: "null" },
      { "sec-fetch-site": "none" },
      { origin: url },
      // Through a proxy that takes the TLS off.
      { origin: url.replace("http:", "https:") },
    ]
    for (const from of ours) {
      const { status } = await send("POST", "/api/v1/repos/ann/tray/issues", { ...json, ...from, authorization: ann }, '{"title":"x"}')
      expect([from, status]).toEqual([from, 201])
    }
    const otherName = `http://127.0.0.1:${new URL(url).port}`
    const { status } = await fetch(`${otherName}/api/v1/repos/ann/tray/issues`, {
      method: "POST",
      headers: { ...json, origin: otherName, authorization: ann },
      body: '{"title":"called by another name than the configured one"}',
    })
    expect([url === otherName, status]).toEqual([false, 201])
  })

  test("a mail program may unsubscribe from its own site: the link itself is what allows it", async () => {
    expect((await send("POST", "/user/unsubscribe/none", { ...ELSEWHERE[0] })).status).toBe(404)
  })

  test("no answer to a page of another site lets it read", async () => {
    const shares = (headers: Headers) => [...headers.keys()].filter((name) => /^access-control-allow/.test(name))
    const reads = [
      "/api/v1/user",
      "/api/v1/repos/ann/lamp",
      "/api/v1/repos/ann/lamp/raw/README.md",
      "/ann/lamp.git/info/refs?service=git-upload-pack",
    ]
    for (const path of reads) {
      const { status, headers } = await send("GET", path, { ...ELSEWHERE[0], authorization: ann })
      expect([path, status, shares(headers)]).toEqual([path, 200, []])
    }
    const asking = { origin: FROM, "access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type" }
    for (const path of ["/api/v1/user/repos", "/api/v1/repos/ann/lamp/issues", "/ann/lamp.git/git-receive-pack", "/user/change_password"]) {
      const { status, headers } = await send("OPTIONS", path, asking)
      expect([path, status >= 400, shares(headers)]).toEqual([path, true, []])
    }
    // The description of the API is public, and readable without credentials only.
    expect(shares((await send("GET", "/swagger.v1.json", { origin: FROM })).headers)).toEqual(["access-control-allow-origin"])
  })

  test.for([
    "text/plain",
    "text/x-json",
    "text/json",
    "application/jsonp",
    "application/x-json",
    "text/plain; charset=json",
    "multipart/form-data",
  ])("JSON that calls itself %s is refused", async (type) => {
    const body = '{"title":"x"}'
    const made = await send("POST", "/api/v1/repos/ann/lamp/issues", { "content-type": type, authorization: ann }, body)
    expect([made.status, made.text]).toEqual([422, expect.stringContaining("[Content-Type]: must be application/json")])
    const lock = { accept: "application/vnd.git-lfs+json", "content-type": type, authorization: ann }
    const locked = await send("POST", "/ann/lamp.git/info/lfs/locks", lock, '{"path":"a"}')
    expect([locked.status, locked.text]).toEqual([415, expect.stringContaining("the Content-Type header must name")])
  })

  test.for(["application/json", "Application/JSON; charset=utf-8", "application/json;charset=UTF-8"])(
    "JSON as %s is read",
    async (type) => {
      const { status } = await send("POST", "/api/v1/repos/ann/lamp/issues", { "content-type": type, authorization: ann }, '{"title":"x"}')
      expect(status).toBe(201)
    },
  )
})
