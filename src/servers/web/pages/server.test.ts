import { request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { statementsOf, undisturbed } from "../../../../tests/support/database.ts"
import { freshHearth, PASSWORD, type TestHearth } from "../../../../tests/support/hearth.ts"

interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly bytes: Buffer
  readonly text: string
}

/** How declared pages are served: kept, encoded, redirected and refused. */
describe("serving pages", () => {
  let forge: TestHearth
  let moment = 1_800_000_000
  let ann = ""
  let bob = ""

  beforeAll(async () => {
    forge = await freshHearth("sqlite", {}, { now: () => moment })
    const header = await forge.person("ann")
    await forge.person("bob")
    expect((await forge.call(header, "POST /user/repos", { name: "tools", auto_init: true })).status).toBe(201)
    expect((await forge.call(header, "POST /user/repos", { name: "hidden", private: true, auto_init: true })).status).toBe(201)
    ann = await signIn("ann")
    bob = await signIn("bob")
    // What a page shows of git is stored by now.
    await forge.hearth.services.jobs.drain()
  })
  afterAll(() => forge.close())

  async function signIn(login: string): Promise<string> {
    const body = new URLSearchParams({ login, password: PASSWORD })
    const answer = await fetch(`${forge.hearth.url}/user/login`, { method: "POST", redirect: "manual", body })
    return answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? ""
  }

  /** Not by fetch, which decodes, and mends addresses. */
  const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET", body = ""): Promise<Got> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(forge.hearth.url)
      request({ hostname, port, method, path, headers: { accept: "text/html", ...headers } }, (answer) => {
        const parts: Buffer[] = []
        answer.on("data", (part: Buffer) => parts.push(part))
        answer.on("end", () => {
          const bytes = Buffer.concat(parts)
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes, text: bytes.toString() })
        })
      })
        .on("error", reject)
        .end(body)
    })
  const form = (path: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}): Promise<Got> =>
    get(path, { "content-type": "application/x-www-form-urlencoded", ...headers }, "POST", new URLSearchParams(fields).toString())

  const write = () => forge.call(forge.root, "POST /user/repos", { name: `other-${Math.random().toString(36).slice(2)}` })
  const statements = async (path: string, cookie: string): Promise<number> =>
    (await statementsOf(forge.hearth.services.database, () => get(path, { cookie }))).length

  describe("keeps a page", () => {
    it("until something is written", async () => {
      const { made, kept, mark } = await undisturbed(forge.hearth.services.database, async (text) => {
        const first = await statements(`/explore/repos?q=${text}`, ann)
        return { mark: text, made: first, kept: await statements(`/explore/repos?q=${text}`, ann) }
      })
      expect(kept).toBeLessThan(made)
      await write()
      expect(await statements(`/explore/repos?q=${mark}`, ann)).toBe(made)
    })

    it("for a minute", async () => {
      const counts = await undisturbed(forge.hearth.services.database, async (mark) => {
        const made = await statements(`/explore/repos?q=${mark}`, ann)
        moment += 59
        const kept = await statements(`/explore/repos?q=${mark}`, ann)
        moment += 2
        return { made, kept, again: await statements(`/explore/repos?q=${mark}`, ann) }
      })
      expect(counts.kept).toBeLessThan(counts.made)
      expect(counts.again).toBe(counts.made)
    })

    it("for one reader, in one theme, at one address", async () => {
      const [made, kept] = await undisturbed(forge.hearth.services.database, async (mark) => [
        await statements(`/ann/tools?${mark}`, ann),
        await statements(`/ann/tools?${mark}`, ann),
      ])
      expect(kept).toBeLessThan(made ?? 0)
      expect((await get("/ann/tools?one", { cookie: bob })).text).toContain("Signed in as bob")
      expect((await get("/ann/tools?one")).text).not.toContain("Signed in as")
      expect((await get("/ann/tools?one", { cookie: `${ann}; hearth_theme=dark` })).text).toContain('data-theme="dark"')
      expect((await get("/ann/tools?one", { cookie: ann })).text).not.toContain("data-theme=")
      expect((await get("/ann/hidden", { cookie: ann })).status).toBe(200)
      expect((await get("/ann/hidden", { cookie: bob })).status).toBe(404)
    })
  })

  it("answers 304 to those who have it, and the page again after a change", async () => {
    const { headers, status } = await get("/explore/repos?q=304", { cookie: ann })
    const tag = String(headers["etag"])
    expect([status, headers["cache-control"], headers["vary"]]).toEqual([
      200,
      "private, no-cache",
      "Cookie, Accept-Language, Accept-Encoding",
    ])
    const again = await get("/explore/repos?q=304", { cookie: ann, "if-none-match": tag })
    expect([again.status, again.text]).toEqual([304, ""])
    expect((await get("/explore/repos?q=304", { cookie: ann, "if-none-match": '"other"' })).status).toBe(200)
    expect((await get("/explore/repos?q=304", { cookie: bob, "if-none-match": tag })).status).toBe(200)
  })

  it("compresses as the browser likes it", async () => {
    const { text, headers } = await get("/explore/repos")
    expect(headers["content-encoding"]).toBeUndefined()
    const br = await get("/explore/repos", { "accept-encoding": "gzip, deflate, br" })
    expect([br.headers["content-encoding"], brotliDecompressSync(br.bytes).toString()]).toEqual(["br", text])
    const gzip = await get("/explore/repos", { "accept-encoding": "gzip, br;q=0" })
    expect([gzip.headers["content-encoding"], gunzipSync(gzip.bytes).toString()]).toEqual(["gzip", text])
    for (const none of ["identity", "br;q=0, gzip;q=0.0", ""])
      expect((await get("/explore/repos", { "accept-encoding": none })).text).toBe(text)
  })

  it("answers HEAD as GET, without the page", async () => {
    const { text, headers } = await get("/ann/tools")
    const head = await get("/ann/tools", {}, "HEAD")
    expect([head.status, head.text, head.headers["content-length"]]).toEqual([200, "", String(Buffer.byteLength(text))])
    expect(head.headers["etag"]).toBe(headers["etag"])
    expect((await get("/ann/nothing", {}, "HEAD")).status).toBe(404)
  })

  it("shows once what a form has done", async () => {
    const cookie = `${ann}; hearth_flash=${encodeURIComponent("Done <b>&amp;</b>")}`
    const shown = await get("/explore/repos?q=flash", { cookie })
    expect(shown.text).toContain("Done &lt;b&gt;&amp;amp;&lt;/b&gt;")
    expect(shown.headers["cache-control"]).toBe("no-store")
    expect(String(shown.headers["set-cookie"])).toMatch(/^hearth_flash=;.*Max-Age=0/)
    const next = await get("/explore/repos?q=flash", { cookie: ann })
    expect(next.text).not.toContain("Done")
    expect((await get("/explore/repos", { cookie: `${ann}; hearth_flash=%zz` })).status).toBe(200)
  })

  it("leads from an older name of a repository to the newer, with the rest and the query", async () => {
    const header = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString("base64")}`
    await forge.call(header, "POST /user/repos", { name: "before", auto_init: true })
    await forge.call(header, "PATCH /repos/ann/before", { name: "after" })
    for (const [asked, to] of [
      ["/ann/before", "/ann/after"],
      ["/ann/before/src/branch/main/README.md?display=source", "/ann/after/src/branch/main/README.md?display=source"],
      ["/ann/before/releases?page=2", "/ann/after/releases?page=2"],
    ] as const) {
      const { status, headers } = await get(asked)
      expect([status, new URL(String(headers["location"]), forge.hearth.url).href]).toEqual([302, forge.hearth.url + to])
    }
    await forge.call(header, "PATCH /repos/ann/after", { private: true })
    expect((await get("/ann/before")).status).toBe(404)
  })

  it("takes a slash at the end, and the ending of a clone address", async () => {
    for (const path of ["/ann/tools/", "/ann/tools.git", "/explore/repos/", "//ann//tools"])
      expect((await get(path)).status, path).toBe(200)
    expect((await get("/ann/hidden.git", { cookie: bob })).status).toBe(404)
  })

  it("says what is wrong in a page to people, and in a record to programs", async () => {
    const page = await get("/ann/nothing", { cookie: ann })
    expect([page.status, page.headers["content-type"]]).toEqual([404, "text/html;charset=utf-8"])
    expect(page.headers["cache-control"]).toBe("no-store")
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'")
    for (const path of ["/nothing/at/all/of/it", "/%00", `/${"a".repeat(2_000)}`]) {
      const { status, text } = await get(path)
      expect([400, 404], path).toContain(status)
      expect(text, path).not.toMatch(/<script>|Error:/)
    }
    const record = await get("/api/v1/repos/ann/nothing")
    expect([record.status, String(record.headers["content-type"])]).toEqual([404, expect.not.stringContaining("text/html")])
    expect(String((await get("/nothing/at/all/of/it", { accept: "application/json" })).headers["content-type"])).not.toContain("text/html")
  })

  it("asks who is not signed in to do so, and comes back", async () => {
    const { status, headers } = await get("/issues?q=a%20b")
    expect([status, headers["location"]]).toEqual([303, `/user/login?redirect_to=${encodeURIComponent("/issues?q=a%20b")}`])
    expect(headers["cache-control"]).toBe("no-store")
  })

  it("remembers the theme", async () => {
    const at = { referer: `${forge.hearth.url}/ann/tools?tab=1`, host: new URL(forge.hearth.url).host }
    const dark = await form("/-/theme", { theme: "dark" }, at)
    expect([dark.status, dark.headers["location"]]).toEqual([303, "/ann/tools?tab=1"])
    expect(String(dark.headers["set-cookie"])).toMatch(/^hearth_theme=dark; Path=\/; Max-Age=\d{8}; HttpOnly; SameSite=Lax/)
    for (const theme of ["auto", "nonsense", '"><b>'])
      expect(String((await form("/-/theme", { theme }, at)).headers["set-cookie"])).toContain("hearth_theme=; Path=/; Max-Age=0")
    expect((await form("/-/theme", { theme: "dark" }, { origin: "https://elsewhere.example" })).status).toBe(403)
  })

  it("remembers how differences are wanted, and shows no reader what another one chose", async () => {
    const { host } = new URL(forge.hearth.url)
    const at = { referer: `${forge.hearth.url}/ann/tools/commit/main?style=unified&whitespace=ignore-all`, host }
    const split = await form("/-/diffs", { style: "split" }, at)
    expect([split.status, split.headers["location"]]).toEqual([303, "/ann/tools/commit/main?whitespace=ignore-all"])
    expect(String(split.headers["set-cookie"])).toMatch(
      /^hearth_diffs=split\.show-all\.wrap; Path=\/; Max-Age=\d{8}; HttpOnly; SameSite=Lax/,
    )
    const kept = { ...at, cookie: "hearth_diffs=split.ignore-eol.wrap" }
    const cookieAfter = async (fields: Readonly<Record<string, string>>) =>
      String((await form("/-/diffs", fields, kept)).headers["set-cookie"])
    expect(await cookieAfter({ lines: "long" })).toContain("=split.ignore-eol.long;")
    expect(await cookieAfter({})).toContain("=split.ignore-eol.wrap;")
    expect(await cookieAfter({ style: '"><b>;', whitespace: "ignore-all" })).toContain("=unified.ignore-all.wrap;")
    // What everyone has needs no cookie.
    expect(await cookieAfter({ style: "unified", whitespace: "show-all" })).toContain("hearth_diffs=; Path=/; Max-Age=0;")
    expect((await form("/-/diffs", { style: "split" }, { origin: "https://elsewhere.example" })).status).toBe(403)
    const counts = await undisturbed(forge.hearth.services.database, async (mark) => ({
      made: await statements(`/explore/repos?q=${mark}`, ann),
      other: await statements(`/explore/repos?q=${mark}`, `${ann}; hearth_diffs=split.show-all.wrap`),
      kept: await statements(`/explore/repos?q=${mark}`, `${ann}; hearth_diffs=split.nonsense.wrap`),
    }))
    expect(counts.other).toBe(counts.made)
    expect(counts.kept).toBeLessThan(counts.made)
  })

  it.each([
    "https://elsewhere.example/",
    "//elsewhere.example/",
    "javascript:alert(1)",
    "/\\elsewhere.example",
    "/%0d%0aset-cookie:a=b",
    "nothing",
  ])("leads to no other site by the referrer %s", async (referer) => {
    const { headers } = await form("/-/theme", { theme: "dark" }, { referer })
    expect(headers["location"]).toMatch(/^\/(?![/\\])/)
    expect(headers["location"]).not.toContain("elsewhere")
  })

  it("says what browsers may do with a page", async () => {
    const { headers } = await get("/ann/tools")
    const policy = String(headers["content-security-policy"])
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
    ])
      expect(policy).toContain(part)
    expect(policy).not.toContain("unsafe")
    expect(headers["x-content-type-options"]).toBe("nosniff")
    expect(headers["x-frame-options"]).toBe("DENY")
    expect(headers["referrer-policy"]).toBe("same-origin")
  })
})
