import type { Browser } from "playwright-core"
import { afterAll, expect } from "vitest"
import { freshHearth, type TestHearth } from "../support/hearth.ts"
import { test } from "./browser.ts"

/** Formulas, diagrams and blocks of code in texts, as a browser shows them. */

const TEXT = [
  "Of $a^2$ and $$\\frac12$$",
  '```mermaid\nflowchart LR\n  A["<img src=x onerror=alert(1)>"] --> B[Two]\n  click A "javascript:alert(1)"\n```',
  "```mermaid\nnot a diagram\n```",
  "```ts\nconst x = 1\n```",
].join("\n\n")

let browser: Browser
let forge: TestHearth
let address = ""

test.beforeAll(async ({ browser: shared }) => {
  browser = shared
  forge = await freshHearth("sqlite")
  const ann = await forge.person("ann")
  await forge.call(ann, "POST /user/repos", { name: "box" })
  await forge.call(ann, "POST /repos/ann/box/issues", { title: "Drawn", body: TEXT })
  address = `${forge.hearth.services.site.rootUrl}/ann/box/issues/1`
})
afterAll(() => forge?.close())

test("formulas and diagrams are drawn, and code can be copied", async () => {
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] })
  context.setDefaultTimeout(45_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on("pageerror", (error) => faults.push(error.message))
  page.on("dialog", (dialog) => faults.push(dialog.message()))
  // What the library makes of the text is stopped by the policy of the frame, which says so.
  page.on(
    "console",
    (message) => message.type() === "error" && !/Content Security Policy/.test(message.text()) && faults.push(message.text()),
  )
  await page.goto(address)
  expect(await page.locator(".prose math").count()).toBe(2)

  // The one is drawn in a frame without rights, in place of its text, which can be brought back; the other says why it is not.
  const figure = page.locator("figure.diagram:not(.waiting)")
  await figure.waitFor()
  const frame = page.locator("iframe[title=Diagram]").first()
  expect(await frame.getAttribute("sandbox")).toBe("allow-scripts")
  const inside = figure.frameLocator("iframe")
  expect(await inside.locator("svg").first().textContent()).toContain("Two")
  expect(await inside.locator("body").innerHTML()).not.toMatch(/javascript:|<script/)
  expect(Number(await frame.getAttribute("height"))).toBeGreaterThan(20)
  const text = page.locator("pre", { hasText: "flowchart LR" })
  expect(await text.isVisible()).toBe(false)
  await page.getByRole("button", { name: "Show the text" }).click()
  expect(await text.isVisible()).toBe(true)
  await page.getByText("The diagram can't be drawn").waitFor()
  expect(await page.locator("pre", { hasText: "not a diagram" }).isVisible()).toBe(true)

  await page.getByRole("button", { name: "Copy the code" }).last().click()
  await page.getByRole("status").filter({ hasText: "Copied" }).waitFor({ state: "attached" })
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe("const x = 1")
  expect(faults).toEqual([])
  await context.close()
})

test("without scripts the text stays, with nothing to press", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(address)
  expect(await page.locator("pre", { hasText: "flowchart LR" }).isVisible()).toBe(true)
  expect(await page.locator("iframe, .copy-code").count()).toBe(0)
  await context.close()
})
