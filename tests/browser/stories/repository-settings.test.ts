import { expect } from "vitest"
import { stories } from "./stories.ts"

stories((story) => {
  story("a repository gets its settings, and goes", async ({ enter, forge, made, of }) => {
    const at = await made("settings")
    const person = await enter("ann")
    await person.open(`${at}/settings`)
    await person.fill({ Description: "Waters the garden", Template: "yes" })
    await person.press("Save")
    await person.sees("Saved.")
    expect((await forge.call(of("ann"), `GET /repos${at}`)).body).toMatchObject({ description: "Waters the garden", template: true })
    await person.unfold("Delete repository")
    await person.fill({ [`Type ${at.slice(1)} to confirm`]: at.slice(1) })
    await person.press("Delete repository")
    await person.sees("Repository deleted.")
    expect((await forge.call(of("ann"), `GET /repos${at}`)).status).toBe(404)
  })
})
