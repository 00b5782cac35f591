import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../../tests/support/browser.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

withHearth("general settings", { people: ["ann", "ben", "cyd"] }, ({ test, forge, ann, ben, call }) => {
  let owner: Browser
  let writer: Browser
  const at = "/ann/box/settings"

  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "box", auto_init: true })
    await call(ann, "PUT /repos/ann/box/collaborators/ben", { permission: "write" })
    owner = openBrowser(forge.hearth.url)
    await owner.signIn("ann", PASSWORD)
    writer = openBrowser(forge.hearth.url)
    await writer.signIn("ben", PASSWORD)
  })

  /** What a page says is wrong with the form. */
  const faultOf = ({ text }: { readonly text: string }) => /class="(?:fault|notice bad)"[^>]*>([^<]*)/.exec(text)?.[1]
  const box = async () => (await call(ann, "GET /repos/ann/box")).body
  /** What the form of this address sends when nothing is changed. */
  const untouched = async (action: string) => {
    const page = await owner.get(at)
    return page.forms.find((form) => form.action === action)?.fields ?? {}
  }

  test("are one page whose HTML is sound, for administrators alone", async () => {
    const page = await owner.get(at)
    expect([page.status, faultsIn(page.text)]).toEqual([200, []])
    expect((await writer.get(at)).status).toBe(404)
    for (const form of page.forms.filter(({ action }) => action.includes("/settings")))
      expect([form.action, (await writer.post(form.action, form.fields)).status]).toEqual([form.action, 403])
  })

  test("keep all that was not touched", async () => {
    const before = await box()
    for (const part of ["", "/topics", "/units", "/pulls"])
      expect((await owner.post(at + part, await untouched(at + part))).location).toBe(at)
    expect({ ...(await box()), updated_at: "" }).toEqual({ ...before, updated_at: "" })
  })

  test("replace topics by words", async () => {
    await owner.post(`${at}/topics`, { topics: " garden  Rain, pots " })
    expect((await box()).topics).toEqual(["garden", "pots", "rain"])
    const refused = await owner.post(`${at}/topics`, { topics: "fine -bad" })
    expect([refused.status, faultOf(refused)]).toEqual([422, expect.stringContaining("-bad: a topic consists of")])
    expect(refused.text).toContain('value="fine -bad"')
    expect((await box()).topics).toEqual(["garden", "pots", "rain"])
  })

  test("lead to issues and a wiki elsewhere, and back", async () => {
    const sent = { ...(await untouched(`${at}/units`)), "external_tracker.external_tracker_style": "alphanumeric" }
    const away = {
      ...sent,
      tracker: "external",
      "external_tracker.external_tracker_url": "https://bugs.example",
      "external_wiki.external_wiki_url": "https://wiki.example",
    }
    await owner.post(`${at}/units`, away)
    expect(await box()).toMatchObject({
      external_tracker: { external_tracker_url: "https://bugs.example", external_tracker_style: "alphanumeric" },
      external_wiki: { external_wiki_url: "https://wiki.example" },
    })
    const refused = await owner.post(`${at}/units`, { ...away, "external_tracker.external_tracker_url": "bugs" })
    expect(refused.status).toBe(422)
    expect(refused.text).toMatch(/value="bugs"[^>]*aria-invalid="true"/)
    await owner.post(`${at}/units`, { ...away, tracker: "own", "external_wiki.external_wiki_url": "" })
    expect(await box()).toMatchObject({ internal_tracker: { enable_issue_dependencies: true } })
    expect((await box()).external_wiki).toBeUndefined()
  })

  test("of a unit that is switched off stay as they are", async () => {
    const pulls = await untouched(`${at}/pulls`)
    const { has_pull_requests: _, ...without } = await untouched(`${at}/units`)
    await owner.post(`${at}/pulls`, { ...pulls, default_delete_branch_after_merge: "true", default_merge_style: "squash" })
    await owner.post(`${at}/units`, without)
    expect((await box()).has_pull_requests).toBe(false)
    const page = await owner.get(at)
    expect(page.text).toMatch(/name="default_delete_branch_after_merge" value="true" checked/)
    await owner.post(`${at}/units`, { ...without, has_pull_requests: "true" })
    expect(await box()).toMatchObject({ default_delete_branch_after_merge: true, default_merge_style: "squash" })
  })

  test("refuse a style of merging that is not allowed", async () => {
    const { allow_squash_merge: _, ...sent } = await untouched(`${at}/pulls`)
    const refused = await owner.post(`${at}/pulls`, { ...sent, default_merge_style: "squash" })
    expect([refused.status, faultOf(refused)]).toEqual([422, expect.stringContaining("Squash is not allowed")])
  })

  test("take a picture and give it up", async () => {
    const body = new FormData()
    body.append("image", new Blob([Buffer.from(PIXEL, "base64")], { type: "image/png" }), "dot.png")
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const headers = { cookie, "sec-fetch-site": "same-origin" }
    const sent = await fetch(`${forge.hearth.url}${at}/picture`, { method: "POST", redirect: "manual", headers, body })
    expect(sent.status).toBe(303)
    expect((await box()).avatar_url).not.toBe("")
    expect((await owner.post(`${at}/picture/remove`, {})).status).toBe(303)
    expect((await box()).avatar_url).toBe("")
  })

  test("ask for the name before what is not easily undone", async () => {
    for (const [part, fields] of [
      ["rename", { name: "crate" }],
      ["visibility", { private: "true" }],
      ["transfer", { new_owner: "ben" }],
      ["archive", {}],
      ["delete", {}],
    ] as const) {
      const refused = await owner.post(`${at}/${part}`, { ...fields, confirm: "ann" })
      expect([part, refused.status, faultOf(refused)]).toEqual([part, 422, "Confirm must be ann/box."])
      expect(refused.text).toContain("<details open>")
    }
    expect(await box()).toMatchObject({ name: "box", private: false, archived: false })
  })

  test("rename, hide and archive", async () => {
    expect((await owner.post(`${at}/rename`, { name: "crate", confirm: "ann/box" })).location).toBe("/ann/crate/settings")
    await owner.post("/ann/crate/settings/rename", { name: "box", confirm: "ann/crate" })
    await owner.post(`${at}/visibility`, { private: "true", confirm: "ann/box" })
    await owner.post(`${at}/archive`, { confirm: "ann/box" })
    expect(await box()).toMatchObject({ name: "box", private: true, archived: true })
    await owner.post(`${at}/visibility`, { private: "false", confirm: "ann/box" })
    await owner.post(`${at}/unarchive`, {})
    expect(await box()).toMatchObject({ private: false, archived: false })
  })

  test("offer it to another owner, who refuses or accepts", async () => {
    const give = (new_owner: string) => owner.post(`${at}/transfer`, { new_owner, confirm: "ann/box" })
    const nobody = await give("nobody")
    expect([nobody.status, faultOf(nobody)]).toEqual([422, "No such user or organization."])
    const offered = async () =>
      (await writer.get("/ann/box")).text.includes("wants to transfer this repository to you or your organization.")

    expect((await give("ben")).location).toBe(at)
    expect([await offered(), (await owner.get("/ann/box/transfer")).status]).toEqual([true, 404])
    expect((await writer.post(`${at}/transfer/withdraw`, {})).status).toBe(403)
    await owner.post(`${at}/transfer/withdraw`, {})
    expect([await offered(), (await writer.get("/ann/box/transfer")).status]).toEqual([false, 404])

    await give("ben")
    const page = await writer.get("/ann/box/transfer")
    expect([page.status, faultsIn(page.text), page.forms.filter(({ action }) => action.includes("/transfer/")).length]).toEqual([
      200,
      [],
      2,
    ])
    expect((await owner.post("/ann/box/transfer/accept", {})).status).toBe(404)
    await writer.post("/ann/box/transfer/reject", {})
    expect(await offered()).toBe(false)

    await give("ben")
    expect((await writer.post("/ann/box/transfer/accept", {})).location).toBe("/ben/box")
    expect((await call(ben, "GET /repos/ben/box")).body.owner.login).toBe("ben")
  })

  test("delete it", async () => {
    expect((await writer.post("/ben/box/settings/delete", { confirm: "ben/box" })).location).toBe("/ben")
    expect((await call(ben, "GET /repos/ben/box")).status).toBe(404)
  })
})
