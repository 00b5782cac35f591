import { expect } from "vitest"
import { stories } from "./stories.ts"

stories((story) => {
  story("who may not write brings a change from a fork", async ({ ask, enter, made }) => {
    const at = await made("shed")
    const fork = at.replace("ann", "bob")
    const [owner, guest] = [await enter("ann"), await enter("bob")]
    await guest.open(at)
    await guest.press("Fork")
    await guest.press("Create fork")
    await guest.open(`${fork}/_edit/main/README.md`)
    await guest.send({ Content: "# Shed\n\nWith a door.\n", "Commit message": "Add a door", Branch: "door" }, "Commit")
    await guest.open(`${at}/compare/main...bob:door`)
    await guest.press("Open a pull request")
    await guest.send({ Title: "Add a door", Text: "Mind the step." }, "Create pull request")
    await guest.sees("wants to merge 1 commit")
    await owner.open(`${at}/pulls/1`)
    await owner.sees("Mind the step.")
    await owner.press("Merge")
    await owner.sees("merged 1 commit")
    await owner.open(at)
    await owner.sees("With a door.")
    expect(await ask("ann", `GET /repos${at}/pulls/1`)).toMatchObject({ merged: true, head: { label: "door" } })
  })
})
