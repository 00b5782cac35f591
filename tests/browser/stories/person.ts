import type { Browser, BrowserContext, Locator, Page } from "playwright-core"
import { expect } from "vitest"
import { sessionOf } from "../../support/session.ts"
import { axeFindings, complaintsOf } from "../inspect.ts"

/** People at work in browsers of their own, for stories. After each step the page must be one that axe, the console and the policy have nothing against. */
export interface Person {
  readonly page: Page
  /** Opens a path of the site. */
  readonly open: (path: string) => Promise<void>
  /** Types into fields by their labels, or by "the name of a group: the label"; a box is ticked by any text. */
  readonly fill: (fields: Fields) => Promise<void>
  /** Fills fields of one form, presses its button of this name, and waits for the page that it leads to. */
  readonly send: (fields: Fields, button: string) => Promise<void>
  /** Chooses files for a field: their names, and what is in them. */
  readonly attach: (label: string, files: Readonly<Record<string, string | Buffer>>) => Promise<void>
  /** Presses a button, or follows a link, of this name, and waits for the page that it leads to. */
  readonly press: (name: string | RegExp) => Promise<void>
  /** Opens a menu, or another part that is folded. */
  readonly unfold: (name: string) => Promise<void>
  /** Waits until the page shows the text. */
  readonly sees: (text: string | RegExp) => Promise<void>
  /** Takes what the browser says of something that fails on purpose. */
  readonly forgive: (words: RegExp) => void
  /** Says that the page does not show the text. */
  readonly misses: (text: string | RegExp) => Promise<void>
  readonly keyboard: Keyboard
  readonly close: () => Promise<void>
}

type Fields = Readonly<Record<string, string>>

/** Work without a mouse. Elements are reached by Tab, and are called as they are announced. */
export interface Keyboard {
  /** Presses Tab until the element of this name has the focus, which must be visible. */
  readonly reach: (name: string) => Promise<void>
  /** Reaches a field, and replaces what is in it. */
  readonly write: (name: string, text: string) => Promise<void>
  /** Presses a key that leads to another page, and waits for it. */
  readonly go: (key: string) => Promise<void>
}

/** More than any page has between its begin and what a person wants there. */
const MOST_TABS = 200

export interface Site {
  readonly root: string
  readonly browser: Browser
}

/** What has the focus, as it is announced, and whether its outline is seen. For the browser, where there is a document. */
const FOCUSED = `(() => {
  const element = document.activeElement
  const name = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent
  const { outlineStyle, outlineWidth } = getComputedStyle(element.closest(".cm-editor") ?? element)
  const { width, height } = element.getBoundingClientRect()
  return { name: name.trim().replaceAll(/\\s+/g, " "), isSeen: outlineStyle !== "none" && parseFloat(outlineWidth) > 0 && width > 0 && height > 0 }
})()`

/** Lays bars that stay in view where they were before the page was scrolled, and back. For the browser. */
const UNSTICK = `var stuck = [...document.querySelectorAll("*")].filter((each) => getComputedStyle(each).position === "sticky")
  for (const each of stuck) each.style.position = "static"`
const STICK = `for (const each of stuck) each.style.position = ""`

/** Opens a browser for someone, signed in unless they are no one. */
export async function personAt(
  { root, browser }: Site,
  name: string | undefined,
  { scripts = true }: { readonly scripts?: boolean } = {},
): Promise<Person> {
  const context: BrowserContext = await browser.newContext({ javaScriptEnabled: scripts })
  // For what hangs; a busy machine takes its time.
  context.setDefaultTimeout(120_000)
  if (name !== undefined) {
    // The forms for it are in the stories of invitations and of the second step.
    const [cookie = "", value = ""] = (await sessionOf(root, name)).split("=", 2)
    await context.addCookies([{ name: cookie, value, url: root }])
  }
  const page = await context.newPage()
  const complaints = complaintsOf(page, root)
  const forgiven: RegExp[] = []
  const client = await context.newCDPSession(page)
  /** Pages that refuse something, which the browser complains about. */
  let refused: readonly string[] = []
  page.on("response", (answer) => {
    const isRefusal = answer.request().isNavigationRequest() && answer.status() >= 400 && answer.status() < 500
    if (isRefusal) refused = [...refused, `status of ${answer.status()} `]
  })

  /** What axe finds also without bars that stay in view: a button that lies half under one is too small for it, until the page is scrolled. */
  async function lastingFindings(): Promise<readonly string[]> {
    const found = await axeFindings(client)
    if (found.length === 0) return found
    await client.send("Runtime.evaluate", { expression: UNSTICK })
    const again = await axeFindings(client)
    await client.send("Runtime.evaluate", { expression: STICK })
    return found.filter((finding) => again.includes(finding))
  }

  async function look(): Promise<void> {
    const isExpected = (complaint: string) =>
      refused.some((status) => complaint.includes(status)) || forgiven.some((each) => each.test(complaint))
    const unexpected = complaints.splice(0).filter((complaint) => !isExpected(complaint))
    refused = []
    const found = [...unexpected, ...(scripts ? await lastingFindings() : [])]
    expect(found, page.url()).toEqual([])
  }

  /** Does what leads to another page, and looks at that. */
  async function leadsOn(act: () => Promise<void>): Promise<void> {
    await Promise.all([page.waitForEvent("load"), act()])
    await look()
  }

  const labelled = (place: Page | Locator, label: string): Locator =>
    place
      .getByLabel(label, { exact: true })
      .and(page.locator("input, select, textarea, [contenteditable=true]"))
      .filter({ visible: true })
      .first()

  function fieldOf(label: string): Locator {
    const [, group, inside] = /^(.+): (.+)$/.exec(label) ?? []
    const plain = labelled(page, label)
    return group === undefined || inside === undefined
      ? plain
      : plain.or(labelled(page.getByRole("group", { name: group, exact: true }), inside))
  }

  const person: Person = {
    page,
    async open(path) {
      await page.goto(root + path)
      await look()
    },
    async fill(fields) {
      for (const [label, value] of Object.entries(fields)) {
        const field = fieldOf(label)
        const tag = await field.evaluate((element) => `${element.tagName} ${element.getAttribute("type") ?? ""}`)
        if (tag.startsWith("SELECT")) await field.selectOption(value)
        else if (/checkbox|radio/.test(tag)) await field.setChecked(value !== "")
        // The editor may take the place of the field meanwhile, which is then found anew.
        else await field.fill(value, { timeout: 10_000 }).catch(() => field.fill(value))
      }
    },
    async send(fields, target) {
      await person.fill(fields)
      const form = page.locator("form").filter({ has: fieldOf(Object.keys(fields).at(-1) ?? "") })
      await leadsOn(() => form.getByRole("button", { name: target, exact: true }).first().click())
    },
    async attach(label, files) {
      const all = Object.entries(files).map(([name, content]) => ({ name, mimeType: "", buffer: Buffer.from(content) }))
      await fieldOf(label).setInputFiles(all)
    },
    async press(target) {
      const main = page.locator("main")
      const button = main.getByRole("button", { name: target, exact: true }).or(main.getByRole("link", { name: target, exact: true }))
      await leadsOn(() => button.first().click())
    },
    async unfold(target) {
      await page.locator("summary", { hasText: target }).first().click()
    },
    async sees(text) {
      await page.getByText(text).filter({ visible: true }).first().waitFor()
    },
    async misses(text) {
      expect(await page.getByText(text).filter({ visible: true }).count(), `${text} is on ${page.url()}`).toBe(0)
    },
    keyboard: {
      async reach(name) {
        for (let tabs = 0; tabs < MOST_TABS; tabs++) {
          await page.keyboard.press("Tab")
          const focused = await page.evaluate<{ readonly name: string; readonly isSeen: boolean }>(FOCUSED)
          if (focused.name !== name) continue
          expect(focused.isSeen, `the focus on ${name} is seen`).toBe(true)
          return
        }
        throw new Error(`Tab does not reach ${name} on ${page.url()}`)
      },
      async write(name, text) {
        await person.keyboard.reach(name)
        await page.keyboard.press("ControlOrMeta+a")
        await page.keyboard.insertText(text)
      },
      go: (key) => leadsOn(() => page.keyboard.press(key)),
    },
    forgive(words) {
      forgiven.push(words)
    },
    close: () => context.close(),
  }
  return person
}
