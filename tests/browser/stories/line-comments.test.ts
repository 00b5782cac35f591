import type { Page } from "playwright-core"
import { expect } from "vitest"
import { type Stage, stories } from "./stories.ts"

/** Ann changes a line of bread.txt and adds steps.txt, in a pull request of its own; bob may review it. */
async function propose(ask: Stage["ask"], at: string, branch: string): Promise<number> {
  const write = (file: string, lines: string, more: object) =>
    ask("ann", `POST /repos${at}/contents/${file}`, { content: btoa(lines), ...more })
  await write("steps.txt", "knead\nwait\nbake\n", { branch: "main", new_branch: branch })
  const { sha } = await ask("ann", `GET /repos${at}/contents/bread.txt`)
  await ask("ann", `PUT /repos${at}/contents/bread.txt`, { content: btoa("flour\nwater\nslat\n"), branch, sha })
  return (await ask("ann", `POST /repos${at}/pulls`, { title: `Bread of ${branch}`, head: branch, base: "main" })).number
}

async function begin(ask: Stage["ask"], at: string): Promise<void> {
  await ask("ann", `PUT /repos${at}/collaborators/bob`, { permission: "write" })
  await ask("ann", `POST /repos${at}/contents/bread.txt`, { content: btoa("flour\nwater\nsalt\n"), branch: "main" })
}

const typed = async (page: Page, text: string): Promise<void> => {
  await page.locator("textarea:focus").waitFor()
  await page.keyboard.insertText(text)
}

stories((story) => {
  const only = "with scripts"

  story(
    "a review takes no more steps by keys than by mouse",
    async ({ ask, enter, made }) => {
      const at = await made("oven")
      await begin(ask, at)
      const [byKeys, byMouse] = [await propose(ask, at, "keys"), await propose(ask, at, "mouse")]
      const { page, open, sees } = await enter("bob")
      let steps = 0

      await open(`${at}/pulls/${byKeys}`)
      const press = async (key: string): Promise<void> => {
        steps += 1
        await page.keyboard.press(key)
      }
      await press("f")
      await page.waitForURL(/\/files$/)
      await page.locator("section.diff").last().waitFor()
      await press("c")
      await typed(page, "Salt?")
      await press("Control+Enter")
      await page.locator(".thread", { hasText: "Salt?" }).waitFor()
      await press("j")
      await press("Shift+ArrowDown")
      await sees("wait")
      await press("s")
      await expect.poll(() => page.locator("textarea:focus").inputValue()).toBe("```suggestion\nknead\nwait\n```\n")
      await sees("Lines 1 to 2")
      await typed(page, " a day")
      await press("Control+Enter")
      await page.locator(".thread .suggestion", { hasText: "+wait a day" }).waitFor()
      await press("r")
      await typed(page, "By keys.")
      await press("Alt+a")
      await press("Control+Enter")
      await page.waitForURL(/\/pulls\/\d+$/)
      await sees("By keys.")
      const ofKeys = steps

      steps = 0
      await open(`${at}/pulls/${byMouse}`)
      const click = async (name: string | RegExp, role: "button" | "link" | "radio" = "button"): Promise<void> => {
        steps += 1
        await page.getByRole(role, { name }).filter({ visible: true }).first().click()
      }
      const numberOf = async (file: number, line: number) => {
        const row = page.locator("section.diff").nth(file).locator(`[id$=R${line}]`)
        await row.scrollIntoViewIfNeeded()
        const box = await row.boundingBox()
        return { x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + 8 }
      }
      await click(/^Files/, "link")
      await page.waitForURL(/\/files$/)
      const salt = await numberOf(0, 3)
      await page.mouse.move(salt.x, salt.y)
      await click("Comment on this line")
      await typed(page, "Salt?")
      await click("Start a review")
      await page.locator(".thread", { hasText: "Salt?" }).waitFor()
      const [first, last] = [await numberOf(1, 1), await numberOf(1, 2)]
      await page.mouse.move(first.x, first.y)
      await page.mouse.down()
      await page.mouse.move(last.x, last.y, { steps: 3 })
      await page.mouse.up()
      steps += 2
      await sees("Lines 1 to 2")
      await click("Suggest a change", "link")
      await typed(page, " a day")
      await click("Add to your review")
      await page.locator(".thread .suggestion", { hasText: "+wait a day" }).waitFor()
      steps += 1
      await page.locator("#review > summary").click()
      await typed(page, "By mouse.")
      await click("Approve", "radio")
      await click("Submit review")
      await page.waitForURL(/\/pulls\/\d+$/)
      await sees("By mouse.")
      expect([ofKeys, steps]).toEqual([10, 10])

      for (const number of [byKeys, byMouse]) {
        const [review, ...others] = await ask("ann", `GET /repos${at}/pulls/${number}/reviews`)
        expect([review.state, review.comments_count, others]).toEqual(["APPROVED", 2, []])
        expect(await ask("ann", `GET /repos${at}/pulls/${number}/reviews/${review.id}/comments`)).toMatchObject([
          { path: "bread.txt", position: 3, lines: 1, body: "Salt?" },
          { path: "steps.txt", position: 2, lines: 2, body: "```suggestion\nknead\nwait a day\n```\n" },
        ])
      }
    },
    { only },
  )

  story(
    "what is said of lines is kept, mended, answered and taken back in place",
    async ({ ask, enter, made }) => {
      const at = await made("pan")
      await begin(ask, at)
      const number = await propose(ask, at, "rye")
      const files = `${at}/pulls/${number}/files`
      const { page, open, sees, misses } = await enter("bob")
      const menuOf = async (text: string, item: string): Promise<void> => {
        const comment = page.locator("article", { hasText: text }).last()
        await comment.getByLabel("More").click()
        await comment.locator(".menu-items").getByText(item, { exact: true }).click()
      }

      // What was typed and not sent is there again; what is cancelled is not.
      await open(files)
      await page.keyboard.press("c")
      await typed(page, "Half a thought")
      await page.reload()
      await expect.poll(() => page.locator(".line-form-place textarea").inputValue()).toBe("Half a thought")
      await page.locator(".line-form-place textarea").fill("A whole one")
      await page.getByRole("button", { name: "Start a review" }).click()
      await sees("A whole one")
      await page.keyboard.press("j")
      await page.keyboard.press("c")
      await typed(page, "Not this")
      await page.keyboard.press("Control+Enter")
      await sees("Not this")
      await sees("Review changes 2")

      // One pending comment is mended, the other goes, and the page stays.
      await menuOf("A whole one", "Edit")
      await typed(page, "")
      await page.locator(".in-place textarea").fill("A better one")
      await page.keyboard.press("Control+Enter")
      await sees("A better one")
      await menuOf("Not this", "Delete")
      await page.getByRole("button", { name: "Delete comment" }).click()
      await page.getByText("Not this").waitFor({ state: "detached" })
      await sees("Review changes 1")
      await page.keyboard.press("r")
      await typed(page, "All in all")
      await Promise.all([page.waitForURL(/\/pulls\/\d+$/), page.keyboard.press("Control+Enter")])

      const author = await enter("ann")
      await author.open(`${at}/pulls/${number}`)
      const thread = author.page.locator(".thread")
      await thread.getByLabel("More").click()
      await thread.getByText("Quote reply").click()
      await expect.poll(() => author.page.locator(".thread textarea:focus").inputValue()).toBe("> A better one\n\n")
      await author.page.keyboard.insertText("Indeed.")
      await Promise.all([author.page.waitForEvent("load"), author.page.keyboard.press("Control+Enter")])
      await author.sees("Indeed.")
      const summary = author.page.locator("article", { hasText: "All in all" }).first()
      const reactions = summary.locator("form.reactions").first()
      await reactions.locator("summary").click()
      await reactions.getByRole("button", { name: "rocket" }).click()
      await reactions.locator('button[aria-pressed=true][value="rocket"]').waitFor()
      const [review] = await ask("bob", `GET /repos${at}/pulls/${number}/reviews`)
      expect(review).toMatchObject({ state: "COMMENT", body: "All in all", comments_count: 2 })
      await misses("Not this")
    },
    { only },
  )
})
