import type { Browser } from "playwright-core"
import { afterAll, expect } from "vitest"
import { freshHearth, type TestHearth } from "../support/hearth.ts"
import { test } from "./browser.ts"
import { personAt } from "./stories/person.ts"

let browser: Browser
let forge: TestHearth
let ann: Awaited<ReturnType<TestHearth["person"]>>

test.beforeAll(async ({ browser: shared }) => {
  forge = await freshHearth("sqlite")
  ann = await forge.person("ann")
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

test("every key that the help lists for a file does something there", async () => {
  const root = forge.hearth.services.site.rootUrl
  const person = await personAt({ root, browser }, "ann")
  const { page } = person
  const file = "/ann/one/src/branch/main/README.md"
  await person.open(file)
  await page.keyboard.press("?")
  const here = page.locator("dialog.keys > dl dt")
  await here.first().waitFor()
  const listed = (await here.allInnerTexts()).map((keys) => keys.trim().split(/\s+/).join(" "))
  // Where each leads: an address, or what is shown then.
  const leads: Readonly<Record<string, string>> = {
    "?": "dialog.keys",
    "/": ".site-search input:focus",
    Escape: "body",
    "g d": "/",
    "g n": "/notifications",
    "g c": "/ann/one",
    "g i": "/ann/one/issues",
    "g p": "/ann/one/pulls",
    "g a": "/ann/one/actions",
    "g b": "/ann/one/projects",
    "g r": "/ann/one/releases",
    "g w": "/ann/one/wiki",
    "g s": "/ann/one/settings",
    t: "dialog.finder [role=option]",
    w: "details.refs[open] input:focus",
    y: "/ann/one/src/commit/",
    b: "/ann/one/blame/branch/main/README.md",
    e: "/ann/one/_edit/main/README.md",
    ".": "/ann/one/_edit/main/README.md",
  }
  expect(listed.toSorted()).toEqual(Object.keys(leads).toSorted())
  for (const [keys, to] of Object.entries(leads)) {
    const press = async () => {
      await person.open(file)
      for (const key of keys.split(" ")) await page.keyboard.press(key)
      const there = to.startsWith("/")
        ? page.waitForURL((url) => (to.endsWith("/commit/") ? url.pathname.startsWith(to) : url.pathname === to), { timeout: 3_000 })
        : page.locator(to).first().waitFor({ timeout: 3_000 })
      return there.then(
        () => keys,
        () => "nothing",
      )
    }
    // Keys of a sequence must follow each other soon, which a busy machine may miss.
    await expect.poll(press, { timeout: 15_000 }).toBe(keys)
  }
  await person.close()
})

test("a file is found, another branch of it is made and its lines are gone to by keys", async () => {
  const root = forge.hearth.services.site.rootUrl
  const person = await personAt({ root, browser }, "ann")
  const { page } = person
  const content = btoa(`${Array.from({ length: 40 }, (_, line) => `line ${line + 1}`).join("\n")}\n`)
  await forge.call(ann, "POST /repos/ann/two/contents/src/deep/fileView.txt", { content })
  await forge.call(ann, "POST /repos/ann/two/contents/src/other.txt", { content })
  const at = () => new URL(page.url()).pathname + new URL(page.url()).hash
  // Keys that are pressed before the scripts are there press nothing.
  const arrivesAt = async (address: string) => {
    await expect.poll(at).toBe(address)
    await page.waitForLoadState()
  }
  await person.open("/ann/two")
  await page.keyboard.press("t")
  await page.locator("dialog.finder [role=option]").first().waitFor()
  await page.keyboard.type("dfv")
  await page.locator("dialog.finder [role=status]", { hasText: "1 file" }).waitFor()
  await page.keyboard.press("Enter")
  await arrivesAt("/ann/two/src/branch/main/src/deep/fileView.txt")
  await page.keyboard.press("w")
  await page.locator("details.refs[open] input:focus").waitFor()
  await page.keyboard.type("feature/views")
  await page.getByRole("button", { name: "Create branch feature/views from main" }).waitFor()
  await page.keyboard.press("Enter")
  await arrivesAt("/ann/two/src/branch/feature/views/src/deep/fileView.txt")
  await page.keyboard.press("l")
  await page.locator("dialog input:focus").waitFor()
  await page.keyboard.type("7-9")
  await page.keyboard.press("Enter")
  await page.locator("button.line-menu:focus").waitFor()
  await page.keyboard.press("Enter")
  await page.getByRole("link", { name: "View who wrote it" }).click()
  await arrivesAt("/ann/two/blame/branch/feature/views/src/deep/fileView.txt#L7-L9")
  // What was opened before comes first, on every page of the repository, which leads to the default branch.
  await person.open("/ann/two/issues")
  await page.keyboard.press("t")
  await expect.poll(() => page.locator("dialog.finder [role=option]").first().innerText()).toMatch(/fileView.txt\s+Opened recently/)
  await page.keyboard.press("Escape")
  await page.locator("dialog.finder").waitFor({ state: "detached" })
  await page.keyboard.press("?")
  await page.locator("dialog.keys > dl").getByText("Go to file").waitFor()
  await page.keyboard.press("Escape")
  await page.locator("dialog.keys").waitFor({ state: "detached" })
  await page.keyboard.press("t")
  // Letters before the field is there are keys of their own. Enter waits for what is being found.
  await page.locator("dialog.finder input:focus").waitFor()
  await page.keyboard.type("dfv")
  await page.keyboard.press("Enter")
  await arrivesAt("/ann/two/src/branch/main/src/deep/fileView.txt")
  await person.close()
})
