import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect } from "vitest"
import { client, ok } from "../../src/git/testing.ts"
import { withHearth } from "../support/fixture.ts"
import type { Answer } from "../support/hearth.ts"

/**
 * Two people and a fork: Vera owns a cookbook, Nils contributes recipes from a fork by plain git. There are conflicts, Vera reviews, Nils fixes them, and Vera merges
 * five of the branches, each in another style. After each merge the history is compared with the result of git's own commands.
 */
const people = [
  { name: "vera", full_name: "Vera Kochel" },
  { name: "nils", full_name: "Nils Ofen" },
] as const

withHearth("two people, a fork, five merges", { people }, ({ test, forge, vera, nils }) => {
  let folder: string

  test.beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-story-"))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const AT = "/repos/vera/cookbook"
  const address = (name: string, path: string) => `${forge.hearth.url}/${path}.git`.replace("//", `//${name}:pass-word-1@`)
  const must = async (who: string, route: string, body?: object): Promise<Answer["body"]> => {
    const answer = await forge.call(who, route, body)
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** A clone of a person's repository, with that person as the author. */
  async function clone(name: string, path: string): Promise<string> {
    const work = join(folder, `${name}-${Math.random().toString(36).slice(2)}`)
    await ok(folder, "clone", "-q", address(name, path), work)
    return work
  }
  async function commit(work: string, file: string, content: string, message: string): Promise<void> {
    await writeFile(join(work, file), content)
    await ok(work, "add", ".")
    await ok(work, "commit", "-q", "-m", message, "--author=Nils Ofen <nils@example.com>")
  }
  const history = async (work: string, range: string) =>
    (await client(work, ["log", "--topo-order", "--format=%T %an <%ae>%n%B", range])).out
  const mergeable = async (number: number) => (await must(vera, `GET ${AT}/pulls/${number}`)).mergeable

  test("from the first recipe to the last", async () => {
    // Vera creates the repository, Nils forks it.
    await must(vera, "POST /user/repos", { name: "cookbook", auto_init: true, default_branch: "main" })
    const recipe = "Bread\nflour\nwater\nsalt\n"
    await must(vera, `POST ${AT}/contents/bread.txt`, { content: Buffer.from(recipe).toString("base64"), message: "Bread" })
    const wish = await must(vera, `POST ${AT}/issues`, { title: "The bread does not rise" })
    await must(nils, `POST ${AT}/forks`, {})
    const kitchen = await clone("nils", "nils/cookbook")
    await ok(kitchen, "remote", "add", "upstream", address("nils", "vera/cookbook"))

    // The first change of Nils conflicts with one of Vera's.
    await ok(kitchen, "checkout", "-q", "-b", "yeast")
    await commit(kitchen, "bread.txt", recipe.replace("water", "water\nyeast"), "Let it rise")
    await ok(kitchen, "push", "-q", "origin", "yeast")
    const opened = { head: "nils:yeast", base: "main", title: "WIP: Yeast", body: `fixes #${wish.number}`, reviewers: ["vera"] }
    const { number: yeast } = await must(nils, `POST ${AT}/pulls`, opened)
    const sha = (await must(vera, `GET ${AT}/contents/bread.txt`)).sha
    const warmer = Buffer.from(recipe.replace("water", "warm water")).toString("base64")
    await must(vera, `PUT ${AT}/contents/bread.txt`, { content: warmer, sha, message: "Warm water" })
    expect(await mergeable(yeast)).toBe(false)

    // Drafts and conflicts can't be merged, nor can readers merge; and every merge needs Vera's approval.
    expect((await forge.call(nils, `POST ${AT}/pulls/${yeast}/merge`, { do: "merge" })).status).toBe(405)
    await must(nils, `PATCH ${AT}/pulls/${yeast}`, { title: "Yeast" })
    const clash = await forge.call(vera, `POST ${AT}/pulls/${yeast}/merge`, { do: "merge" })
    expect([clash.status, clash.body.message]).toEqual([405, expect.stringContaining("bread.txt")])
    await must(vera, `POST ${AT}/branch_protections`, {
      rule_name: "main",
      enable_push: true,
      required_approvals: 1,
      block_on_rejected_reviews: true,
      dismiss_stale_approvals: true,
    })
    const remark = { path: "bread.txt", new_position: 4, body: "How much of it?" }
    await must(vera, `POST ${AT}/pulls/${yeast}/reviews`, { event: "REQUEST_CHANGES", body: "Almost.", comments: [remark] })

    // Nils merges Vera's change, books the time, and Vera approves.
    await ok(kitchen, "fetch", "-q", "upstream")
    await client(kitchen, ["merge", "-q", "upstream/main"])
    await writeFile(join(kitchen, "bread.txt"), recipe.replace("water", "warm water\nyeast, one cube"))
    await ok(kitchen, "add", ".")
    await ok(kitchen, "commit", "-q", "-m", "Take in the warm water", "--author=Nils Ofen <nils@example.com>")
    await ok(kitchen, "push", "-q", "origin", "yeast")
    expect(await mergeable(yeast)).toBe(true)
    const refused = await forge.call(vera, `POST ${AT}/pulls/${yeast}/merge`, { do: "merge" })
    expect([refused.status, refused.body.message]).toEqual([405, "not allowed to merge: Does not have enough approvals"])
    await must(vera, `POST ${AT}/pulls/${yeast}/reviews`, { event: "APPROVED", body: "Now." })

    // Four more, all from the same commit, so that all but the first are merged with earlier changes.
    const beginnings: Readonly<Record<string, number>> = { "rebase-merge": 0, squash: 0, rebase: 0, "fast-forward-only": 0 }
    const numbers = new Map<string, number>([["merge", yeast]])
    for (const style of Object.keys(beginnings)) {
      await ok(kitchen, "checkout", "-q", "-b", style, "upstream/main")
      await commit(kitchen, `${style}.txt`, `${style}\n`, `Recipe for ${style}`)
      await commit(kitchen, `${style}.txt`, `${style}\nwith more salt\n`, `More salt for ${style}`)
      await ok(kitchen, "push", "-q", "origin", style)
      const { number } = await must(nils, `POST ${AT}/pulls`, { head: `nils:${style}`, base: "main", title: `By ${style}` })
      await must(vera, `POST ${AT}/pulls/${number}/reviews`, { event: "APPROVED" })
      numbers.set(style, number)
    }

    const commands: Readonly<Record<string, (title: string) => readonly (readonly string[])[]>> = {
      merge: (title) => [["merge", "-q", "--no-ff", "-m", title, "topic"]],
      "rebase-merge": (title) => [
        ["checkout", "-q", "topic"],
        ["rebase", "-q", "main"],
        ["checkout", "-q", "main"],
        ["merge", "-q", "--no-ff", "-m", title, "topic"],
      ],
      squash: (title) => [
        ["merge", "-q", "--squash", "topic"],
        ["commit", "-q", "-m", `${title}\n\nCo-authored-by: Nils Ofen <nils@example.com>`, "--author=Nils Ofen <nils@example.com>"],
      ],
      rebase: () => [
        ["checkout", "-q", "topic"],
        ["rebase", "-q", "main"],
        ["checkout", "-q", "main"],
        ["merge", "-q", "--ff-only", "topic"],
      ],
      "fast-forward-only": () => [["merge", "-q", "--ff-only", "topic"]],
    }
    for (const [style, number] of numbers) {
      const branch = style === "merge" ? "yeast" : style
      if (style === "fast-forward-only") {
        // The base has new commits: a fast-forward needs a rebase first. Its changes are the same, so the approval still counts.
        expect((await forge.call(vera, `POST ${AT}/pulls/${number}/merge`, { do: style })).status).toBe(409)
        await must(nils, `POST ${AT}/pulls/${number}/update?style=rebase`)
      }
      const bench = await clone("vera", "vera/cookbook")
      const before = await ok(bench, "rev-parse", "main")
      await ok(bench, "fetch", "-q", "origin", `refs/pull/${number}/head:topic`)
      const title = `Take ${branch}`
      await must(vera, `POST ${AT}/pulls/${number}/merge`, { do: style, merge_title_field: title, delete_branch_after_merge: true })

      await ok(bench, "config", "user.name", "Vera Kochel")
      const asVera = ["-c", "user.name=Vera Kochel", "-c", "user.email=vera@example.com"]
      for (const command of commands[style]?.(title) ?? []) await ok(bench, ...asVera, ...command)
      await ok(bench, "fetch", "-q")
      const theirs = (await history(bench, `${before}..main`)).replaceAll("Ada <ada@example.com>", "Vera Kochel <vera@example.com>")
      expect(await history(bench, `${before}..origin/main`), style).toBe(theirs)
      const shape = (range: string) => ok(bench, "log", "--topo-order", "--format=%p", "--max-count=1", range)
      expect((await shape("origin/main")).split(" ").length, style).toBe((await shape("main")).split(" ").length)
      const merged = await must(nils, `GET ${AT}/pulls/${number}`)
      const tip = await ok(bench, "rev-parse", "origin/main")
      expect(merged).toMatchObject({ merged: true, state: "closed", merge_commit_sha: tip, merged_by: { login: "vera" } })
    }

    // All five are merged, the issue is closed, and Nils is notified.
    const bench = await clone("nils", "vera/cookbook")
    expect((await ok(bench, "ls-files")).split("\n")).toEqual([
      "README.md",
      "bread.txt",
      "fast-forward-only.txt",
      "rebase-merge.txt",
      "rebase.txt",
      "squash.txt",
    ])
    expect((await must(nils, `GET ${AT}/issues/${wish.number}`)).state).toBe("closed")
    expect((await must(nils, `GET ${AT}`)).open_pr_counter).toBe(0)
    const told = await must(nils, "GET /notifications")
    expect(told.filter(({ subject }: { subject: { state: string } }) => subject.state === "merged")).toHaveLength(5)
    await must(nils, "POST /repos/nils/cookbook/merge-upstream", { branch: "main", ff_only: true })
    expect((await must(nils, "GET /repos/nils/cookbook/branches/main")).commit.id).toBe(await ok(bench, "rev-parse", "main"))
    // The branches are in the fork of Nils, where Vera may not delete them.
    expect((await must(nils, "GET /repos/nils/cookbook/branches")).length).toBe(6)
    expect(await ok(bench, "fsck", "--strict")).toBe("")
  })
})
