import { execFile } from "node:child_process"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import type { ObjectId, TreeEntry } from "../../../git/index.ts"
import { branchRef } from "../../../git/index.ts"
import { type Caller, openWorld } from "../repositories/testing.ts"

const run = promisify(execFile)
const base64 = (text: string): string => Buffer.from(text).toString("base64")
const EVIL = base64("#!/bin/sh\ntouch /tmp/owned\n")

/** Known ways to write files outside the repository, tried on every operation that writes files. */
withWorld("attacks on the writing of files", { open: openWorld }, ({ test: it, world }) => {
  let mallory: Caller
  it.beforeAll(async () => {
    mallory = await world.person("mallory")
    await mallory.call("POST", "/user/repos", { name: "trap", auto_init: true })
  })

  const place = async () => {
    const { database, git } = world.hearth.services
    const row = await database.read.selectFrom("repositories").selectAll().where("lower_name", "=", "trap").executeTakeFirstOrThrow()
    return git.at(row.storage, row.object_format)
  }
  /** Shows whether anything but objects was written. */
  const state = async () => {
    const { git } = world.hearth.services
    const repository = await place()
    return { tip: await git.references.resolve(repository, branchRef("main")), files: (await readdir(repository.directory)).sort() }
  }

  const paths: readonly string[] = [
    ".git/config",
    ".git/hooks/post-index-change",
    "a/.git/config",
    ".GIT/config",
    ".Git",
    ".git ",
    ".git.",
    ".git...",
    ".git::$INDEX_ALLOCATION/config",
    "git~1/config",
    "GIT~1",
    ".g\u200cit/config",
    ".gi\u200dt",
    "..",
    "../escape",
    "a/../../escape",
    "a/..",
    ".",
    "./a",
    "a/./b",
    "/etc/passwd",
    "a//b",
    "a/",
    "C:\\Windows\\x",
    "a\\b",
    "..\\escape",
    "a\\.git\\config",
    "a\nb",
    "a\u007fb",
    `${"n".repeat(256)}`,
    `${"n/".repeat(3000)}n`,
  ]

  it.each(paths.map((path) => [JSON.stringify(path.slice(0, 60)), path]))("refuses the path %s", async (_, path) => {
    const before = await state()
    const many = (file: object) => mallory.call("POST", "/repos/mallory/trap/contents", { files: [file] })
    expect((await many({ operation: "create", path, content: EVIL })).status).toBe(422)
    expect((await many({ operation: "upload", path, content: EVIL })).status).toBe(422)
    expect((await many({ operation: "rename", path, from_path: "README.md" })).status).toBe(422)
    expect((await many({ operation: "rename", path: "taken.txt", from_path: path })).status).toBe(422)
    expect((await many({ operation: "delete", path })).status).toBe(422)
    const encoded = encodeURIComponent(path)
    // The client or the router may normalize some of these paths; whatever arrives is never written.
    const single = await mallory.call("POST", `/repos/mallory/trap/contents/${encoded}`, { content: EVIL })
    const harmless = ["a/", "a//b", "/etc/passwd", "./a", "a/./b"].includes(path)
    if (!harmless) expect([404, 405, 422]).toContain(single.status)
    expect(await state()).toEqual(harmless ? expect.objectContaining({ files: before.files }) : before)
  })

  it("refuses NUL in a path", async () => {
    expect((await mallory.call("POST", "/repos/mallory/trap/contents/a%00b", { content: EVIL })).status).toBe(404)
    const file = { operation: "create", path: "a\u0000b", content: EVIL }
    expect((await mallory.call("POST", "/repos/mallory/trap/contents", { files: [file] })).status).toBe(422)
  })

  it.each(["../main", "a..b", "-x", "refs/../x", "a b", "a~1", "x.lock", "HEAD", "a\u0001b", ".x", "x/", "a@{1}", "\u{1f600}".repeat(100)])(
    "refuses %j as the name of a branch",
    async (name) => {
      const before = await state()
      const body = { content: EVIL, new_branch: name }
      expect((await mallory.call("POST", "/repos/mallory/trap/contents/x.txt", body)).status).toBe(422)
      expect((await mallory.call("POST", "/repos/mallory/trap/contents/x.txt", { content: EVIL, branch: name })).status).toBe(422)
      expect(await state()).toEqual(before)
    },
  )

  it("follows no symbolic link, out of the repository or in it", async () => {
    const { git } = world.hearth.services
    const repository = await place()
    const commit = await git.history.lastCommit(repository, "main")
    const link = async (name: string, target: string): Promise<TreeEntry> => ({
      name,
      mode: "120000",
      id: await git.objects.writeBlob(repository, target),
    })
    const entries = [...(await git.objects.readTree(repository, commit?.tree ?? ("" as ObjectId)))]
    const tree = await git.objects.writeTree(repository, [
      ...entries,
      await link("out", "/tmp"),
      await link("hooks", ".git/hooks"),
      await link("passwd", "/etc/passwd"),
    ])
    const person = { name: "m", email: "m@example.com", when: 1, offset: 0 }
    const id = await git.objects.writeCommit(repository, { tree, parents: [], author: person, committer: person, message: "links\n" })
    await git.references.update(repository, [{ name: branchRef("links"), to: id, from: null }])

    const write = (path: string, body: object = {}) =>
      mallory.call("POST", `/repos/mallory/trap/contents/${path}`, { content: EVIL, branch: "links", ...body })
    expect((await write("out/owned")).status).toBe(422)
    expect((await write("hooks/post-index-change")).status).toBe(422)
    const { sha } = entries[0] ? { sha: entries[0].id } : { sha: "" }
    const update = (path: string) =>
      mallory.call("POST", "/repos/mallory/trap/contents", { branch: "links", files: [{ operation: "update", path, content: EVIL }] })
    expect((await update("passwd")).status).toBe(422)
    expect((await update("passwd")).body.message).toContain("symbolic link")
    const moved = { operation: "rename", path: ".gitmodules", from_path: "passwd" }
    expect((await mallory.call("POST", "/repos/mallory/trap/contents", { branch: "links", files: [moved] })).status).toBe(422)
    expect(sha).not.toBe("")

    // Reading a link gives the link.
    const read = await mallory.call("GET", "/repos/mallory/trap/contents/passwd?ref=links")
    expect(read.body).toMatchObject({ type: "symlink", target: "/etc/passwd", content: null })
    expect((await mallory.call("GET", "/repos/mallory/trap/contents/out/owned?ref=links")).status).toBe(404)
    const raw = await fetch(`${world.hearth.url}/api/v1/repos/mallory/trap/raw/passwd?ref=links`)
    expect(await raw.text()).toBe("/etc/passwd")
  })

  it("doesn't let names, addresses or messages forge a commit's headers", async () => {
    const body = {
      content: EVIL,
      new_branch: "forged",
      author: { name: "x>\ntree 0000\nauthor y <y@example.com", email: "x@example.com" },
      message: "hello\n\ngpgsig nothing",
    }
    expect((await mallory.call("POST", "/repos/mallory/trap/contents/forged.txt", body)).status).toBe(201)
    const repository = await place()
    const { stdout } = await run("git", ["--git-dir", repository.directory, "cat-file", "-p", "forged"])
    expect(
      stdout
        .split("\n\n")[0]
        ?.split("\n")
        .map((line) => line.split(" ")[0]),
    ).toEqual(["tree", "parent", "author", "committer"])
    const bad = { ...body, new_branch: "worse", author: { name: "<>\n", email: "a@example.com" } }
    expect((await mallory.call("POST", "/repos/mallory/trap/contents/forged.txt", bad)).status).toBe(422)
    const address = { ...body, new_branch: "worse", author: { name: "x", email: "a@b>\nx" } }
    expect((await mallory.call("POST", "/repos/mallory/trap/contents/forged.txt", address)).status).toBe(422)
  })

  it("leaves a repository that git finds sound, without hooks, index or work tree", async () => {
    const repository = await place()
    await run("git", ["--git-dir", repository.directory, "fsck", "--strict"])
    const names = await readdir(repository.directory)
    for (const name of ["index", "hooks", "worktrees", "logs", "MERGE_HEAD"]) expect(names).not.toContain(name)
    await expect(readdir(join(repository.directory, "..", "escape"))).rejects.toThrow()
  })

  it("answers a file as something that can't act", async () => {
    const page = base64("<script>alert(1)</script>")
    await mallory.call("POST", "/repos/mallory/trap/contents/page.html", { content: page })
    const answer = await fetch(`${world.hearth.url}/api/v1/repos/mallory/trap/raw/page.html`)
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8")
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
    expect(answer.headers.get("content-security-policy")).toContain("sandbox")
  })

  it("refuses a body past its limit before anything is written", async () => {
    const before = await state()
    const content = "A".repeat(world.hearth.services.config.api.maxBodyBytes)
    expect((await mallory.call("POST", "/repos/mallory/trap/contents/huge.bin", { content })).status).toBe(413)
    expect(await state()).toEqual(before)
  })
})
