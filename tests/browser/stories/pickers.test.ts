import { expect } from "vitest"
import { stories } from "./stories.ts"

/** What an issue is given is chosen from menus with a search, by keyboard; its title is edited in place. */
stories((story) => {
  story(
    "labels, people and milestones are picked by keyboard, and the title is edited in place",
    async ({ ask, enter, made }) => {
      const at = await made("picks")
      const api = `/repos${at}`
      await ask("ann", `PUT ${api}/collaborators/bob`, { permission: "write" })
      for (const name of ["bug", "good first issue", "bugbear"])
        await ask("ann", `POST ${api}/labels`, { name, color: "ff0000", description: `About ${name}s` })
      const { id: winter } = await ask("ann", `POST ${api}/milestones`, { title: "Winter" })
      await ask("ann", `POST ${api}/issues`, { title: "It `stops`" })
      const person = await enter("ann")
      const { page, keyboard } = person
      const issue = () => ask("ann", `GET ${api}/issues/1`)
      // A menu gets its search a moment after it opens: what is typed before goes nowhere.
      const isReady = () => page.waitForSelector("details[open] .picker-search:focus")
      const names = async () => (await issue()).labels.map(({ name }: { name: string }) => name).sort()

      await person.open(`${at}/issues/1`)
      await keyboard.reach("Edit labels")
      await page.keyboard.press("Enter")
      await isReady()
      await page.keyboard.type("first")
      await page.keyboard.press("Enter")
      await page.keyboard.type("bug")
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Space")
      await page.keyboard.press("Escape")
      await expect.poll(names, { timeout: 10_000 }).toEqual(["bugbear", "good first issue"])
      await page.waitForSelector("#side-labels a.chip >> text=bugbear")
      await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("Edit labels")

      // One that isn't there is made.
      await page.keyboard.press("Enter")
      await isReady()
      await page.keyboard.type("brand new")
      await page.getByRole("button", { name: "Create the label “brand new”" }).press("Enter")
      await page.waitForSelector("#side-labels .check >> text=brand new")
      await page.keyboard.press("Escape")
      await expect.poll(names, { timeout: 10_000 }).toEqual(["brand new", "bugbear", "good first issue"])

      await page.getByText("Edit milestone").click()
      await isReady()
      await page.keyboard.type("win")
      await page.keyboard.press("Enter")
      await expect.poll(async () => (await issue()).milestone?.title, { timeout: 10_000 }).toBe("Winter")
      await page.getByText("Edit assignees").click()
      await page.locator("#side-assignees label", { hasText: "bob" }).click()
      await page.locator("h1").click()
      await page.waitForSelector("#side-assignees li >> text=bob")

      // The title: Escape leaves it, Enter saves it; what others have written meanwhile is shown first.
      await page.getByRole("link", { name: "Edit title" }).click()
      // Its script is loaded with the first press.
      await page.waitForSelector("form.retitle input:focus")
      await page.keyboard.type("Never")
      await page.keyboard.press("Escape")
      expect((await issue()).title).toBe("It `stops`")
      await page.keyboard.press("Enter")
      await page.keyboard.type("It `stops` at night")
      await page.keyboard.press("Enter")
      await person.sees("at night")
      await expect.poll(() => page.title()).toContain("at night")
      await page.getByRole("link", { name: "Edit title" }).click()
      await ask("bob", `PATCH ${api}/issues/1`, { title: "Bob was here" })
      person.forgive(/409/)
      await page.keyboard.type("Ann was here")
      await page.keyboard.press("Enter")
      await page.waitForSelector(".retitle-problem >> text=Bob was here")
      await page.keyboard.press("Enter")
      await expect.poll(async () => (await issue()).title, { timeout: 10_000 }).toBe("Ann was here")

      // A new issue begins with them.
      await page.getByRole("link", { name: "New issue", exact: true }).first().click()
      await page.waitForSelector("details[data-picker=field]")
      await person.fill({ Title: "Another" })
      await page.locator("details[data-picker] > summary", { hasText: "Labels" }).click()
      await isReady()
      await page.keyboard.type("good")
      await page.keyboard.press("Enter")
      await page.keyboard.press("Escape")
      expect(await page.locator("summary", { hasText: "Labels" }).textContent()).toContain("good first issue")
      await person.press("Create issue")
      expect(await ask("ann", `GET ${api}/issues/2`)).toMatchObject({ labels: [{ name: "good first issue" }], milestone: null })
      expect(winter).toBeGreaterThan(0)
    },
    { only: "with scripts" },
  )
})
