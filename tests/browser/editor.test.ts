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

test("an editor that comes late takes the field over as it is: what is selected and typed, and the focus, which is always seen", async () => {
  const { page, complaints } = await open("/ann/box/src/branch/main/README.md")
  let goes: (() => void) | undefined
  const held = new Promise<void>((resolve) => {
    goes = resolve
  })
  await page.route(/\/code-editor\./, async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${forge.hearth.url}/ann/box/_edit/main/README.md`)
  await page.locator("[name=path]").focus()
  await page.keyboard.press("Tab")
  expect(await page.evaluate(OUTLINED)).toBe("TEXTAREA 2px")
  await page.keyboard.press("Control+a")
  await page.keyboard.insertText("one two")
  await page.keyboard.press("Control+Shift+ArrowLeft")
  goes?.()
  await page.locator(".cm-content").waitFor()
  expect(await page.evaluate(OUTLINED)).toBe("DIV 2px")
  await page.keyboard.insertText("three")
  expect(await page.locator(".cm-content").textContent()).toBe("one three")
  // At once, before any script hears of it.
  await page.locator("[data-editor-find]").focus()
  await page.locator(".cm-editor:not(.cm-focused)").waitFor()
  expect(await page.evaluate(`document.querySelector(".cm-content").focus(), ${OUTLINED}`)).toBe("DIV 2px")
  expect(complaints).toEqual([])
})

/** What has the focus, and the width of what is around it to be seen. */
const OUTLINED = `(() => {
  const { tagName } = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement.closest(".cm-editor") ?? document.activeElement)
  return tagName + " " + (outlineStyle === "none" ? "unseen" : outlineWidth)
})()`

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
  await page.locator("[data-uploads]").dispatchEvent("drop", { dataTransfer: dropped })
  await page.getByText("4 of 4 files are ready").waitFor()
  await page.getByRole("button", { name: "Remove: no.txt" }).click()
  await page.getByText("3 of 3 files are ready").waitFor()
  await page.getByRole("button", { name: "Commit", exact: true }).click()
  await page.waitForURL(/\/src\/branch\/main/)
  expect((await forge.call(ann, "GET /repos/ann/box/commits")).body[0].commit.message).toBe("Add one.txt, two.txt and update a.js\n")
  expect((await forge.call(ann, "GET /repos/ann/box/contents/no.txt")).status).toBe(404)
  expect(complaints).toEqual([])
})

/** A picture as people drop or paste it. */
const picture = (page: Page, name: string) =>
  page.evaluateHandle(
    `(() => { const held = new DataTransfer(); held.items.add(new File([Uint8Array.fromBase64("${DOT}")], "${name}", { type: "image/png" })); return held })()`,
  )
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

test("pictures are dropped into a text, and are committed with it", async () => {
  const { page, complaints } = await open("/ann/box/_new/main?filename=docs/guide.md")
  const text = page.locator(".cm-content")
  await text.fill("# Guide\n")
  for (const name of ["a dot.png", "a dot.png", "unwanted.png"])
    await text.dispatchEvent("drop", { dataTransfer: await picture(page, name), clientX: 300, clientY: 400 })
  await expect.poll(() => page.locator("textarea[name=content]").inputValue()).toMatch(/!\[.*\]\(a-dot.png\).*dot.png\).*unwanted.png\)/s)
  await page.getByRole("button", { name: "Preview" }).click()
  await expect.poll(() => page.locator("#looked img[src^='data:']").count()).toBe(3)
  expect(await axeFindings(await page.context().newCDPSession(page))).toEqual([])
  await page.getByRole("button", { name: "Preview" }).click()
  await text.fill((await page.locator("textarea[name=content]").inputValue()).replace(/!\[unwanted.*/, ""))
  await page.getByRole("button", { name: "Commit", exact: true }).click()
  await page.waitForURL(/src\/branch\/main\/docs\/guide\.md$/)
  await expect
    .poll(() => page.locator(".prose img").evaluateAll((all) => all.map((each) => Reflect.get(each, "naturalWidth"))))
    .toEqual([1, 1])
  const names = (await forge.call(ann, "GET /repos/ann/box/contents/docs")).body.map(({ name }: { readonly name: string }) => name)
  expect(names).toHaveLength(3)
  expect(names).not.toContain("unwanted.png")
  expect(complaints).toEqual([])
})

test("a page of the wiki is written in the same editor, with a picture, and its draft is kept", async () => {
  const { page, complaints } = await open("/ann/box/wiki/_new?title=Home")
  const text = page.locator(".cm-content")
  await text.fill("Red")
  await page.keyboard.press("Control+a")
  await page.getByRole("button", { name: "Bold" }).click()
  await expect.poll(() => page.locator("textarea[name=content]").inputValue()).toBe("**Red**")
  await text.dispatchEvent("drop", { dataTransfer: await picture(page, "dot.png"), clientX: 300, clientY: 500 })
  await expect.poll(() => page.locator("textarea[name=content]").inputValue()).toMatch(/!\[dot.png\]\(uploads/)
  await page.reload()
  await page.getByText("Your changes that were not committed are back.").waitFor()
  await page.getByRole("button", { name: "Preview" }).click()
  const sizes = (): Promise<unknown[]> =>
    page.locator(".prose img").evaluateAll((all) => all.map((each) => Reflect.get(each, "naturalWidth")))
  await expect.poll(sizes).toEqual([1])
  expect(await axeFindings(await page.context().newCDPSession(page))).toEqual([])
  await page.getByRole("button", { name: "Save page" }).click()
  await page.waitForURL(/\/wiki(\/Home)?$/)
  await expect.poll(sizes).toEqual([1])
  expect(await page.locator(".prose strong").textContent()).toBe("Red")
  expect(complaints).toEqual([])
})

test("whose session has ended signs in in place, and files go on", async () => {
  const { page } = await open("/ann/box/_upload/main")
  const signIn = async (): Promise<void> => {
    const dialog = page.getByRole("dialog", { name: "Sign in again" })
    await dialog.getByLabel("User name or e-mail address").fill("ann")
    await dialog.getByLabel("Password").fill("wrong")
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click()
    await dialog
      .getByText(/Invalid username/)
      .first()
      .waitFor()
    expect(await axeFindings(await page.context().newCDPSession(page))).toEqual([])
    await dialog.getByLabel("User name or e-mail address").fill("ann")
    await dialog.getByLabel("Password").fill(PASSWORD)
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click()
    await dialog.waitFor({ state: "detached" })
  }
  const choose = async (name: string): Promise<void> => {
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Choose files" }).click()])
    await chooser.setFiles([name, `${name}.more`].map((each) => ({ name: each, mimeType: "text/plain", buffer: Buffer.from(each) })))
  }
  await choose("early")
  await page.getByText("2 of 2 files are ready").waitFor()
  await page.context().clearCookies()
  await choose("late")
  await signIn()
  await page.getByText("4 of 4 files are ready").waitFor()
  // Left by mistake: what has been sent is there again.
  page.on("dialog", (asked) => void asked.accept())
  await page.goto(`${forge.hearth.url}/ann/box`)
  await page.goto(`${forge.hearth.url}/ann/box/_upload/main`)
  await page.getByText("4 of 4 files are ready").waitFor()
  await page.getByRole("button", { name: "Commit", exact: true }).click()
  await page.waitForURL(/\/src\/branch\/main/)
  expect((await forge.call(ann, "GET /repos/ann/box/contents/late.more")).status).toBe(200)

  await page.goto(`${forge.hearth.url}/ann/box/releases/edit/v1`)
  await page.getByLabel("Add files").setInputFiles([{ name: "four.zip", mimeType: "application/zip", buffer: Buffer.from("4") }])
  await page.context().clearCookies()
  await page.getByRole("button", { name: "Upload" }).click()
  await signIn()
  await page.locator("#asset-list").getByRole("link", { name: "four.zip" }).waitFor()

  await page.goto(`${forge.hearth.url}/user/settings`)
  const file = page.locator("form[action='/user/settings/avatar'] input[type=file]")
  await file.setInputFiles([{ name: "me.png", mimeType: "image/png", buffer: Buffer.from(DOT, "base64") }])
  await page.context().clearCookies()
  await page
    .locator("form[action='/user/settings/avatar'] button.primary, form[action='/user/settings/avatar'] .bar button")
    .first()
    .click()
  await Promise.all([page.waitForEvent("load"), signIn()])
  expect(await page.locator("form[action='/user/settings/avatar/delete']").count()).toBe(1)
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
  expect(release.assets.map(({ name }: { readonly name: string }) => name)).toEqual(
    expect.arrayContaining(["one.zip", "two.zip", "three.zip"]),
  )
})
