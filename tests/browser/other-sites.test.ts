import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Browser, BrowserContext } from "playwright-core"
import { afterAll, expect } from "vitest"
import { freshHearth, PASSWORD, type TestHearth } from "../support/hearth.ts"
import { test } from "./browser.ts"

/** What pages of another site do with someone who is signed in here, in Chromium; each answer by itself is tested in `tests/attacks/other-sites.test.ts`. */

let browser: Browser
let forge: TestHearth
let evil: Server
let ann = ""
let root = ""
let context: BrowserContext
/** What the evil page shows. */
let page = ""

test.beforeAll(async ({ browser: shared }) => {
  browser = shared
  forge = await freshHearth("sqlite")
  ann = await forge.person("ann")
  root = forge.hearth.services.site.rootUrl
  await forge.call(ann, "POST /user/repos", { name: "tools", auto_init: true, description: "Before" })
  evil = createServer((_, response) => response.setHeader("content-type", "text/html").end(page))
  await new Promise<void>((listens) => evil.listen(0, listens))
  context = await browser.newContext()
  await signIn(context)
})
afterAll(async () => {
  await context?.close()
  evil?.closeAllConnections()
  evil?.close()
  await forge?.close()
})

async function signIn(where: BrowserContext, from = "", meanwhile = async (): Promise<void> => {}): Promise<string> {
  const tab = await where.newPage()
  await tab.goto(`${root}/user/login${from}`)
  await meanwhile()
  await tab.fill("[name=login]", "ann")
  await tab.fill("[name=password]", PASSWORD)
  await Promise.all([tab.waitForEvent("load"), tab.click("main form button.primary")])
  const at = tab.url()
  await tab.close()
  return at
}

/** The evil page by both names of this machine: as another site, and as the same site with another port, to which cookies are sent along. */
const places = (): readonly string[] =>
  ["127.0.0.1", new URL(root).hostname].map((host) => {
    const address: AddressInfo | string | null = evil.address()
    return `http://${host}:${typeof address === "object" ? address?.port : ""}/`
  })

const session = async (where: BrowserContext) => (await where.cookies(root)).find(({ httpOnly }) => httpOnly)

test("forms that they send change nothing", async () => {
  const before = (await forge.call(ann, "GET /repos/ann/tools")).body
  const tab = await context.newPage()
  for (const place of places())
    for (const [path, type, fields] of [
      ["/ann/tools/settings", "application/x-www-form-urlencoded", { description: "Stolen" }],
      ["/ann/tools/settings", "text/plain", { description: "Stolen" }],
      ["/ann/tools/action/star", "application/x-www-form-urlencoded", {}],
      ["/ann/tools/settings/delete", "application/x-www-form-urlencoded", { confirm: "ann/tools" }],
      ["/user/settings/avatar", "multipart/form-data", {}],
      ["/user/settings/applications/new", "application/x-www-form-urlencoded", { name: "stolen", all: "true" }],
      ["/api/v1/repos/ann/tools/issues", "text/plain", { '{"title":"stolen","body":"': '"}' }],
      ["/user/login", "application/x-www-form-urlencoded", { login: "ann", password: PASSWORD }],
      ["/user/logout", "application/x-www-form-urlencoded", {}],
    ] as const) {
      const inputs = Object.entries(fields).map(([name, value]) => `<input type="hidden" name='${name}' value='${value}'>`)
      page = `<!doctype html><form method="post" enctype="${type}" action="${root}${path}">${inputs.join("")}<button>win</button></form>`
      await tab.goto(place)
      const answers = tab.waitForResponse((answer) => answer.request().method() === "POST")
      await tab.click("button")
      expect([place, path, (await answers).status()]).toEqual([place, path, 403])
      await tab.waitForLoadState()
    }
  await tab.close()
  const { updated_at: _, ...after } = (await forge.call(ann, "GET /repos/ann/tools")).body
  expect(before).toMatchObject(after)
  expect((await forge.call(ann, "GET /repos/ann/tools/issues")).body).toEqual([])
  expect((await forge.call(ann, "GET /users/ann/tokens")).body).toEqual([])
  expect(await session(context)).toBeDefined()
})

test("no page, and no file, is shown in their frames", async () => {
  const tab = await context.newPage()
  for (const place of places())
    for (const path of ["/", "/user/login", "/ann/tools", "/ann/tools/settings", "/ann/tools/raw/branch/main/README.md", "/nowhere"]) {
      page = `<!doctype html><iframe src="${root}${path}"></iframe>`
      await tab.goto(place)
      const [, frame] = tab.frames()
      expect([path, frame?.url()]).toEqual([path, "chrome-error://chromewebdata/"])
    }
  await tab.close()
})

test("a session that was put into the browser is not the one that someone gets by signing in", async () => {
  const [known, victim] = [await browser.newContext(), await browser.newContext()]
  const tab = await victim.newPage()
  await tab.goto(root)
  expect(await session(victim)).toBeUndefined()
  await signIn(known)
  const planted = await session(known)
  if (!planted) throw new Error("no one is signed in")
  await signIn(victim, "", () => victim.addCookies([planted]))
  const own = await session(victim)
  expect([own?.name, own?.value === planted.value]).toEqual([planted.name, false])
  await Promise.all([known.close(), victim.close()])
})

test("signing in leads to no other site", async () => {
  const port = new URL(places()[0] ?? "").port
  const evils = [`//127.0.0.1:${port}`, `/\\127.0.0.1:${port}`, `http:127.0.0.1:${port}`, `\t//127.0.0.1:${port}`, `/\t/127.0.0.1:${port}`]
  const more = [
    `@127.0.0.1:${port}`,
    `http://ann@127.0.0.1:${port}/`,
    `\\\\127.0.0.1:${port}`,
    `%2f%2f127.0.0.1:${port}`,
    `/%5c127.0.0.1:${port}`,
  ]
  const odd = [
    `http://localhost:${port}/`,
    `/\r\nLocation: http://127.0.0.1:${port}/`,
    "javascript:alert(1)",
    `/./\\/127.0.0.1:${port}`,
    `/..//127.0.0.1:${port}`,
  ]
  for (const target of [...evils, ...more, ...odd]) {
    const visitor = await browser.newContext()
    const at = await signIn(visitor, `?redirect_to=${encodeURIComponent(target)}`)
    expect([target, new URL(at).origin]).toEqual([target, root])
    await visitor.close()
  }
})
