import { expect } from "vitest"
import { stories } from "./stories.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

stories((story) => {
  story("conflicts are resolved on a page, and what was merged is reverted", async ({ enter, forge, made, of, scripts }) => {
    const at = await made("garden")
    const ann = of("ann")
    const write = async (branch: string, text: string) => {
      const { sha } = (await forge.call(ann, `GET /repos${at}/contents/README.md`)).body
      const body = { content: base64(text), sha, branch: "main", new_branch: branch, message: `Plant ${text}` }
      expect((await forge.call(ann, `PUT /repos${at}/contents/README.md`, body)).status).toBe(200)
    }
    await write("beans", "Beans\n")
    await write("main", "Peas\n")
    const pull = { head: "beans", base: "main", title: "Plant beans" }
    expect((await forge.call(ann, `POST /repos${at}/pulls`, pull)).status).toBe(201)

    const person = await enter("ann")
    await person.open(`${at}/pulls/1`)
    await person.press("Resolve conflicts")
    if (scripts) {
      await person.page.getByRole("button", { name: "Line 1: take both" }).click()
      await person.sees("Beans")
    } else await person.fill({ Text: "Beans\nPeas\n" })
    await person.press("Commit merge")
    await person.sees("Conflicts resolved.")
    expect(atob((await forge.call(ann, `GET /repos${at}/contents/README.md?ref=beans`)).body.content)).toBe("Beans\nPeas\n")

    await person.press("Merge")
    await person.press("Revert")
    await person.press("Create pull request")
    await person.sees("Reverts #1")
    await person.press("Merge")
    expect(atob((await forge.call(ann, `GET /repos${at}/contents/README.md`)).body.content)).toBe("Peas\n")
  })

  story("a commit is made again on another branch, and reverted", async ({ enter, forge, made, of }) => {
    const at = await made("orchard")
    const ann = of("ann")
    expect((await forge.call(ann, `POST /repos${at}/branches`, { new_branch_name: "old" })).status).toBe(201)
    const body = { content: base64("Apples\n"), message: "Plant apples" }
    const { sha } = (await forge.call(ann, `POST /repos${at}/contents/apples.txt`, body)).body.commit
    const person = await enter("ann")
    await person.open(`${at}/commit/${sha}`)
    await person.page.locator("summary", { has: person.page.getByLabel("More") }).click()
    await person.press("Cherry-pick")
    await person.fill({ "On the branch": "old" })
    await person.press("Use this branch")
    await person.press("Cherry-pick")
    await person.sees("Committed.")
    expect((await forge.call(ann, `GET /repos${at}/contents/apples.txt?ref=old`)).status).toBe(200)
    await person.open(`${at}/_cherrypick/${sha}/main?revert=true`)
    await person.press("Revert")
    expect((await forge.call(ann, `GET /repos${at}/contents/apples.txt?ref=main`)).status).toBe(404)
  })
})
