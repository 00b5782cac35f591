import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, expect } from "vitest"
import { effortOf } from "../../../../tests/support/effort.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { client, ok } from "../../../git/testing.ts"
import { removeAdoptedJob } from "./adopt.ts"
import { findFolder, MOST_ENTRIES } from "./folders.ts"

withHearth("adoption", { people: ["ann", "ben"] }, ({ test, forge, call, status, ann, ben }) => {
  let work: string
  let root: string
  test.beforeAll(async () => {
    root = forge.hearth.services.config.repository.importDir
    work = await mkdtemp(join(tmpdir(), "hearth-adoption-"))
    await ok(work, "init", "-q", "-b", "trunk", "source")
    await writeFile(join(work, "source", "main.c"), "int main() { return 0; }\n")
    await ok(join(work, "source"), "add", ".")
    await ok(join(work, "source"), "commit", "-q", "-m", "Begin")
    await ok(join(work, "source"), "branch", "side/two")
    await ok(join(work, "source"), "tag", "light")
    await ok(join(work, "source"), "tag", "-a", "v1", "-m", "One")
    await mirror(join(work, "source"), join(work, "source.git"))
  })
  afterAll(() => rm(work, { recursive: true, force: true }))

  const pathOf = (place: string) => join(root, `${place}.git`)
  async function mirror(source: string, path: string): Promise<void> {
    await ok(work, "clone", "-q", "--mirror", source, path)
    await ok(path, "repack", "-adq")
  }
  /** Puts a bare repository into the import folder, and returns its path: a copy of the prepared one, or a mirror of another. */
  async function put(place: string, source?: string): Promise<string> {
    const path = pathOf(place)
    await mkdir(dirname(path), { recursive: true })
    if (source === undefined) await cp(join(work, "source.git"), path, { recursive: true })
    else await mirror(source, path)
    return path
  }
  const list = async (query = "") => {
    const { status: code, body, headers } = await call(forge.root, `GET /admin/unadopted${query}`)
    return [code, body, headers.get("x-total-count")]
  }
  const adopt = (place: string, caller = forge.root) => status(caller, `POST /admin/unadopted/${place}`)
  const drain = () => forge.hearth.services.jobs.drain()
  /** Every file below a folder with its content. */
  async function contentOf(path: string): Promise<Readonly<Record<string, string>>> {
    const files: Record<string, string> = {}
    for (const entry of await readdir(path, { withFileTypes: true, recursive: true }))
      if (entry.isFile()) {
        const file = join(entry.parentPath, entry.name)
        files[file] = createHash("sha256")
          .update(await readFile(file))
          .digest("hex")
      }
    return files
  }

  test("lists folders of accounts that no repository has, by globs and pages", async () => {
    expect(await list()).toEqual([200, [], "0"])
    for (const place of ["ann/tool", "ann/Tea-pot", "ben/tool", "nobody/tool", "ann/odd name", "ann/tool.wiki", "ann/.."])
      await mkdir(pathOf(place), { recursive: true })
    await mkdir(join(root, "ann", "plain"))
    await writeFile(join(root, "ann", "file.git"), "")
    await symlink(join(work, "source"), pathOf("ann/linked"))
    await mkdir(join(work, "elsewhere", "x.git"), { recursive: true })
    await forge.person("carl")
    await symlink(join(work, "elsewhere"), join(root, "carl"))
    expect(await call(ann, "POST /user/repos", { name: "TOOL" })).toMatchObject({ status: 201 })
    expect(await list()).toEqual([200, ["ann/Tea-pot", "ben/tool"], "2"])
    expect(await list("?limit=1&page=2")).toEqual([200, ["ben/tool"], "2"])
    expect(await list("?query=an")).toEqual([200, [], "0"])
    expect([await adopt("carl/x"), await adopt("ann/linked"), await adopt("ann/file")]).toEqual([404, 404, 404])
    expect(await status(forge.root, "DELETE /admin/unadopted/carl/x")).toBe(404)
    expect(existsSync(join(work, "elsewhere", "x.git"))).toBe(true)
    expect(await list("?query=An*")).toEqual([200, ["ann/Tea-pot"], "1"])
    expect(await list("?query=*/t%7Bool,ea*%7D")).toEqual([200, ["ann/Tea-pot", "ben/tool"], "2"])
    expect(await list("?pattern=ben/*")).toEqual([200, ["ben/tool"], "1"])
    for (const query of ["[", "ann/[", "a".repeat(2000)]) expect((await list(`?query=${encodeURIComponent(query)}`))[0]).toBe(422)
    expect([await status(ann, "GET /admin/unadopted"), await status(undefined, "GET /admin/unadopted")]).toEqual([403, 401])
    await rm(root, { recursive: true })
  })

  test("adopts branches, tags, languages, wiki and large files, and leaves nothing in the folder", async () => {
    const content = Buffer.from("large")
    const oid = createHash("sha256").update(content).digest("hex")
    const source = join(work, "with-lfs")
    await cp(join(work, "source"), source, { recursive: true })
    await writeFile(join(source, "big.bin"), `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`)
    await ok(source, "add", ".")
    await ok(source, "commit", "-q", "-m", "Add a large file")
    await ok(source, "notes", "add", "-m", "noted", "HEAD")
    const path = await put("ann/whole", source)
    await ok(path, "update-ref", "refs/pull/1/head", "HEAD")
    const lfs = join(path, "lfs", "objects", oid.slice(0, 2), oid.slice(2, 4))
    await mkdir(lfs, { recursive: true })
    await writeFile(join(lfs, oid), content)
    await writeFile(join(path, "hooks", "post-receive"), "#!/bin/sh\ntouch /tmp/never\n", { mode: 0o755 })
    await appendFile(join(path, "config"), "[core]\n\tfsmonitor = touch never\n\tworktree = /\n")
    const pages = join(work, "pages")
    await ok(work, "init", "-q", "-b", "pages", pages)
    await writeFile(join(pages, "Home.md"), "# Home\n")
    await ok(pages, "add", ".")
    await ok(pages, "commit", "-q", "-m", "Home")
    await put("ann/whole.wiki", pages)

    expect(await adopt("ann/whole")).toBe(204)
    expect(await list()).toEqual([200, [], "0"])
    await drain()
    expect(await readdir(join(root, "ann"))).toEqual([])
    expect((await readdir(root)).filter((name) => name.startsWith("."))).toEqual([])
    const { body } = await call(ann, "GET /repos/ann/whole")
    expect(body).toMatchObject({
      private: true,
      empty: false,
      default_branch: "trunk",
      branch_count: 2,
      owner: { login: "ann" },
      description: "",
    })
    const named = async (kind: string) =>
      (await call(ann, `GET /repos/ann/whole/${kind}`)).body.map(({ name }: { name: string }) => name).sort()
    expect(await named("branches")).toEqual(["side/two", "trunk"])
    expect(await named("tags")).toEqual(["light", "v1"])
    expect((await call(ann, "GET /repos/ann/whole/languages")).body).toEqual({ C: 25 })
    expect((await call(ann, "GET /repos/ann/whole/wiki/page/Home")).status).toBe(200)
    const media = await fetch(`${forge.hearth.url}/api/v1/repos/ann/whole/media/big.bin`, { headers: { authorization: ann ?? "" } })
    expect(await media.text()).toBe("large")
    const head = await ok(source, "rev-parse", "HEAD")
    expect((await call(ann, `GET /repos/ann/whole/git/notes/${head}`)).body.message).toBe("noted\n")
    const repository = await forge.hearth.services.database.read
      .selectFrom("repositories")
      .selectAll()
      .where("name", "=", "whole")
      .executeTakeFirstOrThrow()
    const made = forge.hearth.services.git.at(repository.storage, "sha1")
    expect((await readdir(made.directory)).sort()).not.toContain("hooks")
    expect(await readFile(join(made.directory, "config"), "utf8")).not.toContain("fsmonitor")
    expect((await forge.hearth.services.git.references.list(made)).map(({ name }) => name)).not.toContain("refs/pull/1/head")
    expect(await status(ben, "GET /repos/ann/whole")).toBe(404)
    expect(
      (await call(ann, "GET /users/ann/activities/feeds")).body.map(({ repo }: { repo: { name: string } }) => repo.name),
    ).not.toContain("whole")
    // Pushes and clones work as with any other.
    await ok(work, "clone", "-q", `${forge.hearth.url.replace("://", `://ann:pass-word-1@`)}/ann/whole.git`, "clone")
    await ok(join(work, "clone"), "commit", "-q", "--allow-empty", "-m", "More")
    await ok(join(work, "clone"), "push", "-q")
  })

  test("adopts an empty one, one in SHA-256, and one whose HEAD names nothing; a folder is found in another case", async () => {
    await ok(work, "init", "-q", "--bare", "-b", "gone", "empty")
    await put("ann/empty", join(work, "empty"))
    expect(await adopt("ann/empty")).toBe(204)
    expect((await call(ann, "GET /repos/ann/empty")).body).toMatchObject({ empty: true, default_branch: "main" })
    await ok(work, "init", "-q", "--object-format=sha256", "-b", "x", "wide")
    await ok(join(work, "wide"), "commit", "-q", "--allow-empty", "-m", "wide")
    const wide = await put("ann/wide", join(work, "wide"))
    await ok(wide, "symbolic-ref", "HEAD", "refs/heads/missing")
    await rename(wide, pathOf("ann/Wide"))
    expect(await adopt("Ann/wide")).toBe(204)
    expect((await call(ann, "GET /repos/ann/wide")).body).toMatchObject({ name: "wide", default_branch: "x", object_format_name: "sha256" })
    await drain()
    expect(existsSync(pathOf("ann/Wide"))).toBe(false)
  })

  test("refuses what isn't there, is known, or has an impossible name", async () => {
    await put("ben/there")
    expect(await adopt("nobody/there")).toBe(404)
    expect(await adopt("ben/missing")).toBe(404)
    expect(await adopt("ben/there.wiki")).toBe(404)
    expect(await adopt("ben/a%20b")).toBe(422)
    expect(await adopt("ben/..%2F..%2Fann")).toBe(422)
    expect(await adopt("..%2Fben/there")).toBe(404)
    expect(await status(forge.root, "DELETE /admin/unadopted/ben/a%20b")).toBe(422)
    expect([await adopt("ben/there", ben), await status(undefined, "POST /admin/unadopted/ben/there")]).toEqual([403, 401])
    expect(await status(ben, "DELETE /admin/unadopted/ben/there")).toBe(403)
    expect(await status(ben, "POST /user/repos", { name: "There" })).toBe(201)
    expect([await adopt("ben/there"), await status(forge.root, "DELETE /admin/unadopted/ben/there")]).toEqual([404, 404])
    expect(existsSync(pathOf("ben/there"))).toBe(true)
    // Creating and deleting a repository leaves a folder of its name alone.
    expect(await status(ben, "DELETE /repos/ben/There")).toBe(204)
    await drain()
    expect(await list("?query=ben")).toEqual([200, ["ben/there"], "1"])
    expect(await status(forge.root, "DELETE /admin/unadopted/ben/there")).toBe(204)
    expect(await status(forge.root, "DELETE /admin/unadopted/ben/there")).toBe(404)
    expect(await readdir(join(root, "ben"))).toEqual([])
  })

  const hash = (folder: string, type: string, content: string | Buffer) =>
    client(folder, ["hash-object", "-t", type, "--literally", "-w", "--stdin"], content).then(({ out }) => out.trim())

  test.each<[string, (path: string) => Promise<unknown>, RegExp]>([
    [
      "a pipe for HEAD",
      async (path) => {
        await rm(join(path, "HEAD"))
        execFileSync("mkfifo", [join(path, "HEAD")])
      },
      /no bare git repository/,
    ],
    [
      "a HEAD that is a link",
      async (path) => {
        await rm(join(path, "HEAD"))
        await symlink(join(work, "source", ".git", "HEAD"), join(path, "HEAD"))
      },
      /no bare git repository/,
    ],
    [
      "references that are a link",
      async (path) => {
        await rm(join(path, "refs"), { recursive: true })
        await symlink(join(work, "source", ".git", "refs"), join(path, "refs"))
      },
      /no bare git repository/,
    ],
    ["a reference that can't be read", (path) => writeFile(join(path, "refs", "heads", "torn"), ""), /refs\/heads\/torn can't be read/],
    ["objects without references", (path) => rm(join(path, "packed-refs")), /no branch or tag/],
    ["no repository", (path) => rm(join(path, "HEAD")), /no bare git repository/],
    [
      "objects that are a link",
      async (path) => {
        await rename(join(path, "objects"), join(work, `moved-${Math.random()}`))
        await symlink(join(work, "source", ".git", "objects"), join(path, "objects"))
      },
      /no bare git repository/,
    ],
    [
      "packs that are links",
      async (path) => {
        const packs = join(path, "objects", "pack")
        for (const name of await readdir(packs)) {
          const away = join(work, `${Math.random()}${name}`)
          await rename(join(packs, name), away)
          await symlink(away, join(packs, name))
        }
      },
      /missing or damaged/,
    ],
    [
      "objects of another folder",
      async (path) => {
        await rm(join(path, "objects", "pack"), { recursive: true })
        await writeFile(join(path, "objects", "info", "alternates"), `${join(work, "source", ".git", "objects")}\n`)
      },
      /missing or damaged/,
    ],
    [
      "a damaged pack",
      async (path) => {
        const packs = join(path, "objects", "pack")
        const pack = (await readdir(packs)).find((name) => name.endsWith(".pack")) ?? ""
        const bytes = await readFile(join(packs, pack))
        bytes.fill(0, 20, 60)
        await rm(join(packs, pack))
        await writeFile(join(packs, pack), bytes)
      },
      /it can't be adopted/,
    ],
    ["a reftable", (path) => mkdir(join(path, "reftable")), /reftable/],
    [
      "a branch called HEAD",
      async (path) => writeFile(join(path, "refs", "heads", "HEAD"), `${await ok(path, "rev-parse", "trunk")}\n`),
      /refs\/heads\/HEAD/,
    ],
    [
      "a branch that names a file",
      async (path) => writeFile(join(path, "refs", "heads", "blob"), `${await hash(path, "blob", "x")}\n`),
      /only a commit/,
    ],
    [
      "a tree with .git in it",
      async (path) => {
        const blob = await hash(path, "blob", "x")
        const tree = await hash(path, "tree", Buffer.concat([Buffer.from("100644 .git\0"), Buffer.from(blob, "hex")]))
        await ok(path, "update-ref", "refs/heads/bad", await ok(path, "commit-tree", "-m", "bad", tree))
      },
      /hasDotgit/,
    ],
    [
      "a dangerous .gitmodules",
      async (path) => {
        const blob = await hash(path, "blob", '[submodule "x"]\n\tpath = x\n\turl = -u./payload\n')
        const tree = await hash(path, "tree", Buffer.concat([Buffer.from("100644 .gitmodules\0"), Buffer.from(blob, "hex")]))
        await ok(path, "update-ref", "refs/heads/bad", await ok(path, "commit-tree", "-m", "bad", tree))
      },
      /gitmodulesUrl/,
    ],
    ["a wiki that is none", (path) => mkdir(path.replace(/\.git$/, ".wiki.git")), /its wiki/],
    [
      "a large file with another content",
      async (path) => {
        const oid = "0".repeat(64)
        const folder = join(path, "lfs", "objects", "00", "00")
        await mkdir(folder, { recursive: true })
        await writeFile(join(folder, oid), "other")
        const blob = await hash(path, "blob", `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 5\n`)
        const tree = await hash(path, "tree", Buffer.concat([Buffer.from("100644 big\0"), Buffer.from(blob, "hex")]))
        await ok(path, "update-ref", "refs/heads/large", await ok(path, "commit-tree", "-m", "large", tree))
      },
      /SHA-256/,
    ],
  ])("refuses %s, and leaves the folder as it was and nothing here", async (_name, spoil, reason) => {
    const path = await put("ann/spoilt")
    await spoil(path)
    const { git, config } = forge.hearth.services
    const stored = async () =>
      (await readdir(join(config.dataDir, "repositories"), { recursive: true })).filter((name) => name.endsWith(".git")).length
    const [before, kept] = [await contentOf(dirname(path)), await stored()]
    const { status: code, body } = await call(forge.root, "POST /admin/unadopted/ann/spoilt")
    expect([code, body.message]).toEqual([422, expect.stringMatching(reason)])
    expect(await contentOf(dirname(path))).toEqual(before)
    expect([await status(forge.root, "GET /repos/ann/spoilt"), await stored()]).toEqual([404, kept])
    expect((await readdir(join(config.dataDir, "repositories"))).filter((name) => name.startsWith("."))).toEqual([])
    expect(git.running()).toBeLessThan(10)
    expect(await status(forge.root, "DELETE /admin/unadopted/ann/spoilt")).toBe(204)
  })

  test("gives one of two at once 204 and the other 404", async () => {
    for (let round = 0; round < 5; round++) {
      await put(`ben/race${round}`)
      const answers = await Promise.all([adopt(`ben/race${round}`), adopt(`ben/race${round}`)])
      expect(answers.sort()).toEqual([204, 404])
    }
    await drain()
    expect(await readdir(join(root, "ben"))).toEqual([])
  })

  test("removes only the folder that was adopted, and once", async () => {
    const { services } = forge.hearth
    await put("ann/later")
    const folder = await findFolder(services, "ann", "later")
    if (!folder) throw new Error("it was just put there")
    const run = (identity: string) =>
      removeAdoptedJob.run(JSON.stringify({ ...folder, owner: "ann", name: "later", identity }), {
        context: services,
        signal: new AbortController().signal,
        isLast: false,
        id: 1,
        attempt: 1,
      })
    await run("0 0 0")
    expect(existsSync(folder.path)).toBe(true)
    await run(folder.identity)
    await run(folder.identity)
    expect(existsSync(folder.path)).toBe(false)
  })
})

withHearth("a large import folder", { people: ["ann"] }, ({ test, forge, call }) => {
  test("is listed without keeping other requests waiting", async () => {
    const root = join(forge.hearth.services.config.repository.importDir, "ann")
    await mkdir(root, { recursive: true })
    const many = 10_000
    expect(many).toBeLessThan(MOST_ENTRIES)
    for (let at = 0; at < many; at += 500)
      await Promise.all(Array.from({ length: 500 }, (_, index) => mkdir(join(root, `r${at + index}.git`))))
    let turns = 0
    const ticking = setInterval(() => turns++, 1)
    const effort = await effortOf(async () => {
      const { body, headers } = await call(forge.root, "GET /admin/unadopted?limit=2&query=*/r*9*")
      expect([body.length, Number(headers.get("x-total-count")) > 1000]).toEqual([2, true])
    })
    clearInterval(ticking)
    expect(turns).toBeGreaterThan(10)
    expect(effort).toBeLessThan(5)
  })
})
