import { type DefaultTreeAdapterTypes, parse } from "parse5"
import type { Browser, BrowserContext, Page as BrowserPage, CDPSession } from "playwright-core"
import { afterAll, describe, expect } from "vitest"
import type { Page } from "../../src/core/page.ts"
import { type Place, placesOf } from "../pages/addresses.ts"
import { type DemoWorld, openDemoWorld, VISITORS, type Visitor } from "../pages/world.ts"
import { test } from "./browser.ts"
import { axeFindings, complaintsOf, giveAxe } from "./inspect.ts"

/**
 * Every page of the example in Chromium, as everyone who may come: with scripts and without, in both themes, on a phone and on a desk. A page is
 * loaded once; theme and width change in place. What it has to read without scripts is in the answer, which is parsed as a browser does that runs none.
 */

/** As narrow as a page may be asked to be without scrolling sideways (WCAG 1.4.10): a small phone, or a desk at 400 %. */
const PHONE = { width: 320, height: 640 }
const DESK = { width: 1280, height: 900 }
interface Look {
  readonly theme: "light" | "dark"
  readonly size: typeof PHONE | typeof DESK
}

/**
 * The look in which each visitor loads pages. Axe reads it by all rules, and then the look with the other theme and the other width by those that
 * either has a say in: each visitor sees both themes and both widths, and all of them together see each theme at each width.
 */
const FIRST: Readonly<Record<Visitor, Look>> = {
  anonymous: { theme: "light", size: PHONE },
  noor: { theme: "dark", size: PHONE },
  mira: { theme: "light", size: DESK },
  root: { theme: "dark", size: DESK },
}

/** So many pages are open at the same time. */
const TABS = 3

describe("in a browser", () => {
  let world: DemoWorld
  let browser: Browser
  let places: ReadonlyMap<Visitor, readonly Place[]>

  test.beforeAll(async ({ browser: shared }) => {
    browser = shared
    world = await openDemoWorld("sqlite")
    places = await placesOf(world)
  })
  afterAll(() => world?.close())

  /** A tab in which pages are looked at, one after the other. */
  async function tabIn(context: BrowserContext): Promise<Tab> {
    const page = await context.newPage()
    const client = await context.newCDPSession(page)
    await giveAxe(client)
    return { page, client, look: undefined }
  }

  async function contextOf(cookie: string, { size, theme }: Look): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: size, colorScheme: theme })
    const [name = "", value = ""] = cookie.split("=")
    if (name !== "") await context.addCookies([{ name, value, url: world.url }])
    return context
  }

  test.each(VISITORS)("%s sees every page as it should be", { timeout: 900_000 }, async (visitor) => {
    const begun = performance.now()
    const cookie = await world.signIn(visitor)
    const context = await contextOf(cookie, FIRST[visitor])
    const shown = await documentsOf(world, cookie, places.get(visitor) ?? [])
    const faults: string[] = []
    let done = 0
    const refusals = new Set<string>()
    const waiting = [...shown]
    const work = async () => {
      const tab = await tabIn(context)
      for (let place = waiting.shift(); place; place = waiting.shift()) {
        const { page, path } = place
        const found = await inTime(faultsOf(tab, { world, visitor, cookie, place, refusals }))
        faults.push(...found.map((fault) => `${page.id} ${path}: ${fault}`))
        if (++done % 20 === 0)
          console.log(`  ${visitor}: ${done} of ${shown.length} pages, ${Math.round((performance.now() - begun) / 1000)} s`)
      }
    }
    await Promise.all(Array.from({ length: TABS }, work))
    await context.close()
    expect(shown.length).toBeGreaterThan(15)
    expect(faults).toEqual([])
  })

  test("a chosen theme is there before any script", async () => {
    const colors = []
    for (const theme of ["light", "dark"]) {
      const context = await browser.newContext({ colorScheme: "light", javaScriptEnabled: false })
      await context.addCookies([{ name: "hearth_theme", value: theme, url: world.url }])
      const tab = await context.newPage()
      await tab.goto(`${world.url}/explore/repos`)
      expect(await tab.content()).toContain(`data-theme="${theme}"`)
      colors.push(
        await evaluate(
          { client: await context.newCDPSession(tab) },
          "getComputedStyle(document.documentElement).backgroundColor + getComputedStyle(document.body).backgroundColor",
        ),
      )
      await context.close()
    }
    expect(new Set(colors).size).toBe(2)
  })
})

/** A page that never gets ready is a fault like others, and not the end of all. */
const inTime = (work: Promise<readonly string[]>): Promise<readonly string[]> =>
  Promise.race([
    work,
    new Promise<readonly string[]>((resolve) => setTimeout(resolve, 120_000, ["was not ready after two minutes"]).unref()),
  ])

/** The addresses whose answer is a page, as programs would get it: feeds, pictures and what only leads elsewhere are no matter of browsers. */
async function documentsOf(world: DemoWorld, cookie: string, places: readonly Place[]): Promise<readonly Place[]> {
  const shown: Place[] = []
  for (const place of places) {
    const answer = await fetch(world.url + place.path, { redirect: "manual", headers: { accept: "text/html", cookie } })
    // Parts of pages, which scripts ask for, are no documents.
    const isPage = (await answer.text()).startsWith("<!doctype html>")
    if ((isPage && answer.status < 300) || answer.status >= 400 || answer.headers.get("location")?.startsWith("/user/login"))
      shown.push(place)
  }
  return shown
}

interface Tab {
  readonly page: BrowserPage
  /** The tools' own session: the page's policy allows no script but its own, or none runs at all. */
  readonly client: CDPSession
  look: Look | undefined
}

/** Pages of what belongs to one reader. */
const OF_ONE: Readonly<Record<string, Visitor>> = {
  "notifications.open": "mira",
  "personal.application": "mira",
  "personal.reply": "mira",
  "personal.tokenDeeds": "mira",
  "personal.replyText": "mira",
  "repository.offer": "noor",
  "userHooks.delivery": "mira",
  "userHooks.edit": "mira",
  "userVariables.edit": "mira",
}

/** What is there by the link of a mail alone, or on a site with other providers of sign-ins. */
const LED_TO_BY_MAILS: readonly string[] = ["account.recovery", "mail.unsubscribing", "provider.begin", "provider.callback"]

/** What is one of mira's own: the file that is deleted, and the package. */
const OF_MIRA: readonly string[] = ["files.delete", "package.settings"]

/** Who may write to the repository of the example, and to what is mira's. */
const mayWrite = (id: string, visitor: Visitor): boolean => visitor !== "anonymous" && (visitor !== "noor" || !OF_MIRA.includes(id))

/** What the visitor must get: of the example, which is public, all but what only its owners, or administrators of the site, may see. */
function expectedStatus({ id, rule }: Page, visitor: Visitor): "login" | 200 | 404 {
  if (visitor === "anonymous" && rule.signIn === "required") return "login"
  if (LED_TO_BY_MAILS.includes(id)) return 404
  if (id in OF_ONE) return visitor === OF_ONE[id] ? 200 : 404
  if (rule.needs === "siteAdministrator") return visitor === "root" ? 200 : 404
  if (/(^|:)(owner|administrator)$/i.test(rule.needs)) return visitor === "mira" || visitor === "root" ? 200 : 404
  if (id === "files.delete" || /(^|:)write$/i.test(rule.needs)) return mayWrite(id, visitor) ? 200 : 404
  return 200
}

interface Visit {
  readonly world: DemoWorld
  readonly visitor: Visitor
  readonly cookie: string
  readonly place: Place
  /** The pages of refusals that were looked at: what says that there is nothing, or asks to sign in, is the same for many addresses. */
  readonly refusals: Set<string>
}

async function faultsOf(tab: Tab, { world, visitor, cookie, place, refusals }: Visit): Promise<readonly string[]> {
  const url = world.url + place.path
  const wanted = expectedStatus(place.page, visitor)
  const complaints = complaintsOf(tab.page, world.url)
  const faults: string[] = []
  await show(tab, FIRST[visitor])
  const answer = await tab.page.goto(url, { waitUntil: "load" })
  const status = answer?.status()
  if (wanted === "login") {
    const at = tab.page.url()
    if (!at.startsWith(`${world.url}/user/login?redirect_to=`)) faults.push(`led to ${at} in place of the sign-in page`)
  } else if (status !== wanted) faults.push(`was answered with ${status} in place of ${wanted}`)
  const title = await tab.page.title()
  if (wanted !== "login" && title !== "Hearth" && !/^\S.* · Hearth$/.test(title)) faults.push(`has the title ${JSON.stringify(title)}`)
  const heading = await evaluate(tab, HEADING)
  const text = await evaluate(tab, TEXT)
  const isRefusal = wanted === "login" || wanted === 404
  const isKnown = isRefusal && refusals.has(heading)
  if (isRefusal) refusals.add(heading)

  for (const look of isKnown ? [] : [FIRST[visitor], opposite(FIRST[visitor])]) {
    const name = `${look.theme}, ${look.size.width}`
    await show(tab, look)
    if (look.size === PHONE) faults.push(...(await tooWide(tab)).map((fault) => `${name}: ${fault}`))
    const rules = look === FIRST[visitor] && (await isNew(tab)) ? "all" : "looks"
    faults.push(...(await axeFindings(tab.client, rules)).map((fault) => `${name}: ${fault}`))
    // By now all scripts have come.
    if (look !== FIRST[visitor]) continue
    const shift = await lastingShifts(tab)
    if (shift !== "") faults.push(`${name}: moved while it was loaded: ${shift}`)
  }

  const bare = await withoutScripts(url, cookie)
  if (bare.status !== status) faults.push(`without scripts was answered with ${bare.status}`)
  if (bare.heading !== heading || heading === "") faults.push(`the heading without scripts is ${bare.heading}, with them ${heading}`)
  if (bare.text.length < text.length * 0.95) faults.push(`has ${bare.text.length} characters without scripts, ${text.length} with them`)

  // A browser writes that it was refused what it asked for, which here it was meant to be.
  const refusal = `status of ${status ?? 0}`
  faults.push(...complaints.filter((complaint) => !((status ?? 0) >= 400 && complaint.includes(refusal))))
  tab.page.removeAllListeners()
  return faults
}

/** What a browser that runs no scripts has of a page: nothing but the answer, with what is in it for such browsers. */
async function withoutScripts(url: string, cookie: string) {
  const answer = await fetch(url, { headers: { accept: "text/html", ...(cookie !== "" && { cookie }) } })
  const document = parse(await answer.text(), { scriptingEnabled: false })
  return {
    status: answer.status,
    heading: textOf(elementIn(document, "h1")).trim(),
    text: textOf(elementIn(document, "main")).replace(/\s+/g, " "),
  }
}

type Node = DefaultTreeAdapterTypes.Node

const childrenOf = (node: Node): readonly Node[] => ("childNodes" in node ? node.childNodes : [])

/** The first element with the name, as `querySelector` finds it. */
function elementIn(node: Node, name: string): Node | undefined {
  if (node.nodeName === name) return node
  for (const child of childrenOf(node)) {
    const found = elementIn(child, name)
    if (found) return found
  }
  return undefined
}

/** As `textContent` has it. */
const textOf = (node: Node | undefined): string =>
  node === undefined ? "" : "value" in node ? node.value : childrenOf(node).map(textOf).join("")

/** The elements of headers and contents that axe has read by all rules, for any visitor. */
const read = new Set<string>()

/** Whether the page has elements that another one didn't have: most of what administrators see is what others saw already. */
async function isNew(tab: Tab): Promise<boolean> {
  const shapes = (await evaluate(tab, SHAPES)).split("\n").filter((shape) => !read.has(shape))
  for (const shape of shapes) read.add(shape)
  return shapes.length > 0
}

/** Without motion, so that colours are at once those of the theme. */
async function show(tab: Tab, look: Look): Promise<void> {
  const { theme, size } = look
  if (look.size !== tab.look?.size) await tab.page.setViewportSize(size)
  if (look.theme !== tab.look?.theme) await tab.page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" })
  tab.look = look
}

const opposite = ({ theme, size }: Look): Look => ({ theme: theme === "light" ? "dark" : "light", size: size === PHONE ? DESK : PHONE })

const HEADING = `document.querySelector("h1")?.textContent.trim() ?? ""`
const TEXT = `document.querySelector("main")?.textContent.replace(/\\s+/g, " ") ?? ""`

/** What elements are there with which attributes, first around the contents, then in them. */
const SHAPES = `(() => {
  const shape = (element) => element.tagName + " " + [...element.attributes].map(({ name }) => name).sort().join(" ")
  const main = document.querySelector("main")
  const all = [...document.querySelectorAll("body *")]
  return [all.filter((each) => !main?.contains(each)), all.filter((each) => main?.contains(each))].map((part) => part.map(shape).join()).join("\\n")
})()`

/** Layout shifts that could be seen, with what moved: those of the first frame, which come before it is painted, could not. */
const SHIFTS = `new Promise((resolve) => {
  const found = []
  const shifts = new PerformanceObserver((list) => found.push(...list.getEntries()))
  shifts.observe({ type: "layout-shift", buffered: true })
  const painted = performance.getEntriesByName("first-paint")[0]?.startTime ?? Infinity
  requestAnimationFrame(() => setTimeout(() => resolve([...found, ...shifts.takeRecords()]
    .filter(({ value, startTime }) => value > 0.001 && startTime > painted)
    .map((shift) => shift.value.toFixed(3) + " " + shift.sources.map(({ node }) => node?.outerHTML?.slice(0, 80)).join(" ")).join("; ")), 0))
})`

/** What moves each time that the page is loaded: on a busy machine a first frame may come before the page is whole. */
async function lastingShifts(tab: Tab): Promise<string> {
  const first = await evaluate(tab, SHIFTS)
  if (first === "") return first
  await tab.page.reload({ waitUntil: "networkidle" })
  return evaluate(tab, SHIFTS)
}

const TOO_WIDE = `(() => {
  const { scrollWidth } = document.scrollingElement
  if (scrollWidth <= innerWidth) return ""
  const wide = [...document.body.querySelectorAll("*")].filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
  return scrollWidth + " pixels wide: " + wide.slice(-3).map((element) => element.outerHTML.slice(0, 100)).join(" | ")
})()`

async function tooWide(tab: Tab): Promise<readonly string[]> {
  const found = await evaluate(tab, TOO_WIDE)
  return found === "" ? [] : [found]
}

async function evaluate({ client }: Pick<Tab, "client">, expression: string): Promise<string> {
  const { result } = await client.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })
  return String(result.value ?? "")
}
