import { expect } from "vitest"
import { type Stage, stories } from "./stories.ts"

/** Ann has a pull request, which bob may review. */
async function proposed(ask: Stage["ask"], at: string): Promise<void> {
  await ask("ann", `PUT /repos${at}/collaborators/bob`, { permission: "write" })
  await ask("ann", `POST /repos${at}/contents/leg.txt`, { content: btoa("four\n"), new_branch: "legs" })
  await ask("ann", `POST /repos${at}/pulls`, { title: "Add legs", head: "legs", base: "main" })
}

stories((story) => {
  const only = "with scripts"

  story(
    "an issue is opened by keys",
    async ({ ask, enter, made }) => {
      const at = await made("desk")
      const { keyboard, open, page, sees } = await enter("ann")
      await open(`${at}/issues`)
      await keyboard.reach("New issue")
      await keyboard.go("Enter")
      await keyboard.write("Title", "The drawer is stuck")
      await keyboard.write("Text", "It needs wax.")
      await keyboard.go("Control+Enter")
      await sees("It needs wax.")
      await page.keyboard.press("Escape")
      expect(await ask("ann", `GET /repos${at}/issues/1`)).toMatchObject({ title: "The drawer is stuck", body: "It needs wax." })
    },
    { only },
  )
  story(
    "a file is reviewed and approved by keys",
    async ({ ask, enter, made }) => {
      const at = await made("shelf")
      await proposed(ask, at)
      const { keyboard, open, page, sees } = await enter("bob")
      await open(`${at}/pulls/1/files`)
      await page.keyboard.press("r")
      await page.locator("#review textarea:focus").waitFor()
      await page.keyboard.insertText("It holds.")
      await page.keyboard.press("Alt+a")
      await keyboard.go("Control+Enter")
      await sees("It holds.")
      expect(await ask("ann", `GET /repos${at}/pulls/1/reviews`)).toMatchObject([{ state: "APPROVED", body: "It holds." }])
    },
    { only },
  )
  story(
    "a pull request is merged by keys",
    async ({ ask, enter, made }) => {
      const at = await made("stool")
      await proposed(ask, at)
      const { keyboard, open, sees } = await enter("ann")
      await open(`${at}/pulls/1`)
      await keyboard.write("Commit title", "Add a leg")
      await keyboard.reach("Merge")
      await keyboard.go("Enter")
      await sees("merged 1 commit")
      expect(await ask("ann", `GET /repos${at}/pulls/1`)).toMatchObject({ merged: true })
    },
    { only },
  )
  story(
    "a card is moved by keys",
    async ({ ask, enter, made }) => {
      const at = await made("bench")
      const issue = await ask("ann", `POST /repos${at}/issues`, { title: "Sand the top" })
      const { id } = await ask("ann", `POST /repos${at}/projects`, { title: "Spring", template_type: "basic_kanban" })
      const columns = await ask("ann", `GET /repos${at}/projects/${id}/columns`)
      await ask("ann", `POST /repos${at}/projects/${id}/columns/${columns[1].id}/issues/${issue.id}`)
      const cards = async () => (await ask("ann", `GET /repos${at}/projects/${id}/columns/${columns[2].id}/issues`)).length
      const { keyboard, open, page } = await enter("ann")
      await open(`${at}/projects/${id}`)
      await keyboard.reach("Sand the top")
      await page.keyboard.press("Alt+ArrowRight")
      await expect.poll(cards).toBe(1)
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Sand the top")
    },
    { only },
  )
  story(
    "a file is edited by keys",
    async ({ ask, enter, made }) => {
      const at = await made("chest")
      const { keyboard, open, page, sees } = await enter("ann")
      await open(`${at}/src/branch/main/README.md`)
      await keyboard.reach("Edit")
      await keyboard.go("Enter")
      await keyboard.write("Content", "# Chest\n\nOf oak.\n")
      await page.keyboard.press("Escape")
      await keyboard.write("Commit message", "Say of what it is")
      await keyboard.reach("Commit")
      await keyboard.go("Enter")
      await sees("Of oak.")
      expect(atob((await ask("ann", `GET /repos${at}/contents/README.md`)).content)).toBe("# Chest\n\nOf oak.\n")
    },
    { only },
  )
})
