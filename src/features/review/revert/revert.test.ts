import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../../tests/support/browser.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"
import { ok } from "../../../git/testing.ts"
import { openMergeWorld, type TestRepository } from "../merging/testing.ts"

withWorld("reverting a pull request", { open: openMergeWorld }, ({ test, world }) => {
  const as = async (name: string) => {
    const browser = openBrowser(world.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }
  const lines = (change: Readonly<Record<number, string>> = {}) =>
    Array.from({ length: 30 }, (_, index) => `${change[index + 1] ?? index + 1}\n`).join("")

  /** A merged pull request of two commits, with something on the base before and after it. */
  async function merged(style: string, { behind = true } = {}) {
    const repo = await world.repository()
    await repo.commit("main", "a.txt", lines())
    await repo.commit("topic", "a.txt", lines({ 3: "three" }))
    await repo.commit("topic", "b.txt", "b\n")
    if (behind) await repo.commit("main", "a.txt", lines({ 28: "main" }))
    const number = await repo.pull("topic", 'Say "three" <b>')
    const before = await repo.tip()
    const made = await repo.merge(number, { do: style })
    expect([made.status, made.body]).toEqual([200, undefined])
    const after = await repo.tip()
    await repo.commit("main", "later.txt", "l\n")
    return { repo, number, before, after, here: `/alice/${repo.name}/pulls/${number}` }
  }

  async function revert(browser: Browser, here: string) {
    const shown = await browser.get(here)
    expect([shown.status, faultsIn(shown.text)]).toEqual([200, []])
    expect(shown.forms.some(({ action }) => action === `${here}/revert`)).toBe(true)
    return browser.post(`${here}/revert`, {})
  }

  async function same(repo: TestRepository, branch: string, command: readonly string[]) {
    const work = await repo.clone()
    await ok(work, "checkout", "-q", "-B", "mine", "origin/main")
    await ok(work, "revert", "--no-commit", ...command)
    expect(await ok(work, "write-tree")).toBe(await ok(work, "rev-parse", `origin/${branch}^{tree}`))
    expect(await ok(work, "rev-list", "--count", `origin/main..origin/${branch}`)).toBe("1")
    return ok(work, "log", "-1", "--format=%an|%cn|%B", `origin/${branch}`)
  }

  test.for(["merge", "rebase-merge"])("merged by %s takes back what the merge brought, and leads to a new one", async (style) => {
    const { repo, number, before, after, here } = await merged(style)
    const bob = await as("bob")
    const done = await revert(bob, here)
    const branch = `revert-${number}-topic`
    const to = new URL(done.location, world.hearth.url)
    expect([done.status, to.pathname]).toEqual([303, `/alice/${repo.name}/compare/main...${branch}`])
    const told = await same(repo, branch, ["-m", "1", after])
    expect(told).toBe(
      `bob|bob|Revert "Say "three" <b>" (#${number})\n\nThis reverts commit ${after}, reversing\nchanges made to ${before}.`,
    )
    const page = await bob.get(done.location)
    const form = page.forms.find(({ action }) => action.includes("/compare/"))
    expect(form?.fields).toMatchObject({ title: 'Revert "Say "three" <b>"', body: expect.stringContaining(`Reverts #${number}`) })
    expect((await bob.post(form?.action ?? "", form?.fields ?? {})).location).toBe(`/alice/${repo.name}/pulls/${number + 1}`)
    expect((await repo.merge(number + 1, { do: "merge" })).status).toBe(200)
    const again = await bob.post(`${here}/revert`, { again: "1" })
    expect([again.status, again.text.includes("It would change nothing there")]).toEqual([422, true])
  })

  test.for(["squash", "rebase", "fast-forward-only"])("merged by %s takes back the range, as one commit", async (style) => {
    const { repo, number, before, after, here } = await merged(style, { behind: style !== "fast-forward-only" })
    const bob = await as("bob")
    expect((await revert(bob, here)).status).toBe(303)
    const told = await same(repo, `revert-${number}-topic`, [`${before}..${after}`])
    expect(told).toContain(style === "squash" ? `This reverts commit ${after}.` : `This reverts the commits ${before}..${after}.`)
  })

  test("that was brought up to date by a merge takes nothing of the base back", async () => {
    const repo = await world.repository()
    await repo.commit("topic", "b.txt", "b\n")
    await repo.commit("main", "m.txt", "m\n")
    const number = await repo.pull("topic")
    await world.call(world.bob, `POST ${repo.at}/pulls/${number}/update`)
    expect((await repo.merge(number, { do: "fast-forward-only" })).status).toBe(200)
    const bob = await as("bob")
    expect((await revert(bob, `/alice/${repo.name}/pulls/${number}`)).status).toBe(303)
    const work = await repo.clone()
    expect(await ok(work, "diff", "--name-status", "origin/main", `origin/revert-${number}-topic`)).toBe("D\tb.txt")
  })

  test("that is in conflict with later changes says so, and what to do", async () => {
    const { repo, after, here } = await merged("merge")
    await repo.commit("main", "a.txt", lines({ 3: "drei" }))
    const bob = await as("bob")
    const refused = await revert(bob, here)
    expect([refused.status, faultsIn(refused.text)]).toEqual([422, []])
    expect(refused.text).toContain("a.txt")
    expect(refused.text).toContain(`git revert -m 1 ${after}`)
    expect((await world.call(world.bob, `GET ${repo.at}/branches`)).body).toHaveLength(2)
  })

  test("is for those who may write, or have a fork, and only of what is merged", async () => {
    const { repo, number, here } = await merged("squash")
    const [bob, carol, anonymous] = [await as("bob"), await as("carol"), openBrowser(world.hearth.url)]
    expect((await carol.get(here)).text).not.toContain(`${here}/revert`)
    expect((await carol.post(`${here}/revert`, {})).status).toBe(403)
    expect((await anonymous.post(`${here}/revert`, {})).status).toBe(401)
    const fork = await world.call(world.carol, `POST ${repo.at}/forks`, { name: `fork-of-${repo.name}` })
    expect(fork.status).toBe(202)
    await repo.commit("main", "after-the-fork.txt", "x\n")
    const done = await revert(carol, here)
    const branch = `revert-${number}-topic`
    expect([done.status, done.location.split("?")[0]]).toEqual([303, `/alice/${repo.name}/compare/main...carol:${branch}`])
    const form = (await carol.get(done.location)).forms.find(({ action }) => action.includes("/compare/"))
    expect((await carol.post(form?.action ?? "", form?.fields ?? {})).status).toBe(303)
    const files = (await world.call(world.carol, `GET ${repo.at}/pulls/${number + 1}/files`)).body
    expect(files.map(({ filename }: { filename: string }) => filename)).toEqual(["a.txt", "b.txt"])
    expect((await world.call(world.bob, `GET ${repo.at}/branches/${branch}`)).status).toBe(404)

    await repo.commit("other", "c.txt", "c\n")
    const open = await repo.pull("other")
    expect((await bob.post(`/alice/${repo.name}/pulls/${open}/revert`, {})).status).toBe(422)
    await world.call(world.alice, `PATCH ${repo.at}`, { archived: true })
    expect((await bob.post(`${here}/revert`, {})).status).toBe(423)
    expect((await bob.get(here)).text).not.toContain(`${here}/revert`)
    await world.call(world.alice, `PATCH ${repo.at}`, { archived: false, private: true })
    expect((await carol.post(`${here}/revert`, { again: "1" })).status).toBe(404)
  })

  test("asked for forty times at once makes no two branches for one press, and no errors", async () => {
    const { repo, here } = await merged("merge")
    const bob = await as("bob")
    const answers = await Promise.all(Array.from({ length: 40 }, () => bob.post(`${here}/revert`, {})))
    expect(answers.filter(({ status }) => ![303, 409, 429, 503].includes(status)).map(({ status }) => status)).toEqual([])
    const names = (await world.call(world.bob, `GET ${repo.at}/branches`)).body.map(({ name }: { name: string }) => name)
    expect(names.filter((name: string) => name.startsWith("revert-"))).toHaveLength(1)
  })
})
