import { expect } from "vitest"
import { stories } from "./stories.ts"

stories((story) => {
  story("a repository is made from a template", async ({ ask, enter, made, own }) => {
    const at = await made("pattern", { template: true, description: "Cut along the line" })
    const name = own("coat")
    const person = await enter("bob")
    await person.open(at)
    await person.press("Use this template")
    await person.send({ Name: name, Description: "A warm one" }, "Create repository")
    await person.sees("A warm one")
    await person.press("README.md")
    await person.sees("Cut along the line")
    expect(await ask("bob", `GET /repos/bob/${name}/contents/README.md`)).toMatchObject({ type: "file" })
    expect(await ask("bob", `GET /repos/bob/${name}`)).toMatchObject({ template: false, fork: false })
  })
})
