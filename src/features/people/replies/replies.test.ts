import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../../tests/support/browser.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"
import { MOST_REPLIES } from "./rules.ts"

withHearth("saved replies", { people: ["ann", "ben", "cyd"] }, ({ test, forge, ann, call }) => {
  const at = "/user/settings/replies"
  const as = async (name: string): Promise<Browser> => {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }
  /** The addresses of someone's replies, in the order of their names. */
  const addresses = async (browser: Browser): Promise<readonly string[]> =>
    [...(await browser.get(at)).text.matchAll(/<a class="title" href="([^"]+)"/g)].map(([, href = ""]) => href)

  test("are saved, changed and deleted by their owner, and seen by no one else", async () => {
    const [owner, other] = [await as("ann"), await as("ben")]
    expect((await owner.get(at)).text).toContain("No saved replies")
    expect((await owner.post(at, { name: " Version ", content: "Which <version>?\r\nAnd where?" })).location).toBe(at)
    const list = await owner.get(at)
    expect([list.status, faultsIn(list.text)]).toEqual([200, []])
    const [reply = ""] = await addresses(owner)
    const shown = await owner.get(reply)
    expect([shown.text.includes('value="Version"'), shown.text.includes("Which &lt;version&gt;?\nAnd where?</textarea>")]).toEqual([
      true,
      true,
    ])
    expect((await owner.get(`${reply}/text`)).text).toBe("Which <version>?\nAnd where?")
    for (const path of [reply, `${reply}/text`, `${at}/0`, `${at}/x`]) expect((await other.get(path)).status).toBe(404)
    for (const path of [reply, `${reply}/delete`]) expect((await other.post(path, { name: "Mine", content: "Mine" })).status).toBe(404)
    expect((await openBrowser(forge.hearth.url).post(at, { name: "a", content: "b" })).status).toBe(401)
    expect(await addresses(other)).toEqual([])
    expect((await owner.post(reply, { name: "Release", content: "Which release?" })).status).toBe(303)
    expect((await owner.get(`${reply}/text`)).text).toBe("Which release?")
    expect((await owner.post(`${reply}/delete`, {})).status).toBe(303)
    expect(await addresses(owner)).toEqual([])
  })

  test("show again what was typed when it is refused", async () => {
    const owner = await as("ann")
    for (const [fields, field] of [
      [{ name: " ", content: "Typed <b>" }, "name"],
      [{ name: "x".repeat(101), content: "Typed <b>" }, "name"],
      [{ name: "Kept", content: "" }, "content"],
      [{ name: "Kept", content: "y".repeat(10_001) }, "content"],
    ] as const) {
      const refused = await owner.post(at, fields)
      expect(refused.status).toBe(422)
      expect(refused.text).toMatch(new RegExp(`name="${field}"[^>]*aria-invalid="true"`))
      expect(refused.text).toContain(field === "name" ? "Typed &lt;b&gt;</textarea>" : 'value="Kept"')
    }
    expect(await addresses(owner)).toEqual([])
  })

  test("are put into a comment without scripts, after what was typed", async () => {
    const owner = await as("ann")
    await call(ann, "POST /user/repos", { name: "box" })
    await call(ann, "POST /repos/ann/box/issues", { title: "Crash" })
    await owner.post(at, { name: "Thanks", content: "Thank *you*" })
    const [reply = ""] = await addresses(owner)
    const id = reply.split("/").at(-1) ?? ""
    const here = "/ann/box/issues/1"
    expect((await owner.get(here)).text).toContain(`name="reply" value="${id}"`)
    const shown = await owner.post(`${here}/comments`, { body: "Hello <b>\r\n", reply: id })
    expect([shown.status, faultsIn(shown.text)]).toEqual([200, []])
    expect(shown.text).toMatch(/<textarea id="body"[^>]*autofocus[^>]*>\nHello &lt;b&gt;\n\nThank \*you\*<\/textarea>/)
    expect((await owner.post(`${here}/comments`, { body: "", reply: id })).text).toContain(">\nThank *you*</textarea>")
    // Someone else's is as missing as none, and what was typed stays.
    const other = await as("ben")
    expect((await other.get(here)).text).not.toContain('name="reply"')
    for (const number of [id, "999"]) {
      const refused = await other.post(`${here}/comments`, { body: "Mine", reply: number })
      expect([refused.status, refused.text.includes("Thank *you*"), refused.text.includes(">\nMine</textarea>")]).toEqual([
        404,
        false,
        true,
      ])
    }
    expect((await openBrowser(forge.hearth.url).get(here)).text).not.toContain("Saved replies")
    expect((await call(ann, "GET /repos/ann/box/issues/1/comments")).body).toEqual([])
  })

  test("are bounded in number, and go with the account", async () => {
    const owner = await as("cyd")
    for (let count = 0; count < MOST_REPLIES; count++) await owner.post(at, { name: `Reply ${count}`, content: "Text" })
    expect((await owner.get(at)).text).toContain("delete one to save another")
    expect((await owner.get(`${at}?page=3`)).text).toContain("Page 3 of 3")
    expect((await owner.post(at, { name: "One more", content: "Text" })).status).toBe(422)
    const all = () =>
      forge.hearth.services.database.read.selectFrom("saved_replies").select("name").where("name", "like", "Reply %").execute()
    expect((await all()).length).toBe(MOST_REPLIES)
    expect((await call(forge.root, "DELETE /admin/users/cyd")).status).toBe(204)
    expect(await all()).toEqual([])
  })
})
