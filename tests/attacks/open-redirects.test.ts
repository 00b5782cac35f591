/**
 * Someone renames their organisation to `evil.example` and spreads the address `//org/guild/members` of this site. Its doubled slash shifted the parts of
 * the path, the old name was replaced in the wrong place, and the answer led to `//evil.example/…`, which is another site to browsers. Now doubled slashes
 * are gone at the door, and everything that leads somewhere passes one place, which leads to this site alone.
 */
import { glob, readFile } from "node:fs/promises"
import { request } from "node:http"
import { expect } from "vitest"
import { operations } from "../../src/operations.ts"
import { pages } from "../../src/pages.ts"
import { API_BASE } from "../../src/servers/api/steps.ts"
import { plainUrl } from "../../src/servers/routing/redirect.ts"
import { ownPath } from "../../src/web/address.ts"
import { withHearth } from "../support/fixture.ts"
import { sessionOf } from "../support/session.ts"

/** What browsers take for another site, or may. */
const ELSEWHERE = [
  "//evil.example/",
  "///evil.example/",
  "/\\evil.example/",
  "\\\\evil.example/",
  "/\t/evil.example/",
  "/ /evil.example",
  "https://evil.example/",
  "https:evil.example",
  "javascript:alert(1)",
  "evil.example",
  "/.//evil.example",
  "/x/..//evil.example",
  "",
]

/** The ways to double slashes of a path. */
const spellings = (path: string): readonly string[] => {
  const slashes = [...path.matchAll(/\//g)].map(({ index }) => index)
  return [path, `//${path}`, path.replaceAll("/", "//"), ...slashes.map((at) => `${path.slice(0, at)}/${path.slice(at)}`)]
}

withHearth("redirects", { people: ["ann"] }, ({ test, forge, call, status, ann }) => {
  interface Sent {
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
  }
  interface Answer {
    readonly status: number
    readonly location: string | undefined
  }

  /** Asks for exactly this address, which `fetch` might tidy up. */
  const ask = (path: string, { method = "GET", headers = {}, body }: Sent = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(forge.hearth.url)
      const sent = request({ hostname, port, path, method, headers, agent: false }, (answer) => {
        answer.resume().on("end", () => resolve({ status: answer.statusCode ?? 0, location: answer.headers.location }))
      })
      sent.on("error", reject).end(body)
    })
  const isElsewhere = (location: string | undefined): boolean =>
    location !== undefined && new URL(location, forge.hearth.url).hostname !== new URL(forge.hearth.url).hostname

  test.beforeAll(async () => {
    await call(ann, "POST /orgs", { username: "guild" })
    await call(ann, "POST /orgs/guild/repos", { name: "tool", auto_init: true })
    await call(ann, "PATCH /repos/guild/tool", { name: "evil.repository" })
    expect(await status(ann, "POST /orgs/guild/rename", { new_name: "evil.example" })).toBe(204)
  })

  test("the address of the attack leads to the page", async () => {
    for (const path of spellings("/org/guild/members")) {
      const { status: code, location } = await ask(path, { headers: { accept: "text/html" } })
      expect([code, location]).toEqual([302, "/org/evil.example/members"])
    }
  })

  test("no page, form or operation of something renamed leads elsewhere, however its slashes are doubled", async () => {
    const values: Readonly<Record<string, string>> = { repo: "tool" }
    const filled = (path: string, owner: string) =>
      path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? (/^(owner|org|username|user|name)$/.test(name) ? owner : "1"))
    const addresses = [
      ...pages.map(({ method, address }) => ({ method, path: filled(address, "guild") })),
      ...operations.map(({ method, path }) => ({ method, path: filled(API_BASE + path, "guild") })),
      ...["/guild.keys", "/guild.gpg", "/guild/tool.git/info/refs?service=git-upload-pack"].map((path) => ({ method: "GET", path })),
      ...["/guild/tool/actions/workflows/a.yaml/badge.svg", "/guild/tool/raw/README.md"].map((path) => ({ method: "GET", path })),
      ...["/api/packages/guild/generic/a/1/b", "/api/packages/guild/npm/a"].map((path) => ({ method: "GET", path })),
    ].filter(({ path }) => path.includes("guild"))
    const led: string[] = []
    let moved = 0
    for (const { method, path } of addresses.filter((each) => each.method === "GET"))
      for (const spelled of [path, `/${path}`, path.replaceAll("/", "//")]) {
        const { location } = await ask(spelled, { method, headers: { accept: "text/html" } })
        if (location !== undefined) moved++
        if (isElsewhere(location)) led.push(`${method} ${spelled} → ${location}`)
      }
    expect(led).toEqual([])
    expect(moved).toBeGreaterThan(300)
  })

  test("signing in, choosing a theme and the other forms lead back to this site alone", async () => {
    const cookie = await sessionOf(forge.hearth.url, "ann")
    const form = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin", accept: "text/html" }
    for (const asked of ELSEWHERE) {
      const query = `redirect_to=${encodeURIComponent(asked)}`
      expect([asked, await ask(`/user/login?${query}`, { headers: { cookie } })]).toEqual([asked, { status: 303, location: "/" }])
      const isConfirmed = await ask(`/user/confirm?${query}`, { headers: { cookie } })
      expect(isElsewhere(isConfirmed.location)).toBe(false)
      for (const path of ["/-/theme", "/-/diffs", "/-/dismiss"]) {
        const { host } = new URL(forge.hearth.url)
        const referer = `http://${host}${asked.startsWith("/") ? asked : `/${asked}`}`
        const { location } = await ask(path, {
          method: "POST",
          headers: { ...form, cookie, host, referer: referer.replace("\t", "") },
          body: "theme=dark",
        })
        expect([path, asked, isElsewhere(location)]).toEqual([path, asked, false])
      }
    }
  })

  test("paths of this site are kept, and what browsers may take for another site is the front page", () => {
    for (const path of ["/", "/ann/tool?q=a//b", "/a%2F%2Fb", "/ann/tool/src/branch/main/x#L1"]) expect(ownPath(path)).toBe(path)
    for (const asked of ELSEWHERE) expect([asked, ownPath(asked)]).toEqual([asked, "/"])
  })

  test("an address is read without doubled slashes, its query as it is", () => {
    expect(["//a///b/?x=//c", "http://host.example//a?b", "http://host.example", "/a//", "*"].map(plainUrl)).toEqual([
      "/a/b/?x=//c",
      "/a?b",
      "/",
      "/a/",
      "*",
    ])
  })

  test("no other place sends anyone anywhere", async () => {
    const places: string[] = []
    for await (const file of glob("src/**/*.ts"))
      if (!file.endsWith(".test.ts") && /\.redirect\(|header\("location"/i.test(await readFile(file, "utf8"))) places.push(file)
    expect(places).toEqual(["src/servers/routing/redirect.ts"])
  })
})
