import { expect } from "vitest"
import { openBrowser } from "../../../../tests/support/browser.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"

withHearth("closing with a reason", { people: ["ann", "ben"] }, ({ test, forge, ann, ben, call }) => {
  const at = "/repos/ann/box"
  const open = async (name: string) => {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }
  const issue = async (title: string, by = ann, where = at): Promise<number> =>
    (await call(by, `POST ${where}/issues`, { title })).body.number
  const here = (number: number) => `/ann/box/issues/${number}`

  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "box" })
    await call(ann, "POST /user/repos", { name: "hush", private: true })
  })

  test("says it at the state, in the timeline and in lists, until it is opened again", async () => {
    const number = await issue("A wish")
    const browser = await open("ann")
    expect((await browser.get(here(number))).text).toMatch(/<select name="reason"/)
    const done = await browser.post(`${here(number)}/comments`, { body: "Not now", action: "close", reason: "not_planned" })
    expect([done.status, done.location]).toEqual([303, expect.stringContaining(`${here(number)}#issuecomment-`)])
    const page = (await browser.get(here(number))).text
    expect(page).toContain("Closed as not planned")
    expect(page).toContain("closed this as not planned")
    expect((await call(ann, `GET ${at}/issues/${number}`)).body).not.toHaveProperty("close_reason")
    expect((await browser.get("/ann/box/issues?q=is:closed+reason:not-planned")).text).toContain("A wish")
    expect((await browser.get("/ann/box/issues?q=is:closed+reason:completed,duplicate")).text).not.toContain("A wish")
    expect((await browser.get("/ann/box/issues?q=is:closed+-reason:completed")).text).toContain("A wish")
    expect((await browser.get("/ann/box/issues?q=reason:bored")).text).toContain(
      "is not known. There are completed, not-planned, duplicate.",
    )
    await browser.post(`${here(number)}/comments`, { body: "", action: "reopen", reason: "not_planned" })
    expect((await browser.get(here(number))).text).not.toContain("Closed as not planned")
    await call(ann, `PATCH ${at}/issues/${number}`, { state: "closed" })
    expect((await browser.get("/ann/box/issues?q=is:closed+reason:completed")).text).toContain("A wish")
  })

  test("names the issue that is repeated to those who may see it", async () => {
    const secret = await issue("Secret plan", ann, "/repos/ann/hush")
    const number = await issue("The same", ben)
    const other = await issue("The first")
    const author = await open("ben")
    for (const duplicate of ["", `#${number}`, "#999", `ann/hush#${secret}`, "nothing"]) {
      const refused = await author.post(`${here(number)}/comments`, { body: "Kept words", action: "close", reason: "duplicate", duplicate })
      expect(refused.status, duplicate).toBe(422)
      expect(refused.text).toContain("Kept words</textarea>")
      expect(refused.text).toMatch(/<option value="duplicate" selected/)
    }
    expect((await author.post(`${here(number)}/comments`, { body: "", action: "close", reason: "bored" })).status).toBe(422)
    expect((await call(ann, `GET ${at}/issues/${number}`)).body).toMatchObject({ state: "open", comments: 0 })
    await author.post(`${here(number)}/comments`, { body: "", action: "close", reason: "duplicate", duplicate: String(other) })
    const page = (await author.get(here(number))).text
    expect(page).toContain("Closed as a duplicate")
    expect(page).toMatch(/closed this as a duplicate of .*The first/)

    const next = await issue("Hidden twin")
    const owner = await open("ann")
    await owner.post(`${here(next)}/comments`, { body: "", action: "close", reason: "duplicate", duplicate: `ann/hush#${secret}` })
    expect((await owner.get(here(next))).text).toContain("Secret plan")
    const reader = (await author.get(here(next))).text
    expect(reader).toContain("closed this as a duplicate")
    expect(reader).not.toMatch(/Secret plan|hush|HIDDEN/)
    await call(ann, `DELETE /repos/ann/hush/issues/${secret}`)
    expect((await owner.get(here(next))).text).toContain("closed this as a duplicate")
  })

  test("is asked of no one who may not close", async () => {
    const number = await issue("Not yours")
    const reader = await open("ben")
    expect((await reader.get(here(number))).text).not.toContain('name="reason"')
    expect((await reader.post(`${here(number)}/comments`, { body: "", action: "close", reason: "not_planned" })).status).toBe(403)
  })
})
