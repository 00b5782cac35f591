import type { Browser } from "playwright-core"
import { afterAll, expect } from "vitest"
import { freshHearth, type TestHearth } from "../support/hearth.ts"
import { test } from "./browser.ts"
import { personAt } from "./stories/person.ts"

let browser: Browser
let forge: TestHearth

test.beforeAll(async ({ browser: shared }) => {
  forge = await freshHearth("sqlite")
  const ann = await forge.person("ann")
  for (const name of ["one", "two"]) expect((await forge.call(ann, "POST /user/repos", { name, auto_init: true })).status).toBe(201)
  browser = shared
})
afterAll(() => forge?.close())

test("keys lead through a repository, and ? says which there are", async () => {
  const root = forge.hearth.services.site.rootUrl
  const person = await personAt({ root, browser }, "ann")
  const { page } = person
  await person.open("/ann/one")
  for (const [keys, path] of [
    ["gi", "/ann/one/issues"],
    ["gp", "/ann/one/pulls"],
    ["gs", "/ann/one/settings"],
    ["gn", "/notifications"],
  ] as const) {
    // Keys of a sequence must follow each other soon, which a busy machine may miss.
    const press = async () => {
      for (const key of keys) await page.keyboard.press(key)
      await page.waitForURL((url) => url.pathname === path, { timeout: 3_000 }).catch(() => undefined)
      return new URL(page.url()).pathname
    }
    await expect.poll(press).toBe(path)
    if (path === "/ann/one/settings") {
      await page.keyboard.press("?")
      const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" })
      await dialog.waitFor()
      expect(await dialog.innerText()).toMatch(/Search[\s\S]*pull requests[\s\S]*settings[\s\S]*Other pages/)
      await page.keyboard.press("Escape")
      await dialog.waitFor({ state: "detached" })
    }
  }
  // What is typed into a field is text.
  await person.open("/ann/one/settings")
  await page.getByLabel("Description", { exact: true }).focus()
  await page.keyboard.type("gi?")
  expect([new URL(page.url()).pathname, await page.getByLabel("Description", { exact: true }).inputValue()]).toEqual([
    "/ann/one/settings",
    "gi?",
  ])
  await person.close()
})

test("j and k go from row to row", async () => {
  const root = forge.hearth.services.site.rootUrl
  const person = await personAt({ root, browser }, "ann")
  const { page } = person
  await person.open("/explore/repos?sort=alphabetically")
  const focused = () => page.locator(":focus").first().getAttribute("href")
  await page.keyboard.press("j")
  await expect.poll(focused).toBe("/ann/one")
  await page.keyboard.press("j")
  await expect.poll(focused).toBe("/ann/two")
  await page.keyboard.press("k")
  await expect.poll(focused).toBe("/ann/one")
  await person.close()
})
