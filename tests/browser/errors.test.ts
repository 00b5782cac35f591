import type { Browser } from "playwright-core"
import { afterAll, expect } from "vitest"
import { Refusal, refuse } from "../../src/core/errors.ts"
import { freshHearth, type TestHearth } from "../support/hearth.ts"
import { sessionOf } from "../support/session.ts"
import { test } from "./browser.ts"
import { axeFindings, complaintsOf } from "./inspect.ts"

/** What people see when something is refused or fails: a page like others, which says what to do next, also when the database answers nothing. */

let browser: Browser
let forge: TestHearth
let cookie: string

test.beforeAll(async ({ browser: shared }) => {
  forge = await freshHearth("sqlite")
  const ann = await forge.person("ann")
  await forge.call(ann, "POST /user/repos", { name: "box", auto_init: true })
  await forge.hearth.services.jobs.drain()
  cookie = await sessionOf(forge.hearth.url, "ann")
  browser = shared
})
afterAll(() => forge?.close())

interface Case {
  readonly status: number
  readonly path: string
  /** What the page has to say. */
  readonly says: RegExp
  /** What the reader can do: the words of links and buttons. */
  readonly offers: readonly string[]
  /** Sent as a form. */
  readonly form?: string
  /** What every statement fails with. */
  readonly fault?: () => Error
  /** The database is gone, and with it who is signed in. */
  readonly isNobody?: boolean
}

const BOX = "/ann/box"
const UNKNOWN: Partial<Case> = { isNobody: true }

const CASES: readonly Case[] = [
  { status: 404, path: "/ann/nothing", says: /may have been moved or deleted/, offers: ["Dashboard"] },
  {
    status: 403,
    path: `${BOX}/issues/1/comments`,
    form: "a=b",
    fault: () => refuse.forbidden("only those who write here may do this"),
    says: /Only those who write here may do this.*Nothing was changed/,
    offers: ["Go back"],
    ...UNKNOWN,
  },
  { status: 405, path: `${BOX}/issues/1/comments`, says: /This is the address of a form/, offers: ["Dashboard"] },
  { status: 413, path: `${BOX}/issues/1/comments`, form: `a=${"b".repeat(2_000_000)}`, says: /too large.*send less/, offers: ["Go back"] },
  {
    status: 429,
    path: BOX,
    fault: () => refuse.tooSoon("too many requests", 30),
    says: /Too many requests.*30 seconds/,
    offers: ["Try again"],
    ...UNKNOWN,
  },
  {
    status: 500,
    path: BOX,
    fault: () => new Error("disk 4711"),
    says: /dministrators find details in the log, under \S+/,
    offers: ["Try again"],
    ...UNKNOWN,
  },
  { status: 503, path: BOX, fault: () => new Refusal("unavailable"), says: /try again in a moment/, offers: ["Try again"], ...UNKNOWN },
  { status: 503, path: BOX, fault: () => refuse.busy(), says: /busy; try again/, offers: ["Try again"], ...UNKNOWN },
  {
    status: 507,
    path: BOX,
    fault: () => new Refusal("full"),
    says: /disk of the server is full.*Contact the administrators/,
    offers: [],
    ...UNKNOWN,
  },
]

test.each(CASES)("$status: $says", async ({ status, path, says, offers, form, fault, isNobody = false }) => {
  const root = forge.hearth.url
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, reducedMotion: "reduce" })
  const [name = "", value = ""] = cookie.split("=", 2)
  await context.addCookies([
    { name, value, url: root },
    { name: "hearth_theme", value: "dark", url: root },
  ])
  const tab = await context.newPage()
  const complaints = complaintsOf(tab, root)
  if (form !== undefined)
    await tab.route(root + path, (route) =>
      route.continue({
        method: "POST",
        postData: form,
        headers: {
          ...route.request().headers(),
          "content-type": "application/x-www-form-urlencoded",
        },
      }),
    )
  const stop = fault
    ? forge.hearth.services.database.observe(({ name: statement }) => {
        // The workers' statements fail beside the request's, and are of no interest.
        if (statement?.startsWith("jobs.") !== true) throw fault()
      })
    : () => {}
  try {
    const answer = await tab.goto(root + path)
    expect(answer?.status()).toBe(status)
    expect(await answer?.text()).not.toMatch(/4711|at .*\.ts:\d/)
  } finally {
    stop()
  }
  expect(await tab.locator("h1").count()).toBe(1)
  expect(await tab.locator("main").innerText()).toMatch(says)
  expect(await tab.locator("main").innerText()).toContain(`Status ${status}`)
  for (const words of offers) expect(await tab.locator("main .bar").innerText(), words).toContain(words)
  // The layout and the chosen theme are those of all pages.
  expect(await tab.locator("html").getAttribute("data-theme")).toBe("dark")
  expect(await tab.locator("header.site-header").innerText()).toContain("Hearth")
  expect(await tab.locator("footer.site-footer").count()).toBe(1)
  expect(await tab.locator("header a", { hasText: "Sign in" }).count()).toBe(isNobody ? 1 : 0)
  const client = await context.newCDPSession(tab)
  for (const theme of ["dark", "light"]) {
    await client.send("Runtime.evaluate", { expression: `document.documentElement.dataset.theme = "${theme}"` })
    await tab.setViewportSize(theme === "dark" ? { width: 390, height: 844 } : { width: 1280, height: 900 })
    expect(await axeFindings(client), theme).toEqual([])
  }
  expect(complaints.filter((complaint) => !complaint.includes(`status of ${status}`))).toEqual([])
  await context.close()
})
