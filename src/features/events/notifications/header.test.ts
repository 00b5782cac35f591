import { expect } from "vitest"
import { openBrowser } from "../../../../tests/support/browser.ts"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"

withHearth("the timer in the header", { on: databaseKinds, people: ["ann", "ben"] }, ({ test, forge, ann, ben, call }) => {
  const open = async (name: string) => {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }
  const header = (text: string): string => /<header class="site-header"[^>]*>.*?<\/header>/s.exec(text)?.[0] ?? ""
  const at = "/repos/ann/box/issues/1"

  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "box", private: true })
    await call(ann, "POST /repos/ann/box/issues", { title: "Crash <b>" })
    await call(ann, "PUT /repos/ann/box/collaborators/ben", { permission: "write" })
  })

  test("is on every page of who has started one, and stops it from there", async () => {
    const browser = await open("ann")
    expect(header((await browser.get("/explore/repos")).text)).not.toContain("data-since")
    await call(ann, `POST ${at}/stopwatch/start`)
    for (const path of ["/", "/explore/repos", "/ann/box/issues/1", "/user/settings"]) {
      const shown = header((await browser.get(path)).text)
      expect(shown, path).toMatch(/data-since="\d+">\d+:\d\d:\d\d</)
      expect(shown).toContain("ann/box#1")
      expect(shown).toContain("Crash &lt;b&gt;")
      expect(shown).toContain(`name="back" value="${path}"`)
    }
    expect(header((await (await open("ben")).get("/")).text)).not.toContain("data-since")
    expect(header((await openBrowser(forge.hearth.url).get("/explore/repos")).text)).not.toContain("data-since")
    const stopped = await browser.post("/ann/box/issues/1/timer/stop", { back: "/explore/repos?q=a" })
    expect([stopped.status, stopped.location]).toEqual([303, "/explore/repos?q=a"])
    expect(header((await browser.get("/")).text)).not.toContain("data-since")
    expect((await call(ann, `GET ${at}/times`)).body).toHaveLength(1)
  })

  test("is discarded without a time, and leads to no other site", async () => {
    const browser = await open("ann")
    await call(ann, `POST ${at}/stopwatch/start`)
    const done = await browser.post("/ann/box/issues/1/timer/cancel", { back: "https://evil.example/" })
    expect([done.status, done.location]).toEqual([303, "/"])
    expect((await call(ann, `GET ${at}/times`)).body).toHaveLength(1)
    const late = await browser.post("/ann/box/issues/1/timer/stop", { back: "/" })
    expect(late.status).toBe(409)
  })

  test("tells nothing of an issue that may not be read any more, and the notifications are counted as before", async () => {
    await call(ben, `POST ${at}/stopwatch/start`)
    await call(ann, `POST ${at}/comments`, { body: "Look, @ben" })
    const browser = await open("ben")
    const before = header((await browser.get("/")).text)
    expect(before).toContain("data-since")
    expect(before).toMatch(/count loud">1</)
    await call(ann, "DELETE /repos/ann/box/collaborators/ben")
    const after = header((await browser.get("/")).text)
    expect(after).not.toMatch(/data-since|ann\/box|count loud/)
  })
})
