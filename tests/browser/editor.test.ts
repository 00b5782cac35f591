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

async function open(path: string): Promise<{ readonly page: Page; readonly complaints: unknown[] }> {
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

test("a file is edited by the keyboard in colours, looked at and committed; nothing of it is lost on the way", async () => {
  const { page, complaints } = await open("/ann/box/_edit/main/a.js")
  const text = page.locator(".cm-content")
  const sent = page.locator("textarea[name=content]")
  await text.focus()
  await page.keyboard.press("Control+Home")
  await page.keyboard.press("Tab")
  await expect.poll(() => sent.inputValue()).toBe("  if (a) {\n  b()\n}\n")
  await page.keyboard.press("Shift+Tab")
  await page.keyboard.press("Control+a")
  await page.keyboard.press("Tab")
  await expect.poll(() => sent.inputValue()).toBe("  if (a) {\n    b()\n  }\n")
  expect(await page.locator(".cm-content .kw").first().textContent()).toBe("if")
  // Found and replaced.
  await page.keyboard.press("Control+f")
  await page.keyboard.type("b()")
  await page.getByLabel("Replace", { exact: true }).fill("c()")
  await page.getByRole("button", { name: "Replace all" }).click()
  await expect.poll(() => sent.inputValue()).toBe("  if (a) {\n    c()\n  }\n")
  await page.keyboard.press("Escape")
  // After Escape, Tab leads on.
  await text.focus()
  await page.keyboard.press("Escape")
  await page.keyboard.press("Tab")
  expect(await page.locator("[name=message]:focus").count()).toBe(1)

  // The page is left, and what was typed is there again.
  await page.getByRole("link", { name: "Cancel" }).click()
  await page.waitForURL(/\/src\/branch/)
  await page.goBack()
  await page.goto(`${forge.hearth.url}/ann/box/_edit/main/a.js`)
  await page.getByText("Your changes that were not committed are back.").waitFor()
  await page.getByRole("button", { name: "Show changes" }).click()
  await page.getByRole("heading", { name: "Changes" }).waitFor()
  expect(await page.locator(".diff-lines > .a").count()).toBe(3)
  expect(await text.isVisible()).toBe(false)
  expect(await axeFindings(await page.context().newCDPSession(page))).toEqual([])

  // Someone else changes the file: both are shown, and it is decided what stays.
  const { sha } = (await forge.call(ann, "GET /repos/ann/box/contents/a.js")).body
  await forge.call(ann, "PUT /repos/ann/box/contents/a.js", { content: Buffer.from("other()\n").toString("base64"), sha })
  await page.reload()
  await page.getByRole("button", { name: "Continue with mine" }).click()
  expect(await sent.inputValue()).toBe("  if (a) {\n    c()\n  }\n")
  await page.getByLabel("Commit message").fill("Indent")
  await page.getByRole("button", { name: "Commit", exact: true }).click()
  await page.getByText("This file was changed by someone else").waitFor()
  complaints.splice(0)
  await page.getByRole("button", { name: "Commit", exact: true }).click()
  await page.waitForURL(/\/src\/branch\/main\/a\.js$/)
  const { content } = (await forge.call(ann, "GET /repos/ann/box/contents/a.js")).body
  expect(Buffer.from(content, "base64").toString()).toBe("  if (a) {\n    c()\n  }\n")
  await page.goto(`${forge.hearth.url}/ann/box/_edit/main/a.js`)
  await text.focus()
  await page.keyboard.type("// ")
  await page.keyboard.press("Control+Enter")
  await page.waitForURL(/\/src\/branch\/main\/a\.js$/)
  await page.goto(`${forge.hearth.url}/ann/box/_edit/main/a.js`)
  await text.waitFor()
  expect(await sent.inputValue()).toBe("//   if (a) {\n    c()\n  }\n")
  expect(await page.locator("[data-draft]:not([hidden])").count()).toBe(0)
  // Typed over coloured lines: the browser would leave elements with styles.
  await text.fill("let a = 1\nlet b = 2\n")
  await page.locator(".cm-content .kw").first().waitFor()
  await text.fill("let a = 1\nlet b = 2\n")
  await page.keyboard.press("Control+Home")
  await page.keyboard.press("Shift+ArrowDown")
  await page.keyboard.type("c")
  await expect.poll(() => sent.inputValue()).toBe("clet b = 2\n")
  expect(complaints).toEqual([])
})

test("files and folders are dropped, sent again where one failed, and committed at once", async () => {
  const { page, complaints } = await open("/ann/box/_upload/main")
  let breaks = 1
  await page.route("**/_upload-file/**", (route) => (breaks-- > 0 ? route.abort() : route.continue()))
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Choose files" }).click()])
  await chooser.setFiles(["one.txt", "two.txt"].map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) })))
  await page.getByText("1 of 2 files are ready, 1 failed").waitFor()
  complaints.splice(0)
  expect(await axeFindings(await page.context().newCDPSession(page))).toEqual([])
  await page.getByRole("button", { name: /^Send again/ }).click()
  const dropped = await page.evaluateHandle(
    "(() => { const held = new DataTransfer(); for (const name of ['a.js', 'no.txt']) held.items.add(new File([name], name)); return held })()",
  )
  await page.locator("[data-files]").dispatchEvent("drop", { dataTransfer: dropped })
  await page.getByText("4 of 4 files are ready").waitFor()
  await page.getByRole("button", { name: "Remove: no.txt" }).click()
  await page.getByText("3 of 3 files are ready").waitFor()
  await page.getByRole("button", { name: "Commit", exact: true }).click()
  await page.waitForURL(/\/src\/branch\/main/)
  expect((await forge.call(ann, "GET /repos/ann/box/commits")).body[0].commit.message).toBe("Add one.txt, two.txt and update a.js\n")
  expect((await forge.call(ann, "GET /repos/ann/box/contents/no.txt")).status).toBe(404)
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
