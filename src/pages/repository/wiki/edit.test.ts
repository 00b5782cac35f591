import { expect } from "vitest"
import { openBrowser } from "../../../../tests/support/browser.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

withHearth("forms of wikis", { people: ["ada", "rob"] }, ({ test: it, forge, call, ada }) => {
  const open = async (name: string) => {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }
  async function make(name: string) {
    expect((await call(ada, "POST /user/repos", { name })).status).toBe(201)
    return { at: `/ada/${name}/wiki`, api: `/repos/ada/${name}/wiki` }
  }
  const textOf = async (api: string, page: string) => {
    const { body } = await call(ada, `GET ${api}/page/${page}`)
    return Buffer.from(body.content_base64 ?? "", "base64").toString()
  }
  const shaIn = (text: string) => /name="sha" value="([0-9a-f]+)"/.exec(text)?.[1] ?? ""

  it("write the first page, change it under another title, and delete it", async () => {
    const { at, api } = await make("writing")
    const browser = await open("ada")
    expect((await browser.get(at)).text).toContain(`${at}/_new?title=Home`)
    expect((await browser.get(`${at}?action=_new`)).location).toBe(`${at}/_new`)
    const page = await browser.get(`${at}/_new?title=Home`)
    expect([page.status, faultsIn(page.text), page.text]).toEqual([200, [], expect.stringContaining('value="Home"')])
    const made = await browser.post(`${at}/_new`, { title: "House rules", content: "Be kind\r\n", message: "Begin" })
    expect([made.status, made.location]).toEqual([303, `${at}/House-rules`])
    expect(await textOf(api, "House-rules")).toBe("Be kind\n")
    const shown = await browser.get(`${at}/House-rules`)
    expect([faultsIn(shown.text), shown.text]).toEqual([[], expect.stringContaining(`${at}/_edit/House-rules`)])
    const edit = await browser.get(`${at}/_edit/House-rules`)
    expect([edit.status, faultsIn(edit.text)]).toEqual([200, []])
    const fields = { title: "The/rules", content: "Be kinder\n", sha: shaIn(edit.text) }
    const saved = await browser.post(`${at}/_edit/House-rules`, fields)
    expect([saved.status, saved.location]).toEqual([303, `${at}/The%2Frules`])
    expect((await browser.get(saved.location)).text).toContain("Be kinder")
    expect((await browser.get(`${at}/House-rules`)).status).toBe(404)
    expect(faultsIn((await browser.get(`${at}/_delete/The%2Frules`)).text)).toEqual([])
    expect((await browser.post(`${at}/_delete/The%2Frules`, {})).location).toBe(at)
    expect((await call(ada, `GET ${api}/page/The%2Frules`)).status).toBe(404)
  })

  it("bring an older version back, once it was shown what that changes", async () => {
    const { at, api } = await make("returning")
    await call(ada, `POST ${api}/new`, { title: "Beds", content_base64: base64("first\r\n<b>\r\n") })
    await call(ada, `PATCH ${api}/page/Beds`, { content_base64: base64("second\n") })
    const browser = await open("ada")
    const history = await browser.get(`${at}/Beds?action=_revision`)
    expect([history.status, faultsIn(history.text)]).toEqual([200, []])
    const links = [...history.text.matchAll(/href="([^"]*\/_revert\/[^"]*)"/g)].map(([, href = ""]) => href)
    expect(links).toHaveLength(1)
    expect((await (await open("rob")).get(`${at}/Beds?action=_revision`)).text).not.toContain("_revert")
    const shown = await browser.get(links[0] ?? "")
    expect([shown.status, faultsIn(shown.text)]).toEqual([200, []])
    for (const part of ["first", "&lt;<span", "second"]) expect(shown.text).toContain(part)
    const fields = shown.forms.at(-1)?.fields ?? {}
    expect((await (await open("rob")).post(`${at}/_revert/Beds`, fields)).status).toBe(403)
    await call(ada, `PATCH ${api}/page/Beds`, { content_base64: base64("third\n") })
    const stale = await browser.post(`${at}/_revert/Beds`, { ...fields, message: "Mine" })
    expect([stale.status, stale.text.includes("This page has changed since you opened it"), stale.text.includes("third")]).toEqual([
      422,
      true,
      true,
    ])
    const done = await browser.post(`${at}/_revert/Beds`, stale.forms.at(-1)?.fields ?? {})
    expect([done.status, done.location]).toEqual([303, `${at}/Beds`])
    expect(await textOf(api, "Beds")).toBe("first\r\n<b>\r\n")
    for (const revision of ["", "x", "0".repeat(40), fields["sha"]])
      expect((await browser.get(`${at}/_revert/Beds?revision=${revision}`)).status).toBe(404)
  })

  it("show both when someone has changed the page meanwhile, and keep the text of one that is gone", async () => {
    const { at, api } = await make("losing")
    await call(ada, `POST ${api}/new`, { title: "Home", content_base64: base64("one\n") })
    const browser = await open("ada")
    const sha = shaIn((await browser.get(`${at}/_edit/Home`)).text)
    await call(ada, `PATCH ${api}/page/Home`, { content_base64: base64("theirs\n") })
    const fields = { title: "Home", content: "mine\n", address: "Home", sha }
    const stale = await browser.post(`${at}/_edit/Home`, fields)
    expect([stale.status, faultsIn(stale.text)]).toEqual([422, []])
    for (const part of ["This page was changed by someone else", "theirs", "\nmine\n</textarea>"]) expect(stale.text).toContain(part)
    expect(await textOf(api, "Home")).toBe("theirs\n")
    expect(shaIn(stale.text)).not.toBe(sha)
    await call(ada, `DELETE ${api}/page/Home`)
    const gone = await browser.post(`${at}/_edit/Home`, fields)
    expect([gone.status, gone.text]).toEqual([404, expect.stringContaining("\nmine\n</textarea>")])
    expect(gone.text).toContain(`action="${at}/_new"`)
  })

  it("preview a text, and refuse what can't be a title", async () => {
    const { at, api } = await make("looking")
    const browser = await open("ada")
    const typed = { title: "_new", content: "**Bold** <script>alert(1)</script>", address: "" }
    const shown = await browser.post(at.replace(/wiki$/, "preview"), { ...typed, preview: "content" })
    expect([shown.status, faultsIn(shown.text), shown.text]).toEqual([200, [], expect.stringContaining("<strong>Bold</strong>")])
    expect(shown.text).not.toContain("<script>alert")
    const refused = await browser.post(`${at}/_new`, typed)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("**Bold**")])
    expect((await call(ada, `GET ${api}/pages`)).status).toBe(404)
  })

  it("are for those who may write", async () => {
    const { at, api } = await make("closed")
    await call(ada, `POST ${api}/new`, { title: "Home", content_base64: base64("one\n") })
    const rob = await open("rob")
    expect((await rob.get(at)).text).not.toContain("_edit")
    for (const path of ["_new", "_edit/Home", "_delete/Home", "Missing"]) expect((await rob.get(`${at}/${path}`)).status, path).toBe(404)
    for (const path of ["_new", "_edit/Home", "_delete/Home", "_preview"])
      expect((await rob.post(`${at}/${path}`, { title: "Home", content: "x" })).status, path).toBe(403)
  })
})
