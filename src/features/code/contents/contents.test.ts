import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { branchRef } from "../../../git/index.ts"
import { type Caller, openWorld } from "../repositories/testing.ts"
import { lastCommits } from "./last-commits.ts"

const run = promisify(execFile)
const base64 = (text: string): string => Buffer.from(text).toString("base64")

withWorld("files through the API", { open: openWorld, on: databaseKinds }, ({ test: it, world }) => {
  let ada: Caller
  let rob: Caller
  let wil: Caller
  let names = 0
  it.beforeAll(async () => {
    ada = await world.person("ada")
    rob = await world.person("rob")
    wil = await world.person("wil")
  })

  async function make(options: object = {}): Promise<string> {
    const name = `files-${++names}`
    expect((await ada.call("POST", "/user/repos", { name, ...options })).status).toBe(201)
    await ada.call("PUT", `/repos/ada/${name}/collaborators/wil`, { permission: "write" })
    return `/repos/ada/${name}`
  }
  const put = async (repo: string, path: string, text: string, body: object = {}) => {
    const answer = await ada.call("POST", `${repo}/contents/${path}`, { content: base64(text), ...body })
    expect(answer.status).toBe(201)
    return answer.body
  }
  const place = async (repo: string) => {
    const { database, git } = world.hearth.services
    const name = repo.split("/").at(-1) ?? ""
    const row = await database.read.selectFrom("repositories").selectAll().where("lower_name", "=", name).executeTakeFirstOrThrow()
    return git.at(row.storage, row.object_format)
  }

  it("makes the first commit of an empty repository, on any branch, which becomes the default", async () => {
    const repo = await make()
    await put(repo, "a/b.txt", "x\n", { branch: "trunk" })
    expect((await ada.call("GET", repo)).body).toMatchObject({ default_branch: "trunk", empty: false, branch_count: 1 })
    expect((await ada.call("GET", `${repo}/contents/a%2Fb.txt`)).body.content).toBe(base64("x\n"))
  })

  it("causes what a push causes", async () => {
    const repo = await make()
    await put(repo, "a.txt", "a\n", { message: "First" })
    const { body } = await ada.call("GET", "/users/ada/activities/feeds?limit=2")
    expect(body.map((event: { op_type: string; ref_name: string }) => [event.op_type, event.ref_name])).toEqual([
      ["commit_repo", "refs/heads/main"],
      ["commit_repo", "refs/heads/main"],
    ])
    const left = await world.hearth.services.database.read.selectFrom("jobs").select("id").where("kind", "=", "push.settle").execute()
    expect(left).toEqual([])
    expect((await ada.call("GET", repo)).body.size).toBeGreaterThanOrEqual(0)
  })

  it("refuses callers who may not write, and read-only repositories", async () => {
    const repo = await make()
    const body = { content: base64("x") }
    expect((await world.anonymous.call("POST", `${repo}/contents/a`, body)).status).toBe(401)
    expect((await rob.call("POST", `${repo}/contents/a`, body)).status).toBe(403)
    expect((await wil.call("POST", `${repo}/contents/a`, body)).status).toBe(201)
    await ada.call("PATCH", repo, { archived: true })
    const refused = await ada.call("POST", `${repo}/contents/b`, body)
    expect([refused.status, refused.body.message]).toEqual([423, "repo is not allowed to edit"])
    expect((await ada.call("GET", `${repo}/contents/a`)).status).toBe(200)
    const hidden = await make({ private: true })
    expect((await rob.call("POST", `${hidden}/contents/a`, body)).status).toBe(404)
    expect((await rob.call("GET", `${hidden}/contents`)).status).toBe(404)
  })

  it("lets maintainers change a fork's branch if its author allowed it, and no other branch", async () => {
    const repo = await make({ auto_init: true })
    await rob.call("POST", `${repo}/forks`, {})
    const fork = repo.replace("/ada/", "/rob/")
    const body = { content: base64("x") }
    expect((await rob.call("POST", `${fork}/contents/a.txt`, { ...body, new_branch: "fix" })).status).toBe(201)
    const write = async (caller: Caller, fields: object) =>
      (await caller.call("POST", `${fork}/contents/b.txt`, { ...body, ...fields })).status
    expect(await write(wil, { branch: "fix" })).toBe(403)
    const pull = { title: "Fix", head: "rob:fix", base: "main", allow_maintainer_edit: true }
    expect((await rob.call("POST", `${repo}/pulls`, pull)).status).toBe(201)
    expect(await write(wil, {})).toBe(403)
    expect(await write(wil, { branch: "fix", new_branch: "mine" })).toBe(403)
    expect(await write(wil, { branch: "fix" })).toBe(201)
    expect(await write(await world.person("zoe"), { branch: "fix" })).toBe(403)
    expect((await wil.call("POST", `${fork}/branches`, { new_branch_name: "mine" })).status).toBe(403)
  })

  it("refuses what doesn't fit what is there, and writes nothing then", async () => {
    const repo = await make()
    const { content, commit } = await put(repo, "dir/a.txt", "one\n")
    const many = async (...files: object[]) => (await ada.call("POST", `${repo}/contents`, { files })).status
    const x = base64("x")
    expect(await many({ operation: "create", path: "new.txt", content: x }, { operation: "create", path: "dir/a.txt", content: x })).toBe(
      422,
    )
    expect(await many({ operation: "update", path: "dir/a.txt", content: x, sha: commit.sha })).toBe(422)
    expect(await many({ operation: "update", path: "dir", content: x })).toBe(422)
    expect(await many({ operation: "delete", path: "dir" })).toBe(422)
    expect(await many({ operation: "delete", path: "nowhere" })).toBe(404)
    expect(await many({ operation: "create", path: "dir/a.txt/b", content: x })).toBe(422)
    expect(await many({ operation: "rename", path: "dir/a.txt" })).toBe(422)
    expect(await many({ operation: "frobnicate", path: "a", content: x })).toBe(422)
    expect(await many({ operation: "create", path: "b", content: "%%%=" })).toBe(422)
    expect(await many({ operation: "create", path: "b", content: "eA" })).toBe(422)
    expect(await many()).toBe(422)
    expect((await ada.call("DELETE", `${repo}/contents/dir/a.txt`, {})).status).toBe(422)
    const body = { content: x }
    expect((await ada.call("POST", `${repo}/contents/b`, { ...body, branch: "nowhere" })).status).toBe(404)
    expect((await ada.call("POST", `${repo}/contents/b`, { ...body, dates: { author: "1960-01-01T00:00:00Z" } })).status).toBe(422)
    const inTheWay = await ada.call("POST", `${repo}/contents/b`, { ...body, new_branch: "main/x" })
    expect([inTheWay.status, inTheWay.body.message]).toEqual([409, "The branch main stands in the way of main/x."])
    expect((await ada.call("GET", `${repo}/git/trees/main?recursive=true`)).body.tree.map(({ path }: { path: string }) => path)).toEqual([
      "dir",
      "dir/a.txt",
    ])
    expect((await ada.call("DELETE", `${repo}/contents/dir/a.txt`, { sha: content.sha })).status).toBe(200)
    expect((await ada.call("GET", `${repo}/contents`)).body).toEqual([])
  })

  it("replaces another branch only when told to", async () => {
    const repo = await make()
    const { commit } = await put(repo, "a.txt", "a\n")
    await put(repo, "b.txt", "b\n", { new_branch: "side" })
    const body = { content: base64("c\n"), branch: "main", new_branch: "side" }
    expect((await ada.call("POST", `${repo}/contents/c.txt`, body)).status).toBe(422)
    const forced = await ada.call("POST", `${repo}/contents/c.txt`, { ...body, force_push: true })
    expect(forced.status).toBe(201)
    expect(forced.body.commit.parents.map(({ sha }: { sha: string }) => sha)).toEqual([commit.sha])
    expect((await ada.call("GET", `${repo}/contents/b.txt?ref=side`)).status).toBe(404)
  })

  it("keeps a file's mode when its content changes or it is moved", async () => {
    const { git } = world.hearth.services
    const repo = await make({ auto_init: true })
    const repository = await place(repo)
    const head = await git.history.lastCommit(repository, "main")
    const id = await git.objects.writeBlob(repository, "#!/bin/sh\n")
    const tree = await git.objects.writeTree(repository, [{ name: "run", mode: "100755", id }])
    const person = { name: "A", email: "a@example.com", when: 1_700_000_000, offset: 60 }
    const made = await git.objects.writeCommit(repository, { tree, parents: [], author: person, committer: person, message: "run\n" })
    await git.references.update(repository, [{ name: branchRef("tools"), to: made, from: null }])
    const files = [
      { operation: "update", path: "run", content: base64("#!/bin/sh\ntrue\n"), sha: id },
      { operation: "rename", path: "bin/run", from_path: "run" },
    ]
    expect((await ada.call("POST", `${repo}/contents`, { branch: "tools", files })).status).toBe(201)
    const listed = await ada.call("GET", `${repo}/git/trees/tools?recursive=true`)
    expect(listed.body.tree).toMatchObject([{ path: "bin" }, { path: "bin/run", mode: "100755", size: 15 }])
    expect(head).toBeDefined()
  })

  it("records author, date and message as requested", async () => {
    const repo = await make()
    const { commit } = await put(repo, "a.txt", "a\n", {
      author: { name: "Ann", email: "ann@example.org" },
      dates: { author: "2024-01-02T03:04:05+02:00", committer: "0001-01-01T00:00:00Z" },
      signoff: true,
    })
    expect(commit.author).toEqual({ name: "Ann", email: "ann@example.org", date: "2024-01-02T01:04:05Z" })
    expect(commit.committer).toMatchObject({ name: "Ann", email: "ann@example.org" })
    expect(commit.message).toBe("Add a.txt\n\nSigned-off-by: Ann <ann@example.org>")
    const stored = (await ada.call("GET", `${repo}/contents/a.txt`)).body
    expect(stored.last_author_date).toBe("2024-01-02T03:04:05+02:00")
    expect((await put(repo, "b.txt", "b\n", { message: "\n  Say it\r\n\r\nwell \n" })).commit.message).toBe("Say it\n\nwell\n")
    expect((await put(repo, "c.txt", "c\n", { message: " \n" })).commit.message).toBe("Add c.txt\n")
  })

  it("loses no file when many write to one branch at once", async () => {
    const repo = await make({ auto_init: true })
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => ada.call("POST", `${repo}/contents/f${index}.txt`, { content: base64(String(index)) })),
    )
    const there = (await ada.call("GET", `${repo}/contents`)).body.map(({ name }: { name: string }) => name)
    for (const [index, { status }] of answers.entries()) {
      expect([201, 409]).toContain(status)
      expect(there.includes(`f${index}.txt`)).toBe(status === 201)
    }
    const { stdout } = await run("git", ["--git-dir", (await place(repo)).directory, "rev-list", "--count", "main"])
    expect(Number(stdout)).toBe(there.length)
  })

  it("reports the last commit of each entry as git does, across merges", async () => {
    const { git } = world.hearth.services
    const repo = await make({ auto_init: true })
    const repository = await place(repo)
    let when = 1_700_000_000
    const commit = async (files: Readonly<Record<string, string>>, parents: readonly string[]) => {
      const entries = await Promise.all(
        Object.entries(files).map(async ([name, text]) => ({
          name,
          mode: "100644" as const,
          id: await git.objects.writeBlob(repository, text),
        })),
      )
      const inner = await git.objects.writeTree(repository, entries)
      const tree = await git.objects.writeTree(repository, [{ name: "d", mode: "40000", id: inner }])
      const person = { name: "A", email: "a@example.com", when: when++, offset: 0 }
      const ids = parents.map((parent) => parent as typeof inner)
      return git.objects.writeCommit(repository, { tree, parents: ids, author: person, committer: person, message: "x\n" })
    }
    const first = await commit({ a: "1", b: "1", c: "1" }, [])
    const left = await commit({ a: "2", b: "1", c: "1" }, [first])
    const right = await commit({ a: "1", b: "2", c: "1" }, [first])
    const merge = await commit({ a: "2", b: "2", c: "1" }, [left, right])
    let last = await commit({ a: "2", b: "2", c: "1", e: "9" }, [merge])
    // A longer history is searched by git.
    for (let number = 0; number < 70; number++) last = await commit({ a: "2", b: "2", c: "1", e: "9", f: String(number) }, [last])
    await git.references.update(repository, [{ name: branchRef("merged"), to: last, from: null }])
    const { body } = await ada.call("GET", `${repo}/contents/d?ref=merged`)
    for (const { path, last_commit_sha } of body) {
      const { stdout } = await run("git", ["--git-dir", repository.directory, "log", "-1", "--format=%H", "merged", "--", path])
      expect([path, last_commit_sha]).toEqual([path, stdout.trim()])
    }
    const head = await git.objects.readCommit(repository, merge)
    expect([...(await lastCommits(git, repository, head, ["d"], ["a", "c"], 1)).keys()]).toEqual([])
  })

  it("reads at branches, tags and abbreviated ids, and answers 304 for an unchanged file", async () => {
    const repo = await make()
    const { commit, content } = await put(repo, "a.txt", "one\n")
    await put(repo, "b.txt", "two\n", { new_branch: "with/slash" })
    expect((await ada.call("GET", `${repo}/contents/b.txt?ref=with/slash`)).status).toBe(200)
    expect((await ada.call("GET", `${repo}/git/trees/with/slash`)).body.total_count).toBe(2)
    const short = await ada.call("GET", `${repo}/contents/a.txt?ref=${commit.sha.slice(0, 8)}`)
    expect(short.body.html_url).toContain(`/src/commit/${commit.sha}/a.txt`)
    expect((await ada.call("GET", `${repo}/contents/a.txt?ref=${commit.sha.slice(0, 6)}`)).status).toBe(404)
    expect((await ada.call("GET", `${repo}/contents/b.txt?ref=refs/heads/with/slash`)).status).toBe(200)
    expect((await ada.call("GET", `${repo}/contents/b.txt?ref=HEAD`)).status).toBe(404)
    for (const ref of ["refs/heads/nowhere", "refs/heads/../main", "refs/hearth/x"])
      expect((await ada.call("GET", `${repo}/contents/a.txt?ref=${ref}`)).status, ref).toBe(404)
    expect((await ada.call("GET", `${repo}/git/trees/HEAD`)).body.sha).toBe(commit.sha)
    expect((await ada.call("GET", `${repo}/git/trees/refs/heads/main`)).body.sha).toBe(commit.sha)
    expect((await ada.call("GET", `${repo}/git/blobs/${commit.sha}`)).status).toBe(400)
    expect((await ada.call("GET", `${repo}/git/blobs/${content.sha}`)).body.content).toBe(base64("one\n"))
    const raw = await fetch(`${world.hearth.url}/api/v1${repo}/raw/a.txt`)
    const again = await fetch(`${world.hearth.url}/api/v1${repo}/raw/a.txt`, {
      headers: { "if-none-match": raw.headers.get("etag") ?? "" },
    })
    expect([raw.status, again.status, await raw.text(), await again.text()]).toEqual([200, 304, "one\n", ""])
    const head = await fetch(`${world.hearth.url}/api/v1${repo}/raw/a.txt`, { method: "HEAD" })
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "4"])
  })

  it("says in words that a file is missing, where the repository may be seen", async () => {
    const repo = await make()
    await put(repo, "dir/a.txt", "one\n")
    const fetched = async (path: string) => {
      const answer = await fetch(`${world.hearth.url}/api/v1${path}`)
      const text = await answer.text()
      return [answer.status, text === "" ? undefined : JSON.parse(text).message]
    }
    for (const door of ["raw", "media"]) {
      for (const path of ["nowhere.txt", "dir", "dir/a.txt/b", "dir/a.txt?ref=nowhere"])
        expect(await fetched(`${repo}/${door}/${path}`), `${door} ${path}`).toEqual([404, "not found"])
      expect(await fetched(`/repos/ada/nothing/${door}/a.txt`)).toEqual([404, undefined])
    }
    expect(await fetched(`${repo}/contents/nowhere.txt`)).toEqual([404, undefined])
  })

  it("returns several paths at once, even if one of them is invalid", async () => {
    const repo = await make()
    await put(repo, "dir/a.txt", "one\n")
    const files = ["dir/a.txt", ".git/config", "nowhere", "dir", "", "../a", "/dir/a.txt"]
    const { body } = await world.anonymous.call("POST", `${repo}/file-contents`, { files })
    expect(body.map((file: { path: string; type: string } | null) => file && [file.path, file.type])).toEqual([
      ["dir/a.txt", "file"],
      null,
      null,
      ["dir", "dir"],
      null,
      null,
      ["dir/a.txt", "file"],
    ])
  })

  it("returns the root with the requested details", async () => {
    const repo = await make()
    await put(repo, "a.txt", "one\n")
    for (const path of ["contents-ext", "contents-ext/"]) {
      const { status, body } = await ada.call("GET", `${repo}/${path}?includes=commit_message`)
      expect([status, Object.keys(body), body.dir_contents?.[0].last_commit_message]).toEqual([200, ["dir_contents"], "Add a.txt\n"])
    }
    expect((await ada.call("GET", `${repo}/contents-ext?includes=all`)).status).toBe(400)
    expect((await ada.call("GET", `${await make()}/contents-ext`)).status).toBe(404)
  })

  it("streams a large file whole", async () => {
    const repo = await make()
    const text = "0123456789abcdef".repeat(100_000)
    await put(repo, "large.txt", text)
    const raw = await fetch(`${world.hearth.url}/api/v1${repo}/raw/large.txt`)
    expect(raw.headers.get("content-type")).toBe("text/plain; charset=utf-8")
    expect((await raw.text()) === text).toBe(true)
    const head = await fetch(`${world.hearth.url}/api/v1${repo}/raw/large.txt`, { method: "HEAD" })
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(text.length)])
  })

  it("answers 405 with what is possible on a path with slashes", async () => {
    const repo = await make()
    const answer = await ada.call("PATCH", `${repo}/contents/a/b/c.txt`, {})
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, POST, PUT, DELETE"])
  })

  it("counts languages by the names of files", async () => {
    const repo = await make()
    expect((await ada.call("GET", `${repo}/languages`)).body).toEqual({})
    const files = ["a.go", "b.py", "README.md", "vendor/c.go", "x.min.js"].map((path) => ({
      operation: "create",
      path,
      content: base64("12345"),
    }))
    await ada.call("POST", `${repo}/contents`, { files })
    expect((await ada.call("GET", `${repo}/languages`)).body).toEqual({ Go: 5, Python: 5 })
  })
})
