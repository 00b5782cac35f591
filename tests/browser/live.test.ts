import { createServer, connect as dial, type Socket } from "node:net"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, describe, expect } from "vitest"
import { basic, freshHearth, PASSWORD, type TestHearth } from "../support/hearth.ts"
import { test } from "./browser.ts"

/** Pages that are open while others are at work; what streams tell is tested in src/pages/parts/conversation/live.test.ts. */

/** A way to the server that can be cut, as a restart does. */
async function cuttable(port: number) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const other = dial(port, "127.0.0.1")
    for (const [one, two] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(one)
      one
        .on("error", () => two.destroy())
        .on("close", () => {
          sockets.delete(one)
          two.destroy()
        })
      one.pipe(two)
    }
  })
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve))
  await listen(0)
  const address = server.address()
  const own = typeof address === "object" && address ? address.port : 0
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return { root: `http://127.0.0.1:${own}`, cut, back: () => listen(own) }
}

describe("open pages", () => {
  let browser: Browser
  let forge: TestHearth
  let way: Awaited<ReturnType<typeof cuttable>>
  const contexts: BrowserContext[] = []
  const ann = basic("ann", PASSWORD)
  let made = 0

  test.beforeAll(async ({ browser: shared }) => {
    browser = shared
    // Pages wait for notifications, which are jobs.
    forge = await freshHearth("sqlite", {}, { running: true })
    way = await cuttable(Number(new URL(forge.hearth.url).port))
    for (const name of ["ann", "ben"]) await forge.person(name)
  })
  afterAll(async () => {
    await way?.cut()
    await forge?.close()
  })

  async function call(route: string, body?: unknown) {
    const answer = await forge.call(ann, route, body)
    expect(answer.status, route).toBeLessThan(300)
    return answer.body
  }

  /** A private repository of ann's that ben may write to, with issues of these titles. */
  async function repository(...titles: readonly string[]) {
    const name = `box${++made}`
    await call("POST /user/repos", { name, private: true, auto_init: true })
    await call(`PUT /repos/ann/${name}/collaborators/ben`, { permission: "write" })
    const ids: number[] = []
    for (const title of titles) ids.push((await call(`POST /repos/ann/${name}/issues`, { title, body: "Text\n\n".repeat(60) })).id)
    return { at: `/ann/${name}`, api: `/repos/ann/${name}`, ids }
  }

  /** Opens a page as someone, in a browser of their own, and waits until it is followed. */
  async function open(name: string, path: string): Promise<Page> {
    const context = await browser.newContext()
    contexts.push(context)
    const page = await context.newPage()
    await page.goto(`${way.root}/user/login`)
    await page.fill("[name=login]", name)
    await page.fill("[name=password]", PASSWORD)
    await page.click("main form button.primary")
    await page.waitForURL((url) => url.pathname !== "/user/login")
    // The page asks for itself when it begins to be followed.
    const followed = page.waitForResponse((answer) => answer.url() === way.root + path && answer.request().resourceType() === "fetch")
    await page.goto(way.root + path)
    await followed
    return page
  }

  const leave = () => Promise.all(contexts.splice(0).map((context) => context.close()))

  test("a comment comes while the reader types, and takes away neither focus nor place", async () => {
    const { at, api } = await repository("Long")
    const page = await open("ben", `${at}/issues/1`)
    const field = page.locator("textarea#body")
    await field.pressSequentially("Half a sen")
    const top = await page.evaluate("scrollY")
    expect(top).toBeGreaterThan(0)
    await call(`POST ${api}/issues/1/comments`, { body: "While you were writing" })
    await page.getByText("While you were writing").waitFor()
    await page.keyboard.type("tence")
    expect(await field.inputValue()).toBe("Half a sentence")
    expect(await page.evaluate("document.activeElement?.id")).toBe("body")
    // What comes above moves what is seen along with it.
    expect(await field.isVisible()).toBe(true)
    await leave()
  })

  test("cards and columns come as others move them", async () => {
    const { at, api, ids } = await repository("One", "Two", "Three")
    const { id } = await call(`POST ${api}/projects`, { title: "Plan", template_type: "basic_kanban" })
    const [first, second] = await call(`GET ${api}/projects/${id}/columns`)
    for (const issue of ids) await call(`POST ${api}/projects/${id}/columns/${first.id}/issues/${issue}`)
    const board = `${at}/projects/${id}`
    const [reader, writer] = [await open("ben", board), await open("ann", board)]
    const filter = reader.locator("main input[type=search]")
    await filter.fill("label:b")
    const card = (page: Page, column: number, at: number) => page.locator(`#column-${column}-cards > #card-${ids[at]}`)

    await card(writer, first.id, 0).locator("a").first().focus()
    await writer.keyboard.press("Alt+ArrowRight")
    await card(reader, second.id, 0).waitFor()
    expect(await filter.inputValue()).toBe("label:b")
    expect(await reader.evaluate("document.activeElement?.type")).toBe("search")

    // What has the focus stays the same element, wherever others put it.
    await card(reader, first.id, 1).locator("a").first().focus()
    await call(`POST ${api}/projects/${id}/issues/${ids[1]}/move`, { column_id: second.id, sorting: -5 })
    await card(reader, second.id, 1).waitFor()
    expect(await reader.evaluate("document.activeElement?.closest('li')?.id")).toBe(`card-${ids[1]}`)
    expect(await reader.locator(`#column-${second.id}-cards > li`).evaluateAll((all) => all.map(({ id }) => id))).toEqual([
      `card-${ids[1]}`,
      `card-${ids[0]}`,
    ])

    // Nothing is put in place while a card is dragged; afterwards both changes are there.
    await card(reader, first.id, 2).hover()
    await reader.mouse.down()
    const to = await reader.locator(`#column-${second.id}-cards`).boundingBox()
    await reader.mouse.move((to?.x ?? 0) + 40, (to?.y ?? 0) + 20)
    await reader.mouse.move((to?.x ?? 0) + 50, (to?.y ?? 0) + (to?.height ?? 0) - 4)
    await reader.locator(".dragged").waitFor()
    await call(`PATCH ${api}/projects/${id}/columns/${first.id}`, { title: "Later", color: "#aa3355" })
    await call(`POST ${api}/projects/${id}/columns`, { title: "Ideas" })
    expect(await reader.locator(".dragged").count()).toBe(1)
    await reader.mouse.up()
    await reader.getByRole("heading", { name: "Ideas" }).waitFor()
    await reader.getByRole("heading", { name: "Later" }).waitFor()
    await card(reader, second.id, 2).waitFor()
    await card(writer, second.id, 2).waitFor()
    await leave()
  })

  test("a list says what has changed, and shows it when it is asked to", async () => {
    const { at, api } = await repository("One")
    const page = await open("ben", `${at}/issues`)
    // As extensions of browsers do: that is no change.
    await page.locator("#listed li time").evaluate((time) => time.setAttribute("style", "caret-color: red"))
    await call(`POST ${api}/issues`, { title: "Two", body: "Look @ben" })
    await page.getByText("1 changed").waitFor()
    expect(await page.locator("#listed li").count()).toBe(1)
    await page.locator(".bell .count").waitFor()
    await page.getByRole("button", { name: "Show", exact: true }).click()
    await page.getByRole("link", { name: "Two" }).waitFor()
    await page.getByText("1 changed").waitFor({ state: "detached" })
    await leave()
  })

  test("a page that was open while the server was away is true again afterwards", async () => {
    const { at, api } = await repository("Away")
    const page = await open("ben", `${at}/issues/1`)
    await page.locator("textarea#body").fill("Kept")
    await way.cut()
    await call(`POST ${api}/issues/1/comments`, { body: "Said in between" })
    await page.getByText("can’t be reached").waitFor()
    await way.back()
    await page.getByText("Said in between").waitFor()
    await page.getByText("can’t be reached").waitFor({ state: "detached" })
    expect(await page.locator("textarea#body").inputValue()).toBe("Kept")
    await call(`POST ${api}/issues/1/comments`, { body: "Said after it" })
    await page.getByText("Said after it").waitFor()
    await leave()
  })

  test("a new version of the site is told, and nothing is loaded by itself", async () => {
    const { at, api } = await repository("Version")
    const page = await open("ben", `${at}/issues/1`)
    await page.locator("textarea#body").fill("Kept")
    await page.route(`**${at}/issues/1`, async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: (await answer.text()).replaceAll(/page\.[\w-]+\.css/g, "page.another.css") })
    })
    await call(`POST ${api}/issues/1/comments`, { body: "From the new one" })
    await page.getByText("A new version of this site is available. Reload the page to use it.").waitFor()
    await page.getByText("From the new one").waitFor()
    expect(await page.locator("textarea#body").inputValue()).toBe("Kept")
    await leave()
  })

  test("a page says why it shows nothing new", async () => {
    const { at, api } = await repository("Ends")
    const page = await open("ben", `${at}/issues/1`)
    await page.locator("textarea#body").fill("Kept")
    await call(`DELETE ${api}/collaborators/ben`)
    await page.getByText("This page was deleted, or you no longer have access to it.").waitFor()
    await call(`POST ${api}/issues/1/comments`, { body: "Not for ben" })
    expect(await page.getByText("Not for ben").count()).toBe(0)
    expect(await page.locator("textarea#body").inputValue()).toBe("Kept")

    const signedOut = await open("ann", `${at}/issues/1`)
    await signedOut.locator("textarea#body").fill("Kept")
    const other = await signedOut.context().newPage()
    await other.goto(`${way.root}/notifications`)
    await other.locator("header summary").last().click()
    await other.getByRole("button", { name: "Sign out" }).click()
    await other.waitForLoadState()
    await signedOut.bringToFront()
    await call(`POST ${api}/issues/1/comments`, { body: "After it" })
    await signedOut.getByText("You are no longer signed in. Your text is still here: sign in in another tab, then continue.").waitFor()
    expect(await signedOut.locator("textarea#body").inputValue()).toBe("Kept")

    const renamed = await open("ann", `${at}/issues/1`)
    await call(`PATCH ${api}`, { name: `${at.split("/")[2]}-now` })
    await renamed.getByText("This page has moved.").waitFor()
    await renamed.getByRole("link", { name: "Go to the new address" }).click()
    await renamed.waitForURL(`**${at}-now/issues/1`)
    await leave()
  })
})
