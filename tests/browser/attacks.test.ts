import type { Browser, BrowserContext, Page as Tab } from "playwright-core"
import { afterAll, expect } from "vitest"
import { pages } from "../../src/pages.ts"
import { pageAt } from "../pages/addresses.ts"
import { crawl } from "../pages/crawl.ts"
import { NAME } from "./attacks.ts"
import { test } from "./browser.ts"
import { type HostileWorld, openHostileWorld } from "./hostile-world.ts"
import { complaintsOf } from "./inspect.ts"

/**
 * Every text that people write is an attack, and every page that shows it is opened in Chromium: nothing runs, nothing becomes an element, nothing is
 * asked of another site. What would run but for the policy of pages is reported by the browser, and fails as well.
 */

const TABS = 4

let world: HostileWorld
let browser: Browser
let context: BrowserContext
/** The pages to be looked at: found by following links from the entries, of each shape a few. */
let paths: readonly string[]

test.beforeAll(async ({ browser: shared }) => {
  browser = shared
  world = await openHostileWorld("sqlite")
  const visited = await crawl({ url: world.url, cookie: world.cookie, entries: world.entries, most: 220, ofOneShape: 1 })
  paths = visited.filter(({ html, status }) => html.startsWith("<!doctype html>") && status === 200).map(({ path }) => path)
  context = await browser.newContext({ serviceWorkers: "block" })
  const [name = "", value = ""] = world.cookie.split("=", 2)
  await context.addCookies([{ name, value, url: world.url }])
})
afterAll(async () => {
  await context?.close()
  await world?.close()
})

/** What is wrong after a page was opened, or after `then` as well. */
async function faultsOf(tab: Tab, path: string, isPage: boolean): Promise<readonly string[]> {
  const faults = complaintsOf(tab, world.url)
  tab.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  // A browser names what it was asked for, and then that the policy has kept it from asking; pages must not even ask.
  if (!isPage)
    tab.on("requestfailed", (request) => {
      const at = request.failure()?.errorText === "csp" ? faults.indexOf(`elsewhere: ${request.url()}`) : -1
      if (at >= 0) faults.splice(at, 1)
    })
  // A download is no page, and ends the navigation.
  const answer = await tab.goto(world.url + path, { waitUntil: "load" }).catch(() => null)
  if (answer === null && isPage) faults.push("was not loaded")
  const client = await context.newCDPSession(tab)
  const { result } = await client.send("Runtime.evaluate", {
    expression: isPage ? TRACES : "String(globalThis.pwned ?? '')",
    returnByValue: true,
  })
  await client.detach()
  tab.removeAllListeners()
  if (result.value !== "") faults.push(`found: ${result.value}`)
  return faults
    .filter((fault) => !EXPECTED.some((pattern) => pattern.test(fault)) || (!isPage && fault.startsWith("found")))
    .map((fault) => `${path.slice(0, 200)} ${fault}`)
}

/** Pictures that are not there, and, of files that are opened by themselves, what their own policy has kept from running. */
const EXPECTED = [/^console: Failed to load resource: the server responded with a status of (404|400|422)/]
const KEPT_FROM = [
  /^console: (?:Blocked script execution|Refused to|.*violates the following Content Security Policy)/,
  /^console: .*sandbox/,
]

/** What attacks would leave in the document, by the rules of a browser and none of ours. */
const TRACES = `(() => {
  const found = []
  if (globalThis.pwned !== undefined) found.push("it ran")
  if (document.title === "" || !document.querySelector("main") || !document.querySelector("footer.site-footer")) found.push("the page is not whole")
  const visit = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) { found.push("a shadow root"); visit(element.shadowRoot) }
      const tag = element.localName
      if (/pwned|^(?:base|object|embed|applet|portal|frame|frameset|math|foreignobject|animate|marquee|plaintext|xmp|template)$/i.test(tag) && element.id !== "line-box") found.push("<" + tag + ">")
      if (tag === "script" && (element.src === "" || !element.src.startsWith(location.origin + "/assets/"))) found.push("a script " + element.outerHTML.slice(0, 100))
      if (tag === "link" && /stylesheet/.test(element.rel) && !element.href.startsWith(location.origin + "/assets/")) found.push("styles " + element.href)
      if (tag === "style") found.push("a style element")
      if (tag === "meta" && element.httpEquiv) found.push("meta " + element.httpEquiv)
      for (const { name, value } of element.attributes) {
        // The editor places its lines by styles that its script sets.
        if (name === "style" && element.closest(".cm-editor")) continue
        if (/^on|pwned|^(?:style|srcdoc|ping|background|xlink:href|is|slot)$/i.test(name) || (name === "formaction" && !/^\\/(?!\\/)/.test(value))) found.push(tag + " " + name + "=" + value.slice(0, 80))
        if (/^(?:href|src|action|poster|data|cite)$/.test(name)) {
          const url = URL.parse(value, location.href)
          const isLink = tag === "a" && name === "href"
          if (url && !(url.origin === location.origin || (isLink && /^(?:https?|mailto|ssh):$/.test(url.protocol)) || (tag === "img" && value.startsWith("data:image/png"))))
            found.push(tag + " " + name + "=" + value.slice(0, 80))
        }
      }
    }
  }
  visit(document)
  return [...new Set(found)].slice(0, 5).join("; ")
})()`

/** What is wrong with pages, a few of which are open at a time. */
async function visitAll(all: readonly string[], isPage: boolean): Promise<readonly string[]> {
  const waiting = [...all]
  const faults: string[] = []
  const work = async () => {
    const tab = await context.newPage()
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) faults.push(...(await faultsOf(tab, path, isPage)))
    await tab.close()
  }
  await Promise.all(Array.from({ length: TABS }, work))
  return faults
}

test("no text of a person runs, or becomes anything but text, on any page", { timeout: 600_000 }, async () => {
  expect(paths.length).toBeGreaterThan(80)
  expect(await visitAll(paths, true)).toEqual([])
})

test("no file runs that is opened by itself", { timeout: 600_000 }, async () => {
  const faults = await visitAll(world.raw, false)
  expect(faults.filter((fault) => !KEPT_FROM.some((pattern) => pattern.test(fault.slice(fault.indexOf("console:")))))).toEqual([])
})

test("nothing in a query runs, or becomes anything but text", { timeout: 600_000 }, async () => {
  const byPage = new Map(
    paths.flatMap((path) => {
      const page = pageAt(path)
      return page === undefined ? [] : [[page.id, path.split("?", 1)[0] ?? ""] as const]
    }),
  )
  const names = (id: string) => Object.keys(pages.find((page) => page.id === id)?.query.properties ?? {})
  const all = [...byPage].flatMap(([id, path]) =>
    [`${NAME}</script></title></textarea>{{pwned=1}}`, "javascript:pwned=1//"].map(
      (value) =>
        `${path}?${new URLSearchParams([...new Set([...names(id), "q", "sort", "ref", "state", "tab", "redirect_to"])].map((name): [string, string] => [name, value]))}`,
    ),
  )
  expect(all.length).toBeGreaterThan(100)
  expect(await visitAll(all, true)).toEqual([])
})

test("the traces are found where there are some", async () => {
  const other = await browser.newContext({ bypassCSP: true })
  const tab = await other.newPage()
  await tab.goto(`${world.url}/explore/repos`)
  const html = `<x-pwned></x-pwned><b onclick=x>b</b><a href="javascript:x">a</a><img src="https://evil.example/x.png">`
  await tab.evaluate(`document.querySelector("main").insertAdjacentHTML("beforeend", ${JSON.stringify(html)})`)
  expect(await tab.evaluate(TRACES)).toBe("<x-pwned>; b onclick=x; a href=javascript:x; img src=https://evil.example/x.png")
  await other.close()
})
