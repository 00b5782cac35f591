import type { Browser, Page } from "playwright-core"
import { afterAll, expect } from "vitest"
import { freshHearth, PASSWORD, type TestHearth } from "../support/hearth.ts"
import { test } from "./browser.ts"
import { axeFindings, complaintsOf } from "./inspect.ts"

/** Files are edited, and those of a release uploaded, in Chromium. */

let browser: Browser
let forge: TestHearth
let ann: string

test.beforeAll(async ({ browser: shared }) => {
  forge = await freshHearth("sqlite")
  ann = await forge.person("ann")
  await forge.call(ann, "POST /user/repos", { name: "box", auto_init: true })
  const content = Buffer.from("if (a) {\n  b()\n}\n").toString("base64")
  await forge.call(ann, "POST /repos/ann/box/contents/a.js", { content })
  await forge.call(ann, "POST /repos/ann/box/releases", { tag_name: "v1" })
  browser = shared
})
afterAll(() => forge?.close())

async function open(path: string): Promise<{ readonly page: Page; readonly complaints: readonly unknown[] }> {
  const context = await browser.newContext()
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const complaints = complaintsOf(page, forge.hearth.url)
  await page.goto(`${forge.hearth.url}/user/login?redirect_to=${encodeURIComponent(path)}`)
  await page.fill("[name=login]", "ann")
  await page.fill("[name=password]", PASSWORD)
  await page.press("[name=password]", "Enter")
  await page.waitForURL(`${forge.hearth.url}${path}`)
  return { page, complaints }
}

test("a file is edited by the keyboard, looked at and committed; who leaves before is warned", async () => {
  const { page, complaints } = await open("/ann/box/_edit/main/a.js")
  const area = page.getByLabel("Content")
  await area.focus()
  await page.keyboard.press("Control+Home")
  await page.keyboard.press("Tab")
  expect(await area.inputValue()).toBe("  if (a) {\n  b()\n}\n")
  await page.keyboard.press("Shift+Tab")
  expect(await area.inputValue()).toBe("if (a) {\n  b()\n}\n")
  await page.keyboard.press("Control+a")
  await page.keyboard.press("Tab")
  expect(await area.inputValue()).toBe("  if (a) {\n    b()\n  }\n")
  // After Escape, Tab leads on.
  await page.keyboard.press("Escape")
  await page.keyboard.press("Tab")
  expect(await page.locator("[name=message]:focus").count()).toBe(1)

  const asked: string[] = []
  page.on("dialog", (dialog) => {
    asked.push(dialog.type())
    void dialog.dismiss()
  })
  await page.getByRole("link", { name: "Cancel" }).click()
  await expect.poll(() => asked).toEqual(["beforeunload"])
  await page.getByRole("button", { name: "Show changes" }).click()
  await page.getByRole("heading", { name: "Changes" }).waitFor()
  expect(await page.locator(".diff-lines > .a").count()).toBe(3)
  expect(await axeFindings(await page.context().newCDPSession(page))).toEqual([])
  await page.getByLabel("Commit message").fill("Indent")
  await page.getByRole("button", { name: "Commit", exact: true }).click()
  await page.waitForURL(/\/src\/branch\/main\/a\.js$/)
  expect(asked).toEqual(["beforeunload"])
  expect(complaints).toEqual([])
})

test("several files are chosen for a release, and dropped on it", async () => {
  const { page, complaints } = await open("/ann/box/releases/edit/v1")
  await page.getByLabel("Title").fill("Not saved yet")
  const files = ["one.zip", "two.zip"].map((name) => ({ name, mimeType: "application/zip", buffer: Buffer.from(name) }))
  await page.getByLabel("Add files").setInputFiles(files)
  await page.getByRole("button", { name: "Upload" }).click()
  for (const { name } of files) await page.locator("#asset-list").getByRole("link", { name }).waitFor()
  const dropped = await page.evaluateHandle(
    "(() => { const held = new DataTransfer(); held.items.add(new File(['three'], 'three.zip')); return held })()",
  )
  await page.locator("[data-upload]").dispatchEvent("drop", { dataTransfer: dropped })
  await page.locator("#asset-list").getByRole("link", { name: "three.zip" }).waitFor()
  // What was typed beside it stays.
  expect(await page.getByLabel("Title").inputValue()).toBe("Not saved yet")
  expect(await axeFindings(await page.context().newCDPSession(page))).toEqual([])
  expect(complaints).toEqual([])
  const [release] = (await forge.call(ann, "GET /repos/ann/box/releases")).body
  expect(release.assets.map(({ name }: { readonly name: string }) => name)).toEqual(["one.zip", "two.zip", "three.zip"])
})
