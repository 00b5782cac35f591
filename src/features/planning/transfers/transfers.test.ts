import { expect } from "vitest"
import { openBrowser } from "../../../../tests/support/browser.ts"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"

withHearth("the transfer of an issue", { on: databaseKinds, people: ["ann", "ben", "cyd"] }, ({ test, forge, ann, ben, cyd, call }) => {
  const must = async (caller: string, route: string, body?: unknown) => {
    const answer = await call(caller, route, body)
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const open = async (name: string) => {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }
  const issue = async (title = "Crash", by = ann, more: object = {}): Promise<number> =>
    (await must(by, "POST /repos/ann/box/issues", { title, ...more })).number
  const transfer = async (name: string, number: number, repository: string, from = "ann/box") =>
    (await open(name)).post(`/${from}/issues/${number}/transfer`, { repository, confirm: repository })
  const numberIn = (location: string | undefined): number => Number(location?.split("/").at(-1))

  test.beforeAll(async () => {
    for (const [name, more] of [
      ["box", {}],
      ["shelf", {}],
      ["hush", { private: true }],
      ["closed", {}],
    ] as const)
      await must(ann, "POST /user/repos", { name, ...more })
    await must(ann, "PATCH /repos/ann/closed", { has_issues: false })
    await must(cyd, "POST /user/repos", { name: "hers" })
    await must(ann, "PUT /repos/ann/box/collaborators/ben", { permission: "write" })
    for (const repository of ["box", "shelf"]) {
      await must(ann, `POST /repos/ann/${repository}/labels`, { name: "bug", color: "#ff0000" })
      await must(ann, `POST /repos/ann/${repository}/milestones`, { title: "Next" })
    }
    await must(ann, "POST /repos/ann/box/labels", { name: "only here", color: "#00ff00" })
    await must(ann, "POST /repos/ann/shelf/issues", { title: "The first there" })
  })

  test("takes everything along, and the former number leads to it", async () => {
    const labels = (await must(ann, "GET /repos/ann/box/labels")).map(({ id }: { id: number }) => id)
    const [{ id: milestone }] = await must(ann, "GET /repos/ann/box/milestones")
    const number = await issue("Crash", ann, { labels, milestone, assignees: ["ann", "ben"], body: "It crashes", ref: "refs/heads/main" })
    const at = `/repos/ann/box/issues/${number}`
    const { id } = await must(cyd, `POST ${at}/comments`, { body: "For me too" })
    await must(ben, `POST ${at}/reactions`, { content: "heart" })
    await must(ann, `POST ${at}/times`, { time: 60 })
    await must(ann, `POST ${at}/stopwatch/start`)
    await must(ann, `POST ${at}/pin`)
    const source = await issue(`See #${number}`)
    await must(ann, `POST /repos/ann/box/issues/${source}/comments`, { body: `Because of #${number}` })

    const done = await transfer("ann", number, "ann/shelf")
    expect([done.status, done.location]).toEqual([303, "/ann/shelf/issues/2"])
    const record = await must(ann, "GET /repos/ann/shelf/issues/2")
    expect(record).toMatchObject({
      title: "Crash",
      body: "It crashes",
      ref: "",
      comments: 1,
      pin_order: 0,
      milestone: { title: "Next", open_issues: 1 },
      repository: { full_name: "ann/shelf" },
    })
    expect(record.labels.map(({ name }: { name: string }) => name)).toEqual(["bug"])
    // ben may read there, but he is no contributor.
    expect(record.assignees.map(({ login }: { login: string }) => login)).toContain("ann")
    expect(await must(ann, "GET /repos/ann/shelf/issues/2/comments")).toMatchObject([{ id, body: "For me too" }])
    expect(await must(ann, "GET /repos/ann/shelf/issues/2/reactions")).toMatchObject([{ content: "heart" }])
    expect(await must(ann, "GET /repos/ann/shelf/issues/2/times")).toMatchObject([{ time: 60 }])
    expect(await must(ann, "GET /user/stopwatches")).toMatchObject([{ issue_index: 2, repo_name: "shelf" }])
    expect((await must(ann, "GET /repos/ann/box/milestones")).map((each: { open_issues: number }) => each.open_issues)).toEqual([0])
    expect((await must(ann, "GET /repos/ann/shelf")).open_issues_count).toBe(2)
    const timeline = await must(ann, "GET /repos/ann/shelf/issues/2/timeline")
    expect(timeline.filter(({ type }: { type: string }) => type === "label")).toMatchObject([{ label: { name: "bug" } }])
    expect(timeline.filter(({ type }: { type: string }) => type === "transfer")).toHaveLength(1)

    const old = await call(ann, `GET /repos/ann/box/issues/${number}/comments`)
    expect([old.status, old.headers.get("location")]).toEqual([307, "/api/v1/repos/ann/shelf/issues/2/comments"])
    const page = await (await open("ann")).get(`/ann/box/issues/${number}`)
    expect([page.status, page.location]).toEqual([302, "/ann/shelf/issues/2"])
    const shown = (await (await open("ann")).get("/ann/shelf/issues/2")).text
    expect(shown).toMatch(new RegExp(`moved this here from <bdi>ann/box</bdi>#${number}`))
    // The header has the stopwatch, which runs on the transferred issue.
    const [, main] = (await (await open("ann")).get(`/ann/box/issues/${source}`)).text.split("<main")
    expect(main).not.toContain("ann/shelf")
    // The next issue of the former place does not get its number.
    expect(await issue("Another")).toBe(source + 1)

    const back = await transfer("ann", 2, "ann/box", "ann/shelf")
    expect(back.location).toBe(`/ann/box/issues/${source + 2}`)
    expect((await (await open("cyd")).get(`/ann/box/issues/${number}`)).location).toBe(`/ann/box/issues/${source + 2}`)
    expect((await (await open("cyd")).get("/ann/shelf/issues/2")).location).toBe(`/ann/box/issues/${source + 2}`)
  })

  test("is told to no one who may not read it there", async () => {
    const number = await issue("Hidden by now", cyd)
    await must(ben, `POST /repos/ann/box/issues/${number}/comments`, { body: "A word" })
    await must(ann, `PUT /repos/ann/box/issues/${number}/subscriptions/ann`)
    await must(ben, `PATCH /repos/ann/box/issues/${number}`, { assignees: ["ben"] })
    await must(ben, `POST /repos/ann/box/issues/${number}/stopwatch/start`)
    const threads = (caller: string) => must(caller, "GET /notifications?status-types=unread&status-types=read")
    expect((await threads(cyd)).length).toBeGreaterThan(0)
    const done = await transfer("ann", number, "ann/hush")
    const there = numberIn(done.location)
    expect(done.location).toBe(`/ann/hush/issues/${there}`)
    for (const other of ["cyd", "ben"]) {
      const page = await (await open(other)).get(`/ann/box/issues/${number}`)
      expect(page.status).toBe(404)
      expect(page.text).not.toContain("hush")
    }
    expect((await call(cyd, `GET /repos/ann/box/issues/${number}`)).status).toBe(404)
    expect((await openBrowser(forge.hearth.url).get(`/ann/box/issues/${number}`)).status).toBe(404)
    for (const caller of [ben, cyd]) expect(JSON.stringify(await threads(caller))).not.toContain("Hidden by now")
    expect(await must(ben, "GET /user/stopwatches")).toEqual([])
    const record = await must(ann, `GET /repos/ann/hush/issues/${there}`)
    expect(record.assignees).toEqual([])
    expect((await must(ann, `GET /repos/ann/hush/issues/${there}/times`)).length).toBe(1)
    expect(JSON.stringify(await must(cyd, "GET /users/cyd/activities/feeds"))).not.toContain("Hidden by now")
    expect((await call(ann, `GET /repos/ann/box/issues/${number}`)).status).toBe(307)
  })

  test("is refused into places where one may not write, and of what is no issue", async () => {
    const number = await issue("Stays")
    const refused = async (name: string, repository: string, confirm = repository) => {
      const answer = await (await open(name)).post(`/ann/box/issues/${number}/transfer`, { repository, confirm })
      if (answer.status === 422) expect(answer.text).toContain(`value="${repository}"`)
      return answer.status
    }
    expect(await refused("ann", "ann/closed")).toBe(422)
    expect(await refused("ann", "ann/box")).toBe(422)
    expect(await refused("ann", "ann/nothing")).toBe(422)
    expect(await refused("ann", "nonsense")).toBe(422)
    expect(await refused("ann", "ann/shelf", "ann/shelv")).toBe(422)
    expect(await refused("ann", "cyd/hers")).toBe(422)
    expect(await refused("ben", "ann/shelf")).toBe(422)
    expect(await refused("ben", "ann/hush")).toBe(422)
    expect(await refused("cyd", "cyd/hers")).toBe(403)
    const nobody = await openBrowser(forge.hearth.url).post(`/ann/box/issues/${number}/transfer`, { repository: "ann/shelf" })
    expect(nobody.status).toBe(401)
    expect((await must(ann, `GET /repos/ann/box/issues/${number}`)).number).toBe(number)
    const page = (await (await open("ben")).get(`/ann/box/issues/${number}/transfer`)).text
    expect(page).not.toContain("ann/hush")
    const own = (await (await open("ann")).get(`/ann/box/issues/${number}/transfer`)).text
    expect(own).toContain('<option value="ann/shelf">')
    expect(own).not.toMatch(/value="(ann\/closed|cyd\/hers|ann\/box)"/)
    expect((await (await open("ann")).get(`/ann/box/issues/${number}/transfer?q=hus`)).text).not.toContain('value="ann/shelf"')
    expect((await (await open("cyd")).get(`/ann/box/issues/${number}/transfer`)).status).toBe(404)
  })

  test("is done once by two at the same time, and a comment, a deletion or a new state goes before or after it", async () => {
    const number = await issue("Wanted by two")
    const both = await Promise.all([transfer("ann", number, "ann/shelf"), transfer("ann", number, "ann/hush")])
    const done = both.filter(({ status, location }) => status === 303 && !location?.includes("/transfer"))
    expect(done).toHaveLength(1)

    for (const what of ["comment", "delete", "close"] as const) {
      const each = await issue(`Against ${what}`)
      const at = `/repos/ann/box/issues/${each}`
      const other =
        what === "comment"
          ? call(cyd, `POST ${at}/comments`, { body: "Quick" })
          : what === "delete"
            ? call(ann, `DELETE ${at}`)
            : call(ann, `PATCH ${at}`, { state: "closed" })
      const [moved, answer] = await Promise.all([transfer("ann", each, "ann/shelf"), other])
      expect([303, 404, 422]).toContain(moved.status)
      expect([200, 201, 204, 404]).toContain(answer.status)
      const there = moved.status === 303 ? await call(ann, `GET /repos/ann/shelf/issues/${numberIn(moved.location)}`) : undefined
      if (there?.status === 200) expect(there.body.title).toBe(`Against ${what}`)
    }
    for (const repository of ["box", "shelf"]) {
      const { open_issues_count } = await must(ann, `GET /repos/ann/${repository}`)
      expect(await must(ann, `GET /repos/ann/${repository}/issues?state=open&type=issues&limit=50`)).toHaveLength(open_issues_count)
    }
  })
})
