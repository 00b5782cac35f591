import { expect } from "vitest"
import { stories } from "./stories.ts"

stories((story) => {
  story("a secret in a comment is taken out of its history", async ({ enter, forge, made, of }) => {
    const at = await made("words")
    await forge.call(of("ann"), `POST /repos${at}/issues`, { title: "It does not start", body: "Why?" })
    const here = `${at}/issues/1`
    const [writer, reader] = [await enter("bob"), await enter("ann")]
    await writer.open(here)
    await writer.fill({ "Add a comment": "My token is 1234" })
    await writer.press("Comment")
    await writer.sees("My token is 1234")
    const comment = (await forge.call(of("ann"), `GET /repos${at}/issues/1/comments`)).body[0].id
    await writer.open(`${here}/comments/${comment}/edit`)
    await writer.fill({ Text: "My token is not for you" })
    await writer.press("Save")

    await reader.open(here)
    await reader.press("Edited: the history of this text")
    await reader.sees("Changes in version 2")
    await writer.open(`${here}/comments/${comment}/history`)
    await writer.press("Version 1")
    await writer.press("Delete this version’s content")
    await writer.sees("The content of this version was deleted by")
    await reader.open(`${here}/comments/${comment}/history`)
    await reader.sees("What version 1 said is deleted")
    expect(await reader.page.content()).not.toContain("1234")
  })

  story("a saved reply is put into a comment", async ({ enter, forge, made, of, own, scripts }) => {
    const at = await made("replies")
    await forge.call(of("ann"), `POST /repos${at}/issues`, { title: "It does not start" })
    const person = await enter("bob")
    await person.open("/user/settings/replies")
    await person.fill({ Name: own("Version"), Text: "Which **version** is it?" })
    await person.press("Add")
    await person.sees("Saved.")

    await person.open(`${at}/issues/1`)
    await person.fill({ "Add a comment": "Hello" })
    await person.unfold("Saved replies")
    const field = person.page.getByLabel("Add a comment", { exact: true })
    if (scripts) {
      // It takes the place of what is selected.
      await field.press("Control+a")
      await person.page.getByRole("button", { name: own("Version") }).click()
      await expect.poll(() => field.inputValue()).toBe("Which **version** is it?")
    } else {
      await person.press(own("Version"))
      expect(await field.inputValue()).toBe("Hello\n\nWhich **version** is it?")
    }
    await person.press("Comment")
    await person.sees("Which version is it?")
  })
})
