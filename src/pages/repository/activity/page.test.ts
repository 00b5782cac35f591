import { expect } from "vitest"
import { openBrowser } from "../../../../tests/support/browser.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"
import { openStage } from "../../../features/code/releases/testing.ts"

withWorld("pages of activity", { open: openStage }, ({ test, world: stage }) => {
  const show = async (path: string, name?: string) => {
    const browser = openBrowser(stage.hearth.url)
    if (name !== undefined) await browser.signIn(name, PASSWORD)
    const page = await browser.get(path)
    return { status: page.status, text: page.text, faults: page.status === 200 ? faultsIn(page.text) : [] }
  }

  test("a period is told with its issues, releases and people, as far as the reader may see them", async () => {
    const { ann, must } = stage
    await must(ann, "POST /user/repos", { name: "busy" })
    const content = Buffer.from("a\nb\n").toString("base64")
    await must(ann, "POST /repos/ann/busy/contents/a.txt", { content, message: "Add" })
    await must(ann, "POST /repos/ann/busy/issues", { title: "Open <one>" })
    const closed = await must(ann, "POST /repos/ann/busy/issues", { title: "Closed one" })
    await must(ann, `PATCH /repos/ann/busy/issues/${closed.number}`, { state: "closed" })
    await must(ann, "POST /repos/ann/busy/releases", { tag_name: "v1", target_commitish: "main" })

    // Nothing was counted yet: the page has it counted.
    await expect
      .poll(async () => (await show("/ann/busy/activity/contributors")).text.includes("still being counted"), { timeout: 60_000 })
      .toBe(false)
    const summary = await show("/ann/busy/activity")
    expect([summary.status, summary.faults]).toEqual([200, []])
    expect(summary.text).toContain("Open &lt;one&gt;")
    expect(summary.text).toContain("2 issues opened")
    expect(summary.text).toContain("1 issue closed")
    expect(summary.text).toContain("1 release")
    expect(summary.text).toContain("1 commit by 1 person")
    await must(ann, "PATCH /repos/ann/busy", { has_issues: false })
    expect((await show("/ann/busy/activity/yearly")).text).not.toContain("issues opened")
    for (const tab of ["contributors", "code-frequency", "recent-commits"]) {
      const page = await show(`/ann/busy/activity/${tab}`)
      expect([tab, page.status, page.faults]).toEqual([tab, 200, []])
      expect(page.text).toContain('class="bars"')
    }
    expect((await show("/ann/busy/activity/contributors")).text).toContain("+2")
    expect((await show("/ann/busy/activity/constructor")).status).toBe(404)
    expect((await show("/ann/hush/activity", "cal")).status).toBe(404)
    expect((await show("/ann/hush/activity", "ben")).status).toBe(200)
  })
})
