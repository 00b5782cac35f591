import { expect } from "vitest"
import { stories } from "./stories.ts"

stories((story) => {
  story("a repository is imported, and says how far it is", async ({ ask, enter, made, own, scripts, settled, site }) => {
    const origin = await made("origin")
    const copy = `/bob/${own("copy")}`
    const person = await enter("bob")
    await person.open("/repo/migrate")
    await person.send(
      { Address: `${site.root}${origin}.git`, "New repository: Name": own("copy"), Description: "From elsewhere" },
      "Start import",
    )
    expect(new URL(person.page.url()).pathname).toBe(`${copy}/import`)
    await settled()
    if (!scripts) await person.open(`${copy}/import`)
    await person.sees("Import complete.")
    await person.open(copy)
    await person.sees("From elsewhere")
    await person.press("README.md")
    await person.sees("origin")
    expect(await ask("bob", `GET /repos${copy}`)).toMatchObject({ empty: false, original_url: `${site.root}${origin}.git` })
  })
})
