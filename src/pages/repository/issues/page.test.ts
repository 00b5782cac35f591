import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../../tests/support/browser.ts"
import { statementsOf } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"

const HOSTILE = `"><img src=x onerror=alert(1)>'</title><script>alert(1)</script>`

withHearth("pages of issues", { people: ["ann", "ben", "cyd"] }, ({ kind, test, forge, ann, ben, call }) => {
  const must = async (caller: string, route: string, body?: unknown) => {
    const answer = await call(caller, route, body)
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const open = async (name?: string): Promise<Browser> => {
    const browser = openBrowser(forge.hearth.url)
    if (name !== undefined) await browser.signIn(name, PASSWORD)
    return browser
  }
  /** The numbers of the rows of a list. */
  const rows = (text: string): readonly number[] =>
    [...text.matchAll(/<h2 class="title"><a href="\/[\w-]+\/[\w-]+\/(?:issues|pulls)\/(\d+)"/g)].map(([, number]) => Number(number))
  const at = "/repos/ann/box"
  let labels: Record<string, number> = {}
  let milestone = 0
  let project = 0

  test.beforeAll(async () => {
    await must(ann, "POST /user/repos", { name: "box" })
    await must(ann, "POST /user/repos", { name: "hush", private: true })
    await must(ann, "POST /repos/ann/hush/issues", { title: "A secret about #1", body: "See ann/box#1" })
    for (const name of ["bug", "good first issue", HOSTILE]) {
      const { id } = await must(ann, `POST ${at}/labels`, { name, color: "ff0000", description: HOSTILE })
      labels = { ...labels, [name]: id }
    }
    milestone = (await must(ann, `POST ${at}/milestones`, { title: "0.3", description: "**Soon** #2", due_on: "2020-01-01T00:00:00Z" })).id
    project = (await must(ann, `POST ${at}/projects`, { title: "The board", description: HOSTILE, template_type: "basic_kanban" })).id
    await must(ann, `POST ${at}/issues`, {
      title: "Crash on start",
      body: "It *crashes*, says @ben.\n\n- [x] one\n- [ ] two\n\n```\n- [ ] no task\n```",
      labels: [labels["bug"]],
      milestone,
      assignees: ["ben"],
      projects: [project],
    })
    await must(ben, `POST ${at}/issues`, { title: `Hostile ${HOSTILE}`, body: `${HOSTILE}\n\n[x](javascript:alert(1)) #1` })
    await must(ann, `POST ${at}/issues`, {
      title: "Slow `list`",
      labels: [labels["good first issue"], labels[HOSTILE]],
      due_date: "2030-05-01T00:00:00Z",
    })
    await must(ann, `POST ${at}/issues`, { title: "Done thing", labels: [labels["bug"], labels["good first issue"]] })
    await must(ann, `PATCH ${at}/issues/4`, { state: "closed" })
    await must(ann, `POST ${at}/issues/1/comments`, { body: "A **comment** of mine, with the word xylophone" })
    await must(ben, `POST ${at}/issues/1/comments`, { body: HOSTILE })
    await must(ben, `POST ${at}/issues/1/reactions`, { content: "heart" })
    await must(ann, `POST ${at}/issues/3/pin`)
  })

  test("lists are filtered by words", async () => {
    const browser = await open("ann")
    const find = async (q: string, query = "q") => rows((await browser.get(`/ann/box/issues?${query}=${encodeURIComponent(q)}`)).text)
    expect(rows((await browser.get("/ann/box/issues")).text)).toEqual([3, 2, 1])
    for (const [q, expected] of [
      ["is:all", [4, 3, 2, 1]],
      ["is:closed", [4]],
      ["is:merged", []],
      ["is:all label:bug", [4, 1]],
      ['is:all label:BUG,"good first issue"', [4, 3, 1]],
      ['is:all label:bug label:"good first issue"', [4]],
      ["is:all -label:bug", [3, 2]],
      ["no:label", [2]],
      ["-no:label is:open", [3, 1]],
      ["author:ben", [2]],
      ["-author:ben is:open", [3, 1]],
      ["author:nobody-like-that", []],
      ["assignee:ben", [1]],
      ["no:assignee is:open", [3, 2]],
      ["mentions:ben", [1]],
      ["author:@me is:all", [4, 3, 1]],
      ["involves:ben", [2, 1]],
      ["milestone:0.3", [1]],
      ["no:milestone is:open", [3, 2]],
      ['project:"the board"', [1]],
      ["no:project is:open", [3, 2]],
      ["no:due is:open", [2, 1]],
      ["created:>2020-01-01 is:open", [3, 2, 1]],
      ["created:<2020-01-01", []],
      ["created:2020..2021", []],
      ["closed:>2020-01-01", [4]],
      ["comments:>1", [1]],
      ["comments:0 is:open", [3, 2]],
      ["comments:1..2", [1]],
      ["xylophone", [1]],
      ["xylophone in:title", []],
      ["crash in:title", [1]],
      ["xylophone in:comments", [1]],
      ['"crash on"', [1]],
      ['"on crash"', []],
      ["is:pinned", [3]],
      ["is:locked", []],
      ["is:draft", []],
      ["review:none review-requested:ann reviewed-by:ann head:x base:y", []],
      ["is:all sort:created-asc", [1, 2, 3, 4]],
      ["is:all sort:comments-desc", [1, 4, 3, 2]],
      ["is:open sort:due-asc", [3, 2, 1]],
      // What is not known filters nothing.
      ["is:open foo:bar is:strange created:tomorrow comments:many sort:random in:space review:great no:thing", [3, 2, 1]],
      ["'; drop table issues; -- %_\\", []],
    ] as const)
      expect([q, await find(q)]).toEqual([q, expected])
    for (const [query, expected] of [
      ["state=closed", [4]],
      [`labels=${labels["bug"]}`, [1]],
      [`labels=-${labels["bug"]}`, [3, 2]],
      ["labels=0", [2]],
      [`milestone=${milestone}&state=all`, [1]],
      ["milestone=-1", [3, 2]],
      [`project=${project}`, [1]],
      ["assignee=ben", [1]],
      ["assignee=(none)", [3, 2]],
      ["poster=ben", [2]],
      ["type=created_by&sort=oldest&state=all", [1, 3, 4]],
      ["type=assigned", []],
    ] as const)
      expect([query, rows((await browser.get(`/ann/box/issues?${query}`)).text)]).toEqual([query, expected])
    const hinted = await browser.get("/ann/box/issues?q=foo:bar+is:strange")
    expect(hinted.text).toContain("“foo:” is not known")
    expect(hinted.text).toContain("“is:strange” is not known")
  })

  test("lists are sorted by the labels of a scope", async () => {
    await must(ann, "POST /user/repos", { name: "scoped" })
    const on = "/repos/ann/scoped"
    const made: number[] = []
    for (const [name, exclusive] of [
      ["Größe/2", true],
      ["Größe/1", true],
      ["Größe/of/box", true],
      ["Größe/0", false],
    ] as const)
      made.push((await must(ann, `POST ${on}/labels`, { name, color: "ff0000", exclusive })).id)
    for (const label of [undefined, made[0], made[1], made[2], made[3]])
      await must(ann, `POST ${on}/issues`, { title: "It", labels: label === undefined ? [] : [label] })
    const browser = await open("ann")
    const find = async (query: string) => rows((await browser.get(`/ann/scoped/issues?${query}`)).text)
    // Labels of another scope, and those that exclude nothing, count for nothing.
    expect(await find(`q=${encodeURIComponent("sort:scope-größe-asc")}`)).toEqual([3, 2, 5, 4, 1])
    expect(await find(`q=${encodeURIComponent("sort:scope-Größe-desc")}`)).toEqual([2, 3, 5, 4, 1])
    expect(await find(`sort=${encodeURIComponent("scope-Größe")}`)).toEqual([3, 2, 5, 4, 1])
    expect(await find(`q=${encodeURIComponent("sort:scope-größe/of")}`)).toEqual([4, 5, 3, 2, 1])
    expect(await find(`q=${encodeURIComponent("sort:scope-%_'")}`)).toEqual([5, 4, 3, 2, 1])
    const { text } = await browser.get("/ann/scoped/issues")
    expect(text).toContain("By <bdi>Größe</bdi>")
  })

  test("a list shows what matters, and nothing of what people write gets out of its place", async () => {
    for (const name of [undefined, "ann", "cyd"]) {
      const page = await (await open(name)).get(`/ann/box/issues?q=${encodeURIComponent(`is:all label:"${HOSTILE}" ${HOSTILE}`)}`)
      expect([page.status, faultsIn(page.text)]).toEqual([200, []])
      const list = await (await open(name)).get("/ann/box/issues")
      expect([list.status, faultsIn(list.text)]).toEqual([200, []])
      expect(list.text).toContain("1 of 2 tasks")
      expect(list.text).toContain("Due <time")
      expect(list.text).toContain("<code>list</code>")
      expect(list.text).toContain('aria-label="Pinned"')
      expect(list.text).not.toContain("<img src=x")
    }
  })

  test("the number of queries doesn't grow with a list", async () => {
    const browser = await open("ann")
    const count = async (path: string) => (await statementsOf(forge.hearth.services.database, () => browser.get(path))).length
    const more = async (made: number) => {
      await must(ann, `POST ${at}/issues`, {
        title: `More ${made}`,
        body: "#1 @ben",
        labels: [labels["bug"]],
        milestone,
        assignees: ["ben"],
        projects: [project],
      })
      await must(ann, `POST ${at}/issues/1/comments`, { body: `More ${made} #2 @ben` })
    }
    await more(0)
    const before = [await count("/ann/box/issues?q=is:all+sort:created-asc"), await count("/ann/box/issues/1?one=1")]
    for (let made = 1; made < 8; made++) await more(made)
    const after = [await count("/ann/box/issues?q=is:all+sort:created-asc&x=1"), await count("/ann/box/issues/1?two=1")]
    expect(after[0]).toBeLessThanOrEqual(before[0] ?? 0)
    expect(after[1]).toBeLessThanOrEqual(before[1] ?? 0)
    for (let number = 5; number <= 12; number++) await must(ann, `DELETE ${at}/issues/${number}`)
  })

  test("an issue is shown with what happened to it", async () => {
    await must(ann, `POST ${at}/issues`, { title: "Everything", body: "Text" })
    const number = (await must(ann, `GET ${at}/issues?limit=1`))[0].number
    const on = `${at}/issues/${number}`
    await must(ann, `POST ${on}/labels`, { labels: [labels["bug"]] })
    await must(ann, `POST ${on}/labels`, { labels: [labels["good first issue"]] })
    await must(ann, `PATCH ${on}`, {
      title: "Everything `new`",
      milestone,
      assignees: ["ann", "ben"],
      due_date: "2031-01-02T00:00:00Z",
      projects: [project],
    })
    await must(ann, `PATCH ${on}`, { due_date: "2031-01-03T00:00:00Z", milestone: 0, assignees: [] })
    await must(ann, `PATCH ${on}`, { unset_due_date: true, projects: [], state: "closed", ref: "refs/heads/main" })
    await must(ann, `PATCH ${on}`, { state: "open" })
    await must(ann, `PUT ${on}/lock`, { lock_reason: "Too heated" })
    await must(ann, `DELETE ${on}/lock`)
    await must(ann, `POST ${on}/pin`)
    await must(ann, `DELETE ${on}/pin`)
    await must(ann, `POST ${on}/times`, { time: 3900 })
    await must(ann, `POST ${on}/dependencies`, { owner: "ann", repo: "box", index: 2 })
    await must(ann, `POST ${on}/dependencies`, { owner: "ann", repo: "hush", index: 1 })
    await must(ann, `POST ${at}/issues/1/comments`, { body: `See #${number}` })
    const mine = await (await open("ann")).get(`/ann/box/issues/${number}`)
    expect([mine.status, faultsIn(mine.text)]).toEqual([200, []])
    const words = mine.text.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ")
    for (const sentence of [
      "added the labels bug good first issue",
      "changed the title from Everything to Everything new",
      "added this to 0.3",
      "removed this from 0.3",
      "set the due date to 2 Jan 2031",
      "moved the due date from 2 Jan 2031 to 3 Jan 2031",
      "removed the due date 3 Jan 2031",
      "added this to The board",
      "removed this from The board",
      "closed this",
      "reopened this",
      "locked the conversation ( Too heated )",
      "unlocked the conversation",
      "pinned this",
      "added 1h 5m of work",
      "added a dependency: ann/box#2",
      "A secret about",
      "a comment on ann/box#1",
      "Everything new #",
    ])
      expect(words).toContain(sentence)
    const others = await (await open("cyd")).get(`/ann/box/issues/${number}`)
    expect(others.text).not.toContain("A secret about")
    expect(others.text).toContain("a private issue")
    await must(ann, `DELETE ${on}`)
  })

  test("texts are rendered and can't get out of their place", async () => {
    const browser = await open("cyd")
    for (const path of [
      "/ann/box/issues/1",
      "/ann/box/issues/2",
      "/ann/box/labels",
      `/ann/box/milestone/${milestone}`,
      "/ann/box/milestones",
      "/ann/box/projects",
      `/ann/box/projects/${project}`,
      `/ann/box/projects/${project}?view=table`,
    ]) {
      const page = await browser.get(path)
      expect([path, page.status, faultsIn(page.text)]).toEqual([path, 200, []])
      expect(page.text).not.toMatch(/<img src=x|<script>|href="javascript:/)
    }
    const issue = (await browser.get("/ann/box/issues/1")).text
    expect(issue).toContain("<em>crashes</em>")
    expect(issue).toMatch(/<article class="card comment" id="issuecomment-\d+">/)
    expect(issue).toContain('title="heart"')
    const second = (await browser.get("/ann/box/issues/2")).text
    expect(second).toContain('class="ref-issue"')
  })

  test("the secret of a private repository is kept", async () => {
    for (const path of [
      "/ann/hush/issues",
      "/ann/hush/issues/1",
      "/ann/hush/labels",
      "/ann/hush/milestones",
      "/ann/hush/issue/1",
      "/ann/hush/issues/new",
      "/ann/hush/projects",
    ]) {
      expect([path, (await (await open("cyd")).get(path)).status]).toEqual([path, 404])
      expect([path, (await (await open("ann")).get(path)).status]).not.toEqual([path, 404])
    }
    expect((await (await open()).get("/ann/box/issues/1")).text).not.toContain("A secret about")
    expect((await (await open("cyd")).get("/ann/box/issues/999")).status).toBe(404)
    expect((await (await open("cyd")).get("/ann/box/issues/x")).status).toBe(404)
  })

  test("a rendered text is kept for those readers only who see the same in it", async () => {
    await must(ann, `POST ${at}/issues/1/comments`, { body: "Compare ann/hush#1 with #3" })
    const browsers = { ann: await open("ann"), cyd: await open("cyd") }
    for (const name of ["cyd", "ann", "cyd", "ann"] as const) {
      const { text } = await browsers[name].get("/ann/box/issues/1")
      const link = /Compare (?:<a href="[^"]*\/ann\/hush\/issues\/1"[^>]*>)?ann\/hush#1/.exec(text)?.[0] ?? ""
      expect([name, link.includes("<a "), text.includes("A secret about")]).toEqual([name, name === "ann", name === "ann"])
    }
    // What it leads to has changed since.
    await must(ann, "PATCH /repos/ann/hush/issues/1", { title: "A secret about something else" })
    expect((await browsers.ann.get("/ann/box/issues/1")).text).toContain('title="A secret about something else"')
    await must(ann, "PATCH /repos/ann/hush/issues/1", { title: "A secret about #1" })
  })

  test("a long conversation is folded in its middle", async () => {
    const { number } = await must(ann, `POST ${at}/issues`, { title: "Long" })
    const issue = await forge.hearth.services.database.read
      .selectFrom("issues")
      .selectAll()
      .where("title", "=", "Long")
      .executeTakeFirstOrThrow()
    const now = forge.hearth.services.now()
    await forge.hearth.services.database.write(async (tx) => {
      for (let made = 0; made < 120; made++)
        await tx
          .insertInto("comments")
          .values({
            issue_id: issue.id,
            kind: "comment",
            author_id: issue.author_id,
            content: `word${made}`,
            created_at: now,
            updated_at: now,
          })
          .execute()
    })
    const browser = await open()
    const folded = await browser.get(`/ann/box/issues/${number}`)
    expect(folded.text).toContain("30 more entries")
    for (const [word, isThere] of [
      ["word29<", true],
      ["word30<", false],
      ["word59<", false],
      ["word60<", true],
      ["word119<", true],
    ] as const)
      expect([word, folded.text.includes(word)]).toEqual([word, isThere])
    const whole = await browser.get(`/ann/box/issues/${number}?all=1`)
    expect(whole.text.match(/id="issuecomment-/g)?.length).toBe(120)
    expect(faultsIn(whole.text)).toEqual([])
    await must(ann, `DELETE ${at}/issues/${number}`)
  })

  test("comments are written, and issues closed and reopened, by forms", async () => {
    const { number } = await must(ann, `POST ${at}/issues`, { title: "Talk" })
    const here = `/ann/box/issues/${number}`
    const form = `${here}/comments`
    const [reader, author, nobody] = [await open("cyd"), await open("ann"), await open()]
    expect((await nobody.get(here)).text).toContain("Sign in</a> to join")
    const asked = await nobody.post(form, { body: "typed before signing in" })
    expect([asked.location, asked.text.includes('type="password"'), asked.text.includes("typed before")]).toEqual(["", true, true])
    const written = await reader.post(form, { body: "From a **form**\r\nand more", action: "comment" })
    expect([written.status, written.location]).toEqual([303, expect.stringMatching(new RegExp(`^${here}#issuecomment-\\d+$`))])
    expect((await reader.get(here)).text).toContain("<strong>form</strong>")
    const blank = await reader.post(form, { body: "  ", action: "comment" })
    expect([blank.status, faultsIn(blank.text)]).toEqual([422, []])
    // A reader may not close it, and what was typed is given back.
    expect((await reader.get(here)).text).not.toContain('value="close"')
    const refused = await reader.post(form, { body: `kept ${HOSTILE}`, action: "close" })
    expect(refused.status).toBe(403)
    expect(refused.text).toContain("kept &quot;&gt;&lt;img")
    expect((await author.get(here)).text).toContain('value="close"')
    await author.post(form, { body: "That is that", action: "close" })
    expect((await must(ann, `GET ${at}/issues/${number}`)).state).toBe("closed")
    expect((await author.get(here)).text).toContain('value="reopen"')
    await author.post(form, { body: "", action: "reopen" })
    const now = await must(ann, `GET ${at}/issues/${number}`)
    expect([now.state, now.comments]).toEqual(["open", 2])
    await must(ann, `PUT ${at}/issues/${number}/lock`, { lock_reason: "" })
    expect((await reader.get(here)).text).toContain("This conversation is locked")
    expect((await reader.post(form, { body: "still" })).status).toBe(403)
    await must(ann, `DELETE ${at}/issues/${number}`)
  })

  test("an issue is opened by a form that a link may fill", async () => {
    const browser = await open("cyd")
    expect((await (await open()).get("/ann/box/issues/new")).location).toContain("/user/login")
    const page = await browser.get(
      `/ann/box/issues/new?title=${encodeURIComponent(`T ${HOSTILE}`)}&body=${encodeURIComponent(`</textarea>${HOSTILE}`)}`,
    )
    expect([page.status, faultsIn(page.text)]).toEqual([200, []])
    expect(page.text).not.toContain("<img src=x")
    expect((await browser.get("/ann/box/issues/new/choose")).location).toBe("/ann/box/issues/new")
    const blank = await browser.post("/ann/box/issues/new", { title: " ", body: "typed text" })
    expect([blank.status, blank.text.includes("typed text")]).toEqual([422, true])
    const made = await browser.post("/ann/box/issues/new", { title: "By a form", body: "Text" })
    expect(made.status).toBe(303)
    const number = Number(made.location.split("/").at(-1))
    expect(await must(ann, `GET ${at}/issues/${number}`)).toMatchObject({ title: "By a form", body: "Text", user: { login: "cyd" } })
    await must(ann, `DELETE ${at}/issues/${number}`)
  })

  test("templates are offered, and begin the text", async () => {
    await must(ann, "POST /user/repos", { name: "tools", auto_init: true })
    const put = (path: string, text: string) =>
      must(ann, `POST /repos/ann/tools/contents/${path}`, { content: Buffer.from(text).toString("base64"), message: "Add" })
    await put(".gitea/ISSUE_TEMPLATE/bug.md", "---\nname: A bug\nabout: It breaks\ntitle: 'bug: '\n---\nWhat **happened**?\n")
    await put(
      ".gitea/ISSUE_TEMPLATE/form.yaml",
      "name: A wish\nabout: It lacks\nbody:\n  - type: textarea\n    id: why\n    attributes:\n      label: Why\n",
    )
    await put(
      ".gitea/ISSUE_TEMPLATE/config.yaml",
      "blank_issues_enabled: false\ncontact_links:\n  - name: Chat\n    url: https://example.com/chat\n    about: Talk\n",
    )
    const browser = await open("ben")
    const choice = await browser.get("/ann/tools/issues/new/choose")
    expect([choice.status, faultsIn(choice.text)]).toEqual([200, []])
    for (const text of ["A bug", "A wish", "https://example.com/chat"]) expect(choice.text).toContain(text)
    expect(choice.text).not.toContain("Blank issue")
    const bug = await browser.get("/ann/tools/issues/new?template=bug.md")
    expect(bug.text).toContain("What **happened**?")
    expect(bug.text).toContain('value="bug: "')
    expect((await browser.get("/ann/tools/issues/new?template=.gitea/ISSUE_TEMPLATE/form.yaml")).text).toContain(">Why<")
  })

  test("a board shows the cards that the reader may see, and filters them", async () => {
    const board = `/ann/box/projects/${project}`
    const [owner, other] = [await open("ann"), await open("cyd")]
    expect((await other.get(board)).text).toContain("Crash on start")
    expect((await other.get(`${board}?q=label:bug`)).text).toContain("Crash on start")
    expect((await other.get(`${board}?q=author:ben`)).text).not.toContain("Crash on start")
    expect((await other.get(`${board}?view=table&q=foo:bar`)).text).toContain("“foo:” is not known")
    const own = await must(ann, "POST /user/projects", { title: "Mine", template_type: "basic_kanban" })
    const [column] = await must(ann, `GET /user/projects/${own.id}/columns`)
    const secret = await must(ann, "GET /repos/ann/hush/issues/1")
    await must(ann, `POST /user/projects/${own.id}/columns/${column.id}/issues/${secret.id}`)
    const mine = await owner.get(`/ann/-/projects/${own.id}`)
    expect([mine.status, faultsIn(mine.text)]).toEqual([200, []])
    expect(mine.text).toContain("A secret about")
    const seen = await other.get(`/ann/-/projects/${own.id}`)
    expect([seen.status, seen.text.includes("A secret about")]).toEqual([200, false])
    expect((await other.get("/ann/-/projects")).text).toContain("Mine")
    for (const path of ["/ann/box/projects/999", "/ann/box/projects/x", `/ann/-/projects/${project}`])
      expect([path, (await other.get(path)).status]).toEqual([path, 404])
  })

  test("what concerns someone is gathered from all repositories", async () => {
    const nobody = await open()
    for (const path of ["/issues", "/pulls", "/milestones"]) expect((await nobody.get(path)).location).toContain("/user/login")
    const [owner, assigned, other] = [await open("ann"), await open("ben"), await open("cyd")]
    const find = async (browser: Browser, path: string) => {
      const page = await browser.get(path)
      expect([path, page.status, faultsIn(page.text)]).toEqual([path, 200, []])
      return page.text
    }
    expect(await find(owner, "/issues")).toContain("A secret about")
    expect(await find(other, "/issues")).not.toContain("A secret about")
    expect(rows(await find(assigned, "/issues?type=assigned"))).toEqual([1])
    expect(rows(await find(assigned, "/issues?type=mentioned"))).toEqual([1])
    expect(rows(await find(assigned, "/issues?type=created_by"))).toEqual([2])
    expect(rows(await find(owner, "/issues?state=closed"))).toEqual([4])
    expect(rows(await find(owner, `/issues?type=created_by&q=${encodeURIComponent("is:open label:bug")}`))).toEqual([1])
    await find(owner, "/pulls")
    expect(await find(owner, "/milestones")).toContain("ann/box")
    expect(await find(other, "/milestones")).not.toContain("ann/box")
  })

  test("other forms of addresses lead to the issue, and the query comes along", async () => {
    const browser = await open()
    expect((await browser.get("/ann/box/issue/1?all=1")).location).toBe("/ann/box/issues/1?all=1")
    expect((await browser.get("/ann/box/pulls/1")).location).toBe("/ann/box/issues/1")
    expect((await browser.get("/ann/box/pull/1")).location).toBe("/ann/box/issues/1")
    expect((await browser.get(`/ann/box/milestones/${milestone}`)).location).toBe(`/ann/box/milestone/${milestone}`)
    expect((await browser.get("/ANN/Box/issues/1")).status).toBe(200)
  })

  test(`an archived repository is only read (${kind})`, async () => {
    await must(ann, "POST /user/repos", { name: "old" })
    await must(ann, "POST /repos/ann/old/issues", { title: "Old" })
    await must(ann, "PATCH /repos/ann/old", { archived: true })
    const browser = await open("ann")
    expect((await browser.get("/ann/old/issues/1")).text).not.toContain("<textarea")
    expect((await browser.get("/ann/old/issues")).text).not.toContain("New issue")
    expect((await browser.post("/ann/old/issues/1/comments", { body: "x" })).status).toBe(423)
    expect((await browser.post("/ann/old/issues/new", { title: "x" })).status).toBe(423)
    expect((await browser.get("/ann/old/issues/new")).status).toBe(423)
  })
})
