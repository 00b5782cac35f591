import { expect } from "vitest"
import { openPullWorld, type PullRepository } from "../../src/features/review/pulls/testing.ts"
import { client, ok, type Run, writeHistory } from "../../src/git/testing.ts"
import { databaseKinds } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"

/** What people try with stacks: other people's identities, series that are too long or no line, pushes at once, and merges that are cut off. */
withWorld("attacks on stacks", { open: openPullWorld, on: databaseKinds }, ({ test, world }) => {
  const offer = (work: string, ...args: readonly string[]): Promise<Run> => client(work, ["push", "origin", ...args])
  const numbers = ({ err }: Run): readonly number[] => [...err.matchAll(/\/pulls\/(\d+)/g)].map(([, number]) => Number(number))

  /** A series on top of main, without a work tree: each commit writes the file of its name. Gives the commits. */
  const series = async (work: string, ...changes: readonly { readonly file: string; readonly message: string }[]) => {
    const steps = changes.map(({ file, message }, at) => ({
      branch: "made",
      message,
      files: { [file]: `${file}\n` },
      ...(at === 0 && { from: "refs/remotes/origin/main" }),
    }))
    return writeHistory(work, steps)
  }
  const withId = (file: string, id: string, more = "") => ({ file, message: `Write ${file}\n\n${more}Change-Id: ${id}` })
  const count = async (repo: PullRepository) => (await repo.on("GET", "pulls?state=all&limit=50")).body.length
  const headOf = async (repo: PullRepository, number: number) => (await repo.get(number)).body.head.sha

  test("the same identity of two people is two changes; who builds on another's very commits stands on them", async () => {
    const repo = await world.repository()
    const [dees, cyds] = [await repo.clone("dee"), await repo.clone("cyd")]
    const [first] = await series(dees, withId("d.txt", "Isame"))
    const [dee = 0] = numbers(await offer(dees, "made:refs/for/main"))
    await series(cyds, withId("c.txt", "Isame"))
    const [cyd = 0] = numbers(await offer(cyds, "-o", "force-push", "made:refs/for/main"))
    expect(cyd).not.toBe(dee)
    expect((await repo.get(dee)).body).toMatchObject({ head: { sha: first }, user: { login: "dee" }, title: "Write d.txt" })
    expect((await repo.get(cyd)).body).toMatchObject({ user: { login: "cyd" } })
    // Cyd builds on Dee's commit: it stays Dee's, and Cyd's own stands on it.
    const other = await repo.clone("cyd")
    await ok(other, "fetch", "-q", "origin", `refs/pull/${dee}/head`)
    await ok(other, "checkout", "-q", "FETCH_HEAD")
    await ok(other, "commit", "-q", "--allow-empty", "-m", "On top", "-m", "Change-Id: Itop")
    const [top = 0, ...none] = numbers(await offer(other, "HEAD:refs/for/main"))
    expect(none).toEqual([])
    expect((await repo.on("GET", `pulls/${top}/stack`)).body.pulls).toMatchObject([{ number: dee }, { number: top, stands_on: dee }])
    expect((await offer(other, "HEAD~1:refs/for/main")).err).toContain("pull requests of somebody else already")
    // An identity from another repository is nothing here.
    const elsewhere = await world.repository()
    const work = await elsewhere.clone("dee")
    await series(work, withId("d.txt", "Isame"))
    expect(numbers(await offer(work, "made:refs/for/main"))).toEqual([1])
    expect(await headOf(repo, dee)).toBe(first)
  })

  test("what is no series is refused in words, and makes nothing", async () => {
    const repo = await world.repository()
    const work = await repo.clone("dee")
    const refused = async (...changes: Parameters<typeof series> extends [string, ...infer Rest] ? Rest : never) => {
      await series(work, ...changes)
      const { code, err } = await offer(work, "made:refs/for/main")
      expect(code).toBe(1)
      return err
    }
    const thousand = Array.from({ length: 1_000 }, (_, at) => withId(`${at}.txt`, `I${at}`))
    expect(await refused(...thousand)).toContain("more than 30 changes in one series")
    expect(await refused(withId("a1", "Ione"), withId("a2", "Ione"))).toMatch(/commits \w{10} and \w{10} have the same Change-Id/)
    expect(await refused(withId("a1", "Ione"), { file: "a2", message: "No identity" })).toMatch(/topic-branch is not set: .*has none/)
    expect(await refused(withId("a1", "Ione", "Change-Id: Itwo\n"))).toContain("has more than one Change-Id")
    for (const odd of ["../../x", "I\u001b[31m"]) {
      const err = await refused(withId("a1", odd))
      expect(err).toContain("must be up to 100 letters, digits, - and _")
      expect(err).not.toContain("\u001b[31m")
    }
    await series(work, withId("a1", "Ione"))
    await ok(work, "checkout", "-q", "made")
    await ok(work, "checkout", "-q", "-b", "side", "origin/main")
    await ok(work, "commit", "-q", "--allow-empty", "-m", "Side", "-m", "Change-Id: Iside")
    await ok(work, "merge", "-q", "--no-ff", "-m", "Join", "-m", "Change-Id: Ijoin", "made")
    expect((await offer(work, "HEAD:refs/for/main")).err).toContain("is a merge: a stack is a line of single commits")
    expect((await offer(work, "-o", "title=x", "made:refs/for/main")).err).toContain("the titles and descriptions of a stack")
    expect((await offer(work, "origin/main:refs/for/main")).err).toContain("main has all of these commits already")
    expect(await count(repo)).toBe(0)
    // One topic for all is as before, also with identities.
    expect(numbers(await offer(work, "HEAD:refs/for/main/topic"))).toHaveLength(1)
  })

  test("without rights nothing of a stack can be pushed, merged or seen", async () => {
    const repo = await world.repository()
    const work = await repo.clone("dee")
    const made = await series(work, withId("a1", "Ia"), withId("b1", "Ib"))
    const [a = 0, b = 0] = numbers(await offer(work, "made:refs/for/main"))
    expect((await repo.on("POST", `pulls/${b}/stack/merge`, { do: "merge" }, world.dee)).status).toBe(405)
    expect((await repo.on("POST", `pulls/${b}/merge`, { do: "merge", force_merge: true })).status).toBe(405)
    await world.must(world.ann, "PUT /user/blocks/dee")
    await series(work, withId("a2", "Ia"), withId("b1", "Ib"))
    expect((await offer(work, "made:refs/for/main")).err).toContain("remote rejected")
    await world.must(world.ann, "DELETE /user/blocks/dee")
    await world.must(world.ann, `PATCH ${repo.at}`, { private: true })
    for (const path of ["stack", "versions", "interdiff"])
      expect((await repo.on("GET", `pulls/${a}/${path}`, undefined, world.dee)).status).toBe(404)
    expect((await offer(work, "made:refs/for/main")).err).toContain("not found")
    expect([await headOf(repo, a), await headOf(repo, b)]).toEqual(made)
  })

  test("of pushes at the same moment each is whole or nothing", async () => {
    const repo = await world.repository()
    const works = await Promise.all([repo.clone("dee"), repo.clone("dee"), repo.clone("dee")])
    const pushed = async (round: string) => {
      const made = await Promise.all(
        works.map((work, at) => series(work, withId(`${round}${at}-a`, "Ia"), withId(`${round}${at}-b`, "Ib"))),
      )
      const runs = await Promise.all(works.map((work) => offer(work, "made:refs/for/main")))
      return { made, runs }
    }
    for (const round of ["one", "two"]) {
      const { made, runs } = await pushed(round)
      expect(runs.some(({ code }) => code === 0)).toBe(true)
      for (const { code, err } of runs) if (code !== 0) expect(err).toMatch(/has just changed|is an open pull request|up to date/)
      expect(await count(repo)).toBe(2)
      // Both are of the same push.
      expect(made).toContainEqual([await headOf(repo, 1), await headOf(repo, 2)])
      expect((await repo.on("GET", "pulls/2/stack")).body.pulls).toMatchObject([{ number: 1 }, { number: 2, outdated: false }])
    }
    await world.settle()
    expect((await repo.refs())["refs/pull/2/head"]).toBe(await headOf(repo, 2))
  })

  test("a rebase that is cut off half-way is done whole by the next attempt, and a second run does no harm", async () => {
    const repo = await world.repository()
    const work = await repo.clone("dee")
    await series(work, withId("a1", "Ia"), withId("b1", "Ib"), withId("c1", "Ic"))
    const [a = 0, b = 0, c = 0] = numbers(await offer(work, "made:refs/for/main"))
    const before = [await headOf(repo, b), await headOf(repo, c)]
    expect((await repo.on("POST", `pulls/${a}/merge`, { do: "squash" })).status).toBe(200)
    const { services } = world.hearth
    const { follow } = await import("../../src/features/review/stacks/follow.ts")
    const { id } = (await repo.get(a)).body
    // The transaction fails once everything was made in git: as if the process had died there.
    let writes = 0
    const failing = { ...services.database, write: () => Promise.reject(new Error(`cut off ${++writes}`)) }
    await expect(follow({ ...services, database: failing }, id)).rejects.toThrow("cut off 1")
    expect([await headOf(repo, b), await headOf(repo, c)]).toEqual(before)
    await world.settle()
    const after = [await headOf(repo, b), await headOf(repo, c)]
    expect(after[0]).not.toBe(before[0])
    expect((await repo.get(c)).body).toMatchObject({ base: { sha: after[0] }, changed_files: 1 })
    await follow(services, id)
    expect([await headOf(repo, b), await headOf(repo, c)]).toEqual(after)
    expect((await repo.on("GET", `pulls/${c}/versions`)).body).toHaveLength(2)
  })
})
