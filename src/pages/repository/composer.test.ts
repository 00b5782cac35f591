import { expect } from "vitest"
import { openBrowser } from "../../../tests/support/browser.ts"
import { withHearth } from "../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../tests/support/hearth.ts"

withHearth("the composer", { people: ["ann", "ben"] }, ({ test, forge, ann, call }) => {
  const signedIn = async (name: string) => {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }

  test.beforeAll(async () => {
    for (const [name, hidden] of [
      ["box", false],
      ["hush", true],
    ] as const) {
      await call(ann, "POST /user/repos", { name, private: hidden })
      for (const title of ["Crash on start", "Slow list", "A crash when it stops"])
        expect((await call(ann, `POST /repos/ann/${name}/issues`, { title })).status).toBe(201)
    }
    await call(ann, "PATCH /user/settings", { hide_email: true })
  })

  test("previews a text as it will look, under whatever name the form has for it", async () => {
    const browser = await signedIn("ben")
    const shown = await browser.post("/ann/box/preview", { preview: "body", body: "See **#1** <script>x</script>", title: "kept out" })
    expect(shown.status).toBe(200)
    expect(shown.text).toContain('<strong><a href="/ann/box/issues/1"')
    expect(shown.text).not.toContain("<script>x")
    expect((await browser.post("/ann/box/preview", { preview: "note", note: "_so_", body: "other" })).text).toContain("<em>so</em>")
    expect((await browser.post("/ann/box/preview", { preview: "password", body: " " })).text).toContain("Nothing to preview")
  })

  test("offers names that begin like what was typed", async () => {
    const browser = await signedIn("ben")
    const offered = async (sign: string, q: string) =>
      JSON.parse((await browser.get(`/ann/box/complete?${new URLSearchParams({ sign, q })}`)).text).map(
        ({ text }: { text: string }) => text,
      )
    expect(await offered("@", "an")).toEqual(["@ann"])
    expect(await offered("@", "")).toEqual([])
    expect(await offered("#", "")).toEqual(["#3", "#2", "#1"])
    expect(await offered("#", "CRASH")).toEqual(["#3", "#1"])
    expect(await offered("#", "2")).toEqual(["#2"])
    expect(await offered(":", "tada")).toEqual([":tada:"])
    expect(await offered("?", "x")).toEqual([])
  })

  test("tells no one of what they may not see", async () => {
    const ben = await signedIn("ben")
    expect((await ben.get("/ann/hush/complete?sign=%23")).status).toBe(404)
    expect((await ben.post("/ann/hush/preview", { preview: "body", body: "x" })).status).toBe(404)
    expect((await ben.post("/ann/box/preview", { preview: "body", body: "ann/hush#1" })).text).not.toContain("/ann/hush/issues/1")
    const nobody = openBrowser(forge.hearth.url)
    expect((await nobody.get("/ann/box/complete?sign=%23")).status).toBe(303)
    expect((await nobody.post("/ann/box/preview", { preview: "body", body: "x" })).status).toBe(401)
  })

  test("stands in the forms, and Enter in another field does not press its preview", async () => {
    const { text } = await (await signedIn("ben")).get("/ann/box/issues/new?body=%0AHello")
    const [form = ""] = /<form class="form".*?<\/form>/s.exec(text) ?? []
    expect(/<button[^>]*>/.exec(form)?.[0]).toBe("<button hidden>")
    expect(form).toContain('formaction="/ann/box/preview"')
    expect(form).toMatch(/<textarea[^>]*>\n\nHello<\/textarea>/)
  })
})
