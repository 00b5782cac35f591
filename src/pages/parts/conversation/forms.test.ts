import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../../tests/support/browser.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"

/** What people do with an issue on its page; the rules are tested with the operations. */
withHearth("the forms of a conversation", { people: ["ann", "ben", "cyd"] }, ({ test, forge, ann, ben, call }) => {
  const must = async (caller: string, route: string, body?: unknown) => {
    const answer = await call(caller, route, body)
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const open = async (name: string): Promise<Browser> => {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }
  const at = "/repos/ann/box"
  /** A new issue of ben's in ann's repository. */
  const issue = async (body = "It *crashes*") => {
    const { number } = await must(ben, `POST ${at}/issues`, { title: "Crash on start", body })
    return { number, here: `/ann/box/issues/${number}`, api: `${at}/issues/${number}` }
  }
  const record = (api: string) => must(ann, `GET ${api}`)

  test.beforeAll(async () => {
    await must(ann, "POST /user/repos", { name: "box" })
  })

  test("title and text are changed by the author, and by no one else", async () => {
    const { here, api } = await issue()
    const author = await open("ben")
    const page = await author.get(`${here}/edit`)
    expect(page.text).toContain("It *crashes*</textarea>")
    const done = await author.post(`${here}/edit`, { title: "Crash at noon", body: "One\r\ntwo", content_version: "0", milestone: "3" })
    expect([done.status, done.location]).toEqual([303, here])
    expect(await record(api)).toMatchObject({ title: "Crash at noon", body: "One\ntwo", milestone: null })
    const other = await open("cyd")
    expect((await other.get(`${here}/edit`)).status).toBe(404)
    expect((await other.post(`${here}/edit`, { title: "Mine" })).status).toBe(403)
    expect((await openBrowser(forge.hearth.url).post(`${here}/edit`, { title: "Mine" })).status).toBe(401)
    expect((await record(api)).title).toBe("Crash at noon")
  })

  test("a text that someone else has changed meanwhile is shown beside what was typed, and can be replaced", async () => {
    const { here, api } = await issue()
    const author = await open("ben")
    await author.get(`${here}/edit`)
    await must(ann, `PATCH ${api}`, { body: "Ann's <words>" })
    const stale = await author.post(`${here}/edit`, { title: "Mine", body: "Ben's words", content_version: "0" })
    expect(stale.status).toBe(409)
    expect(stale.text).toContain("Ann&#39;s &lt;words&gt;</textarea>")
    expect(stale.text).toContain("Ben&#39;s words</textarea>")
    expect(await record(api)).toMatchObject({ title: "Crash on start", body: "Ann's <words>" })
    const fields = stale.forms.find(({ action }) => action === `${here}/edit`)?.fields ?? {}
    expect(fields["content_version"]).toBe("1")
    await author.post(`${here}/edit`, { ...fields, body: "Ben's words" })
    expect(await record(api)).toMatchObject({ title: "Mine", body: "Ben's words" })
  })

  test("comments are quoted, changed and deleted", async () => {
    const { here, api } = await issue("One\n\ntwo")
    const { id } = await must(ben, `POST ${api}/comments`, { body: "A first\nthought" })
    const author = await open("ben")
    expect((await author.get(here)).text).toContain(`href="${here}?quote=${id}#body"`)
    expect((await author.get(`${here}?quote=${id}`)).text).toContain("&gt; A first\n&gt; thought\n\n</textarea>")
    expect((await author.get(`${here}?quote=0`)).text).toContain("&gt; One\n&gt;\n&gt; two\n\n</textarea>")
    const done = await author.post(`${here}/comments/${id}/edit`, { body: "A second" })
    expect([done.status, done.location]).toEqual([303, `${here}#issuecomment-${id}`])
    expect((await must(ann, `GET ${at}/issues/comments/${id}`)).body).toBe("A second")
    const other = await open("cyd")
    expect((await other.get(here)).text).not.toContain(`${here}/comments/${id}/edit`)
    expect((await other.post(`${here}/comments/${id}/edit`, { body: "Not mine" })).status).toBe(403)
    expect((await other.post(`${here}/comments/${id}/delete`, {})).status).toBe(403)
    expect((await author.post(`${here}/comments/${id}/delete`, {})).location).toBe(here)
    expect(await call(ann, `GET ${at}/issues/comments/${id}`)).toMatchObject({ status: 404 })
  })

  test("reactions are given and taken back by one button", async () => {
    const { here, api } = await issue()
    const { id } = await must(ben, `POST ${api}/comments`, { body: "Yes" })
    const reader = await open("cyd")
    await reader.post(`${here}/reactions`, { content: "heart" })
    await reader.post(`${here}/comments/${id}/reactions`, { content: "rocket" })
    const { text } = await reader.get(here)
    expect(text).toMatch(new RegExp(`value="heart"[^>]*formaction="${here}/reactions/remove"[^>]*aria-pressed="true"`))
    expect(text).toMatch(new RegExp(`value="rocket"[^>]*formaction="${here}/comments/${id}/reactions/remove"`))
    await reader.post(`${here}/reactions/remove`, { content: "heart" })
    await reader.post(`${here}/comments/${id}/reactions/remove`, { content: "rocket" })
    expect(await must(ann, `GET ${api}/reactions`)).toEqual([])
    expect(await must(ann, `GET ${at}/issues/comments/${id}/reactions`)).toEqual([])
  })

  test("those who may write change what it is, and others are refused", async () => {
    const { here, api } = await issue()
    const label = (await must(ann, `POST ${at}/labels`, { name: "bug", color: "ff0000" })).id
    const milestone = (await must(ann, `POST ${at}/milestones`, { title: "0.3" })).id
    const owner = await open("ann")
    await owner.post(`${here}/labels`, { labels: String(label) })
    await owner.post(`${here}/milestone`, { milestone: String(milestone) })
    await owner.post(`${here}/assignees`, { assignees: "ann" })
    await owner.post(`${here}/due`, { due_date: "2031-02-03" })
    const changed = await record(api)
    expect([changed.labels[0].name, changed.milestone.title, changed.assignees[0].login, changed.due_date.slice(0, 10)]).toEqual([
      "bug",
      "0.3",
      "ann",
      "2031-02-03",
    ])
    await owner.post(`${here}/labels`, {})
    await owner.post(`${here}/milestone`, { milestone: "0" })
    await owner.post(`${here}/assignees`, {})
    await owner.post(`${here}/due`, { due_date: "" })
    expect(await record(api)).toMatchObject({ labels: [], milestone: null, assignees: [], due_date: null })
    const wrong = await owner.post(`${here}/due`, { due_date: "some day" })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('value="some day"')
    const other = await open("cyd")
    for (const path of ["labels", "due", "pin", "lock", "timer/start", "delete"])
      expect((await other.post(`${here}/${path}`, {})).status).toBe(403)
    expect((await other.get(here)).text).not.toContain(`action="${here}/labels"`)
  })

  test("dependencies are named as people name them, and a wrong name is shown again", async () => {
    const first = await issue()
    const second = await issue()
    const owner = await open("ann")
    const own = { owner: "ann", repo: "box" }
    for (const [name, status] of [
      ["nonsense", 422],
      ["#999", 404],
    ] as const) {
      const refused = await owner.post(`${second.here}/dependencies`, { ...own, issue: name })
      expect([refused.status, refused.text.includes(`value="${name}"`)]).toEqual([status, true])
    }
    expect((await owner.post(`${second.here}/dependencies`, { ...own, issue: `#${first.number}` })).status).toBe(303)
    expect((await must(ann, `GET ${second.api}/dependencies`)).map(({ number }: { number: number }) => number)).toEqual([first.number])
    expect((await owner.post(`${second.here}/comments`, { action: "close" })).text).toContain("open dependencies")
    await owner.post(`${second.here}/dependencies/remove`, { ...own, index: String(first.number) })
    expect(await must(ann, `GET ${second.api}/dependencies`)).toEqual([])
  })

  test("time is tracked by a timer and by hand", async () => {
    const { here, api } = await issue()
    const owner = await open("ann")
    await owner.post(`${here}/timer/start`, {})
    expect((await owner.get(here)).text).toContain("Your timer has been running since")
    await owner.post(`${here}/timer/stop`, {})
    expect((await owner.post(`${here}/times`, { time: "a while" })).text).toContain('value="a while"')
    await owner.post(`${here}/times`, { time: "1h 30m" })
    const times = await must(ann, `GET ${api}/times`)
    expect(times.at(-1).time).toBe(5400)
    await owner.post(`${here}/times/${times.at(-1).id}/delete`, {})
    expect(await must(ann, `GET ${api}/times`)).toHaveLength(times.length - 1)
  })

  test("it is pinned, locked, followed and deleted", async () => {
    const { here, api, number } = await issue()
    const owner = await open("ann")
    await owner.post(`${here}/pin`, {})
    expect((await record(api)).pin_order).toBe(1)
    const again = await owner.post(`${here}/pin`, {})
    expect([again.status, again.text.includes("pinned already")]).toEqual([400, true])
    await owner.post(`${here}/unpin`, {})
    await owner.post(`${here}/lock`, { lock_reason: "Too heated" })
    expect([(await record(api)).is_locked, (await owner.get(here)).text.includes("Too heated")]).toEqual([true, true])
    await owner.post(`${here}/unlock`, {})
    const reader = await open("cyd")
    await reader.post(`${here}/subscriptions/cyd`, {})
    expect((await reader.get(here)).text).toContain("You are subscribed.")
    await reader.post(`${here}/subscriptions/cyd/remove`, {})
    expect((await reader.get(here)).text).toContain("You are not subscribed")
    expect((await reader.post(`${here}/subscriptions/ann`, {})).status).toBe(403)
    expect((await owner.post(`${here}/delete`, { confirm: "yes" })).status).toBe(422)
    expect((await owner.post(`${here}/delete`, { confirm: `#${number}` })).location).toBe("/ann/box/issues")
    expect(await call(ann, `GET ${api}`)).toMatchObject({ status: 404 })
  })
})
