import { expect } from "vitest"
import { databaseKinds } from "../../../../../tests/support/database.ts"
import { withWorld } from "../../../../../tests/support/fixture.ts"
import { client, ok, type Run } from "../../../../git/testing.ts"
import { commitIn, openPullWorld, type PullRepository } from "../testing.ts"

withWorld("pushes to refs/for", { open: openPullWorld, on: databaseKinds }, ({ test, world }) => {
  /** Pushes, with what git says of the reference that was written. */
  const offer = (work: string, ...args: readonly string[]): Promise<Run> => client(work, ["push", "origin", ...args])
  const own = (path: string) =>
    fetch(`${world.hearth.url}/${path}`, { headers: { authorization: world.dee } }).then((answer) => answer.text())
  const numberIn = ({ err }: Run): number => Number(/\/pulls\/(\d+)/.exec(err)?.[1])
  const count = async (repo: PullRepository): Promise<number> => (await repo.on("GET", "pulls")).body.length

  test("someone who may only read opens a pull request, and updates, renames and replaces it", async () => {
    const repo = await world.repository()
    const work = await repo.clone("dee")
    const first = await commitIn(work, "b.txt")
    const opened = await offer(work, "HEAD:refs/for/main/topic")
    expect(opened).toMatchObject({ code: 0 })
    const number = numberIn(opened)
    expect(opened.err).toContain(`remote: Pull request #${number} was opened:`)
    expect(opened.err).toContain(`remote:   ${world.hearth.url}/ann/${repo.name}/pulls/${number}`)
    // The client knows where its commit is now.
    expect(opened.err).toContain(`HEAD -> refs/pull/${number}/head`)
    expect((await repo.get(number)).body).toMatchObject({
      title: "Write b.txt",
      body: "",
      user: { login: "dee" },
      flow: 1,
      head: { label: "", ref: `refs/pull/${number}/head`, sha: first, repo: { name: repo.name } },
      base: { ref: "main" },
      mergeable: true,
      changed_files: 1,
      allow_maintainer_edit: false,
    })
    expect((await repo.refs("refs/heads/*"))["refs/heads/dee/topic"]).toBeUndefined()

    const second = await commitIn(work, "c.txt")
    const updated = await offer(
      work,
      "-o",
      "title=A better name",
      "-o",
      "description={base64}dHdvCmxpbmVz",
      "-o",
      "topic=topic",
      "HEAD:refs/for/main",
    )
    expect(updated.err).toContain(`remote: Pull request #${number} was updated:`)
    expect((await repo.get(number)).body).toMatchObject({ title: "A better name", body: "two\nlines", head: { sha: second } })
    expect((await repo.refs())[`refs/pull/${number}/head`]).toBe(second)
    expect(await repo.timeline(number)).toEqual(["pull_push", "pull_push", "change_title"])

    expect((await offer(work, "HEAD:refs/for/main/topic")).err).toContain("new commit is same with old commit")
    await ok(work, "checkout", "-q", "-b", "anew", "origin/main")
    const third = await commitIn(work, "d.txt")
    const refused = await offer(work, "+anew:refs/for/main/topic")
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("force-push") })
    expect((await repo.get(number)).body.head.sha).toBe(second)
    const forced = await offer(work, "-o", "force-push=true", "anew:refs/for/main/topic")
    expect(forced.err).toContain("forced update")
    expect((await repo.get(number)).body).toMatchObject({ head: { sha: third }, changed_files: 1 })
    expect(await count(repo)).toBe(1)
    expect((await repo.on("GET", "")).body).toMatchObject({ open_pr_counter: 1 })
  })

  test("its page works, it is merged with its topic's name, and the topic is free again", async () => {
    const repo = await world.repository()
    const work = await repo.clone("dee")
    await commitIn(work, "b.txt")
    const number = numberIn(await offer(work, "-o", "title=WIP: b", "HEAD:refs/for/main/topic"))
    const page = `ann/${repo.name}/pulls/${number}`
    expect(await own(page)).toContain("dee/topic")
    expect(await own(page)).not.toContain("was deleted")
    await repo.commit("main", "z.txt")
    expect((await repo.on("POST", `pulls/${number}/update`)).status).toBe(404)
    expect((await repo.on("POST", `pulls/${number}/merge`, { do: "merge" })).status).toBe(405)
    expect((await repo.edit(number, { title: "b" }, world.dee)).status).toBe(201)
    expect((await repo.on("POST", `pulls/${number}/merge`, { do: "merge", delete_branch_after_merge: true })).status).toBe(200)
    const merged = (await repo.get(number)).body
    expect(merged).toMatchObject({ merged: true, flow: 1 })
    const { body: commit } = await repo.on("GET", `git/commits/${merged.merge_commit_sha}`)
    expect(commit.commit.message).toContain(`(#${number}) from dee/topic into main`)
    expect(await own(page)).not.toContain("was deleted")
    await commitIn(work, "c.txt")
    const next = numberIn(await offer(work, "HEAD:refs/for/main/topic"))
    expect(next).not.toBe(number)
    // One that was closed stays closed, and is not opened beside the one that has its topic now.
    await repo.edit(next, { state: "closed" })
    const third = numberIn(await offer(work, "HEAD:refs/for/main/topic"))
    expect(third).not.toBe(next)
    expect((await repo.edit(next, { state: "open" })).status).toBe(409)
    await repo.edit(third, { state: "closed" })
    expect((await repo.edit(next, { state: "open" })).body).toMatchObject({ state: "open" })
  })

  test("everyone has topics of their own, also under another name", async () => {
    const repo = await world.repository()
    const [dees, cyds] = [await repo.clone("dee"), await repo.clone("cyd")]
    const first = await commitIn(dees, "b.txt")
    const number = numberIn(await offer(dees, "HEAD:refs/for/main/dee/topic"))
    await commitIn(cyds, "c.txt")
    const other = numberIn(await offer(cyds, "-o", "force-push", "HEAD:refs/for/main/dee/topic"))
    expect(other).not.toBe(number)
    expect((await repo.get(number)).body).toMatchObject({ head: { sha: first }, user: { login: "dee" } })
    expect((await repo.get(other)).body).toMatchObject({ user: { login: "cyd" } })
    const eve = await world.person("eve")
    await world.must(world.root, "POST /admin/users/eve/rename", { new_username: "eva" })
    expect(eve).toBeDefined()
    const evas = await repo.clone("eva")
    await commitIn(evas, "e.txt")
    const evasNumber = numberIn(await offer(evas, "HEAD:refs/for/main/topic"))
    await world.must(world.root, "POST /admin/users/eva/rename", { new_username: "evita" })
    await world.person("eva")
    const strangers = await repo.clone("eva")
    await commitIn(strangers, "f.txt")
    expect(numberIn(await offer(strangers, "HEAD:refs/for/main/topic"))).not.toBe(evasNumber)
    await ok(evas, "remote", "set-url", "origin", (await ok(evas, "remote", "get-url", "origin")).replace("//eva:", "//evita:"))
    await commitIn(evas, "g.txt")
    expect(numberIn(await offer(evas, "HEAD:refs/for/main/topic"))).toBe(evasNumber)
  })

  test("who may not offer is refused before anything is stored", async () => {
    const repo = await world.repository()
    await repo.commit("release/1", "r.txt")
    const work = await repo.clone("dee")
    await commitIn(work, "b.txt")
    const err = async (...args: readonly string[]) => (await offer(work, ...args)).err
    expect(await err("HEAD:refs/for/nowhere/topic")).toContain("there is no branch nowhere/topic")
    expect(await err("HEAD:refs/for/main")).toContain("topic-branch is not set")
    expect(await err("HEAD:refs/for/release/topic")).toContain("there is no branch release/topic")
    expect(await err("-o", "topic=a..b", "HEAD:refs/for/main")).toContain("the topic must be what a branch could be called")
    expect(await err("HEAD:refs/heads/mine")).toContain("User permission denied for writing.")
    expect(await err(":refs/for/main/topic")).toMatch(/remote ref does not exist|no such reference/)
    expect(await err("HEAD:refs/for/main/a", "HEAD:refs/heads/mine")).toMatch(/mine \(refs\/for\/ goes alone/)
    await ok(work, "tag", "-a", "-m", "x", "v1")
    expect(await err("v1:refs/for/main/tagged")).toContain("only a commit can be offered")
    expect(numberIn(await offer(work, "HEAD:refs/for/release/1/topic"))).toBeGreaterThan(0)
    const before = await count(repo)

    await world.must(world.ann, "PUT /user/blocks/dee")
    expect(await err("HEAD:refs/for/main/blocked")).toContain("remote rejected")
    await world.must(world.ann, "DELETE /user/blocks/dee")
    await world.must(world.ann, `PATCH ${repo.at}`, { has_pull_requests: false })
    expect(await err("HEAD:refs/for/main/off")).toContain("User permission denied for writing.")
    await world.must(world.ann, `PATCH ${repo.at}`, { has_pull_requests: true, archived: true })
    expect(await err("HEAD:refs/for/main/archived")).toContain("archived")
    await world.must(world.ann, `PATCH ${repo.at}`, { archived: false, private: true })
    expect(await err("HEAD:refs/for/main/hidden")).toContain("not found")
    await world.must(world.ann, `PATCH ${repo.at}`, { private: false })
    expect(await count(repo)).toBe(before)
  })

  test("several topics at once: all or none where that is asked, and not too many", async () => {
    const repo = await world.repository()
    const work = await repo.clone("dee")
    await commitIn(work, "b.txt")
    const torn = await offer(work, "--atomic", "HEAD:refs/for/main/one", "HEAD:refs/for/nowhere/two")
    expect(torn.err).toContain("atomic push failed")
    expect(await count(repo)).toBe(0)
    const both = await offer(work, "--atomic", "HEAD:refs/for/main/one", "HEAD:refs/for/main/two")
    expect(both.code).toBe(0)
    expect(await count(repo)).toBe(2)
    // The second can't be updated: the first isn't either.
    await ok(work, "commit", "-q", "--amend", "-m", "Anew")
    const again = await offer(work, "--atomic", "HEAD:refs/for/main/three", "HEAD:refs/for/main/two")
    expect(again.err).toContain("force-push")
    expect(await count(repo)).toBe(2)
    const many = await offer(work, ...Array.from({ length: 1000 }, (_, index) => `HEAD:refs/for/main/many-${index}`))
    expect(many.err).toContain("more than 20 pull requests in one push")
    expect((await world.call(world.ann, `GET ${repo.at}/pulls?limit=50`)).body).toHaveLength(22)
  })

  test("pushes at the same moment make one pull request, and lose nothing that was taken", async () => {
    const repo = await world.repository()
    const works = await Promise.all([repo.clone("dee"), repo.clone("dee"), repo.clone("dee")])
    const ids = await Promise.all(works.map((work, index) => commitIn(work, `f${index}.txt`)))
    const pushed = (more: readonly string[] = []) => Promise.all(works.map((work) => offer(work, ...more, "HEAD:refs/for/main/same")))
    const first = await pushed()
    expect(first.filter(({ code }) => code === 0)).toHaveLength(1)
    expect(await count(repo)).toBe(1)
    const number = numberIn(first.find(({ code }) => code === 0) ?? { code: 1, out: "", err: "" })
    const again = await pushed(["-o", "force-push"])
    const { sha } = (await repo.get(number)).body.head
    expect(ids).toContain(sha)
    expect((await repo.refs())[`refs/pull/${number}/head`]).toBe(sha)
    for (const { err } of again) expect(err).toMatch(/was updated|has just changed|same with old commit/)
    expect(await count(repo)).toBe(1)
  })

  test("titles are lines, and texts of any size do no harm", async () => {
    const repo = await world.repository()
    const work = await repo.clone("dee")
    await commitIn(work, "b.txt")
    const title = `{base64}${Buffer.from("one\u0000\u001b[31m\ntwo").toString("base64")}`
    const body = `{base64}${Buffer.from("first\n\u0000second").toString("base64")}`
    const number = numberIn(await offer(work, "-o", `title=${title}`, "-o", `description=${body}`, "HEAD:refs/for/main/odd"))
    expect((await repo.get(number)).body).toMatchObject({ title: "one [31m two", body: "first\nsecond" })
    const long = numberIn(
      await offer(work, "-o", `title=${"t".repeat(60_000)}`, "-o", `description=${"d".repeat(60_000)}`, "HEAD:refs/for/main/long"),
    )
    const { body: pull } = await repo.get(long)
    expect(pull.title.length).toBeLessThanOrEqual(255)
    expect(pull.body).toHaveLength(60_000)
    const most = await offer(work, ...Array.from({ length: 20 }, () => ["-o", `x=${"y".repeat(60_000)}`]).flat(), "HEAD:refs/for/main/most")
    expect(most.code).not.toBe(0)
    expect(await count(repo)).toBe(2)
  })

  test("what happens is told as of any pull request, and its workflows wait for approval", async () => {
    const repo = await world.repository()
    const yaml = "on: [pull_request]\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: true\n"
    await repo.commit("main", ".gitea/workflows/a.yml", yaml)
    const work = await repo.clone("dee")
    const first = await commitIn(work, "b.txt")
    const number = numberIn(await offer(work, "-o", "description=For @ben", "HEAD:refs/for/main/topic"))
    await world.settle()
    const threads = (await world.call(world.ben, "GET /notifications")).body
    expect(threads.some(({ subject }: { subject: { url: string } }) => subject.url.endsWith(`${repo.at}/issues/${number}`))).toBe(true)
    const { body: feed } = await world.call(world.dee, "GET /users/dee/activities/feeds")
    expect(feed[0]).toMatchObject({ op_type: "create_pull_request", content: expect.stringContaining(`${number}|`) })
    const runs = (await repo.on("GET", "actions/runs")).body.workflow_runs
    expect(runs).toMatchObject([{ event: "pull_request", head_sha: first, status: "waiting" }])
    const run = await fetch(runs[0].html_url, { headers: { authorization: world.ann } })
    expect(await run.text()).toContain("has to approve it")
    await commitIn(work, "c.txt")
    await offer(work, "HEAD:refs/for/main/topic")
    await world.settle()
    expect((await repo.on("GET", "actions/runs")).body.workflow_runs).toHaveLength(2)
  })
})
