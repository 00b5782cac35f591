import { expect } from "vitest"
import type { Person } from "./person.ts"
import { stories } from "./stories.ts"

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64")

/** What is in the clipboard when someone pastes. */
interface Pasted {
  readonly html?: string
  readonly plain?: string
  readonly file?: string
}

/** Pastes into the text, or drops on it. Run in the page, whose types are not those of tests. */
const give = ({ page }: Person, kind: "paste" | "drop", given: Pasted): Promise<void> =>
  page.evaluate(`{
    const { html, plain, file } = ${JSON.stringify(given)}
    const data = new DataTransfer()
    if (html !== undefined) data.setData("text/html", html)
    if (plain !== undefined) data.setData("text/plain", plain)
    const bytes = Uint8Array.from(atob("${PNG.toString("base64")}"), (sign) => sign.charCodeAt(0))
    if (file !== undefined) data.items.add(new File([bytes], file))
    const all = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data }
    const field = document.querySelector(".composer textarea")
    field.focus()
    field.dispatchEvent("${kind}" === "drop" ? new DragEvent("drop", all) : new ClipboardEvent("paste", all))
  }`)

const text = ({ page }: Person): Promise<string> => page.locator(".composer textarea").inputValue()

stories((story) => {
  story("a crash is reported with a picture of it", async ({ enter, forge, made, of, scripts }) => {
    const at = await made("pictures")
    const bob = await enter("bob")
    await bob.open(`${at}/issues/new`)
    await bob.fill({ Title: "It crashes" })
    if (scripts) {
      bob.forgive(/status of 422/)
      await give(bob, "paste", { html: "<table><tr><td>version</td><td>a|b</td></tr><tr><td>1</td><td>2</td></tr></table>" })
      expect(await text(bob)).toBe("| version | a\\|b |\n| --- | --- |\n| 1 | 2 |\n")
      await give(bob, "paste", { file: "shot [1].png" })
      await give(bob, "drop", { file: "run.exe" })
      await bob.sees("names of attached files must end in")
      await expect.poll(() => text(bob)).toMatch(/\n!\[shot \(1\).png\]\(\/attachments\/[\w-]+\)\n$/)
    } else {
      await bob.page.getByLabel("Attach files").setInputFiles({ name: "shot [1].png", mimeType: "image/png", buffer: PNG })
      await bob.press("Attach")
      await bob.sees("The files are attached to the text. Nothing is sent yet.")
    }
    await bob.press("Create issue")
    await bob.sees("Opened.")
    const picture = bob.page.locator("article img[alt='shot (1).png']")
    await picture.scrollIntoViewIfNeeded()
    await expect.poll(() => picture.evaluate((image) => "naturalWidth" in image && image.naturalWidth)).toBe(1)
    const { body } = await forge.call(of("ann"), `GET /repos${at}/issues/1`)
    expect(body).toMatchObject({ title: "It crashes", assets: [{ name: "shot [1].png", size: PNG.length }] })
  })

  story(
    "the connection is lost while someone writes: nothing is lost, and it is sent once",
    async ({ enter, forge, made, of }) => {
      const at = await made("lost")
      await forge.call(of("ann"), `POST /repos${at}/issues`, { title: "To talk about" })
      const ann = await enter("ann")
      const { page } = ann
      ann.forgive(/ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_RESET/)
      await ann.open(`${at}/issues/new`)
      await ann.fill({ Title: "A long title", Text: "A long text" })
      await page.context().setOffline(true)
      await page.getByRole("button", { name: "Create issue" }).click()
      await ann.sees("the connection is lost")
      await give(ann, "paste", { file: "shot.png" })
      await ann.sees("the connection broke off")
      expect(await text(ann)).not.toContain("Sending")
      await page.context().setOffline(false)
      // Also when the page is left meanwhile.
      await ann.open(at)
      await ann.open(`${at}/issues/new`)
      expect([await page.getByLabel("Title", { exact: true }).inputValue(), (await text(ann)).trim()]).toEqual([
        "A long title",
        "A long text",
      ])
      // What is sent arrives, and the answer does not.
      const address = `**${at}/issues/new`
      await page.route(address, async (route) => {
        if (route.request().method() !== "POST") return route.continue()
        await route.fetch({ maxRedirects: 0 })
        await route.abort("connectionreset")
      })
      await page.getByRole("button", { name: "Create issue" }).click()
      await ann.sees("the connection is lost")
      await page.unroute(address)
      await ann.press("Create issue")
      await ann.sees("Opened.")
      const { body } = await forge.call(of("ann"), `GET /repos${at}/issues`)
      expect(body.map(({ title }: { title: string }) => title)).toEqual(["A long title", "To talk about"])

      await ann.open(`${at}/issues/new`)
      expect([await page.getByLabel("Title", { exact: true }).inputValue(), await text(ann)]).toEqual(["", ""])
      await ann.open(`${at}/issues/1`)
      await ann.fill({ "Add a comment": "So it is" })
      await Promise.all([page.waitForEvent("load"), page.keyboard.press("Control+Enter")])
      await ann.sees("So it is")
      expect(await text(ann)).toBe("")
    },
    { only: "with scripts" },
  )
})
