import { describe, expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { client, ok } from "../../../git/testing.ts"
import { openMergeWorld } from "./testing.ts"

const encode = (text: string) => Buffer.from(text).toString("base64")

withWorld("bringing branches up to date", { open: openMergeWorld }, ({ test, world }) => {
  /** A pull request whose base has moved on. */
  async function outdated(options: object = {}) {
    const repo = await world.repository(options)
    await repo.commit("topic", "one.txt", "1\n")
    await repo.commit("topic", "two.txt", "2\n")
    const number = await repo.pull("topic")
    await repo.commit("main", "main.txt", "m\n")
    const update = (style = "", by: string | undefined = world.bob) =>
      world.call(by, `POST ${repo.at}/pulls/${number}/update${style && `?style=${style}`}`)
    return { repo, number, update }
  }

  test("by a merge", async () => {
    const { repo, number, update } = await outdated()
    const before = await repo.tip("topic")
    expect(await update()).toMatchObject({ status: 200, body: undefined })
    const work = await repo.clone()
    const told = await ok(work, "log", "-1", "--format=%P|%an <%ae>|%cn|%s", "origin/topic")
    expect(told).toBe(`${before} ${await repo.tip()}|bob <bob@example.com>|bob|Merge branch 'main' into topic`)
    await ok(work, "checkout", "-q", "-B", "mine", before)
    await ok(work, "merge", "-q", "--no-edit", "origin/main")
    expect(await ok(work, "rev-parse", "mine^{tree}")).toBe(await ok(work, "rev-parse", "origin/topic^{tree}"))
    expect((await repo.get(number)).body).toMatchObject({ mergeable: true, head: { sha: await repo.tip("topic") } })
    expect(await update()).toMatchObject({ status: 422 })
  })

  test("by a rebase", async () => {
    const { repo, number, update } = await outdated()
    const work = await repo.clone()
    await ok(work, "checkout", "-q", "-B", "mine", "origin/topic")
    await ok(work, "rebase", "-q", "origin/main")
    expect((await update("rebase")).status).toBe(200)
    await ok(work, "fetch", "-q")
    const told = async (branch: string) => (await client(work, ["log", "--format=%T %an %s", `origin/main..${branch}`])).out
    expect(await told("origin/topic")).toBe(await told("mine"))
    expect(await ok(work, "log", "-1", "--format=%an, %cn", "origin/topic")).toBe("Ada Author, bob")
    expect((await repo.get(number)).body.head.sha).toBe(await repo.tip("topic"))
  })

  test("is for those who may push to the head, and in the styles that the repository allows", async () => {
    const { repo, number, update } = await outdated({ allow_rebase_update: false })
    expect((await world.call(undefined, `POST ${repo.at}/pulls/${number}/update`)).status).toBe(401)
    expect((await update("", world.carol)).status).toBe(403)
    expect((await update("rebase")).status).toBe(403)
    expect((await world.call(world.bob, `POST ${repo.at}/pulls/99/update`)).status).toBe(404)
    await world.call(world.alice, `POST ${repo.at}/branch_protections`, { rule_name: "topic" })
    expect((await update()).status).toBe(403)
    await world.call(world.alice, `PATCH ${repo.at}/branch_protections/topic`, { enable_push: true })
    expect((await update()).status).toBe(200)
    await world.call(world.alice, `PATCH ${repo.at}/pulls/${number}`, { state: "closed" })
    expect((await update()).status).toBe(422)
    expect((await update("", world.carol)).status).toBe(422)
  })

  test("is refused where it doesn't fit", async () => {
    const repo = await world.repository()
    await repo.commit("topic", "base.txt", "mine\n")
    const number = await repo.pull("topic")
    await repo.commit("main", "base.txt", "theirs\n")
    for (const style of ["merge", "rebase"]) {
      const refused = await world.call(world.bob, `POST ${repo.at}/pulls/${number}/update?style=${style}`)
      expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining("base.txt")])
    }
  })

  /** Carol's fork of a repository, and carol's pull request from it. */
  async function fromFork(more: object = {}) {
    const repo = await world.repository()
    const fork = await world.call(world.carol, `POST ${repo.at}/forks`, { name: `fork-of-${repo.name}` })
    expect(fork.status).toBe(202)
    const at = `/repos/carol/${fork.body.name}`
    const write = (file: string, content: string, branch = "topic") =>
      world.call(world.carol, `POST ${at}/contents/${file}`, { content: encode(content), branch: "main", new_branch: branch })
    expect((await write("fork.txt", "f\n")).status).toBe(201)
    const made = await world.call(world.carol, `POST ${repo.at}/pulls`, { head: "carol:topic", base: "main", title: "From afar", ...more })
    expect(made.status).toBe(201)
    await repo.commit("main", "main.txt", "m\n")
    return { repo, at, number: made.body.number as number }
  }

  test("of a fork is for those who may merge where the author lets them", async () => {
    const open = await fromFork({ allow_maintainer_edit: true })
    expect((await world.call(world.bob, `POST ${open.repo.at}/pulls/${open.number}/update`)).status).toBe(200)
    const tip = (await world.call(world.carol, `GET ${open.at}/branches/topic`)).body.commit
    expect(tip.message).toBe("Merge branch 'main' into topic\n")
    expect((await open.repo.get(open.number)).body).toMatchObject({ mergeable: true, head: { sha: tip.id } })

    const closed = await fromFork({ allow_maintainer_edit: false })
    expect((await world.call(world.bob, `POST ${closed.repo.at}/pulls/${closed.number}/update`)).status).toBe(403)
    expect((await world.call(world.carol, `POST ${closed.repo.at}/pulls/${closed.number}/update?style=rebase`)).status).toBe(200)
  })

  test("a pull request from a fork is merged under the fork's name", async () => {
    const { repo, at, number } = await fromFork()
    expect((await repo.merge(number, { do: "merge", delete_branch_after_merge: true })).status).toBe(200)
    const { body: commits } = await world.call(world.alice, `GET ${repo.at}/commits?limit=1`)
    const name = at.split("/").at(-1)
    expect(commits[0].commit.message).toBe(`Merge pull request 'From afar' (#${number}) from carol/${name}:topic into main\n`)
    // The merger may not write to the fork.
    expect((await world.call(world.carol, `GET ${at}/branches/topic`)).status).toBe(200)
  })

  test("a pull request outlives its fork: closed with it, it can be opened again and merged", async () => {
    const { repo, at, number } = await fromFork()
    expect((await world.call(world.carol, `DELETE ${at}`)).status).toBe(204)
    expect((await world.call(world.bob, `GET ${repo.at}/pulls/${number}`)).body.state).toBe("closed")
    expect((await world.call(world.alice, `PATCH ${repo.at}/pulls/${number}`, { state: "open" })).status).toBe(201)
    expect((await world.call(world.bob, `POST ${repo.at}/pulls/${number}/update`)).status).toBe(404)
    expect((await repo.merge(number, { do: "merge", delete_branch_after_merge: true })).status).toBe(200)
    const { body: commits } = await world.call(world.alice, `GET ${repo.at}/commits?limit=1`)
    expect(commits[0].commit.message).toBe(`Merge pull request 'From afar' (#${number}) from <deleted>:topic into main\n`)
  })

  describe("a fork", () => {
    async function forked() {
      const repo = await world.repository()
      const { body } = await world.call(world.carol, `POST ${repo.at}/forks`, { name: `fork-of-${repo.name}` })
      const at = `/repos/carol/${body.name}`
      const sync = (more: object = {}, by = world.carol) => world.call(by, `POST ${at}/merge-upstream`, { branch: "main", ...more })
      const tip = async (branch = "main") => (await world.call(world.carol, `GET ${at}/branches/${branch}`)).body.commit
      return { repo, at, sync, tip }
    }

    test("is forwarded", async () => {
      const { repo, sync, tip } = await forked()
      expect(await sync()).toMatchObject({ status: 200, body: { merge_type: "up-to-date" } })
      const base = await repo.commit("main", "later.txt", "l\n")
      expect(await sync({ ff_only: true })).toMatchObject({ status: 200, body: { merge_type: "fast-forward" } })
      expect((await tip()).id).toBe(base)
      expect((await sync({}, world.bob)).status).toBe(403)
      expect((await sync({ branch: "none" })).status).toBe(404)
      expect((await world.call(world.alice, `POST ${repo.at}/merge-upstream`, { branch: "main" })).status).toBe(400)
    })

    test("takes in what it hasn't, unless only a forward is wished", async () => {
      const { repo, at, sync, tip } = await forked()
      const own = await world.call(world.carol, `POST ${at}/contents/own.txt`, { content: encode("o\n"), branch: "main" })
      const base = await repo.commit("main", "later.txt", "l\n")
      expect((await sync({ ff_only: true })).status).toBe(400)
      expect(await sync()).toMatchObject({ status: 200, body: { merge_type: "merge" } })
      const { body } = await world.call(world.carol, `GET ${at}/git/commits/${(await tip()).id}`)
      expect(body.commit.message).toBe("merge upstream\n")
      expect(body.parents.map(({ sha }: { sha: string }) => sha)).toEqual([own.body.commit.sha, base])
      expect(await sync()).toMatchObject({ status: 200, body: { merge_type: "up-to-date" } })
    })

    test("follows the default branch with branches of its own, and says what is in conflict", async () => {
      const { repo, at, sync, tip } = await forked()
      await world.call(world.carol, `POST ${at}/contents/own.txt`, { content: encode("o\n"), branch: "main", new_branch: "own" })
      await repo.commit("main", "own.txt", "theirs\n")
      expect((await sync({ branch: "own" })).status).toBe(409)
      await world.call(world.carol, `POST ${at}/contents/more.txt`, { content: encode("m\n"), branch: "main", new_branch: "more" })
      expect(await sync({ branch: "more" })).toMatchObject({ status: 200, body: { merge_type: "merge" } })
      expect((await tip("more")).message).toBe("merge upstream\n")
    })

    test("of what may no longer be read is not brought up to date", async () => {
      const { repo, sync } = await forked()
      await repo.commit("main", "later.txt", "l\n")
      await world.call(world.alice, `PATCH ${repo.at}`, { private: true })
      expect((await sync()).status).toBe(403)
    })
  })
})
