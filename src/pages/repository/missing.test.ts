import { expect } from "vitest"
import { openBrowser } from "../../../tests/support/browser.ts"
import { withHearth } from "../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../tests/support/hearth.ts"

withHearth("what is missing", { people: ["ann", "ben"] }, ({ test, forge, ann, call }) => {
  test("in a repository is said in its frame, with the tab that it is about", async () => {
    await call(ann, "POST /user/repos", { name: "mill", auto_init: true })
    await call(ann, "POST /user/repos", { name: "cellar", private: true, auto_init: true })
    const ben = openBrowser(forge.hearth.url)
    await ben.signIn("ben", PASSWORD)
    const said = async (path: string) => {
      const { status, text } = await ben.get(path, { accept: "text/html" })
      const [, tab = ""] = /<nav class="tabs"[\s\S]*?href="\/ann\/\w+([^"]*)"[^>]*aria-current/.exec(text) ?? []
      const [, words = ""] = /<section class="error-page">[\s\S]*?<p[^>]*>([\s\S]*?)<\/p>/.exec(text) ?? []
      return [status, text.includes("repo-header") ? tab : "no frame", words.replace(/<[^>]*>/g, "").trim()]
    }
    expect(await said("/ann/mill/issues/77")).toEqual([404, "/issues", "There is no issue #77."])
    expect(await said("/ann/mill/pulls/77")).toEqual([404, "/pulls", "There is no pull request #77."])
    expect(await said("/ann/mill/commit/abcdef12")).toEqual([404, "", "There is no commit abcdef12 in this repository."])
    expect(await said("/ann/mill/src/branch/gone/a")).toEqual([404, "", "No branch is the beginning of gone/a."])
    expect(await said("/ann/mill/src/branch/main/a.c")).toEqual([
      404,
      "",
      "There is no a.c on the branch main. It may have been moved or deleted.",
    ])
    // Addresses of no page at all.
    expect(await said("/ann/mill/nonsense")).toEqual([404, "", "There is no page nonsense in this repository."])
    expect(await said("/ann/mill/issues/77/a%3Cb?x=1")).toEqual([404, "/issues", "There is no page issues/77/a&lt;b in this repository."])
    for (const path of ["/ann/cellar/nonsense", "/ann/nowhere/nonsense", "/nobody/mill/nonsense", "/-/admin/nonsense/x"])
      expect(await said(path)).toEqual([404, "no frame", "It may have been moved or deleted, or you don’t have access to it."])
    // An old name leads on, a form's address is none of a page, and programs get their short answer.
    await call(ann, "PATCH /repos/ann/mill", { name: "windmill" })
    expect((await ben.get("/ann/mill/nonsense")).location).toMatch(/\/ann\/windmill\/nonsense$/)
    expect((await ben.get("/ann/windmill/action/star", { accept: "text/html" })).status).toBe(405)
    expect((await ben.post("/ann/windmill/nonsense", {})).status).toBe(404)
    const answers = ["/api/v1/nonsense/x", "/ann/windmill/nonsense"].map(async (path) => (await fetch(forge.hearth.url + path)).text())
    for (const text of await Promise.all(answers)) expect(text).not.toContain("<")
  })
})
