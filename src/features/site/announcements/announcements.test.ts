import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { visit } from "../../../../tests/support/visitor.ts"

const PAGE = "/-/admin/announcements"

withHearth("announcements", { people: ["ann"], on: databaseKinds }, ({ test, forge, ann }) => {
  test.beforeAll(async () => {
    await forge.call(forge.root, "PATCH /admin/users/ann", { login_name: "ann", source_id: 0, admin: true })
    await forge.person("ben")
  })

  /** A page as someone with these cookies sees it. */
  async function seen(path: string, cookie = ""): Promise<string> {
    return (await fetch(forge.hearth.url + path, { headers: { accept: "text/html", cookie } })).text()
  }
  const all = async (): Promise<readonly { readonly id: number; readonly content: string }[]> =>
    (await forge.call(ann, "GET /admin/announcements")).body
  async function clear(): Promise<void> {
    for (const { id } of await all()) await forge.call(ann, `DELETE /admin/announcements/${id}`)
  }

  test("are made, changed and deleted on a page by administrators alone", async () => {
    const reader = await visit(forge, "ann")
    const stranger = await visit(forge, "ben")
    const fields = { content: "We **water** on Sunday <script>x</script>", tone: "warn", audience: "everybody", starts_at: "", ends_at: "" }
    expect((await stranger.get(PAGE)).status).toBe(404)
    expect((await stranger.send(PAGE, fields)).status).toBe(403)
    expect(await all()).toEqual([])
    const refused = await reader.send(PAGE, { ...fields, starts_at: "2030-01-02T00:00", ends_at: "2030-01-01T00:00" })
    expect([refused.status, refused.html.includes("We **water**")]).toEqual([422, true])
    expect((await reader.send(PAGE, { ...fields, ends_at: "soon" })).status).toBe(422)
    expect((await reader.send(PAGE, fields)).to).toBe(PAGE)
    const [made] = await all()
    expect(made).toMatchObject({ content: fields.content, tone: "warn", starts_at: null, ends_at: null })
    for (const html of [await seen("/"), (await stranger.get("/ann")).html, await seen("/nowhere/at/all")]) {
      expect(html).toContain("<strong>water</strong>")
      expect(html).not.toContain("<script>x")
    }
    expect((await reader.send(`${PAGE}/${made?.id}`, { ...fields, content: "On Monday", audience: "signedIn" })).status).toBe(303)
    expect(await seen("/")).not.toContain("On Monday")
    expect((await stranger.get("/")).html).toContain("On Monday")
    expect((await reader.send(`${PAGE}/${made?.id}/delete`)).status).toBe(303)
    expect((await stranger.get("/")).html).not.toContain("On Monday")
    expect((await reader.send(`${PAGE}/${made?.id}/delete`)).status).toBe(404)
    const { body } = await forge.call(forge.root, "GET /admin/audit?operation=adminCreateAnnouncement&administrator=ann")
    expect(body[0]).toMatchObject({ operation: "adminCreateAnnouncement" })
  })

  test("are shown in their time", async () => {
    await clear()
    const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
    await forge.call(ann, "POST /admin/announcements", { content: "To come", starts_at: at(3600) })
    await forge.call(ann, "POST /admin/announcements", { content: "Is over", ends_at: at(-3600) })
    await forge.call(ann, "POST /admin/announcements", { content: "Is now", starts_at: at(-3600), ends_at: at(3600) })
    const html = await seen("/")
    expect([/To come/, /Is over/, /Is now/].map((each) => each.test(html))).toEqual([false, false, true])
  })

  test("are dismissed for a browser, which keeps no cookie before; one that changes is shown again", async () => {
    await clear()
    const { body: first } = await forge.call(ann, "POST /admin/announcements", { content: "The first" })
    await forge.call(ann, "POST /admin/announcements", { content: "The second" })
    const answer = await fetch(`${forge.hearth.url}/explore/repos`, { headers: { accept: "text/html" } })
    const html = await answer.text()
    expect(answer.headers.getSetCookie()).toEqual([])
    const marks = [...html.matchAll(/name="mark" value="([^"]+)"/g)].map(([, mark = ""]) => mark)
    expect(marks).toHaveLength(2)
    const mark = marks.find((each) => each.startsWith(`${first.id}.`)) ?? ""
    const sent = await fetch(`${forge.hearth.url}/-/dismiss`, {
      method: "POST",
      redirect: "manual",
      headers: { accept: "text/html", referer: `${forge.hearth.url}/explore/repos`, "sec-fetch-site": "same-origin" },
      body: new URLSearchParams({ mark }),
    })
    expect([sent.status, sent.headers.get("location")]).toEqual([303, "/explore/repos"])
    const cookie = sent.headers.getSetCookie()[0]?.split(";", 1)[0] ?? ""
    expect(cookie).toBe(`hearth_dismissed=${mark}`)
    const shown = async () => {
      const text = await seen("/explore/repos", cookie)
      return [text.includes("The first"), text.includes("The second")]
    }
    expect(await shown()).toEqual([false, true])
    expect(await seen("/explore/repos")).toContain("The first")
    await forge.call(ann, `PATCH /admin/announcements/${first.id}`, { ends_at: "2100-01-01T00:00:00Z" })
    expect(await shown()).toEqual([false, true])
    await forge.call(ann, `PATCH /admin/announcements/${first.id}`, { content: "The first, again" })
    expect(await shown()).toEqual([true, true])
    await clear()
  })

  test("are read by all processes when one has changed them, and by no page", async () => {
    const { database, announcements } = forge.hearth.services
    const told = new Promise<void>((resolve) => {
      void database.listen("hearth_announcements", () => resolve())
    })
    await forge.call(ann, "POST /admin/announcements", { content: "Hear" })
    await told
    // After all readings that are under way: the request's own, and that of the notification.
    await announcements.reload()
    expect(announcements.shown(false, []).length).toBe(1)
    const asked: string[] = []
    const stop = database.observe(({ sql }) => asked.push(sql))
    await seen("/explore/repos?sort=alpha")
    stop()
    expect(asked.filter((sql) => sql.includes("announcements"))).toEqual([])
    await clear()
  })
})
