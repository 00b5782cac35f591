import { expect } from "vitest"
import { stories } from "./stories.ts"

stories((story) => {
  story("a page of the wiki is written, changed, and remembers both", async ({ enter, made }) => {
    const at = await made("barn")
    const person = await enter("ann")
    await person.open(`${at}/wiki/_new`)
    await person.send({ Title: "Home", Text: "The barn is **red**.", "Edit message": "Begin" }, "Save page")
    await person.sees("The barn is red.")
    await person.press("Edit")
    await person.send({ Text: "The barn is **blue**, and has [[Doors]].", "Edit message": "Paint it" }, "Save page")
    await person.sees("The barn is blue")
    await person.open(`${at}/wiki/_new`)
    await person.send({ Title: "Doors", Text: "Two of them." }, "Save page")
    await person.open(`${at}/wiki/Home`)
    await person.press("Doors")
    await person.sees("Two of them.")
    await person.open(`${at}/wiki/Home`)
    await person.press("2 revisions")
    await person.sees("Paint it")
    await person.sees("Begin")
    await person.open(`${at}/wiki/_pages`)
    for (const name of ["Home", "Doors"]) await person.sees(name)
    expect((await person.page.goto(`${person.page.url().split(at)[0]}${at}/wiki/Nowhere`))?.status()).toBe(404)
  })
})
