import { symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../../tests/support/browser.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"
import { ok } from "../../../git/testing.ts"
import { openMergeWorld, type TestRepository } from "../merging/testing.ts"
import { markLeft } from "./markers.ts"

const base64 = (text: string | Buffer) => Buffer.from(text).toString("base64")

withWorld("the conflicts of a pull request", { open: openMergeWorld }, ({ test, world }) => {
  const as = async (name: string) => {
    const browser = openBrowser(world.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }

  interface Change {
    readonly operation: "create" | "update" | "delete"
    readonly path: string
    readonly content?: string | Buffer
  }

  async function change(at: string, branch: string, changes: readonly Change[], by = world.alice, from?: string) {
    const files = await Promise.all(
      changes.map(async ({ operation, path, content }) => {
        const escaped = path.split("/").map(encodeURIComponent).join("/")
        const there = operation === "create" ? undefined : await world.call(by, `GET ${at}/contents/${escaped}?ref=${from ?? branch}`)
        return { operation, path, ...(content !== undefined && { content: base64(content) }), ...(there && { sha: there.body.sha }) }
      }),
    )
    const made = await world.call(by, `POST ${at}/contents`, { files, branch: from ?? branch, new_branch: branch, message: "Change" })
    expect([made.status, made.body.message]).toEqual([201, undefined])
    return made.body.commit.sha as string
  }

  /** A pull request of `topic`, with one text that both have changed. */
  async function conflicting(more: readonly [base: Change[], main: Change[], topic: Change[]] = [[], [], []]) {
    const repo = await world.repository()
    if (more[0].length > 0) await change(repo.at, "main", more[0])
    await change(
      repo.at,
      "topic",
      [{ operation: "update", path: "base.txt", content: "one\nzwei\nthree\n" }, ...more[2]],
      world.alice,
      "main",
    )
    await change(repo.at, "main", [{ operation: "update", path: "base.txt", content: "one\ndeux\nthree\n" }, ...more[1]])
    const number = await repo.pull("topic")
    const here = `/alice/${repo.name}/pulls/${number}`
    return { repo, number, here, page: `${here}/conflicts` }
  }

  /** What the page sends as it stands, with other values for one path. */
  async function sent(browser: Browser, page: string, changes: Readonly<Record<string, { how?: string; content?: string }>> = {}) {
    const { text, status } = await browser.get(page)
    expect([status, faultsIn(text)]).toEqual([200, []])
    return filled(text, changes)
  }

  function filled(text: string, changes: Readonly<Record<string, { how?: string; content?: string }>> = {}): [string, string][] {
    const [, form = ""] = /<form class="form editor"([\s\S]*?)<\/form>/.exec(text) ?? []
    const pairs: [string, string][] = []
    let path = ""
    for (const [, input, value = "", name = "", select = "", area = ""] of form.matchAll(
      /<input[^>]*?name="(\w+)" value="([^"]*)"|<(?:select|textarea)[^>]*?name="(\w+)"[^>]*>(?:((?:<option[\s\S]*?)<\/select>)|\n([\s\S]*?)<\/textarea>)/g,
    )) {
      if (input !== undefined) {
        if (input === "path") path = plain(value)
        pairs.push([input, plain(value)])
      } else if (name === "how")
        pairs.push([name, changes[path]?.how ?? /value="(\w*)" selected/.exec(select)?.[1] ?? /value="(\w*)"/.exec(select)?.[1] ?? ""])
      else pairs.push([name, changes[path]?.content ?? plain(area)])
    }
    return pairs
  }
  const plain = (text: string) =>
    text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&")
  const textsIn = (pairs: readonly (readonly [string, string])[]) => pairs.filter(([name]) => name === "content").map(([, value]) => value)

  async function parents(repo: TestRepository, branch = "topic") {
    const work = await repo.clone()
    return { work, told: await ok(work, "log", "-1", "--format=%P|%an <%ae>|%cn|%s", `origin/${branch}`) }
  }

  test("are shown with their sides, and resolved by one merge of the base into the head", async () => {
    const { repo, number, here, page } = await conflicting()
    const bob = await as("bob")
    const shown = await bob.get(here)
    expect(shown.text).toContain(`href="${page}"`)
    const [head, base] = [await repo.tip("topic"), await repo.tip()]
    const pairs = await sent(bob, page)
    expect(textsIn(pairs)).toEqual(["one\n<<<<<<< topic\nzwei\n=======\ndeux\n>>>>>>> main\nthree\n"])
    const left = await bob.post(page, pairs)
    expect([left.status, left.text.includes("line 2 of base.txt"), left.text.includes("&lt;&lt;&lt;&lt;&lt;&lt;&lt; topic")]).toEqual([
      422,
      true,
      true,
    ])
    const half = await sent(bob, page, { "base.txt": { content: "one\r\nzwei\r\n=======\r\ndeux & <b>\r\nthree\r\n" } })
    const refused = await bob.post(page, half)
    expect([refused.status, refused.text.includes("line 3"), refused.text.includes("deux &amp; &lt;b&gt;")]).toEqual([422, true, true])
    expect(await repo.tip("topic")).toBe(head)

    const done = await bob.post(page, await sent(bob, page, { "base.txt": { content: "one\r\nzwei et deux\r\nthree\r\n" } }))
    expect([done.status, done.location]).toEqual([303, here])
    const { work, told } = await parents(repo)
    expect(told).toBe(`${head} ${base}|bob <bob@example.com>|bob|Merge branch 'main' into topic`)
    expect(await ok(work, "show", "origin/topic:base.txt")).toBe("one\nzwei et deux\nthree")
    expect(await ok(work, "fsck", "--strict", "--no-dangling")).toBe("")
    expect((await repo.get(number)).body).toMatchObject({ mergeable: true })
    expect((await repo.merge(number, { do: "merge" })).status).toBe(200)
    expect((await bob.get(page)).text).toContain("merged or closed")
  })

  test("of every kind are decided: by a text, by a side, or by no file", async () => {
    const odd = "a b/<x> & ü.md"
    const { repo, page } = await conflicting([
      [
        { operation: "create", path: odd, content: "1\r\n2\r\n3\r\n" },
        { operation: "create", path: "bin", content: "\0a" },
        { operation: "create", path: "gone", content: "g\n" },
        { operation: "create", path: "kept", content: "k\n" },
      ],
      [
        { operation: "update", path: odd, content: "1\r\nB\r\n3\r\n" },
        { operation: "update", path: "bin", content: "\0b" },
        { operation: "delete", path: "gone" },
        { operation: "update", path: "kept", content: "k\nmore\n" },
        { operation: "create", path: "clean.txt", content: "from main\n" },
      ],
      [
        { operation: "update", path: odd, content: "1\r\nA\r\n3\r\n" },
        { operation: "update", path: "bin", content: "\0c" },
        { operation: "update", path: "gone", content: "g\nmore\n" },
        { operation: "delete", path: "kept" },
      ],
    ])
    const bob = await as("bob")
    const text = { content: "one\nboth\nthree\n" }
    const undecided = await bob.post(page, await sent(bob, page, { "base.txt": text, [odd]: { content: "1\n2\n" } }))
    expect([undecided.status, undecided.text.includes("Say what becomes of bin")]).toEqual([422, true])
    const wrong = { "base.txt": text, [odd]: { content: "1\n" }, bin: { how: "base" }, gone: { how: "base" }, kept: { how: "text" } }
    expect((await bob.post(page, await sent(bob, page, wrong))).text).toContain("That side has no gone")
    const nul = { ...wrong, gone: { how: "delete" }, "base.txt": { content: "one\0\n" } }
    expect((await bob.post(page, await sent(bob, page, nul))).status).toBe(422)
    const right = {
      ...wrong,
      gone: { how: "delete" },
      kept: { how: "text", content: "kept, and changed\n" },
      [odd]: { content: "1\nA and B\n3" },
    }
    expect((await bob.post(page, await sent(bob, page, right))).status).toBe(303)
    const { work } = await parents(repo)
    const read = (path: string) => ok(work, "cat-file", "blob", `origin/topic:${path}`)
    expect(JSON.stringify(await read(odd))).toBe(JSON.stringify("1\r\nA and B\r\n3"))
    expect(await read("bin")).toBe("\0b")
    expect(await read("kept")).toBe("kept, and changed")
    expect(await read("clean.txt")).toBe("from main")
    expect(await ok(work, "ls-tree", "--name-only", "origin/topic")).not.toContain("gone")
  })

  test("of links, submodules and modes take a side", async () => {
    const repo = await world.repository()
    const work = await repo.clone()
    const url = new URL(`${world.hearth.url}/alice/${repo.name}.git`)
    url.username = "alice"
    url.password = PASSWORD
    const put = async (branch: string, digit: string, mode: "+x" | "-x") => {
      await ok(work, "checkout", "-q", "-f", "-B", branch, "origin/main")
      await writeFile(join(work, "base.txt"), `${branch}\n`)
      await symlink(`to-${branch}`, join(work, "link"))
      await ok(work, "add", "-A")
      await ok(work, "update-index", `--chmod=${mode}`, "base.txt")
      await ok(work, "update-index", "--add", "--cacheinfo", `160000,${digit.repeat(40)},module`)
      await ok(work, "commit", "-q", "-m", branch)
      await ok(work, "push", "-q", url.href, branch)
    }
    await put("topic", "1", "+x")
    await put("main", "2", "-x")
    const number = await repo.pull("topic")
    const page = `/alice/${repo.name}/pulls/${number}/conflicts`
    const bob = await as("bob")
    const decided = { "base.txt": { content: "both\n" }, link: { how: "head" }, module: { how: "base" } }
    const done = await bob.post(page, await sent(bob, page, decided))
    expect([done.status, done.location]).toEqual([303, `/alice/${repo.name}/pulls/${number}`])
    const { work: after } = await parents(repo)
    expect((await ok(after, "ls-tree", "origin/topic")).split("\n").map((line) => line.split(" ", 1)[0])).toEqual([
      "100755",
      "120000",
      "160000",
    ])
    expect(await ok(after, "cat-file", "blob", "origin/topic:link")).toBe("to-topic")
    expect(await ok(after, "rev-parse", "origin/topic:module")).toBe("2".repeat(40))
  })

  test("that have changed meanwhile are shown again with what was typed, also for files that are no longer among them", async () => {
    const { repo, page } = await conflicting([
      [{ operation: "create", path: "other.txt", content: "1\n" }],
      [{ operation: "update", path: "other.txt", content: "2\n" }],
      [{ operation: "update", path: "other.txt", content: "3\n" }],
    ])
    const bob = await as("bob")
    const typed = { "base.txt": { content: "typed one\n" }, "other.txt": { content: "typed two\n" } }
    const pairs = await sent(bob, page, typed)
    // The base gets the other file as the head has it, and changes the first one again.
    await change(repo.at, "main", [
      { operation: "update", path: "other.txt", content: "3\n" },
      { operation: "update", path: "base.txt", content: "one\ndrei\nthree\n" },
    ])
    const before = await repo.tip("topic")
    const again = await bob.post(page, pairs)
    expect([again.status, faultsIn(again.text), again.headers.get("cache-control")]).toEqual([409, [], expect.stringContaining("no-store")])
    expect(again.text).toContain("have changed since you began")
    expect(again.text).toContain("This file has changed on one of the branches")
    expect(again.text).toContain("It no longer has conflicts. This is what you typed; it is not committed.")
    expect(textsIn(filled(again.text))).toEqual(["typed one\n", "typed two\n"])
    expect(await repo.tip("topic")).toBe(before)
    expect((await bob.post(page, filled(again.text))).status).toBe(303)
    const { work } = await parents(repo)
    expect(await ok(work, "show", "origin/topic:base.txt")).toBe("typed one")
    expect(await ok(work, "show", "origin/topic:other.txt")).toBe("3")
  })

  test("are for those who may bring the head up to date", async () => {
    const { repo, here, page } = await conflicting()
    const [bob, carol, anonymous] = [await as("bob"), await as("carol"), openBrowser(world.hearth.url)]
    const pairs = await sent(bob, page, { "base.txt": { content: "stolen\n" } })
    const before = await repo.tip("topic")
    const reader = await carol.get(page)
    expect([reader.status, reader.text.includes("You may not push to the head branch"), reader.text.includes("zwei")]).toEqual([
      200,
      true,
      false,
    ])
    expect((await carol.get(here)).text).not.toContain(page)
    const refused = await carol.post(page, pairs)
    expect([refused.status, textsIn(filled(refused.text))]).toEqual([403, ["stolen\n"]])
    expect((await anonymous.get(page)).status).toBe(303)
    expect((await anonymous.post(page, pairs)).status).toBe(401)
    await world.call(world.alice, `POST ${repo.at}/branch_protections`, { rule_name: "topic" })
    expect((await bob.post(page, pairs)).status).toBe(403)
    await world.call(world.alice, `PATCH ${repo.at}`, { private: true })
    expect((await carol.get(page)).status).toBe(404)
    expect((await carol.post(page, pairs)).status).toBe(404)
    await world.call(world.alice, `PATCH ${repo.at}`, { archived: true })
    expect((await bob.post(page, pairs)).status).toBe(423)
    expect(await repo.tip("topic")).toBe(before)
  })

  test("in a fork are resolved by those who may merge, where the author lets them", async () => {
    const repo = await world.repository()
    const fork = await world.call(world.carol, `POST ${repo.at}/forks`, { name: `fork-of-${repo.name}` })
    const at = `/repos/carol/${fork.body.name}`
    await change(at, "topic", [{ operation: "update", path: "base.txt", content: "theirs\n" }], world.carol, "main")
    await change(repo.at, "main", [{ operation: "update", path: "base.txt", content: "ours\n" }])
    const wanted = { head: "carol:topic", base: "main", title: "From afar", allow_maintainer_edit: false }
    const { number } = (await world.call(world.carol, `POST ${repo.at}/pulls`, wanted)).body
    const page = `/alice/${repo.name}/pulls/${number}/conflicts`
    const bob = await as("bob")
    expect((await bob.get(page)).text).toContain("You may not push to the head branch")
    await world.call(world.carol, `PATCH ${repo.at}/pulls/${number}`, { allow_maintainer_edit: true })
    const [head, base] = [(await world.call(world.carol, `GET ${at}/branches/topic`)).body.commit.id, await repo.tip()]
    expect((await bob.post(page, await sent(bob, page, { "base.txt": { content: "both\n" } }))).status).toBe(303)
    const { body } = await world.call(world.carol, `GET ${at}/git/commits/topic`)
    expect(body.parents.map(({ sha }: { sha: string }) => sha)).toEqual([head, base])
    expect(body.commit.author.name).toBe("bob")
    expect((await repo.get(number)).body).toMatchObject({ mergeable: true })
  })

  test("that many resolve at once are resolved once, and no one loses what they typed", async () => {
    const { repo, page } = await conflicting()
    const bob = await as("bob")
    const before = Number(await ok(await repo.clone(), "rev-list", "--count", "--first-parent", "origin/topic"))
    const { text: form } = await bob.get(page)
    const forms = Array.from({ length: 40 }, (_, index) => filled(form, { "base.txt": { content: `typed ${index}\n` } }))
    const answers = await Promise.all(forms.map((form) => bob.post(page, form)))
    expect(answers.map(({ status }) => status).filter((status) => status === 303)).toHaveLength(1)
    expect(answers.filter(({ status }) => ![303, 409, 503].includes(status)).map(({ status }) => status)).toEqual([])
    for (const [index, { status, text }] of answers.entries()) if (status === 409) expect(text).toContain(`typed ${index}\n`)
    expect(Number(await ok(await repo.clone(), "rev-list", "--count", "--first-parent", "origin/topic"))).toBe(before + 1)
  })

  test("that are no texts, too many or too large lead to the command line", async () => {
    const wide = await conflicting([
      [],
      Array.from({ length: 51 }, (_, index): Change => ({ operation: "create", path: `f${index}`, content: "1\n" })),
      Array.from({ length: 51 }, (_, index): Change => ({ operation: "create", path: `f${index}`, content: "2\n" })),
    ])
    const bob = await as("bob")
    const many = await bob.get(wide.page)
    expect([many.status, many.text.includes("52 files are in conflict"), many.text.includes("git merge FETCH_HEAD")]).toEqual([
      200,
      true,
      true,
    ])
    const folder = await conflicting([
      [],
      [{ operation: "create", path: "d", content: "a file\n" }],
      [{ operation: "create", path: "d/x", content: "in a folder\n" }],
    ])
    expect((await bob.get(folder.page)).text).toContain("in the way of a folder")
    expect((await bob.post(folder.page, { head: await folder.repo.tip("topic"), base: await folder.repo.tip() })).status).toBe(409)
    const large = "x\n".repeat(600_000)
    const heavy = await conflicting([
      [],
      [{ operation: "create", path: "large", content: `main\n${large}` }],
      [{ operation: "create", path: "large", content: `topic\n${large}` }],
    ])
    const shown = await bob.get(heavy.page)
    expect([shown.text.includes("too large to be edited"), shown.text.length < 100_000]).toEqual([true, true])
    const decided = await sent(bob, heavy.page, { large: { how: "head" }, "base.txt": { content: "x\n" } })
    expect((await bob.post(heavy.page, decided)).status).toBe(303)
    const odd = await conflicting()
    for (const fields of [{}, { path: "base.txt" }, { head: "x", base: "y", path: "../../etc/passwd", how: "text", content: "x" }])
      expect((await bob.post(odd.page, fields)).status).toBe(409)
  })
})

withWorld("marks of conflicts", { open: async () => ({ close: async () => {} }), on: ["sqlite"] }, ({ test }) => {
  test("are found unless a side has them as its own text", () => {
    const side = "Title\n=======\n<<<<<<< example\n"
    expect(markLeft("a\n=======\nb\n", [])).toBe(2)
    expect(markLeft("a\n=======\nb\n", [side])).toBeUndefined()
    expect(markLeft("=======\n=======\n", [side])).toBe(2)
    expect(markLeft("<<<<<<< example\n<<<<<<< topic\n", [side, ""])).toBe(2)
    expect(markLeft("========\n<<<<<<<<\n a <<<<<<< b\n", [])).toBeUndefined()
    expect(markLeft("||||||| base\n", [])).toBe(1)
    expect(markLeft(">>>>>>>", [])).toBe(1)
  })
})
