import { expect } from "vitest"
import { openBrowser } from "../../../../../tests/support/browser.ts"
import { withHearth } from "../../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../../tests/support/html.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

withHearth("forms of branches and tags", { people: ["ada", "rob"] }, ({ test: it, forge, call, ada }) => {
  const open = async (name: string) => {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }
  async function make(name: string) {
    await call(ada, "POST /user/repos", { name })
    expect((await call(ada, `POST /repos/ada/${name}/contents/a.txt`, { content: base64("a\n") })).status).toBe(201)
    return { at: `/ada/${name}`, api: `/repos/ada/${name}` }
  }
  const branches = async (api: string) =>
    (await call(ada, `GET ${api}/branches`)).body.map(({ name }: { readonly name: string }) => name).toSorted()

  it("make a branch, and keep what was typed where that can't be", async () => {
    const { at, api } = await make("making")
    const browser = await open("ada")
    const page = await browser.get(`${at}/branches`)
    expect([page.status, faultsIn(page.text)]).toEqual([200, []])
    const done = await browser.post(`${at}/branches`, { new_branch_name: "feature/one", old_ref_name: "main" })
    expect([done.status, done.location]).toEqual([303, `${at}/branches`])
    const taken = await browser.post(`${at}/branches`, { new_branch_name: "feature", old_ref_name: "main" })
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining('value="feature"')])
    const missing = await browser.post(`${at}/branches`, { new_branch_name: "other", old_ref_name: "nowhere" })
    expect([missing.status, missing.text]).toEqual([404, expect.stringContaining('value="nowhere"')])
    expect(await branches(api)).toEqual(["feature/one", "main"])
    const rob = await open("rob")
    expect((await rob.get(`${at}/branches`)).text).not.toContain("New branch")
    expect((await rob.post(`${at}/branches`, { new_branch_name: "robs", old_ref_name: "main" })).status).toBe(403)
    expect((await rob.get(`${at}/branches/edit/main`)).status).toBe(404)
  })

  it("rename a branch, make it the default one, delete it and bring it back", async () => {
    const { at, api } = await make("changing")
    await call(ada, `POST ${api}/branches`, { new_branch_name: "side" })
    const browser = await open("ada")
    const page = await browser.get(`${at}/branches/edit/side`)
    expect([page.status, faultsIn(page.text)]).toEqual([200, []])
    expect((await browser.post(`${at}/branches/edit/side`, { name: "main" })).status).toBe(422)
    expect((await browser.post(`${at}/branches/edit/side`, { name: "trunk" })).status).toBe(303)
    expect((await browser.post(`${at}/branches/default/trunk`, { default_branch: "trunk" })).status).toBe(303)
    expect((await call(ada, `GET ${api}`)).body.default_branch).toBe("trunk")
    const { id } = (await call(ada, `GET ${api}/branches/main`)).body.commit
    const deleted = await browser.post(`${at}/branches/delete/main`, { commit: id })
    expect(deleted.location).toBe(`${at}/branches?deleted=main&commit=${id}`)
    expect(await branches(api)).toEqual(["trunk"])
    const told = await browser.get(deleted.location)
    const [button] = told.forms.filter(({ action }) => action.endsWith("/restore"))
    expect((await browser.post(button?.action ?? "", button?.fields ?? {})).status).toBe(303)
    expect(await branches(api)).toEqual(["main", "trunk"])
    // Nothing is offered for what is there, or never was.
    for (const query of [`deleted=main&commit=${id}`, `deleted=x&commit=${"0".repeat(40)}`, "deleted=x&commit=nonsense"])
      expect((await browser.get(`${at}/branches?${query}`)).text, query).not.toContain("Restore")
  })

  it("make and delete a tag", async () => {
    const { at, api } = await make("tagging")
    const browser = await open("ada")
    expect((await browser.post(`${at}/tags`, { tag_name: "v1/a", target: "main", message: "First" })).status).toBe(303)
    expect((await call(ada, `GET ${api}/tags`)).body[0]).toMatchObject({ name: "v1/a", message: "First\n" })
    const refused = await browser.post(`${at}/tags`, { tag_name: "bad name", target: "main", message: "Kept" })
    expect([refused.status, faultsIn(refused.text), refused.text]).toEqual([422, [], expect.stringContaining("Kept</textarea>")])
    expect((await browser.get(`${at}/tags`)).text).toContain(`${at}/tags/delete/v1/a`)
    expect(faultsIn((await browser.get(`${at}/tags/delete/v1/a`)).text)).toEqual([])
    const rob = await open("rob")
    expect((await rob.post(`${at}/tags/delete/v1/a`, {})).status).toBe(403)
    expect((await browser.post(`${at}/tags/delete/v1/a`, {})).location).toBe(`${at}/tags`)
    expect((await call(ada, `GET ${api}/tags`)).body).toEqual([])
  })
})
