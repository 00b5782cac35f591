import type { Locator, Page } from "playwright-core"
import { expect } from "vitest"
import { stories } from "./stories.ts"

/** Waits until a box is ticked, and the server has answered: with scripts it is shown at once. */
const ticked = async (page: Page, name: string): Promise<void> => {
  await page.waitForSelector(`[role=checkbox][aria-label="${name}"][aria-checked=true]`)
  await page.waitForSelector("form[data-busy]", { state: "detached" })
}

/** Boxes of task lists are ticked where they are read: in issues, comments, reviews and comments on lines. */
stories((story) => {
  story("tasks are ticked where they are read", async ({ ask, enter, made, scripts }) => {
    const at = await made("tasks")
    const api = `/repos${at}`
    const here = `${at}/issues/1`
    await ask("ann", `POST ${api}/issues`, { title: "To do", body: "- [ ] dig\n- [ ] dig\n  - [ ] fill" })
    await ask("bob", `POST ${api}/issues/1/comments`, { body: "> - [ ] water" })
    const person = await enter("ann")
    await person.open(here)
    const box = (name: string, nth = 0): Locator => person.page.getByRole("checkbox", { name, exact: true }).nth(nth)
    const isTicked = (name: string): Promise<void> => ticked(person.page, name)
    await box("dig", 1).press("Space")
    await isTicked("dig")
    expect((await ask("ann", `GET ${api}/issues/1`)).body).toBe("- [ ] dig\n- [x] dig\n  - [ ] fill")
    await person.sees("1 of 3 tasks")
    if (scripts) expect(await box("dig", 1).evaluate((element) => element.matches(":focus"))).toBe(true)
    await box("water").click()
    await isTicked("water")
    await person.sees("edited")

    // Someone else takes the text apart: what isn't clear any more is not ticked, and the text is shown as it is.
    if (scripts) {
      await box("fill").focus()
      await ask("ann", `PATCH ${api}/issues/1`, { body: "- [ ] sow\n- [ ] reap" })
      person.forgive(/409/)
      await box("fill").press("Space")
      await person.sees("it is not clear any more which box is meant")
      await person.sees("reap")
      const other = await enter("ann")
      await other.open(here)
      await box("reap").press("Space")
      await isTicked("reap")
      await box("sow").press("Space")
      await isTicked("sow")
      // The page that someone else looks at follows.
      await other.page.waitForSelector('[aria-label="reap"][aria-checked=true]')
      await other.sees("2 of 2 tasks")
      expect((await ask("ann", `GET ${api}/issues/1`)).body).toBe("- [x] sow\n- [x] reap")
    }
  })

  story("tasks of a review are ticked", async ({ ask, enter, made, scripts }) => {
    const at = await made("review-tasks")
    const api = `/repos${at}`
    await ask("ann", `POST ${api}/contents/new.txt`, { content: btoa("one\ntwo\n"), new_branch: "more", message: "More" })
    const { number } = await ask("ann", `POST ${api}/pulls`, { title: "More", head: "more", base: "main", body: "- [ ] opened" })
    await ask("bob", `POST ${api}/pulls/${number}/reviews`, {
      event: "COMMENT",
      body: "- [ ] summary",
      comments: [{ path: "new.txt", new_position: 1, body: "- [ ] line" }],
    })
    const person = await enter("ann")
    const tick = async (name: string) => {
      await person.page.getByRole("checkbox", { name, exact: true }).click()
      await ticked(person.page, name)
    }
    await person.open(`${at}/pulls/${number}`)
    await tick("opened")
    await tick("summary")
    await person.open(`${at}/pulls/${number}/files`)
    await tick("line")
    expect(new URL(person.page.url()).pathname).toBe(`${at}/pulls/${number}/files`)
    await person.open(`${at}/pulls/${number}`)
    for (const name of ["opened", "summary", "line"]) await person.page.waitForSelector(`[aria-label="${name}"][aria-checked=true]`)
    expect(scripts || (await person.page.content()).includes("1 of 1 task")).toBe(true)
  })
})
