import { expect } from "vitest"
import { stories } from "./stories.ts"

stories((story) => {
  story("a release is drafted, gets its files and goes out", async ({ ask, enter, made, site }) => {
    const at = await made("press")
    const [owner, reader] = [await enter("ann"), await enter()]
    await owner.open(`${at}/releases/new`)
    await owner.send({ Tag: "v1.0", Title: "The first", Notes: "It **prints**." }, "Save draft")
    await owner.attach("Add files", { "print.zip": "ink and paper" })
    await owner.page.getByRole("button", { name: "Upload" }).click()
    await owner.sees("print.zip")
    await reader.open(`${at}/releases`)
    await reader.misses("The first")

    await owner.open(`${at}/releases/edit/v1.0`)
    await owner.send({ Title: "The first edition" }, "Publish")
    await reader.open(`${at}/releases`)
    await reader.sees("The first edition")
    const [loaded] = await Promise.all([
      reader.page.waitForEvent("download"),
      reader.page.getByRole("link", { name: "print.zip" }).first().click(),
    ])
    expect(loaded.suggestedFilename()).toBe("print.zip")
    expect(await (await fetch(new URL(loaded.url(), site.root))).text()).toBe("ink and paper")
    expect(await ask("ann", `GET /repos${at}/releases/tags/v1.0`)).toMatchObject({ draft: false, assets: [{ name: "print.zip" }] })
  })
})
