import { expect } from "vitest"
import { openBrowser } from "../../../../tests/support/browser.ts"
import { statementsOf } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"
import { openReviewWorld } from "../../../features/review/reviews/testing.ts"

withWorld("pages of pull requests", { open: openReviewWorld }, ({ test, world }) => {
  const open = async (name?: string) => {
    const browser = openBrowser(world.hearth.url)
    if (name !== undefined) await browser.signIn(name, PASSWORD)
    return browser
  }
  const wordsOf = (text: string): string =>
    text
      .replace(/<svg[\s\S]*?<\/svg>/g, "")
      .replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " ")

  test("a conversation shows reviews with their threads, checks, and what stands before the merge", async () => {
    const { ann, ben, cyd, must } = world
    const on = await world.reviewed()
    await must(ann, `POST ${on.at}/branch_protections`, {
      rule_name: "main",
      required_approvals: 1,
      enable_status_check: true,
      status_check_contexts: ["build*"],
      block_on_rejected_reviews: true,
    })
    const here = `/ann/${on.name}/pulls/${on.number}`
    const show = async (name?: string) => {
      const page = await (await open(name)).get(here)
      expect([page.status, faultsIn(page.text)]).toEqual([200, []])
      return { text: page.text, words: wordsOf(page.text) }
    }
    const first = await show("dee")
    expect(first.words).toContain("ann wants to merge 1 commit into main from work")
    expect(first.words).toContain("1 approval is required, and there are 0")
    expect(first.words).toContain("Waiting for required checks: build*")
    expect(first.words).toContain("You don’t have permission to merge into main")
    expect((await show("ben")).words).not.toContain("You may not merge")

    const review = await on.must(ben, {
      event: "REQUEST_CHANGES",
      body: "Not **yet**",
      comments: [{ path: "a.txt", new_position: 2, body: "Why <script>2</script>?" }],
    })
    await on.must(cyd, { event: "COMMENT", body: "Looks fine" })
    await must(ben, `POST ${on.at}/statuses/${on.head}`, {
      context: "build/linux",
      state: "failure",
      target_url: "",
      description: "<b>no</b>",
    })
    await must(ben, `POST ${on.at}/statuses/${on.head}`, { context: "lint", state: "success", target_url: "https://ci.example.com/1" })
    const second = await show()
    expect(second.words).toContain("ben requested changes")
    expect(second.text).toContain("<strong>yet</strong>")
    expect(second.words).toContain("a.txt Line 2")
    expect(second.text).toContain('<span class="add">+2</span>')
    expect(second.text).not.toMatch(/<script>2|href="javascript/)
    expect(second.words).toContain("A reviewer requested changes.")
    expect(second.words).toContain("A required check has failed.")
    expect(second.text).toContain("https://ci.example.com/1")
    expect(second.words).toContain("Merging is blocked")
    const [comment] = await on.comments(review.id)
    expect(second.text).toContain(`id="issuecomment-${comment.id}"`)

    await on.push("a.txt", "one\nII\nthree\nfour\nfive\n")
    await on.must(ben, { event: "APPROVED", body: "" })
    const head = (await on.get(on.number)).body.head.sha
    await must(ben, `POST ${on.at}/statuses/${head}`, { context: "build/linux", state: "success" })
    const third = await show("ann")
    expect(third.words).toContain("ben approved the changes")
    expect(third.words).toContain("Outdated")
    expect(third.words).toContain("pushed 1 commit")
    expect(third.words).toContain("All required checks have passed.")
    expect(third.words).toContain("Ready to merge")

    const list = await (await open()).get(`/ann/${on.name}/pulls`)
    expect([list.status, faultsIn(list.text)]).toEqual([200, []])
    expect(wordsOf(list.text)).toMatch(/work .*Approved .*Checks passed/)

    await must(ann, `POST ${on.at}/pulls/${on.number}/merge`, { do: "merge", delete_branch_after_merge: true })
    const merged = await show()
    expect(merged.words).toContain("ann merged 2 commits into main from work")
    expect(merged.words).toContain("The branch work was deleted.")
    expect(merged.text).not.toContain('value="reopen"')
  })

  test("drafts, conflicts and branches behind their base say so", async () => {
    const { ann, must } = world
    const on = await world.reviewed()
    await must(ann, `PATCH ${on.at}/pulls/${on.number}`, { title: "WIP: not yet" })
    await on.commit("main", "a.txt", "one\nzwei\nthree\n")
    const page = await (await open()).get(`/ann/${on.name}/pulls/${on.number}`)
    const words = wordsOf(page.text)
    expect(words).toContain("Draft")
    expect(words).toContain("This is a draft")
    expect(words).toContain("Conflicts with main : a.txt")
    expect(words).toContain("1 commit behind main")
    const drafts = await (await open()).get(`/ann/${on.name}/pulls?q=is:draft`)
    expect(drafts.text).toContain("WIP: not yet")
    await must(ann, `PATCH ${on.at}/pulls/${on.number}`, { state: "closed" })
    expect(wordsOf((await (await open()).get(`/ann/${on.name}/pulls/${on.number}`)).text)).toContain("Closed without merging")
  })

  test("lists are filtered by what the checks of the head say, and show it", async () => {
    const { ann, must } = world
    const on = await world.reviewed()
    const { sha } = (await on.get(on.number)).body.head
    const browser = await open("ann")
    const say = (context: string, state: string) => must(ann, `POST ${on.at}/statuses/${sha}`, { context, state })
    const row = `href="/ann/${on.name}/pulls/${on.number}"`
    const lists = async () => {
      const found: string[] = []
      for (const state of ["success", "failure", "pending"]) {
        const { status, text } = await browser.get(`/ann/${on.name}/pulls?q=status:${state}`)
        expect([status, faultsIn(text)]).toEqual([200, []])
        if (text.includes(row)) found.push(state)
        // What is shown is what is found.
        expect(text.includes(row)).toBe((await browser.get(`/ann/${on.name}/pulls?q=-status:${state}`)).text.includes(row) === false)
      }
      return found
    }
    expect(await lists()).toEqual([])
    await say("build", "success")
    await say("lint", "skipped")
    expect(await lists()).toEqual(["success"])
    await say("lint", "pending")
    expect(await lists()).toEqual(["pending"])
    await say("test", "error")
    expect(await lists()).toEqual(["failure"])
    // The last status of a context counts.
    await say("test", "success")
    expect(await lists()).toEqual(["pending"])
    await say("lint", "success")
    expect(await lists()).toEqual(["success"])
    for (const path of [`/ann/${on.name}/pulls`, "/pulls?q=is:open"])
      expect([path, wordsOf((await browser.get(path)).text)]).toEqual([path, expect.stringMatching(/work .*Checks passed/)])
    expect((await browser.get(`/ann/${on.name}/pulls?q=status:great`)).text).toContain("“status:great” is not known")
    expect((await browser.get(`/ann/${on.name}/pulls?q=draft:false`)).text).toContain(row)
    expect((await browser.get(`/ann/${on.name}/pulls?q=draft:true`)).text).not.toContain(row)
  })

  test("those who write have a role, as far as the reader may know of it", async () => {
    const { ann, ben, cyd, dee, must } = world
    await must(ann, "POST /orgs", { username: "guild" })
    await must(ann, "POST /orgs/guild/repos", { name: "hall" })
    const { id } = await must(ann, "POST /orgs/guild/teams", { name: "smiths", units_map: { "repo.issues": "write" } })
    await must(ann, `PUT /teams/${id}/members/ben`)
    await must(ann, "PUT /repos/guild/hall/collaborators/cyd", { permission: "read" })
    await must(dee, "POST /repos/guild/hall/issues", { title: "Doors", body: "Creak" })
    for (const who of [ann, ben, cyd, dee]) await must(who, "POST /repos/guild/hall/issues/1/comments", { body: "So it is" })
    const rolesIn = async (name: string | undefined, path = "/guild/hall/issues/1") => {
      const { status, text } = await (await open(name)).get(path)
      expect([status, faultsIn(text)]).toEqual([200, []])
      return [...text.matchAll(/<article[\s\S]*?<\/header>/g)].map(([article]) =>
        [/href="\/(\w+)"/.exec(article)?.[1], ...[...article.matchAll(/<span class="chip">([^<]*)/g)].map(([, chip]) => chip)].join(" "),
      )
    }
    expect(await rolesIn("ben")).toEqual(["dee Author", "ann Owner", "ben Member", "cyd Collaborator", "dee Author"])
    // Memberships are concealed until they are shown, and visitors don't see collaborators.
    expect(await rolesIn("dee")).toEqual(["dee Author", "ann", "ben", "cyd Collaborator", "dee Author"])
    await must(ben, "PUT /orgs/guild/public_members/ben")
    expect(await rolesIn(undefined)).toEqual(["dee Author", "ann", "ben Member", "cyd", "dee Author"])
    expect(await rolesIn("ann")).toEqual(["dee Author", "ann Owner", "ben Member", "cyd Collaborator", "dee Author"])

    const on = await world.reviewed()
    const { database } = world.hearth.services
    const theirs = await database.read.selectFrom("users").select("id").where("lower_name", "=", "dee").executeTakeFirstOrThrow()
    await database.write((tx) =>
      tx
        .updateTable("issues")
        .set({ author_id: theirs.id })
        .where("number", "=", on.number)
        .where("repository_id", "in", (eb) => eb.selectFrom("repositories").select("id").where("lower_name", "=", on.name.toLowerCase()))
        .execute(),
    )
    expect((await rolesIn(undefined, `/ann/${on.name}/pulls/${on.number}`))[0]).toBe("dee Author First-time contributor")
    await must(ann, `POST ${on.at}/pulls/${on.number}/merge`, { do: "merge" })
    expect((await rolesIn(undefined, `/ann/${on.name}/pulls/${on.number}`))[0]).toBe("dee Author Contributor")
  })

  test("commits and changed files are listed, and sent as diff and patch", async () => {
    const { ann, must } = world
    const on = await world.reviewed()
    await on.push("b%20c/%231%3F.txt", "new\n")
    await must(ann, `POST ${on.at}/statuses/${(await on.get(on.number)).body.head.sha}`, { context: "build", state: "pending" })
    const browser = await open()
    const here = `/ann/${on.name}/pulls/${on.number}`
    const commits = await browser.get(`${here}/commits`)
    expect([commits.status, faultsIn(commits.text)]).toEqual([200, []])
    expect(wordsOf(commits.text)).toContain("Write a.txt")
    expect(wordsOf(commits.text)).toContain("Checks are running")
    const files = await browser.get(`${here}/files`)
    expect([files.status, faultsIn(files.text)]).toEqual([200, []])
    expect(files.text).toContain("b c/#1?.txt")
    expect(files.text).toContain("/b%20c/%231%3F.txt")
    const diff = await browser.get(`${here}.diff`)
    expect([diff.status, diff.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"])
    expect(diff.text).toContain("+four")
    expect((await browser.get(`${here}.patch`)).text).toContain("Subject: ")
    for (const path of [`${here}.txt`, `${here}x`, `/ann/${on.name}/pulls/99`, `/ann/${on.name}/pulls/99.diff`])
      expect([path, (await browser.get(path)).status]).toEqual([path, 404])
    expect((await browser.get(`/ann/${on.name}/issues/${on.number}`)).location).toBe(here)
    expect((await browser.get(`/ann/${on.name}/pull/${on.number}`)).location).toBe(here)
  })

  test("what is private stays so", async () => {
    const on = await world.reviewed({ private: true })
    const here = `/ann/${on.name}/pulls/${on.number}`
    for (const path of [here, `${here}/commits`, `${here}/files`, `${here}.diff`, `/ann/${on.name}/pulls`]) {
      expect([path, (await (await open("dee")).get(path)).status]).toEqual([path, 404])
      expect([path, (await (await open()).get(path)).status]).toEqual([path, 404])
      expect([path, (await (await open("ben")).get(path)).status]).toEqual([path, 200])
    }
  })

  test("lists are filtered by what only pull requests have", async () => {
    const { ben, ann, must } = world
    const on = await world.reviewed()
    await on.commit("other", "o.txt")
    const second = await on.pull("other")
    await must(ann, `POST ${on.at}/pulls/${second}/requested_reviewers`, { reviewers: ["ben"] })
    await on.must(ben, { event: "APPROVED", body: "" })
    const browser = await open("ben")
    for (const [q, expected] of [
      ["is:open", [second, on.number]],
      ["head:work", [on.number]],
      ["base:main head:other", [second]],
      ["base:x", []],
      ["review:approved", [on.number]],
      ["review:changes", []],
      ["review:none", [second]],
      ["review:required", [second]],
      ["review-requested:@me", [second]],
      ["reviewed-by:ben", [on.number]],
      ["is:merged", []],
    ] as const) {
      const page = await browser.get(`/ann/${on.name}/pulls?q=${encodeURIComponent(q)}`)
      const found = [...page.text.matchAll(/<h2 class="title"><a href="[^"]*\/pulls\/(\d+)"/g)].map(([, number]) => Number(number))
      expect([q, found]).toEqual([q, expected])
    }
  })

  test("the number of queries doesn't grow with reviews and pull requests", async () => {
    const { ben, ann } = world
    const on = await world.reviewed()
    const browser = await open("ann")
    const count = async (path: string) => {
      await world.hearth.services.jobs.drain()
      return (await statementsOf(world.hearth.services.database, () => browser.get(path))).length
    }
    const review = () =>
      on.must(ben, { event: "COMMENT", body: "See #1, @ann", comments: [{ path: "a.txt", new_position: 2, body: "Here, @ann" }] })
    await review()
    const here = `/ann/${on.name}/pulls`
    await browser.get(`${here}/${on.number}`)
    const before = [await count(`${here}?a`), await count(`${here}/${on.number}?a`)]
    for (let made = 0; made < 4; made++) {
      await review()
      await on.commit(`more${made}`, `m${made}.txt`)
      await on.pull(`more${made}`, {}, ann)
    }
    const after = [await count(`${here}?b`), await count(`${here}/${on.number}?b`)]
    expect(after[0]).toBeLessThanOrEqual(before[0] ?? 0)
    expect(after[1]).toBeLessThanOrEqual(before[1] ?? 0)
  })

  test("comments are written by a form", async () => {
    const on = await world.reviewed()
    const here = `/ann/${on.name}/pulls/${on.number}`
    const reader = await open("dee")
    const written = await reader.post(`${here}/comments`, { body: "By a **form**" })
    expect(written.location).toMatch(new RegExp(`^${here}#issuecomment-\\d+$`))
    const blank = await reader.post(`${here}/comments`, { body: "" })
    expect([blank.status, faultsIn(blank.text)]).toEqual([422, []])
    const author = await open("ann")
    await author.post(`${here}/comments`, { body: "", action: "close" })
    expect((await on.get(on.number)).body.state).toBe("closed")
  })
})
