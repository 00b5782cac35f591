import { expect } from "vitest"
import { stories } from "./stories.ts"

stories((story) => {
  story("a change is reviewed, mended and squashed", async ({ ask, enter, made, settled }) => {
    const at = await made("oven")
    const write = (file: string, lines: string, more: object) =>
      ask("ann", `POST /repos${at}/contents/${file}`, { content: btoa(lines), ...more })
    await ask("ann", `PUT /repos${at}/collaborators/bob`, { permission: "write" })
    await write("bread.txt", "flour\nwater\nsalt\nyeast\n", { branch: "main" })
    await write("steps.txt", "knead\nwait\nbake\n", { branch: "main", new_branch: "rye" })
    const { sha } = await ask("ann", `GET /repos${at}/contents/bread.txt`)
    await ask("ann", `PUT /repos${at}/contents/bread.txt`, { content: btoa("rye\nwater\nslat\nyaest\n"), branch: "rye", sha })
    await ask("ann", `POST /repos${at}/pulls`, { title: "Rye bread", head: "rye", base: "main" })
    const [author, reviewer] = [await enter("ann"), await enter("bob")]

    await reviewer.open(`${at}/pulls/1/files?comment=bread.txt:R:3`)
    await reviewer.send({ Comment: "Salt.\n```suggestion\nsalt\n```" }, "Start a review")
    await reviewer.open(`${at}/pulls/1/files?comment=bread.txt:R:4`)
    await reviewer.send({ Comment: "Yeast.\n```suggestion\nyeast\n```" }, "Add to your review")
    await reviewer.open(`${at}/pulls/1/files?comment=steps.txt:R:1-2`)
    await reviewer.send({ Comment: "How long?" }, "Add to your review")
    await reviewer.unfold("Review changes")
    await reviewer.send({ Summary: "Almost.", "Request changes": "yes" }, "Submit review")
    await reviewer.sees("Lines 1 to 2")

    await reviewer.open(`${at}/pulls/1/files`)
    const viewed = (file: string) => reviewer.page.getByRole("button", { name: new RegExp(`^Viewed.*${file}`) })
    for (const file of ["bread", "steps"]) {
      await viewed(file).click()
      await reviewer.page.waitForLoadState()
      await expect.poll(() => viewed(file).getAttribute("aria-pressed")).toBe("true")
    }

    await author.open(`${at}/pulls/1/files`)
    await author.sees("How long?")
    for (const box of await author.page.getByLabel("Add to batch").all()) await box.check()
    await author.send({ Message: "Spell it" }, "Commit selected suggestions")
    await settled()

    await reviewer.open(`${at}/pulls/1/files`)
    expect([await viewed("bread").getAttribute("aria-pressed"), await viewed("steps").getAttribute("aria-pressed")]).toEqual([
      "false",
      "true",
    ])
    await reviewer.press("Changes since your last review")
    await reviewer.sees("slat")
    await reviewer.misses("knead")
    await reviewer.open(`${at}/pulls/1/files`)
    await reviewer.unfold("Review changes")
    await reviewer.send({ Approve: "yes" }, "Submit review")

    await author.open(`${at}/pulls/1?style=squash`)
    const message = { "Commit title": "Bake rye bread", Message: "By hand.", "Delete branch after merging": "yes" }
    await author.send(message, "Squash and merge")
    await author.press("Restore branch")
    const [commit] = await ask("ann", `GET /repos${at}/commits?sha=main`)
    expect(commit).toMatchObject({ parents: [{}], commit: { message: expect.stringContaining("Bake rye bread\n\nBy hand.") } })
    expect(await ask("ann", `GET /repos${at}/branches/rye`)).toMatchObject({ name: "rye" })
    expect(atob((await ask("ann", `GET /repos${at}/contents/bread.txt`)).content)).toBe("rye\nwater\nsalt\nyeast\n")
  })
})
