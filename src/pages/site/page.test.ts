import { expect } from "vitest"
import { openBrowser } from "../../../tests/support/browser.ts"
import type { FreshKind } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { freshHearth, PASSWORD } from "../../../tests/support/hearth.ts"

/** Markup, the end of a CDATA section, and characters that XML can't hold. */
const HOSTILE = "<b>&amp;]]> \u0001\u000b\ufffe 😀"

async function open(kind: FreshKind) {
  const forge = await freshHearth(kind, { security: { contact: "security@example.com" } })
  const { call } = forge
  const [ann, ben] = [await forge.person("ann"), await forge.person("ben")]
  await forge.person("zoe", { visibility: "private" })
  for (const name of ["open", "my.tool", "closed"]) await call(ann, "POST /user/repos", { name, private: name === "closed" })
  await call(ann, "POST /repos/ann/my.tool/issues", { title: HOSTILE, body: HOSTILE })
  await call(ann, "POST /repos/ann/closed/issues", { title: "secret" })
  const as = async (name?: string) => {
    const browser = openBrowser(forge.hearth.url)
    if (name !== undefined) await browser.signIn(name, PASSWORD)
    return browser
  }
  return { ...forge, ann, ben, as }
}

/** The names of the elements of a document, if each is closed in its order and nothing in it needs another parser. */
function elementsOf(xml: string): readonly string[] {
  const [declaration = "", ...rest] = xml.split("\n")
  expect(declaration).toBe('<?xml version="1.0" encoding="UTF-8"?>')
  const body = rest.join("\n")
  expect(body).not.toMatch(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u)
  expect(body.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, "")).not.toContain("&")
  const inside: string[] = []
  const all: string[] = []
  for (const [, end, name = "", , selfClosing] of body.matchAll(/<(\/?)([\w:]+)((?:\s[\w:]+="[^"<]*")*)\s*(\/?)>/g)) {
    if (end) expect(inside.pop()).toBe(name)
    else {
      all.push(name)
      if (!selfClosing) inside.push(name)
    }
  }
  expect(inside).toEqual([])
  expect(body.replaceAll(/<\/?[\w:]+(?:\s[\w:]+="[^"<]*")*\s*\/?>/g, "")).not.toMatch(/[<>]/)
  return all
}

withWorld("feeds, sitemaps and other texts of the site", { open }, ({ test, world }) => {
  test.each(["/ann.atom", "/ann.rss", "/ann/my.tool.atom", "/ann/my.tool.rss"])(
    "%s is well-formed, whatever people write",
    async (path) => {
      const { status, text, headers } = await (await world.as()).get(path)
      expect(status).toBe(200)
      expect(headers.get("content-type")).toContain(path.endsWith(".atom") ? "application/atom+xml" : "application/rss+xml")
      const elements = elementsOf(text)
      expect(elements.filter((name) => name === "entry" || name === "item").length).toBeGreaterThan(1)
      expect(text).toContain("opened issue #1 in ann/my.tool")
      expect(text).toContain("&lt;b&gt;&amp;amp;]]&gt;")
      expect(text).not.toContain("secret")
    },
  )

  test("feeds of what one may not see are missing", async () => {
    const [nobody, ann] = [await world.as(), await world.as("ann")]
    for (const path of ["/ann/closed.atom", "/zoe.rss", "/nobody.atom", "/ann/nothing.rss"])
      expect((await nobody.get(path)).status).toBe(404)
    expect((await ann.get("/ann/closed.atom")).text).toContain("secret")
  })

  test("sitemaps have what everyone may see, and nothing else", async () => {
    const nobody = await world.as()
    const parts = [...(await nobody.get("/sitemap.xml")).text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(
      ([, address = ""]) => new URL(address).pathname,
    )
    expect(parts).toEqual(["/explore/repos/sitemap-1.xml", "/explore/users/sitemap-1.xml"])
    const ann = await world.as("ann")
    for (const [path, has, hasNot] of [
      [parts[0], "/ann/open<", "closed"],
      [parts[1], "/ann<", "zoe"],
    ] as const) {
      // The same for those who see more.
      for (const browser of [nobody, ann]) {
        const { text } = await browser.get(path ?? "")
        elementsOf(text)
        expect(text).toContain(has)
        expect(text).not.toContain(hasNot)
      }
    }
    for (const number of ["2", "0", "x"]) expect((await nobody.get(`/explore/repos/sitemap-${number}.xml`)).status).toBe(404)
  })

  test("the go command learns where a module is, and nothing about what it may not see", async () => {
    const nobody = await world.as()
    const answers = []
    for (const name of ["open", "closed", "missing"]) {
      for (const rest of ["", "/deep/package"]) {
        const { status, text } = await nobody.get(`/ann/${name}${rest}?go-get=1`)
        expect(status).toBe(200)
        answers.push(text.replaceAll(name, "NAME"))
      }
    }
    expect(new Set(answers).size).toBe(1)
    const { host } = new URL(world.hearth.url)
    expect(answers[0]).toContain(`<meta name="go-import" content="${host}/ann/NAME git ${world.hearth.url}/ann/NAME.git">`)
    expect((await nobody.get("/explore/repos?go-get=1")).text).not.toContain("go-import")
    expect((await nobody.get("/ann?go-get=1")).text).not.toContain("go-import")
    expect((await nobody.get(`/ann/${encodeURIComponent('"><script>')}?go-get=1`)).text).not.toContain("go-import")
  })

  test("security.txt, and icons where browsers look for them", async () => {
    const nobody = await world.as()
    const { text } = await nobody.get("/.well-known/security.txt")
    expect(text).toMatch(/^Contact: mailto:security@example\.com\nExpires: \d{4}-/)
    for (const path of ["/favicon.ico", "/apple-touch-icon.png"]) {
      const { status, location } = await nobody.get(path)
      expect(status).toBe(302)
      expect((await nobody.get(location)).headers.get("content-type")).toMatch(/^image\//)
    }
  })

  test("stars and watches with the buttons of a repository, and lists of who has done so", async () => {
    const ben = await world.as("ben")
    for (const [add, remove, list] of [
      ["star", "unstar", "stars"],
      ["watch", "unwatch", "watchers"],
    ] as const) {
      expect((await ben.post(`/ann/open/action/${add}`, {})).location).toBe("/ann/open")
      expect((await ben.get(`/ann/open/${list}`)).text).toContain('<a href="/ben"><bdi>')
      await ben.post(`/ann/open/action/${remove}`, {})
      expect((await ben.get(`/ann/open/${list}`)).text).not.toContain('<a href="/ben"><bdi>')
      expect((await ben.post(`/ann/closed/action/${add}`, {})).status).toBe(404)
      expect((await ben.get(`/ann/closed/${list}`)).status).toBe(404)
    }
    expect((await ben.get("/ann/open/forks")).text).toContain("No forks yet")
  })

  test("the front page for those who are not signed in; for others what waits for them", async () => {
    const { call, ann } = world
    const nobody = await (await world.as()).get("/")
    expect(nobody.text).toContain("git clone")
    expect(nobody.text).toContain("/ann/open")
    expect(nobody.text).not.toContain("closed")
    const browser = await world.as("ann")
    expect((await browser.get("/")).text).not.toContain("Waiting for you")
    await call(ann, "PATCH /repos/ann/closed/issues/1", { assignees: ["ann"] })
    const { text } = await browser.get("/")
    expect(text).toContain("Waiting for you")
    expect(text).toContain("/ann/closed/issues/1")
    expect((await browser.get("/?q=my.")).text).toContain("ann/my.tool")
    expect((await (await world.as("ben")).get("/")).text).toContain("No repositories yet")
  })

  test("refusals are pages for people and short for programs", async () => {
    const nobody = await world.as()
    const page = await nobody.get("/ann/nothing", { accept: "text/html" })
    expect([page.status, page.text.match(/<h1\b/g)?.length]).toEqual([404, 1])
    expect(page.text).toContain("/user/login?redirect_to=%2Fann%2Fnothing")
    expect(page.text).toContain('value="ann nothing"')
    const short = await nobody.get("/ann/nothing")
    expect([short.status, short.text.length < 200]).toEqual([404, true])
    const form = await (await world.as("ben")).post("/ann/nothing/action/star", {}, { accept: "text/html" })
    expect([form.status, form.text.includes("Go back")]).toEqual([404, true])
  })
})
