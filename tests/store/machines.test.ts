/**
 * Three servers on one database and one object store, behind a proxy that gives each request to the next: what is done there is done as if they were one.
 * `HEARTH_TEST_SCENARIOS=all` plays all recorded scenarios of API calls there, or those that it names.
 * Slow: each of the servers is a process of its own, and real git speaks to them.
 */
import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type KeyFile, type KeyFolder, openKeyFolder } from "../../src/features/people/keys/ssh/testing.ts"
import { client, ok, writeHistory } from "../../src/git/testing.ts"
import { openRunnerClient } from "../../src/servers/runner/testing.ts"
import { withKey } from "../../src/servers/ssh/testing.ts"
import { until } from "../faults/workers.ts"
import { send } from "../support/http.ts"
import { covered, deviating } from "../traces/covered.ts"
import { judge, playScenario } from "../traces/player.ts"
import { ADMIN, type Machines, openMachines } from "./support/machines.ts"

const asked = process.env["HEARTH_TEST_SCENARIOS"]
const scenarios: readonly string[] =
  asked === "all" ? covered : (asked?.split(",") ?? ["contents-write", "pulls-merge", "repos-fork-generate"])

let site: Machines
let keys: KeyFolder
let key: KeyFile
beforeAll(async () => {
  // As the recorded server was set up; one of the scenarios has files sent by the server.
  const recorded = { HEARTH_ADMIN_EMAIL: "root@example.com", HEARTH_USERS_NO_REPLY_DOMAIN: "noreply.localhost" }
  site = await openMachines(3, { ...recorded, HEARTH_STORAGE_PRESIGNED: String(asked !== "all") })
  keys = await openKeyFolder()
  key = await keys.make("ed25519")
  await site.ask("POST", "/user/keys", { title: "key", key: key.line })
})
afterAll(async () => {
  await site.close()
  await keys.close()
})

test.each(scenarios)("the recorded scenario %s", async (name) => {
  const scenario = new URL(`../traces/scenarios/${name}.json`, import.meta.url).pathname
  const told = await playScenario({
    url: site.url,
    admin: ADMIN,
    scenario,
    asked: async () => {},
    wait: (milliseconds) => sleep(milliseconds),
  })
  expect(judge(name, told)).toEqual({ failed: deviating[name] ?? [] })
})

const base64 = (text: string): string => Buffer.from(text).toString("base64")
const commitFile = (repo: string, path: string, content: string, more: object = {}) =>
  site.ask<{ readonly commit: { readonly sha: string } }>("POST", `/repos/root/${repo}/contents/${path}`, {
    content: base64(content),
    message: `Add ${path}`,
    ...more,
  })

/** A clone of a repository, from the address that people use. */
async function cloneOf(name: string, folder = name, ...args: readonly string[]): Promise<string> {
  await site.ok(site.folder, "clone", "-q", ...args, site.address(name), folder)
  return join(site.folder, folder)
}

/** The address of a repository on a server over SSH. */
const sshAddress = (name: string, number: number): string => `ssh://git@127.0.0.1:${site.at(number).sshPort()}/root/${name}.git`

/** Further commits on the branch of a clone that is checked out. */
const commits = (work: string, count: number, from?: string) =>
  writeHistory(
    work,
    Array.from({ length: count }, (_, index) => ({
      files: { [`f${index}`]: `${Math.random()}\n` },
      ...(index > 0 ? { from: `:${index}` } : from !== undefined && { from }),
    })),
  )

/** The references as each of the servers tells them. */
const toldBy = (name: string) => Promise.all(site.all.map((machine) => site.ok(site.folder, "ls-remote", site.address(name, machine))))

describe("git over HTTP", () => {
  test("pushes, forced ones, deletions and tags are the same on each server at once", async () => {
    await site.repository("plain")
    const work = await cloneOf("plain")
    await commits(work, 3)
    await ok(work, "tag", "-a", "-m", "one", "v1", "main")
    await site.ok(work, "push", "-q", "origin", "main", "v1", "main:other", "main:gone")
    const [told, ...others] = await toldBy("plain")
    expect(others).toEqual([told, told])
    expect(told?.split("\n").map((line) => line.split("\t")[1])).toEqual([
      "HEAD",
      "refs/heads/gone",
      "refs/heads/main",
      "refs/heads/other",
      "refs/tags/v1",
      "refs/tags/v1^{}",
    ])
    await site.ok(work, "push", "-q", "-f", "origin", "main~1:other", ":gone", ":refs/tags/v1")
    expect((await toldBy("plain")).map((text) => text.split("\n").map((line) => line.split("\t")[1]))).toEqual(
      Array(3).fill(["HEAD", "refs/heads/main", "refs/heads/other"]),
    )
    // What is behind is refused by each, and a push of which one part is refused does nothing.
    for (const machine of site.all) {
      expect((await site.git(work, "push", site.address("plain", machine), "main~2:other")).err).toContain("non-fast-forward")
      const both = await site.git(work, "push", "--atomic", site.address("plain", machine), "main:new", "+main:refs/heads/other/below")
      expect([both.code, both.err]).toEqual([1, expect.stringContaining("refs/heads/other")])
    }
    expect(await toldBy("plain")).toEqual(Array(3).fill(expect.not.stringContaining("new")))
  })

  test("5,000 references are pushed to one and cloned from the others, in part and shallow too", async () => {
    await site.repository("many")
    const work = await cloneOf("many")
    const [id = ""] = await commits(work, 2)
    const names = Array.from({ length: 5_000 }, (_, index) => `create refs/heads/b/${index} ${id}\n`)
    await client(work, ["update-ref", "--stdin"], names.join(""))
    // Over HTTP git compares each with all others, for ten seconds.
    await ok(work, ...withKey(key), "push", "-q", "--atomic", sshAddress("many", 0), "main", "refs/heads/b/*")
    for (const text of await toldBy("many")) expect(text.split("\n")).toHaveLength(5_002)
    await site.ok(work, "push", "-q", "origin", ":b/7")
    const shallow = await cloneOf("many", "shallow", "--depth=1")
    expect(await ok(shallow, "rev-list", "--count", "HEAD")).toBe("1")
    await site.ok(shallow, "fetch", "-q", "--unshallow")
    expect(await ok(shallow, "rev-list", "--count", "HEAD")).toBe("2")
    const partial = await cloneOf("many", "partial", "--filter=blob:none", "--no-checkout")
    // Git asks for what it lacks, with the credentials of its configuration.
    await ok(partial, "config", "http.extraHeader", `Authorization: ${site.authorization}`)
    expect(await ok(partial, "show", "HEAD:f1")).toMatch(/^0\./)
    expect((await ok(partial, "branch", "-r")).split("\n")).toHaveLength(5_001)
  })

  test("a value that was pushed to one is what all others tell, each time", async () => {
    const rounds = Number(process.env["HEARTH_TEST_ROUNDS"] ?? 50)
    await site.repository("fresh")
    const work = await cloneOf("fresh")
    for (let round = 0; round < rounds; round++) {
      const [id = ""] = await commits(work, 1, round > 0 ? "refs/heads/main^0" : undefined)
      await site.ok(work, "push", "-q", site.address("fresh", site.at(round)), "main")
      const other = site.address("fresh", site.at(round + 1 + (round % 2)))
      expect(await site.ok(site.folder, "ls-remote", other, "main")).toBe(`${id}\trefs/heads/main`)
      if (round % 10 > 0 && rounds <= 50) continue
      const copy = join(site.folder, `fresh-${round}`)
      await site.ok(site.folder, "clone", "-q", other, copy)
      expect(await ok(copy, "rev-parse", "HEAD")).toBe(id)
    }
  })
})

test("git over SSH, to one server and from another", async () => {
  await site.repository("shell")
  const work = await cloneOf("shell")
  await commits(work, 2)
  await ok(work, ...withKey(key), "push", "-q", sshAddress("shell", 0), "main")
  await ok(site.folder, ...withKey(key), "clone", "-q", sshAddress("shell", 1), "shell-copy")
  expect(await ok(join(site.folder, "shell-copy"), "rev-parse", "HEAD")).toBe(await ok(work, "rev-parse", "main"))
  await ok(work, ...withKey(key), "push", "-q", sshAddress("shell", 1), "main:next")
  expect(await ok(site.folder, ...withKey(key), "ls-remote", sshAddress("shell", 0), "refs/*")).toContain("refs/heads/next")
})

test.skipIf(!existsSync("/usr/bin/git-lfs"))("git-lfs pushes by one server and pulls by others", async () => {
  await site.repository("films")
  const work = await cloneOf("films")
  for (const folder of [work]) await ok(folder, "lfs", "install", "--local")
  await ok(work, "config", "http.extraHeader", `Authorization: ${site.authorization}`)
  await ok(work, "lfs", "track", "*.bin")
  await writeFile(join(work, "film.bin"), "x".repeat(100_000))
  await ok(work, "add", ".")
  await ok(work, "commit", "-q", "-m", "film")
  await ok(work, "push", "-q", "origin", "main")
  const copy = await cloneOf("films", "films-copy")
  await ok(copy, "config", "http.extraHeader", `Authorization: ${site.authorization}`)
  await ok(copy, "lfs", "install", "--local")
  await ok(copy, "lfs", "pull")
  await ok(copy, "lfs", "fsck")
})

test("a wiki is written by pages and by pushes, each to another server", async () => {
  await site.repository("book", { auto_init: true })
  await site.ask("POST", "/repos/root/book/wiki/new", { title: "One", content_base64: base64("first") })
  const work = await cloneOf("book.wiki")
  const branch = await ok(work, "symbolic-ref", "HEAD")
  await writeHistory(work, [{ branch: branch.replace("refs/heads/", ""), files: { "Two.md": "second" }, from: `${branch}^0` }])
  await site.ok(work, "push", "-q", "origin", branch)
  await site.ask("PATCH", "/repos/root/book/wiki/page/Two", { title: "Two", content_base64: base64("edited") })
  const pages = await site.ask<readonly { readonly title: string }[]>("GET", "/repos/root/book/wiki/pages")
  expect(pages.map(({ title }) => title).toSorted()).toEqual(["One", "Two"])
  const copy = await cloneOf("book.wiki", "book-copy")
  expect(await ok(copy, "show", "HEAD:Two.md")).toBe("edited")
  expect(await ok(copy, "rev-list", "--count", "HEAD")).toBe("3")
})

test("commits are pushed to refs/for on one server, and on others anew, and merged", async () => {
  await site.repository("offered", { auto_init: true })
  const work = await cloneOf("offered")
  const offer = async (index: number, file: string) => {
    await writeHistory(work, [
      { branch: "topic", from: file === "one" ? "refs/heads/main^0" : "refs/heads/topic^0", files: { [file]: file } },
    ])
    const run = await site.git(work, "push", site.address("offered", site.at(index)), "topic:refs/for/main/topic")
    return Number(/\/pulls\/(\d+)/.exec(run.err)?.[1])
  }
  const numbers = [await offer(0, "one"), await offer(1, "two"), await offer(2, "three")]
  expect(new Set(numbers).size).toBe(1)
  const [number = 0] = numbers
  const at = `/repos/root/offered/pulls/${number}`
  await until(async () => (await site.ask<{ readonly mergeable: boolean }>("GET", at)).mergeable)
  await site.ask("POST", `${at}/merge`, { Do: "merge" })
  const copy = await cloneOf("offered", "offered-copy")
  expect(await ok(copy, "show", "HEAD:three")).toBe("three")
  await ok(copy, "fsck", "--strict")
})

test("a pull request is pushed to one server, updated and merged by others, in each style", async () => {
  await site.repository("pulled", { auto_init: true })
  const at = "/repos/root/pulled"
  for (const [index, style] of ["merge", "rebase", "rebase-merge", "squash", "fast-forward-only"].entries()) {
    const work = await cloneOf("pulled", `pulled-${style}`)
    await writeHistory(work, [{ branch: style, from: "refs/heads/main^0", files: { [style]: style } }])
    await site.ok(work, "push", "-q", site.address("pulled", site.at(index)), style)
    const { number } = await site.ask<{ readonly number: number }>("POST", `${at}/pulls`, { title: style, head: style, base: "main" })
    await commitFile("pulled", `beside-${style}`, "x")
    if (style === "fast-forward-only")
      expect((await send(site.url, "POST", `${at}/pulls/${number}/update?style=merge`, { authorization: site.authorization })).status).toBe(
        200,
      )
    await until(async () => (await site.ask<{ readonly mergeable: boolean }>("GET", `${at}/pulls/${number}`)).mergeable)
    await site.ask("POST", `${at}/pulls/${number}/merge`, { Do: style })
    const { merged } = await site.ask<{ readonly merged: boolean }>("GET", `${at}/pulls/${number}`)
    expect([style, merged]).toEqual([style, true])
  }
  const copy = await cloneOf("pulled", "pulled-copy")
  expect((await ok(copy, "ls-tree", "--name-only", "HEAD")).split("\n")).toHaveLength(11)
  await ok(copy, "fsck", "--strict")

  await commitFile("pulled", "same", "here", { new_branch: "conflict" })
  await commitFile("pulled", "same", "there")
  const { number } = await site.ask<{ readonly number: number }>("POST", `${at}/pulls`, { title: "Both", head: "conflict", base: "main" })
  const refused = await send(site.url, "POST", `${at}/pulls/${number}/merge`, { authorization: site.authorization, body: { Do: "merge" } })
  expect([refused.status, refused.text]).toEqual([expect.any(Number), expect.stringMatching(/conflict/i)])
  expect(refused.status).toBeGreaterThanOrEqual(400)
})

test("forks, mirrors, templates, archives, releases, renamed branches and searches are those of one server", async () => {
  await site.repository("source", { auto_init: true, template: true })
  const at = "/repos/root/source"
  const { commit } = await commitFile("source", "needle.txt", "haystacks have needles\n")
  await site.ask("POST", "/orgs", { username: "team" })
  await site.ask("POST", `${at}/forks`, { organization: "team" })
  await site.ask("POST", `${at}/generate`, { owner: "root", name: "generated", git_content: true })
  await site.ask("POST", "/repos/migrate", { clone_addr: `${site.url}/root/source.git`, repo_name: "mirrored", mirror: true })
  const next = await commitFile("source", "later.txt", "later")
  await site.ask("POST", "/repos/root/mirrored/mirror-sync")
  const tips = async (name: string) => (await site.ok(site.folder, "ls-remote", `${site.url}/${name}.git`, "main")).slice(0, 40)
  expect(await tips("team/source")).toBe(commit.sha)
  await until(async () => (await tips("root/mirrored")) === next.commit.sha)
  expect(await ok(await cloneOf("generated"), "show", "HEAD:needle.txt")).toBe("haystacks have needles")

  await site.ask("POST", `${at}/releases`, { tag_name: "v1", target_commitish: "main", name: "One" })
  for (let index = 0; index < 3; index++) {
    const archive = await fetch(`${site.url}/root/source/archive/v1.tar.gz`, { headers: { authorization: site.authorization } })
    expect([archive.status, (await archive.arrayBuffer()).byteLength > 100]).toEqual([200, true])
  }
  await site.ask("PATCH", `${at}/branches/main`, { name: "trunk" })
  for (const told of await toldBy("source")) expect(told).toMatch(/refs\/heads\/trunk[\s\S]*refs\/tags\/v1/)
  expect((await site.ask<{ readonly default_branch: string }>("GET", at)).default_branch).toBe("trunk")
  for (const machine of site.all) {
    const found = await fetch(`${machine.url()}/root/source/search?q=needles`)
    expect([found.status, await found.text()]).toEqual([200, expect.stringContaining("needle.txt")])
  }
})

test("a workflow that a push to one server starts is run by a runner at the others", async () => {
  await site.repository("worked", { auto_init: true })
  await commitFile("worked", ".gitea/workflows/ci.yml", "on: push\njobs: {one: {runs-on: host, steps: [{run: echo}]}}\n")
  const { token } = await site.ask<{ readonly token: string }>("POST", "/admin/actions/runners/registration-token")
  const runner = await openRunnerClient(site.url).registered(token, ["host"])
  let task: Awaited<ReturnType<typeof runner.fetch>>["task"]
  await until(async () => {
    task = (await runner.fetch()).task
    return task !== undefined
  })
  await runner.finish(task?.id)
  const runs = await site.ask<{ readonly workflow_runs: readonly { readonly status: string }[] }>("GET", "/repos/root/worked/actions/runs")
  expect(runs.workflow_runs).toHaveLength(1)
})

test("a repack and a sweep on one server, while others take pushes, lose nothing, and a new server with an empty folder has all", async () => {
  await site.repository("packed")
  const work = await cloneOf("packed")
  await commits(work, 30)
  await site.ok(work, "push", "-q", "origin", "main")
  let isOver = false
  const endsOf = async (task: string): Promise<number> => {
    const tasks = await site.ask<readonly { readonly name: string; readonly exec_times: number }[]>("GET", "/admin/cron")
    return tasks.find(({ name }) => name === task)?.exec_times ?? 0
  }
  const run = async (task: string): Promise<void> => {
    const before = await endsOf(task)
    const answer = await send(site.at(0).url(), "POST", `/admin/cron/${task}`, { authorization: site.authorization })
    expect(answer.status).toBe(204)
    await until(async () => (await endsOf(task)) > before)
  }
  const pushing = (async () => {
    for (let round = 0; !isOver || round < 12; round++) {
      await commits(work, 1, "refs/heads/main^0")
      if (round % 4 === 3) await ok(work, "update-ref", "refs/heads/main", "main~1")
      await site.ok(work, "push", "-q", "-f", site.address("packed", site.at(round)), "main")
    }
  })()
  try {
    for (const task of ["git_gc_repos", "sweep_packs", "git_gc_repos", "sweep_packs"]) await run(task)
  } finally {
    isOver = true
    await pushing
  }

  const cold = await site.cold()
  try {
    const { database, git } = cold.services
    const rows = await database.read.selectFrom("stored_repositories").select(["key", "object_format"]).execute()
    expect(rows.length).toBeGreaterThan(8)
    for (const { key, object_format } of rows) expect([key, await git.maintenance.check(git.at(key, object_format))]).toEqual([key, []])
    for (const name of ["packed", "many", "pulled", "fresh"]) {
      await client(site.folder, [
        "-c",
        `http.extraHeader=Authorization: token ${cold.token}`,
        "clone",
        "-q",
        "--mirror",
        `${cold.url}/root/${name}.git`,
        `cold-${name}`,
      ])
      await ok(join(site.folder, `cold-${name}`), "fsck", "--strict", "--no-dangling")
      expect(await ok(join(site.folder, `cold-${name}`), "rev-parse", "HEAD")).toBe(
        (await site.ok(site.folder, "ls-remote", site.address(name), "HEAD")).slice(0, 40),
      )
    }
  } finally {
    await cold.close()
  }
})
