import { expect } from "vitest"
import { stories } from "./stories.ts"

stories((story) => {
  story("notifications are pinned, read and not asked for again", async ({ ask, enter, made, settled }) => {
    const at = await made("tower")
    for (const title of ["Wind the clock", "Ring the bell"]) await ask("ann", `POST /repos${at}/issues`, { title })
    const comment = async (number: number) => {
      await ask("bob", `POST /repos${at}/issues/${number}/comments`, { body: "Who has the key?" })
      await settled()
    }
    for (const number of [1, 2]) await comment(number)
    const person = await enter("ann")
    const row = (title: string) => person.page.locator("li", { has: person.page.getByRole("button", { name: title, exact: true }) }).last()
    await person.open("/notifications")
    await row("Wind the clock").getByRole("button", { name: "Pin" }).click()
    await person.press("Ring the bell")
    await person.sees("Who has the key?")
    await person.press("Unsubscribe")
    await comment(2)
    await person.open("/notifications")
    await person.misses("Ring the bell")
    await person.open("/notifications?q=pinned")
    await person.sees("Wind the clock")
    expect(await ask("ann", `GET /repos${at}/notifications?status-types=pinned`)).toMatchObject([{ subject: { title: "Wind the clock" } }])
  })
})
