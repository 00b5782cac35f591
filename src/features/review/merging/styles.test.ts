import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { client, ok } from "../../../git/testing.ts"
import { type MergeWorld, openMergeWorld, type TestRepository } from "./testing.ts"

/** The result of each style is compared with that of git's own commands on the same branches. */

let world: MergeWorld
beforeAll(async () => {
  world = await openMergeWorld("sqlite")
})
afterAll(() => world.close())

/** What is compared of commits: all but ids, committers and times, which differ for git's commands. */
const TOLD = "--format=%T|%an|%ae|%B%x00"

/** A pull request of three commits beside a base that has moved on. */
async function diverged(): Promise<{ repo: TestRepository; number: number; base: string; head: string }> {
  const repo = await world.repository()
  await repo.commit("topic", "one.txt", "1\n", "First\n\nwith a body")
  await repo.commit("topic", "base.txt", "one\ntwo\nTHREE\n", "Second")
  const head = await repo.commit("topic", "three.txt", "3\n", "Third")
  const base = await repo.commit("main", "main.txt", "m\n", "On main")
  return { repo, base, head, number: await repo.pull("topic", "Bring three") }
}

/** Both histories since the old base, in the same form. */
async function compare(
  repo: TestRepository,
  base: string,
  commands: readonly (readonly string[])[],
): Promise<{ work: string; tip: string }> {
  const work = await repo.clone()
  await ok(work, "checkout", "-q", "-B", "main", base)
  for (const command of commands) await ok(work, ...command)
  const tip = await repo.tip()
  const told = async (range: string) => (await client(work, ["log", "--topo-order", TOLD, range])).out
  const ours = await told(`${base}..${tip}`)
  expect(ours.replaceAll(/\|(bob|alice|Ada Author|Ada)\|[^|]*\|/g, "|")).toBe(
    (await told(`${base}..main`)).replaceAll(/\|(bob|alice|Ada Author|Ada)\|[^|]*\|/g, "|"),
  )
  expect(await ok(work, "rev-parse", `${tip}^{tree}`)).toBe(await ok(work, "rev-parse", "main^{tree}"))
  return { work, tip }
}

const person = (work: string, id: string) => ok(work, "log", "-1", "--format=%an <%ae>, %cn <%ce>", id)
const parents = async (work: string, id: string) => (await ok(work, "log", "-1", "--format=%P", id)).split(" ")

test("merge: one commit of both", async () => {
  const { repo, number, base, head } = await diverged()
  expect(await repo.merge(number, { do: "merge" })).toMatchObject({ status: 200, body: undefined })
  const message = `Merge pull request 'Bring three' (#${number}) from topic into main`
  const { work, tip } = await compare(repo, base, [["merge", "-q", "--no-ff", "-m", message, "origin/topic"]])
  expect(await parents(work, tip)).toEqual([base, head])
  expect(await person(work, tip)).toBe("bob <bob@example.com>, bob <bob@example.com>")
  const { body } = await repo.get(number)
  expect(body).toMatchObject({ merged: true, state: "closed", merge_commit_sha: tip, merged_by: { login: "bob" }, mergeable: true })
})

test("merge: a commit even where the base could be forwarded", async () => {
  const repo = await world.repository()
  const base = await repo.tip()
  const head = await repo.commit("topic", "one.txt", "1\n")
  const number = await repo.pull("topic")
  await repo.merge(number, { Do: "merge", MergeTitleField: "  Join one ", MergeMessageField: "For good.\n\n" })
  const { work, tip } = await compare(repo, base, [["merge", "-q", "--no-ff", "-m", "Join one\n\nFor good.", "origin/topic"]])
  expect(await parents(work, tip)).toEqual([base, head])
})

test("squash: one commit by the author of the pull request", async () => {
  const { repo, number, base } = await diverged()
  expect((await repo.merge(number, { do: "squash" })).status).toBe(200)
  const { work, tip } = await compare(repo, base, [
    ["merge", "-q", "--squash", "origin/topic"],
    ["commit", "-q", "-m", `Bring three (#${number})\n\nCo-authored-by: alice <alice@example.com>`],
  ])
  expect(await parents(work, tip)).toEqual([base])
  expect(await person(work, tip)).toBe("alice <alice@example.com>, bob <bob@example.com>")
})

test("squash by the author has no co-author", async () => {
  const { repo, number, base } = await diverged()
  expect((await repo.merge(number, { do: "squash", merge_title_field: "All" }, world.alice)).status).toBe(200)
  const { work, tip } = await compare(repo, base, [
    ["merge", "-q", "--squash", "origin/topic"],
    ["commit", "-q", "-m", "All"],
  ])
  expect(await person(work, tip)).toBe("alice <alice@example.com>, alice <alice@example.com>")
})

test("squash takes the name that the author signs commits with", async () => {
  const { repo, number, base } = await diverged()
  await world.call(world.alice, "POST /user/emails", { emails: ["ada@example.org"] })
  expect(
    (await repo.merge(number, { do: "squash", merge_title_field: "All", merge_message_field: "Why.\n\nCloses: nothing" })).status,
  ).toBe(200)
  const { work, tip } = await compare(repo, base, [
    ["merge", "-q", "--squash", "origin/topic"],
    ["commit", "-q", "-m", "All\n\nWhy.\n\nCloses: nothing\nCo-authored-by: Ada Author <ada@example.org>"],
  ])
  expect(await person(work, tip)).toBe("Ada Author <ada@example.org>, bob <bob@example.com>")
})

test("rebase: the same commits on top of the base", async () => {
  const { repo, number, base } = await diverged()
  expect((await repo.merge(number, { do: "rebase" })).status).toBe(200)
  const { work, tip } = await compare(repo, base, [
    ["checkout", "-q", "-B", "topic", "origin/topic"],
    ["rebase", "-q", "main"],
    ["checkout", "-q", "main"],
    ["merge", "-q", "--ff-only", "topic"],
  ])
  expect(await person(work, tip)).toBe("Ada Author <ada@example.org>, bob <bob@example.com>")
  expect((await repo.get(number)).body.merge_commit_sha).toBe(tip)
})

test("rebase-merge: the same commits on top of the base, and one of both", async () => {
  const { repo, number, base } = await diverged()
  expect((await repo.merge(number, { do: "rebase-merge" })).status).toBe(200)
  const { work, tip } = await compare(repo, base, [
    ["checkout", "-q", "-B", "topic", "origin/topic"],
    ["rebase", "-q", "main"],
    ["checkout", "-q", "main"],
    ["merge", "-q", "--no-ff", "-m", `Merge pull request 'Bring three' (#${number}) from topic into main`, "topic"],
  ])
  expect((await parents(work, tip))[0]).toBe(base)
  expect(await person(work, tip)).toBe("bob <bob@example.com>, bob <bob@example.com>")
})

test("fast-forward-only: the very commits of the head", async () => {
  const repo = await world.repository()
  const head = await repo.commit("topic", "one.txt", "1\n")
  const number = await repo.pull("topic")
  expect((await repo.merge(number, { do: "fast-forward-only" })).status).toBe(200)
  expect(await repo.tip()).toBe(head)
  expect((await repo.get(number)).body).toMatchObject({ merged: true, merge_commit_sha: head })
})

test("fast-forward-only: not where the base has moved on", async () => {
  const { repo, number, base } = await diverged()
  const refused = await repo.merge(number, { do: "fast-forward-only" })
  expect(refused).toMatchObject({ status: 409, body: { Style: "fast-forward-only" } })
  expect([await repo.tip(), (await repo.get(number)).body.merged]).toEqual([base, false])
})

test("rebase: commits that don't fit are named, and nothing is changed", async () => {
  const repo = await world.repository()
  await repo.commit("topic", "base.txt", "one\n2\nthree\n", "Change a line")
  await repo.commit("topic", "base.txt", "one\ntwo\nthree\n", "Change it back")
  await repo.commit("topic", "other.txt", "o\n", "Another file")
  const base = await repo.commit("main", "base.txt", "one\nII\nthree\n", "Change the same line")
  const number = await repo.pull("topic")
  const refused = await repo.merge(number, { do: "rebase" })
  expect(refused).toMatchObject({ status: 409, body: { Style: "rebase", CommitSHA: expect.stringMatching(/^[0-9a-f]{40}$/) } })
  expect([await repo.tip(), (await repo.get(number)).body.merged]).toEqual([base, false])
  // In total it changes nothing, and so it can be merged.
  expect((await repo.merge(number, { do: "merge" })).status).toBe(200)
})

test("rebase: what the base has already falls away, and the pull request is merged all the same", async () => {
  const repo = await world.repository()
  await repo.commit("topic", "same.txt", "s\n")
  const number = await repo.pull("topic")
  const base = await repo.commit("main", "same.txt", "s\n", "The same change")
  expect((await repo.merge(number, { do: "rebase" })).status).toBe(200)
  expect(await repo.tip()).toBe(base)
  expect((await repo.get(number)).body).toMatchObject({ merged: true, merge_commit_sha: base })
})

/** Rebasing takes one process, and one for each of the three commits; one more finds the new commits only if the history is not linear. */
test.each([
  ["merge", 0],
  ["squash", 0],
  ["rebase", 4],
  ["rebase-merge", 5],
  ["fast-forward-only", 0],
])("%s takes %i git processes", async (style, processes) => {
  const { git, jobs } = world.hearth.services
  const repo = await world.repository()
  for (const name of ["one", "two", "three"]) await repo.commit("topic", `${name}.txt`, name)
  if (style !== "fast-forward-only") await repo.commit("main", "main.txt", "m\n")
  const number = await repo.pull("topic")
  await jobs.drain()
  const before = git.spawned()
  expect((await repo.merge(number, { do: style })).status).toBe(200)
  expect(git.spawned() - before).toBe(processes)
})

test.each([
  ["merge", 4],
  ["squash", 1],
  ["rebase", 3],
  ["rebase-merge", 4],
])("%s is told of as a push of %i commits", async (style, total) => {
  const { repo, number, base } = await diverged()
  await world.hearth.services.jobs.drain()
  expect((await repo.merge(number, { do: style })).status).toBe(200)
  const { body: feed } = await world.call(world.bob, `GET ${repo.at}/activities/feeds?limit=2`)
  const pushes = feed.filter(({ op_type }: { op_type: string }) => op_type === "commit_repo")
  const { Len, Commits, CompareURL } = JSON.parse(pushes[0].content)
  expect(Len).toBe(total)
  const work = await repo.clone()
  const ids = (await ok(work, "rev-list", "--topo-order", `${base}..origin/main`)).split("\n")
  expect(Commits.map(({ Sha1 }: { Sha1: string }) => Sha1).sort()).toEqual(ids.sort())
  expect(CompareURL).toBe(`alice/${repo.name}/compare/${base}...${await repo.tip()}`)
})

describe("templates", () => {
  const template = (style: string) => `.gitea/default_merge_message/${style}_TEMPLATE.md`

  test("word the title, and of rebased commits the last", async () => {
    const repo = await world.repository()
    await repo.commit(
      "main",
      template("MERGE"),
      `Take \${PullRequestTitle} by \${PullRequestPosterName} (\${PullRequestReference}), \${Unknown}\n\nbody\n`,
    )
    await repo.commit("main", template("REBASE"), `\${CommitTitle}, reviewed\n\n\${CommitBody}\n\n\${ReviewedOn}\n`)
    await repo.commit("one", "one.txt", "1\n", "One\n\nof several")
    await repo.commit("two", "two.txt", "2\n")
    const [one, two] = [await repo.pull("one"), await repo.pull("two")]
    expect((await repo.merge(one, { do: "rebase" })).status).toBe(200)
    const url = `${world.hearth.url}/alice/${repo.name}/pulls/${one}`
    const work = await repo.clone()
    expect(await ok(work, "log", "-1", "--format=%B")).toBe(`One, reviewed\n\nof several\n\nReviewed-on: ${url}`)
    expect((await repo.merge(two, { do: "merge", merge_message_field: "Because." })).status).toBe(200)
    await ok(work, "pull", "-q")
    expect(await ok(work, "log", "-1", "--format=%B")).toBe(`Take Bring two by alice (#${two}),\n\nBecause.`)
  })
})
