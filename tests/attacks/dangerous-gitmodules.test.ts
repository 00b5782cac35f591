/**
 * A `.gitmodules` whose url begins with a dash, whose path leaves the work tree or whose update is a command ran programs in the clones of people with an
 * older git. Git refuses such a file in a push; but the API, patches, templates and merges wrote trees without looking, so that the file came in by them,
 * under any spelling that some file system takes for the name, or as two halves that only a merge put together. Now each tree that is written with such a file
 * anew passes the same check as a push's, and a refusal names the file and changes nothing.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import { branchRef } from "../../src/git/index.ts"
import { client, ok } from "../../src/git/testing.ts"
import { withHearth } from "../support/fixture.ts"
import { PASSWORD } from "../support/hearth.ts"

const base64 = (text: string) => Buffer.from(text).toString("base64")
const submodule = (url: string, more = "") => `[submodule "lib"]\n\tpath = lib\n\turl = ${url}\n${more}`
const GOOD = submodule("https://example.org/lib.git")
const BAD = submodule("-u./payload")

withHearth("dangerous files of submodules", { people: ["ada"] }, ({ test: it, forge, call, ada }) => {
  let made = 0
  const repository = async () => {
    made += 1
    const name = `box${made}`
    await call(ada, "POST /user/repos", { name, auto_init: true, default_branch: "main" })
    return `/repos/ada/${name}`
  }
  const stored = async (at: string) => {
    const { database, git } = forge.hearth.services
    const name = at.split("/").at(-1) ?? ""
    const row = await database.read.selectFrom("repositories").selectAll().where("lower_name", "=", name).executeTakeFirstOrThrow()
    return git.at(row.storage, row.object_format)
  }
  const tips = async (at: string) => forge.hearth.services.git.references.list(await stored(at), "refs/heads/")
  const write = (at: string, path: string, text: string, more = {}) =>
    call(ada, `POST ${at}/contents`, { files: [{ operation: "upload", path, content: base64(text) }], ...more })
  const must = async (answering: ReturnType<typeof call>) => {
    const answer = await answering
    if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  /** Refused with 422 and these words, and nothing has changed. */
  const refused = async (at: string, act: () => ReturnType<typeof call>, ...words: readonly string[]) => {
    const before = await tips(at)
    const { status, body } = await act()
    expect([status, body.message]).toEqual([422, expect.any(String)])
    for (const word of words) expect(body.message).toContain(word)
    expect(await tips(at)).toEqual(before)
    await isSound(at)
  }
  const isSound = async (at: string) => {
    const { directory } = await stored(at)
    const { code, out, err } = await client(directory, ["fsck", "--strict", "--full"])
    expect([code, `${err}${out}`.replaceAll(/^(notice|dangling).*$/gm, "").trim()]).toEqual([0, ""])
  }
  const inClone = async (at: string, act: (work: string, push: () => ReturnType<typeof client>) => Promise<void>) => {
    const work = await mkdtemp(join(tmpdir(), "hearth-submodules-"))
    try {
      const url = new URL(`${forge.hearth.url}${at.replace("/repos", "")}.git`)
      Object.assign(url, { username: "ada", password: PASSWORD })
      await ok(work, "clone", "-q", url.href, ".")
      await act(work, () => client(work, ["push", "-q", "origin", "--all"]))
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  }

  const texts: readonly (readonly [string, string])[] = [
    ["url", BAD],
    ["url", submodule("https://example.org/a%0ahost=evil")],
    ["path", '[submodule "lib"]\n\tpath = -x\n\turl = https://example.org/lib.git\n'],
    ["name", '[submodule "../../escape"]\n\tpath = lib\n\turl = https://example.org/lib.git\n'],
    ["update", submodule("https://example.org/lib.git", "\tupdate = !touch /tmp/owned\n")],
  ]
  it.each(texts)("a file with a dangerous %s is refused by every operation that writes files: %j", async (_, text) => {
    const at = await repository()
    await refused(at, () => write(at, ".gitmodules", text), ".gitmodules: disallowed submodule")
    await refused(at, () => write(at, "deep/down/.gitmodules", text), "deep/down/.gitmodules: disallowed submodule")
    await refused(at, () => call(ada, `POST ${at}/contents/.gitmodules`, { content: base64(text), new_branch: "other" }), ".gitmodules:")
    const lines = text.trimEnd().split("\n")
    const content = `--- /dev/null\n+++ b/.gitmodules\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join("")}`
    await refused(at, () => call(ada, `POST ${at}/diffpatch`, { content }), ".gitmodules:")
    const { body } = await call(ada, `GET ${at}/contents`)
    expect(body.map(({ name }: { name: string }) => name)).toEqual(["README.md"])
  })

  it.each([".GITMODULES", ".gitmodules ", ".gitmodules.", ".gitmodules::$DATA", ".git\u200cmodules", "GITMOD~1", "gi7eba~1", "~1000000"])(
    "so is it as %j, which some file system takes for it",
    async (name) => {
      const at = await repository()
      await refused(at, () => write(at, name, BAD), "disallowed submodule url")
    },
  )

  it("so is it by renaming a file with that content, and as a link", async () => {
    const at = await repository()
    await must(write(at, "notes.txt", BAD))
    const rename = (path: string, from_path: string) =>
      call(ada, `POST ${at}/contents`, { files: [{ operation: "rename", path, from_path }] })
    await refused(at, () => rename(".gitmodules", "notes.txt"), ".gitmodules: disallowed submodule url")
    await refused(at, () => rename("a/.GitModules", "notes.txt"), "a/.GitModules: disallowed submodule url")
    await inClone(at, async (work, push) => {
      await ok(work, "update-index", "--add", "--cacheinfo", "120000", await ok(work, "rev-parse", "HEAD:README.md"), "link")
      await ok(work, "commit", "-q", "-m", "A link")
      expect((await push()).code).toBe(0)
    })
    await refused(at, () => rename(".gitmodules", "link"), ".gitmodules", "symbolic link")
  })

  it("a .gitattributes that git refuses is refused", async () => {
    const at = await repository()
    await refused(at, () => write(at, ".gitattributes", `* ${"a".repeat(3000)}\n`), ".gitattributes:")
  })

  it("a push is refused by the same check", async () => {
    const at = await repository()
    await inClone(at, async (work, push) => {
      const blob = (await client(work, ["hash-object", "-w", "--stdin"], BAD)).out.trim()
      await ok(work, "update-index", "--add", "--cacheinfo", "100644", blob, ".gitmodules")
      await ok(work, "commit", "-q", "-m", "Trap")
      const { code, err } = await push()
      expect([code, err]).toEqual([1, expect.stringContaining("disallowed submodule url")])
    })
  })

  it.each(["sha1", "sha256"])("so is it among hundreds of files, which come as one pack (%s)", async (object_format_name) => {
    made += 1
    const at = `/repos/ada/many${made}`
    await must(call(ada, "POST /user/repos", { name: `many${made}`, object_format_name, default_branch: "main" }))
    const files = (text: string) =>
      [...Array.from({ length: 150 }, (_, index) => [`f/${index}.txt`, `${index}\n`]), ["deep/.gitmodules", text]].map(
        ([path = "", content = ""]) => ({ operation: "create", path, content: base64(content) }),
      )
    const commit = (text: string) => call(ada, `POST ${at}/contents`, { files: files(text) })
    await refused(at, () => commit(BAD), "deep/.gitmodules: disallowed submodule url")
    await must(commit(GOOD))
    await refused(at, () => write(at, "deep/.gitmodules", BAD), "deep/.gitmodules: disallowed submodule url")
    await isSound(at)
    expect((await call(ada, `GET ${at}/contents/f`)).body).toHaveLength(150)
  })

  it("a harmless one is written, changed and kept, and costs no process while it stays as it is", async () => {
    const at = await repository()
    await must(write(at, ".gitmodules", GOOD))
    await must(write(at, ".gitattributes", "* text=auto\n"))
    await must(write(at, ".gitmodules", submodule("https://example.org/other.git")))
    await isSound(at)
    const { git } = forge.hearth.services
    const before = git.spawned()
    for (const path of ["one.txt", "deep/two.txt", "README.md", ".gitignore"]) await must(write(at, path, `${path}\n`))
    expect(git.spawned() - before).toBe(0)
    const { body } = await call(ada, `GET ${at}/contents`)
    expect(body).toHaveLength(6)
    expect(await ok((await stored(at)).directory, "show", "main:.gitmodules")).toContain("other.git")
  })

  /** Two branches, each of which git accepts: what they merge into is dangerous. */
  const halves = {
    "lines of one file": async (at: string) => {
      const lines = (section: string, url: string) => `[${section} "lib"]\n\tpath = lib\n\t# one\n\t# two\n\turl = ${url}\n`
      await must(write(at, ".gitmodules", lines("other", "https://example.org/lib.git")))
      await must(write(at, ".gitmodules", lines("other", "-u./payload"), { new_branch: "left" }))
      await must(write(at, ".gitmodules", lines("submodule", "https://example.org/lib.git")))
    },
    "a name and a content": async (at: string) => {
      const text = (url: string) => `# 1\n# 2\n# 3\n# 4\n# 5\n# 6\n# 7\n# 8\n[submodule "lib"]\n\tpath = lib\n\turl = ${url}\n`
      await must(write(at, "sub/modules.txt", text("https://example.org/lib.git")))
      await must(write(at, "sub/modules.txt", text("-u./payload"), { new_branch: "left" }))
      const files = [{ operation: "rename", path: "sub/.gitmodules", from_path: "sub/modules.txt" }]
      await must(call(ada, `POST ${at}/contents`, { files }))
    },
  }

  it.each(Object.entries(halves))("two halves that merge into one are refused in every way of merging: %s", async (_, prepare) => {
    const at = await repository()
    await prepare(at)
    const pull = await must(call(ada, `POST ${at}/pulls`, { head: "left", base: "main", title: "Half" }))
    const number = pull.number
    expect((await call(ada, `GET ${at}/pulls/${number}`)).body.mergeable).toBe(false)
    for (const Do of ["merge", "squash", "rebase", "rebase-merge"])
      await refused(at, () => call(ada, `POST ${at}/pulls/${number}/merge`, { Do }), ".gitmodules: disallowed submodule url")
    for (const style of ["merge", "rebase"])
      await refused(at, () => call(ada, `POST ${at}/pulls/${number}/update?style=${style}`), ".gitmodules: disallowed submodule url")
    const { git } = forge.hearth.services
    const repo = await stored(at)
    const [main, left] = await Promise.all(["main", "left"].map((name) => git.references.resolve(repo, branchRef(name))))
    if (!main || !left) throw new Error("both branches are there")
    const rebase = { onto: main, upstream: main, head: left, committer: { name: "Ada", email: "ada@example.com", when: 1, offset: 0 } }
    expect(await git.merging.rebase(repo, rebase)).toMatchObject({ kind: "unfit", reason: expect.stringContaining(".gitmodules") })
  })

  it("merges of harmless halves pass, beside a file that stays as it is without a further process", async () => {
    const at = await repository()
    await must(write(at, ".gitmodules", GOOD))
    await must(write(at, "left.txt", "left\n", { new_branch: "left" }))
    await must(write(at, "right.txt", "right\n"))
    const { git } = forge.hearth.services
    const repo = await stored(at)
    const [main, left] = await Promise.all(["main", "left"].map((name) => git.references.resolve(repo, branchRef(name))))
    if (!main || !left) throw new Error("both branches are there")
    const before = git.spawned()
    expect((await git.merging.mergeTrees(repo, main, left)).kind).toBe("clean")
    expect(git.spawned() - before).toBe(1)
    await must(write(at, ".gitmodules", submodule("https://example.org/new.git"), { branch: "left" }))
    const { number } = await must(call(ada, `POST ${at}/pulls`, { head: "left", base: "main", title: "Both" }))
    expect((await call(ada, `POST ${at}/pulls/${number}/merge`, { Do: "merge" })).status).toBe(200)
    expect(await ok(repo.directory, "show", "main:.gitmodules")).toContain("new.git")
    await isSound(at)
  })

  it("a template whose variables complete the file is refused", async () => {
    const at = await repository()
    await must(write(at, ".gitea/template", ".gitmodules\n"))
    await must(write(at, ".gitmodules", submodule("$REPO_DESCRIPTION")))
    await must(call(ada, `PATCH ${at}`, { template: true }))
    const generate = (name: string, description: string) =>
      call(ada, `POST ${at}/generate`, { owner: "ada", name, description, git_content: true })
    const { status, body } = await generate("trap", "-u./payload")
    expect([status, body.message]).toEqual([422, expect.stringContaining(".gitmodules: disallowed submodule url")])
    expect((await call(ada, "GET /repos/ada/trap")).status).toBe(404)
    expect((await generate("fine", "https://example.org/lib.git")).status).toBe(201)
  })
})
