import { expect } from "vitest"
import { stories } from "./stories.ts"

stories((story) => {
  story("work on an issue is timed, and the issue moves and is closed as a duplicate", async ({ enter, forge, made, of, scripts }) => {
    const from = await made("here")
    const to = await made("there")
    const call = (route: string, body?: object) => forge.call(of("ann"), route, body)
    for (const title of ["The first", "The same again"]) await call(`POST /repos${to}/issues`, { title })
    await call(`POST /repos${from}/issues`, { title: "It crashes" })

    const person = await enter("ann")
    const { page } = person
    await person.open(`${from}/issues/1`)
    await person.press("Start timer")
    await person.open("/explore/repos")
    const timer = page.locator("header details", { has: page.locator("[data-since]") })
    await timer.locator("summary").click()
    if (scripts) {
      const text = await timer.locator(".timer").textContent()
      await expect.poll(() => timer.locator(".timer").textContent()).not.toBe(text)
    }
    await Promise.all([page.waitForEvent("load"), timer.getByRole("button", { name: "Stop, and add the time" }).click()])
    await person.sees("Time added.")
    expect(new URL(page.url()).pathname).toBe("/explore/repos")
    expect(await timer.count()).toBe(0)
    expect((await call(`GET /repos${from}/issues/1/times`)).body).toHaveLength(1)

    await person.open(`${from}/issues/1`)
    await person.unfold("Transfer issue")
    if (scripts) await page.locator(`datalist option[value="${to.slice(1)}"]`).waitFor({ state: "attached" })
    await person.fill({ "New repository": to.slice(1), "Type the repository again to confirm": to.slice(1) })
    await person.press("Transfer issue")
    await person.sees("Issue transferred.")
    await person.sees("moved this here from")
    expect(new URL(page.url()).pathname).toBe(`${to}/issues/3`)
    await person.open(`${from}/issues/1`)
    expect(new URL(page.url()).pathname).toBe(`${to}/issues/3`)

    await person.fill({ "Close as": "duplicate", "Duplicate of": "#1" })
    await person.press("Close")
    await person.sees("Closed as a duplicate")
    await person.sees("closed this as a duplicate of")
    await person.open(`${to}/issues?q=is:closed reason:duplicate`)
    await person.sees("It crashes")
  })
})
