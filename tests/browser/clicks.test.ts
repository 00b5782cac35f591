/**
 * How many clicks ten daily tasks take. docs/pages.md has the table, beside GitHub's.
 *
 * A click, a tap and a pressed key are one each, wherever they lead; what is typed counts nothing, nor does a list that is scrolled.
 */
import type { Locator, Page } from "playwright-core"
import { expect } from "vitest"
import { basic, PASSWORD, type TestHearth } from "../support/hearth.ts"
import { test } from "./browser.ts"
import { type Person, personAt } from "./stories/person.ts"

/** GitHub's, from what its interface is publicly known to ask. */
const GITHUB = {
  "open a file by name": 2,
  "comment on a line": 2,
  "change a label": 3,
  "request a review": 3,
  merge: 2,
  revert: 2,
  "create a release": 5,
  "find a definition": 2,
  "mark all read": 3,
  "add a member": 5,
} as const
type Task = keyof typeof GITHUB

interface Hand {
  readonly page: Page
  readonly click: (target: Locator, at?: { readonly x: number; readonly y: number }) => Promise<void>
  readonly key: (name: string) => Promise<void>
  /** The same for what leads to another page. */
  readonly follow: (target: Locator) => Promise<void>
  readonly count: () => number
}

function handOf({ page }: Person): Hand {
  let clicks = 0
  const click: Hand["click"] = async (target, position) => {
    clicks++
    await target
      .filter({ visible: true })
      .first()
      .click(position && { position })
  }
  return {
    page,
    click,
    async key(name) {
      clicks++
      await page.keyboard.press(name)
    },
    async follow(target) {
      await Promise.all([page.waitForEvent("load"), click(target)])
    },
    count: () => clicks,
  }
}

const button = ({ page }: Hand, name: string | RegExp): Locator => page.locator("main").getByRole("button", { name })
const link = ({ page }: Hand, name: string | RegExp): Locator => page.getByRole("link", { name })

/** Where each task begins, and what is done. */
const TASKS: readonly (readonly [Task, from: string, act: (hand: Hand) => Promise<void>])[] = [
  [
    "open a file by name",
    "",
    async (hand) => {
      const field = hand.page.locator("dialog input")
      await hand.key("t")
      await field.fill("kiln")
      await hand.page.locator("dialog").getByText("src/kiln.js").first().waitFor()
      await Promise.all([hand.page.waitForURL(/kiln\.js/), hand.key("Enter")])
    },
  ],
  [
    "find a definition",
    "/src/branch/main/src/use.js",
    async (hand) => {
      // On the name, which has no element of its own.
      const line = hand.page.locator("#L3")
      const place = await line.evaluate((element) => {
        const range = element.ownerDocument.createRange()
        const walker = element.ownerDocument.createTreeWalker(element, 4)
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const at = node.textContent?.indexOf("heatOf") ?? -1
          if (at < 0) continue
          range.setStart(node, at + 1)
          range.setEnd(node, at + 2)
          break
        }
        const [box, own] = [range.getBoundingClientRect(), element.getBoundingClientRect()]
        return { x: box.x + box.width / 2 - own.x, y: box.y + box.height / 2 - own.y }
      })
      await hand.click(line, place)
      await Promise.all([hand.page.waitForURL(/kiln\.js#L1$/), hand.click(hand.page.locator(".definitions .mono"))])
    },
  ],
  [
    "comment on a line",
    "/pulls/1/files",
    async (hand) => {
      await hand.page.locator('[data-n="2"]').last().hover()
      await hand.click(hand.page.locator(".comment-here"))
      await hand.page.locator("form.line-form textarea").first().fill("Why so hot?")
      await hand.click(hand.page.locator("form.line-form").getByRole("button", { name: /^(Comment|Add single comment)$/ }))
      await hand.page.locator(".thread").getByText("Why so hot?").waitFor()
    },
  ],
  [
    "change a label",
    "/issues/2",
    async (hand) => {
      await hand.click(hand.page.locator("summary", { hasText: "labels" }))
      await hand.click(hand.page.locator(".side").getByText("urgent", { exact: true }))
      const save = hand.page.locator(".side details[open]").getByRole("button", { name: "Save" })
      if (await save.isVisible()) await hand.click(save)
      else await hand.key("Escape")
      await hand.page.locator(".side .chip", { hasText: "urgent" }).waitFor()
    },
  ],
  [
    "request a review",
    "/pulls/1",
    async (hand) => {
      await hand.click(hand.page.locator("summary", { hasText: "Request a review" }))
      await hand.follow(button(hand, "Request a review from bob"))
      await hand.page.getByText("requested", { exact: true }).first().waitFor()
    },
  ],
  ["merge", "/pulls/1", (hand) => hand.follow(button(hand, "Merge"))],
  [
    "revert",
    "/pulls/1",
    async (hand) => {
      await hand.follow(button(hand, "Revert"))
      await hand.follow(button(hand, "Create pull request"))
    },
  ],
  [
    "create a release",
    "",
    async (hand) => {
      await hand.follow(hand.page.locator(".repo-header").getByRole("link", { name: /^Releases/ }))
      await hand.follow(link(hand, "New release"))
      await hand.page.getByLabel("Tag", { exact: true }).fill("v1")
      await hand.page.getByLabel("Title", { exact: true }).fill("First")
      await hand.follow(button(hand, "Publish"))
    },
  ],
  [
    "mark all read",
    "",
    async (hand) => {
      await hand.follow(hand.page.locator("a.bell"))
      await hand.follow(button(hand, "Mark all read"))
    },
  ],
  [
    "add a member",
    "",
    async (hand) => {
      await hand.follow(hand.page.locator(".repo-header").getByRole("link", { name: "Settings" }))
      await hand.follow(link(hand, "Collaborators"))
      await hand.page.getByLabel("User name", { exact: true }).fill("cid")
      await hand.follow(button(hand, "Add"))
      await hand.page.locator(".rows").getByRole("link", { name: "cid" }).waitFor()
    },
  ],
]

/** A repository with code in two files, a pull request and an issue; bob works on it too, and ann hears of what he says. */
async function prepare({ call, hearth, person, settle }: TestHearth): Promise<string> {
  const [ann, bob] = [basic("ann", PASSWORD), basic("bob", PASSWORD)]
  await person("cid")
  const ask = async (who: string, route: string, body: object): Promise<void> =>
    expect((await call(who, route, body)).status, route).toBeLessThan(300)
  const at = "/ann/pottery"
  const write = (file: string, text: string, more: object) =>
    ask(ann, `POST /repos${at}/contents/${file}`, { content: btoa(text), ...more })
  await ask(ann, "POST /user/repos", { name: "pottery", auto_init: true })
  await ask(ann, `PUT /repos${at}/collaborators/bob`, { permission: "write" })
  await write("src/kiln.js", "export function heatOf(clay) {\n  return clay * 2\n}\n", { branch: "main" })
  await write("src/use.js", 'import { heatOf } from "./kiln.js"\n\nconsole.log(heatOf(3))\n', { branch: "main" })
  await write("glaze.txt", "ash\nfire\nwater\n", { branch: "main", new_branch: "glaze" })
  await ask(ann, `POST /repos${at}/pulls`, { title: "Glaze", head: "glaze", base: "main" })
  await ask(ann, `POST /repos${at}/labels`, { name: "urgent", color: "#ee0000" })
  await ask(bob, `POST /repos${at}/issues`, { title: "The kiln is cold" })
  await settle()
  await hearth.services.jobs.tasks.run("index_code")
  return at
}

test("ten daily tasks take no more clicks than on GitHub", async ({ browser, forge }) => {
  const at = await prepare(forge)
  const { rootUrl: root } = forge.hearth.services.site
  const person = await personAt({ browser, root }, "ann")
  const counted: Record<string, number> = {}
  for (const [task, from, act] of TASKS) {
    await person.page.goto(root + at + from)
    const hand = handOf(person)
    await act(hand)
    await forge.settle()
    counted[task] = hand.count()
  }
  await person.close()
  expect(counted).toEqual({
    "open a file by name": 2,
    "find a definition": 2,
    "comment on a line": 2,
    "change a label": 3,
    "request a review": 2,
    merge: 1,
    revert: 2,
    "create a release": 3,
    "mark all read": 2,
    "add a member": 3,
  })
  for (const [task, most] of Object.entries(GITHUB)) expect(counted[task], task).toBeLessThanOrEqual(most)
})
