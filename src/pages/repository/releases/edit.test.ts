import { expect } from "vitest"
import { openBrowser } from "../../../../tests/support/browser.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

withHearth("forms of releases", { people: ["ada", "rob"] }, ({ test: it, forge, call, ada }) => {
  const open = async (name: string) => {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }
  async function make(name: string) {
    await call(ada, "POST /user/repos", { name })
    const made = await call(ada, `POST /repos/ada/${name}/contents/a.txt`, { content: base64("a\n"), message: "Begin" })
    expect(made.status).toBe(201)
    return { at: `/ada/${name}`, api: `/repos/ada/${name}` }
  }
  const draft = { tag_name: "v1", target_commitish: "main", name: "One", body: "Notes", draft: "true" }

  it("write a draft, give it files, publish and delete it", async () => {
    const { at, api } = await make("releasing")
    const browser = await open("ada")
    expect((await browser.get(`${at}/releases`)).text).toContain(`href="${at}/releases/new"`)
    const page = await browser.get(`${at}/releases/new?tag=v1`)
    expect([page.status, faultsIn(page.text), page.text]).toEqual([200, [], expect.stringContaining('value="v1"')])
    const saved = await browser.post(`${at}/releases/new`, draft)
    expect([saved.status, saved.location]).toEqual([303, `${at}/releases/edit/v1`])
    const [release] = (await call(ada, `GET ${api}/releases`)).body
    expect(release).toMatchObject({ tag_name: "v1", draft: true, prerelease: false })
    expect((await call(ada, `GET ${api}/tags`)).body).toEqual([])

    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const upload = async (id: string, name: string) => {
      const form = new FormData()
      form.append("id", id)
      form.append("attachment", new Blob(["bytes"]), name)
      const headers = { cookie, accept: "text/html", "sec-fetch-site": "same-origin" }
      return fetch(`${forge.hearth.url}${at}/releases/assets/v1`, { method: "POST", redirect: "manual", headers, body: form })
    }
    const sent = await upload(String(release.id), "tool.zip")
    expect([sent.status, sent.headers.get("location")]).toEqual([303, `${at}/releases/edit/v1`])
    expect((await upload("999999", "tool.zip")).status).toBe(404)
    const edit = await browser.get(`${at}/releases/edit/v1`)
    expect([edit.status, faultsIn(edit.text), edit.text]).toEqual([200, [], expect.stringContaining("tool.zip")])
    const renaming = edit.forms.find(({ action }) => action.endsWith("/rename-asset/v1"))
    expect(renaming?.fields["name"]).toBe("tool.zip")
    const wrong = await browser.post(renaming?.action ?? "", { ...renaming?.fields, name: "<b>/.." })
    expect([wrong.status, faultsIn(wrong.text), wrong.text.includes('value="&lt;b&gt;/.."')]).toEqual([422, [], true])
    expect((await browser.post(renaming?.action ?? "", { ...renaming?.fields, name: "spade.zip" })).location).toBe(`${at}/releases/edit/v1`)
    expect((await call(ada, `GET ${api}/releases/${release.id}/assets`)).body).toMatchObject([{ name: "spade.zip" }])
    const change = edit.forms.find(({ action }) => action === `${at}/releases/edit/v1`)
    expect((await browser.post(change?.action ?? "", { ...change?.fields, name: "", body: "", draft: "true" })).status).toBe(303)
    expect((await call(ada, `GET ${api}/releases/${release.id}`)).body).toMatchObject({ name: "", body: "", draft: true })
    const removal = edit.forms.find(({ action }) => action.endsWith("/remove-asset/v1"))
    expect((await browser.post(removal?.action ?? "", removal?.fields ?? {})).status).toBe(303)
    expect((await call(ada, `GET ${api}/releases/${release.id}/assets`)).body).toEqual([])

    const fields = { ...draft, id: String(release.id), draft: "", body: "Better notes", prerelease: "true" }
    const published = await browser.post(`${at}/releases/edit/v1`, fields)
    expect([published.status, published.location]).toEqual([303, `${at}/releases/tag/v1`])
    expect((await call(ada, `GET ${api}/releases/${release.id}`)).body).toMatchObject({
      draft: false,
      prerelease: true,
      body: "Better notes",
    })
    expect((await call(ada, `GET ${api}/tags`)).body).toHaveLength(1)

    expect((await browser.post(`${at}/releases/delete/v1`, { confirm: "v2" })).status).toBe(422)
    expect((await browser.post(`${at}/releases/delete/v1`, { confirm: "v1" })).location).toBe(`${at}/releases`)
    expect((await call(ada, `GET ${api}/releases`)).body).toEqual([])
  })

  it("keep what was typed, and are for those who write releases", async () => {
    const { at } = await make("keeping")
    const browser = await open("ada")
    const { draft: _, ...now } = draft
    for (const [wrong, status] of [
      [{ target_commitish: "nowhere" }, 404],
      [{ tag_name: "bad name" }, 422],
    ] as const) {
      const again = await browser.post(`${at}/releases/new`, { ...now, ...wrong, body: "Kept <b>" })
      expect([again.status, faultsIn(again.text), again.text]).toEqual([status, [], expect.stringContaining("Kept &lt;b&gt;</textarea>")])
    }
    await browser.post(`${at}/releases/new`, draft)
    const rob = await open("rob")
    for (const path of ["new", "edit/v1"]) expect((await rob.get(`${at}/releases/${path}`)).status).toBe(404)
    expect((await rob.post(`${at}/releases/new`, now)).status).toBe(403)
    expect((await rob.post(`${at}/releases/edit/v1`, now)).status).toBe(403)
  })

  it("show the notes before they are saved, and make notes of commits", async () => {
    const { at, api } = await make("noting")
    const browser = await open("ada")
    await call(ada, `POST ${api}/releases`, { tag_name: "v1" })
    await call(ada, `POST ${api}/contents/b.txt`, { content: base64("b\n"), message: "Add b <i>" })
    const typed = { tag: "", tag_name: "v2", target_commitish: "main", name: "Two", body: "**Bold**" }
    const shown = await browser.post(`${at}/preview`, { ...typed, preview: "body" })
    expect([shown.status, faultsIn(shown.text), shown.text]).toEqual([200, [], expect.stringContaining("<strong>Bold</strong>")])
    const notes = await browser.post(`${at}/releases/preview`, { ...typed, look: "notes" })
    expect([notes.status, notes.text]).toEqual([200, expect.stringContaining("**Bold**\n\n## Changes since v1\n\n- Add b &lt;i&gt; (")])
    expect(notes.text).toContain(`${at}/compare/v1...v2`)
    expect((await call(ada, `GET ${api}/releases`)).body).toHaveLength(1)
  })
})
