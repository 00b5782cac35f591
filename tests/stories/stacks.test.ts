import { expect } from "vitest"
import { openPullWorld, type PullRepository } from "../../src/features/review/pulls/testing.ts"
import { client, ok, type Run } from "../../src/git/testing.ts"
import { databaseKinds } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"

/**
 * Dee, who may only read, pushes a series with plain git: each commit becomes a pull request. She amends, inserts, reorders and drops; Ann reviews, and merges from the
 * bottom up. Identities stay through it all.
 */
withWorld("stacks", { open: openPullWorld, on: databaseKinds }, ({ test, world }) => {
  const offer = (work: string, ...args: readonly string[]): Promise<Run> => client(work, ["push", "origin", ...args])
  const numbers = ({ err }: Run): readonly number[] => [...err.matchAll(/\/pulls\/(\d+)/g)].map(([, number]) => Number(number))

  /** Commits a file as a change with this identity. */
  async function change(work: string, id: string, file: string, content = `${file}\n`): Promise<string> {
    const blob = (await client(work, ["hash-object", "-w", "--stdin"], content)).out.trim()
    await ok(work, "update-index", "--add", "--cacheinfo", `100644,${blob},${file}`)
    await ok(work, "commit", "-q", "-m", `Write ${file}`, "-m", `About ${file}.`, "-m", `Change-Id: ${id}`)
    await ok(work, "reset", "-q", "--hard")
    return ok(work, "rev-parse", "HEAD")
  }
  /** Puts the changes of a series in another order, some of them left out. */
  async function rearrange(work: string, onto: string, ...commits: readonly string[]): Promise<readonly string[]> {
    await ok(work, "reset", "-q", "--hard", onto)
    const made: string[] = []
    for (const commit of commits) {
      await ok(work, "cherry-pick", commit)
      made.push(await ok(work, "rev-parse", "HEAD"))
    }
    return made
  }
  const stack = async (repo: PullRepository, number: number) => (await repo.on("GET", `pulls/${number}/stack`)).body
  const line = async (repo: PullRepository, number: number) =>
    (await stack(repo, number)).pulls.map((pull: { number: number; state: string }) => `${pull.number} ${pull.state}`)
  const messageOf = async (repo: PullRepository, id: string) => (await repo.on("GET", `git/commits/${id}`)).body.commit.message

  test("a series becomes a stack, follows its changes, and lands from the bottom up", async () => {
    const repo = await world.repository()
    const work = await repo.clone("dee")
    const [a1, b1, c1] = [
      await change(work, "Ia", "a1.txt", "one\ntwo\n"),
      await change(work, "Ib", "b1.txt", "x\ny\nz\n"),
      await change(work, "Ic", "c1.txt"),
    ]
    const opened = await offer(work, "HEAD:refs/for/main")
    const [a = 0, b = 0, c = 0] = numbers(opened)
    expect(opened).toMatchObject({ code: 0, err: expect.stringContaining(`Pull request #${c} was opened:`) })
    expect(opened.err).toContain(`HEAD -> refs/pull/${c}/head`)
    expect((await stack(repo, b)).pulls).toMatchObject([
      { number: a, title: "Write a1.txt", state: "open", change_id: "Ia", head: a1, stands_on: null, current: false },
      { number: b, head: b1, base: a1, stands_on: a, current: true, outdated: false, base_branch: "main" },
      { number: c, head: c1, base: b1, stands_on: b, note: "" },
    ])
    for (const number of [a, b, c]) expect((await repo.get(number)).body).toMatchObject({ changed_files: 1, mergeable: true, flow: 1 })
    expect((await repo.get(b)).body).toMatchObject({ body: "About b1.txt.", base: { ref: "main", sha: a1 }, merge_base: a1 })
    expect((await repo.on("GET", `pulls/${c}/commits`)).body).toMatchObject([{ sha: c1 }])
    expect((await repo.on("GET", `pulls/${c}/files`)).body).toMatchObject([{ filename: "c1.txt" }])
    // An upper one waits for those below it.
    expect((await repo.on("POST", `pulls/${c}/merge`, { do: "merge" })).body.message).toContain("stands on others")
    expect((await offer(work, "HEAD:refs/for/main")).err).toContain("no new changes")

    // Ann comments on a line; Dee amends what is below it, adds a line above it, and inserts a change. The comment follows its line.
    await world.must(world.ann, `POST ${repo.at}/pulls/${b}/reviews`, {
      event: "COMMENT",
      comments: [{ path: "b1.txt", new_position: 2, body: "Why y?" }],
    })
    await ok(work, "reset", "-q", "--hard", "HEAD~3")
    const a2 = await change(work, "Ia", "a1.txt", "one\ntwo\nthree\n")
    await change(work, "Id", "d1.txt")
    const b2 = await change(work, "Ib", "b1.txt", "w\nx\ny\nz\n")
    await ok(work, "cherry-pick", c1)
    const amended = await offer(work, "HEAD:refs/for/main")
    const [, d = 0] = numbers(amended)
    expect(numbers(amended)).toEqual([a, d, b, c])
    expect(await line(repo, a)).toEqual([`${a} open`, `${d} open`, `${b} open`, `${c} open`])
    const [review] = (await repo.on("GET", `pulls/${b}/reviews`)).body
    expect((await repo.on("GET", `pulls/${b}/reviews/${review.id}/comments`)).body).toMatchObject([{ position: 3 }])

    // What changed between the versions, without what came from below.
    const versions = (await repo.on("GET", `pulls/${b}/versions`)).body
    expect(versions).toMatchObject([
      { number: 2, head: b2, pusher: { login: "dee" } },
      { number: 1, head: b1, base: a1 },
    ])
    expect((await repo.on("GET", `pulls/${b}/interdiff`)).body).toMatchObject({
      from: 1,
      to: 2,
      clean: true,
      files: [{ filename: "b1.txt", additions: 1, deletions: 0 }],
      commits: [{ state: "changed", before: b1, after: b2, subject: "Write b1.txt" }],
      range_diff: expect.stringContaining("++w"),
    })
    const rebasedOnly = (await repo.on("GET", `pulls/${c}/interdiff?from=1&to=2`)).body
    expect(rebasedOnly).toMatchObject({ files: [], commits: [{ state: "same" }] })
    expect((await repo.on("GET", `pulls/${c}/interdiff?from=1&to=7`)).status).toBe(404)

    // Another order, and one is dropped: it stays until Dee says otherwise.
    const tips = await ok(work, "log", "--format=%H", "-4")
    const [c2 = "", , d2 = ""] = tips.split("\n")
    await rearrange(work, a2, b2, c2)
    const dropped = await offer(work, "HEAD:refs/for/main")
    expect(dropped.err).toContain(`#${d} is not part of this series any more, and stays open`)
    expect(await line(repo, c)).toEqual([`${a} open`, `${b} open`, `${c} open`])
    await rearrange(work, a2, d2, b2, c2)
    await offer(work, "HEAD:refs/for/main")
    const [b3 = "", , c3 = ""] = await rearrange(work, "origin/main", b2, a2, c2)
    const closing = await offer(work, "-o", "close-dropped", "HEAD:refs/for/main")
    expect(closing.err).toContain(`#${d} is not part of this series any more: closed.`)
    expect((await repo.get(d)).body.state).toBe("closed")
    expect(await line(repo, c)).toEqual([`${b} open`, `${a} open`, `${c} open`])
    expect((await repo.get(b)).body).toMatchObject({ head: { sha: b3 }, base: { ref: "main" }, changed_files: 1 })

    // The lowest is squashed: the rest is rebased, with identities.
    expect((await repo.on("POST", `pulls/${b}/merge`, { do: "squash" })).status).toBe(200)
    const landed = (await repo.get(b)).body.merge_commit_sha
    expect(await messageOf(repo, landed)).toContain("Change-Id: Ib")
    await world.settle()
    const { head, base, merge_base } = (await repo.get(a)).body
    expect(base.sha).toBe(landed)
    expect(merge_base).toBe(landed)
    expect(await messageOf(repo, head.sha)).toContain("Change-Id: Ia")
    expect((await repo.get(c)).body).toMatchObject({ merge_base: head.sha, changed_files: 1 })
    expect((await repo.refs())[`refs/pull/${a}/head`]).toBe(head.sha)
    expect(await line(repo, c)).toEqual([`${b} merged`, `${a} open`, `${c} open`])
    // Dee's commits are older than the server's; with the landed one left out they are taken as the next version.
    const stale = await offer(work, "HEAD:refs/for/main")
    expect(stale.err).toContain(`change Ib was merged as #${b}: rebase the series onto main`)
    await ok(work, "fetch", "-q")
    await rearrange(work, "origin/main", a2, c3)
    expect(numbers(await offer(work, "HEAD:refs/for/main"))).toEqual([a, c])

    // Ann lands the rest at once.
    expect((await repo.on("POST", `pulls/${c}/stack/merge`, { do: "rebase" })).body).toEqual({
      merged: [a, c],
      stopped_at: null,
      message: "",
    })
    await ok(work, "fetch", "-q")
    expect(await ok(work, "log", "--format=%(trailers:key=Change-Id,valueonly,separator=)", "-3", "origin/main")).toBe("Ic\nIa\nIb")
    expect(await line(repo, c)).toEqual([`${a} merged`, `${c} merged`])
  })

  test("what is in conflict after a merge stays as it is, with a note; Jujutsu's header is an identity and is kept", async () => {
    const repo = await world.repository()
    const work = await repo.clone("dee")
    const headers = ["zzzzyyyyxxxxwwwwvvvvuuuuttttssss", "kkkkllllmmmmnnnnooooppppqqqqrrrr", "zyxwvutsrqponmlkzyxwvutsrqponmlk"]
    /** A commit as Jujutsu writes them. */
    const jujutsu = async (header: string, file: string, content: string) => {
      await change(work, "Ix", file, content)
      const raw = (await client(work, ["cat-file", "commit", "HEAD"])).out
      const text = raw.replace(/^(committer .*)$/m, `$1\nchange-id ${header}`).replace(/\n\nChange-Id: Ix/, "")
      const id = (await client(work, ["hash-object", "-t", "commit", "-w", "--stdin"], text)).out.trim()
      await ok(work, "reset", "-q", "--hard", id)
    }
    const [one = "", two = "", three = ""] = headers
    await jujutsu(one, "e.txt", "e\n")
    await jujutsu(two, "f.txt", "f\n")
    await jujutsu(three, "a.txt", "one\nTWO\nthree\n")
    const [e = 0, f = 0, g = 0] = numbers(await offer(work, "HEAD:refs/for/main"))
    expect((await stack(repo, e)).pulls[0]).toMatchObject({ change_id: "I000011112222333344445555666677776a6a6964" })
    await repo.commit("main", "a.txt", "one\nzwei\nthree\n")
    expect((await repo.on("POST", `pulls/${e}/merge`, { do: "squash" })).status).toBe(200)
    await world.settle()
    const headerOf = async (id: string) => {
      await ok(work, "fetch", "-q", "origin", "main", `refs/pull/${f}/head`)
      return /^change-id (.*)$/m.exec((await client(work, ["cat-file", "commit", id])).out)?.[1]
    }
    expect(await headerOf((await repo.get(e)).body.merge_commit_sha)).toBe(one)
    const rebased = (await repo.get(f)).body.head.sha
    expect(await headerOf(rebased)).toBe(two)
    expect((await stack(repo, g)).pulls[2]).toMatchObject({ number: g, note: "in conflict: a.txt", outdated: true })
    expect((await repo.get(g)).body.mergeable).toBe(false)
    const partly = await repo.on("POST", `pulls/${g}/stack/merge`, { do: "rebase" })
    expect(partly.body).toMatchObject({ merged: [f], stopped_at: g, message: expect.stringContaining("stands on others") })
    // A later merge of what it stands on finds it in conflict again; a push puts that right.
    await world.settle()
    await ok(work, "fetch", "-q")
    await ok(work, "reset", "-q", "--hard", "origin/main")
    await jujutsu(three, "a.txt", "one\nTWO\nthree\n")
    expect(numbers(await offer(work, "HEAD:refs/for/main"))).toEqual([g])
    expect(await line(repo, g)).toEqual([])
    expect((await repo.get(g)).body).toMatchObject({ mergeable: true, changed_files: 1 })
    expect((await repo.on("POST", `pulls/${g}/merge`, { do: "rebase" })).status).toBe(200)
  })

  test("pull requests into each other's branches are a stack, and go where the lower one went", async () => {
    const repo = await world.repository()
    await repo.commit("low", "low.txt")
    await world.must(world.ann, `POST ${repo.at}/contents/mid.txt`, { content: "bWlk", branch: "low", new_branch: "mid" })
    await world.must(world.ann, `POST ${repo.at}/contents/top.txt`, { content: "dG9w", branch: "mid", new_branch: "top" })
    const low = await repo.pull("low")
    const mid = await repo.pull("mid", { base: "low" })
    const top = await repo.pull("top", { base: "mid" })
    expect(await line(repo, mid)).toEqual([`${low} open`, `${mid} open`, `${top} open`])
    expect((await stack(repo, top)).pulls).toMatchObject([{ stands_on: null }, { stands_on: low, base_branch: "low" }, { stands_on: mid }])
    await world.must(world.ann, `POST ${repo.at}/branches`, { new_branch_name: "release", old_branch_name: "main" })
    expect((await repo.edit(low, { base: "release" })).status).toBe(201)
    await world.must(world.ann, `POST ${repo.at}/pulls/${low}/merge`, { do: "merge", delete_branch_after_merge: true })
    // Into the branch of the lower one, not the default branch.
    expect((await repo.get(mid)).body).toMatchObject({ state: "open", base: { ref: "release" }, changed_files: 1 })
    const merged = await repo.on("POST", `pulls/${top}/stack/merge`, { do: "merge" })
    expect(merged.body).toEqual({ merged: [mid, top], stopped_at: null, message: "" })
    expect((await repo.get(top)).body).toMatchObject({ merged: true, base: { ref: "release" } })
    expect(await line(repo, top)).toEqual([])
  })
})
