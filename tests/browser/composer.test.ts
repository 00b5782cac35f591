import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, expect } from "vitest"
import { basic, freshHearth, PASSWORD, type TestHearth } from "../support/hearth.ts"
import { test } from "./browser.ts"

/** Writing a comment with a real browser; the endpoints are tested in src/features/planning/composer. */

let browser: Browser
let forge: TestHearth
let context: BrowserContext
let page: Page
let root = ""
const faults: string[] = []
const field = () => page.locator("textarea#body")
const value = () => field().inputValue()

test.beforeAll(async ({ browser: shared }) => {
  forge = await freshHearth("sqlite")
  await forge.person("ann")
  const ann = basic("ann", PASSWORD)
  await forge.call(ann, "POST /user/repos", { name: "box" })
  await forge.call(ann, "POST /repos/ann/box/issues", { title: "Crash on start" })
  root = forge.hearth.services.site.rootUrl
  browser = shared
  context = await browser.newContext()
  context.setDefaultTimeout(120_000)
  page = await context.newPage()
  page.on("pageerror", (error) => faults.push(error.message))
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()))
  await page.goto(`${root}/user/login?redirect_to=/ann/box/issues/1`)
  await page.fill("[name=login]", "ann")
  await page.fill("[name=password]", PASSWORD)
  await page.click("main form button.primary")
  await page.waitForURL(`${root}/ann/box/issues/1`)
})
afterAll(async () => {
  await context?.close()
  await forge?.close()
  expect(faults).toEqual([])
})

test("the toolbar works on what is selected, and again takes it away", async () => {
  await field().fill("one two")
  await field().selectText()
  await page.getByRole("button", { name: "Bold" }).click()
  expect(await value()).toBe("**one two**")
  await page.getByRole("button", { name: "Bold" }).click()
  expect(await value()).toBe("one two")
  await page.getByRole("button", { name: "Quote" }).click()
  expect(await value()).toBe("> one two")
  await page.keyboard.press("Control+z")
  expect(await value()).toBe("one two")
})

test("names are completed by the keyboard", async () => {
  await field().fill("")
  await field().pressSequentially("hello @an")
  await page.getByRole("option", { name: "@ann" }).waitFor()
  await page.keyboard.press("Enter")
  expect(await value()).toBe("hello @ann ")
  await field().pressSequentially("#cra")
  await page.getByRole("option", { name: "#1 Crash" }).waitFor()
  await page.keyboard.press("Escape")
  await page.getByRole("listbox").waitFor({ state: "detached" })
  expect(await value()).toBe("hello @ann #cra")
})

test("the preview is shown in place, and goes again", async () => {
  await field().fill("So **it** is")
  await page.getByRole("button", { name: "Preview" }).click()
  await page.locator(".preview strong", { hasText: "it" }).waitFor()
  expect(await field().isVisible()).toBe(false)
  await page.getByRole("button", { name: "Write" }).click()
  expect(await field().isVisible()).toBe(true)
  expect(await value()).toBe("So **it** is")
})

test("a draft is kept until it is sent, also when sending it fails", async () => {
  await field().fill("Not sent yet")
  await page.reload()
  expect(await value()).toBe("Not sent yet")
  await page.route("**/comments", (route) => route.abort())
  await page.getByRole("button", { name: "Comment", exact: true }).click()
  await page.getByText("the connection is lost").waitFor()
  await page.unroute("**/comments")
  faults.length = 0
  await page.goto(`${root}/ann/box/issues/1`)
  expect(await value()).toBe("Not sent yet")
})

test("Ctrl-Enter sends it, once, and the draft is gone", async () => {
  await field().fill("Sent by keys")
  await field().press("Control+Enter")
  await page.locator(".comment", { hasText: "Sent by keys" }).waitFor()
  expect(await value()).toBe("")
  await page.reload()
  expect(await value()).toBe("")
  expect(await page.locator(".comment", { hasText: "Sent by keys" }).count()).toBe(1)
})
