import { expect } from "vitest"
import { stories } from "./stories.ts"

stories((story) => {
  story("a board is set up, and its cards move", async ({ ask, enter, made, scripts }) => {
    const at = await made("loft")
    for (const title of ["Paint the wall", "Mend the stairs"]) await ask("ann", `POST /repos${at}/issues`, { title })
    const person = await enter("ann")
    const cards = async () => {
      const [{ id }] = await ask("ann", `GET /repos${at}/projects`)
      const columns = await ask("ann", `GET /repos${at}/projects/${id}/columns`)
      const inside = (column: { readonly id: number }) => ask("ann", `GET /repos${at}/projects/${id}/columns/${column.id}/issues`)
      const titles = (issues: readonly { readonly title: string }[]) => issues.map(({ title }) => title)
      const all = columns.map(async (column: { readonly id: number; readonly title: string }) => [
        column.title,
        titles(await inside(column)),
      ])
      return Object.fromEntries(await Promise.all(all))
    }
    await person.open(`${at}/projects`)
    await person.unfold("New project")
    await person.send({ Title: "Spring", Columns: "To do, in progress, done" }, "Create project")
    await person.unfold("New column")
    await person.send({ Title: "Drying" }, "Add column")
    for (const reference of ["#1", "#2"]) {
      await person.unfold("Add a card")
      await person.send({ "Issue or pull request": reference, Column: "To Do" }, "Add")
    }
    const card = person.page.locator("[data-move]", { hasText: "Paint the wall" })
    if (scripts) {
      await card.dragTo(person.page.locator("[data-column]", { hasText: "In Progress" }).last())
      await expect.poll(cards).toMatchObject({ "In Progress": ["Paint the wall"] })
      await card.getByRole("link", { name: "Paint the wall" }).press("Alt+ArrowRight")
    } else {
      await card.locator("summary").click()
      await person.send({ "Move to": "Done" }, "Move")
    }
    await expect.poll(cards).toMatchObject({ "To Do": ["Mend the stairs"], Done: ["Paint the wall"], Drying: [] })
  })
})
