import { execFile } from "node:child_process"
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { writeKnot } from "../../../git/testing.ts"
import { createToken } from "../../people/sign-in/credentials/tokens.ts"
import { openStage, type Stage } from "../releases/testing.ts"
import { findCached, openCached } from "./cache.ts"
import { sweepArchives, trim } from "./sweep.ts"

const run = promisify(execFile)
const MAX_BYTES = 200_000
const CACHE_BYTES = 50_000

describe("archives", () => {
  let stage: Stage
  let folder: string
  beforeAll(async () => {
    stage = await openStage("memory", {
      archives: { maxBytes: MAX_BYTES, maxFiles: 50, cacheBytes: CACHE_BYTES },
      undo: { keepSeconds: 0 },
    })
    folder = await mkdtemp(join(tmpdir(), "hearth-archives-"))
  })
  afterAll(async () => {
    await stage.close()
    await rm(folder, { recursive: true, force: true })
  })

  const API = "/api/v1/repos/ann/open/archive"
  const spawned = () => stage.hearth.services.git.spawned()
  const kept = async (): Promise<readonly string[]> => {
    const all = await readdir(join(stage.hearth.services.config.dataDir, "archives"), { recursive: true, withFileTypes: true }).catch(
      () => [],
    )
    return all.filter((entry) => entry.isFile()).map(({ name }) => name)
  }
  let count = 0
  /** Writes the response body to a file and returns its path. */
  const save = async (answer: Response): Promise<string> => {
    expect(answer.status).toBe(200)
    const path = join(folder, `saved${++count}`)
    await writeFile(path, Buffer.from(await answer.arrayBuffer()))
    return path
  }
  const inTar = async (answer: Response): Promise<readonly string[]> =>
    (await run("tar", ["tzf", await save(answer)])).stdout.trim().split("\n").toSorted()
  /** A repository of ann's, pushed from a folder that `fill` populates. */
  const pushed = async (name: string, fill: (at: string) => Promise<void>): Promise<void> => {
    await stage.must(stage.ann, "POST /user/repos", { name })
    const clone = await stage.clone(`ann/${name}`)
    await fill(clone.folder)
    await clone.git("add", "-A")
    await clone.git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-q", "-m", "All")
    expect(await clone.push("HEAD:main")).toMatchObject({ code: 0 })
  }

  test("hold the files of a branch, tag or commit, at the API and where tags say", async () => {
    const tag = await stage.must(stage.ann, "POST /repos/ann/open/tags", { tag_name: "of/a/kind" })
    const commit = tag.commit.sha
    for (const name of ["main", "of/a/kind", commit, commit.slice(0, 10)]) {
      expect(await inTar(await stage.get(`${API}/${name}.tar.gz`))).toEqual(["open/", "open/a.txt"])
    }
    const answer = await stage.get(tag.tarball_url)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/gzip",
      "content-disposition": 'attachment; filename="open-of-a-kind.tar.gz"',
      "cache-control": "private, no-cache",
      "x-content-type-options": "nosniff",
    })
    expect(await inTar(answer)).toEqual(["open/", "open/a.txt"])
    const zip = await save(await stage.get(tag.zipball_url))
    expect((await readFile(zip)).subarray(0, 4).toString("latin1")).toBe("PK\u0003\u0004")
    expect((await readFile(zip)).includes("open/a.txt")).toBe(true)
  })

  test("are also whole histories, to be cloned from", async () => {
    await stage.must(stage.ann, "POST /repos/ann/open/tags", { tag_name: "heavy", message: "Heavy" })
    for (const name of ["main", "heavy"]) {
      const bundle = await save(await stage.get(`${API}/${name}.bundle`))
      const target = join(folder, `cloned${++count}`)
      await run("git", ["clone", "-q", bundle, target])
      expect(await readFile(join(target, "a.txt"), "utf8")).toBe("a\n")
      const references = (await run("git", ["bundle", "list-heads", bundle])).stdout
      expect(references).toContain(name === "main" ? "refs/heads/main" : "refs/tags/heavy")
    }
    await stage.must(stage.ann, "POST /user/repos", { name: "long", object_format_name: "sha256", auto_init: true })
    const bundle = await save(await stage.get("/ann/long/archive/main.bundle"))
    await run("git", ["clone", "-q", bundle, join(folder, "sha256")])
  })

  test("can be cut to some paths, which are no patterns", async () => {
    await pushed("parts", async (at) => {
      await mkdir(join(at, "docs/deep"), { recursive: true })
      for (const path of ["a.txt", "b.txt", "docs/c.md", "docs/deep/d.md", "*.txt", ":(top)e"]) await writeFile(join(at, path), path)
    })
    const names = async (...paths: readonly string[]) =>
      (
        await inTar(
          await stage.get(
            `/api/v1/repos/ann/parts/archive/main.tar.gz?${new URLSearchParams(paths.map((path): [string, string] => ["path", path]))}`,
          ),
        )
      )
        .filter((name) => !name.endsWith("/"))
        .map((name) => name.slice("parts/".length))
    expect(await names("docs")).toEqual(["docs/c.md", "docs/deep/d.md"])
    expect(await names("a.txt", "docs/deep/")).toEqual(["a.txt", "docs/deep/d.md"])
    expect(await names("*.txt")).toEqual(["*.txt"])
    expect(await names(":(top)e")).toEqual([":(top)e"])
    for (const path of ["none", "docs/none", "*.md", "../open", ":!a.txt", "--help", "-x"])
      expect(await stage.status(undefined, `GET /repos/ann/parts/archive/main.tar.gz?path=${encodeURIComponent(path)}`), path).toBe(404)
    expect(await stage.status(undefined, "GET /repos/ann/parts/archive/main.zip?path=.git/config")).toBe(400)
  })

  test("are missing or refused where there is nothing to make them of", async () => {
    for (const name of ["nowhere.zip", ".zip", "main", "main.rar", "main.tar", "0000000.zip", "..zip", "a%00b.zip", "--output=x.zip"]) {
      const { status } = await stage.get(`${API}/${name}`)
      expect([400, 404], name).toContain(status)
    }
    await stage.must(stage.ann, "POST /user/repos", { name: "nothing" })
    expect((await stage.get("/api/v1/repos/ann/nothing/archive/main.zip")).status).toBe(404)
    expect((await stage.get("/ann/none/archive/main.zip")).status).toBe(404)
  })

  test("are for those who may read the code, with what they hold", async () => {
    const token = await stage.hearth.services.database.write(async (tx) => {
      const { id } = await tx.selectFrom("users").select("id").where("lower_name", "=", "ann").executeTakeFirstOrThrow()
      return `token ${(await createToken(tx, { userId: id, name: "narrow", scopes: ["read:issue"], now: 0 })).token}`
    })
    for (const [path, narrow] of [
      ["/ann/hush/archive/main.zip", 404],
      ["/api/v1/repos/ann/hush/archive/main.zip", 403],
    ] as const) {
      expect((await stage.get(path)).status).toBe(404)
      expect((await stage.get(path, stage.cal)).status).toBe(404)
      expect((await stage.get(path, token)).status).toBe(narrow)
      const answer = await stage.get(path, stage.ben)
      expect(answer.status).toBe(200)
      await answer.arrayBuffer()
    }
    // A cached archive is hidden just the same.
    expect((await stage.get("/ann/hush/archive/main.zip")).status).toBe(404)
  })

  test("are built once, and identified by an ETag", async () => {
    const first = await stage.get(`${API}/main.zip`)
    const bytes = Buffer.from(await first.arrayBuffer())
    const before = spawned()
    const again = await stage.get(`${API}/main.zip`)
    expect(again.headers.get("content-length")).toBe(String(bytes.length))
    expect(Buffer.from(await again.arrayBuffer()).equals(bytes)).toBe(true)
    const etag = first.headers.get("etag") ?? ""
    expect([again.headers.get("etag"), etag]).toEqual([etag, expect.stringMatching(/^"[0-9a-f]{64}"$/)])
    expect((await stage.get(`${API}/main.zip`, undefined, { "if-none-match": etag })).status).toBe(304)
    const head = await stage.get(`${API}/main.zip`, undefined, {}, "HEAD")
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(bytes.length)])
    expect(spawned()).toBe(before)
    expect((await stage.get(`${API}/main.tar.gz`, undefined, { "if-none-match": etag })).status).toBe(200)
  })

  test("that many ask for at once are made by one process", async () => {
    await pushed("crowd", (at) => writeFile(join(at, "a"), "x".repeat(100_000)))
    const before = spawned()
    const answers = await Promise.all(Array.from({ length: 20 }, () => stage.get("/ann/crowd/archive/main.tar.gz")))
    const bodies = await Promise.all(answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())))
    expect(new Set(bodies.map((body) => body.toString("hex"))).size).toBe(1)
    // One process measures the sizes, one builds the archive, and processes that read the commit may have been started too.
    expect(spawned() - before).toBeLessThanOrEqual(4)
  })

  test("go with their repository", async () => {
    await stage.must(stage.ann, "POST /user/repos", { name: "brief", auto_init: true })
    const { storage } = await stage.hearth.services.database.read
      .selectFrom("repositories")
      .select("storage")
      .where("lower_name", "=", "brief")
      .executeTakeFirstOrThrow()
    await (await stage.get("/ann/brief/archive/main.zip")).arrayBuffer()
    const place = join(stage.hearth.services.config.dataDir, "archives", storage)
    expect((await stat(place)).isDirectory()).toBe(true)
    await stage.must(stage.ann, "DELETE /repos/ann/brief")
    await stage.settle()
    await expect(stat(place)).rejects.toThrow("ENOENT")
  })

  // --- attacks --------------------------------------------------------------------------------------------------------------------

  test("lead nowhere outside: links stay links, names stay names", async () => {
    await pushed("links", async (at) => {
      await symlink("/etc/passwd", join(at, "passwd"))
      await symlink("../../..", join(at, "up"))
    })
    const path = await save(await stage.get("/ann/links/archive/main.tar.gz"))
    const listed = (await run("tar", ["tvzf", path])).stdout
    expect(listed).toContain("links/passwd -> /etc/passwd")
    expect(listed).not.toContain("root:")
    expect(await stage.status(undefined, "GET /repos/ann/links/archive/main.zip?path=up/etc")).toBe(404)
  })

  test("leave out what the files say, and fill in nothing", async () => {
    await pushed("attributes", async (at) => {
      await writeFile(join(at, ".gitattributes"), "secret export-ignore\nversion export-subst\nid ident\nrun filter=evil\n")
      await writeFile(join(at, "secret"), "s")
      await writeFile(join(at, "version"), "$Format:%B%H%d$")
      await writeFile(join(at, "id"), "$Id$")
      await writeFile(join(at, "run"), "x")
    })
    const path = await save(await stage.get("/ann/attributes/archive/main.tar.gz"))
    const names = (await run("tar", ["tzf", path])).stdout.trim().split("\n")
    expect(names).not.toContain("attributes/secret")
    const content = async (name: string) => (await run("tar", ["xzOf", path, `attributes/${name}`])).stdout
    expect([await content("version"), await content("id"), await content("run")]).toEqual(["$Format:%B%H%d$", "$Id$", "x"])
  })

  test("are refused when they would be too large, and nothing is left of them", async () => {
    await pushed("large", (at) => writeFile(join(at, "zeros"), Buffer.alloc(MAX_BYTES + 1)))
    const before = await kept()
    for (const format of ["zip", "tar.gz"]) {
      const refused = await stage.call(undefined, `GET /repos/ann/large/archive/main.${format}`)
      expect([refused.status, refused.body.message]).toEqual([413, expect.stringContaining(String(MAX_BYTES))])
    }
    await pushed("crowded", async (at) => {
      for (let index = 0; index < 51; index++) await writeFile(join(at, `f${index}`), "")
    })
    expect(await stage.status(undefined, "GET /repos/ann/crowded/archive/main.zip")).toBe(413)
    await save(await stage.get("/api/v1/repos/ann/crowded/archive/main.zip?path=f1"))
    const { database } = stage.hearth.services
    await database.write((tx) =>
      tx
        .updateTable("repositories")
        .set({ git_size: MAX_BYTES + 1 })
        .where("lower_name", "=", "crowded")
        .execute(),
    )
    expect(await stage.status(undefined, "GET /repos/ann/crowded/archive/main.bundle")).toBe(413)
    expect((await kept()).filter((name) => !before.includes(name))).toHaveLength(1)
  })

  test("of a tree that holds itself many times over are refused as well", async () => {
    await stage.must(stage.ann, "POST /user/repos", { name: "bomb" })
    const clone = await stage.clone("ann/bomb")
    const commit = await writeKnot(clone.folder, { levels: 12, width: 10, file: "f" })
    expect(await clone.push(`${commit}:refs/heads/main`)).toMatchObject({ code: 0 })
    expect(await stage.status(undefined, "GET /repos/ann/bomb/archive/main.zip")).toBe(413)
  })

  // --- what is kept ---------------------------------------------------------------------------------------------------------------

  test("are removed when there are too many, or when they are unused", async () => {
    const { services } = stage.hearth
    const root = join(services.config.dataDir, "archives", "zz")
    await mkdir(root, { recursive: true })
    const put = async (name: string, size: number, age: number) => {
      const at = Math.floor(Date.now() / 1000) - age
      await writeFile(join(root, name), Buffer.alloc(size))
      await utimes(join(root, name), at, at)
    }
    await put("fresh.zip", CACHE_BYTES, -10)
    await put("older.zip", 10, 100)
    await put("abandoned.zip.1.part", 10, 2 * 86_400)
    await put("growing.zip.2.part", 10, 100)
    await trim(services)
    expect((await readdir(root)).toSorted()).toEqual(["fresh.zip", "growing.zip.2.part"])
    await put("fresh.zip", 10, 2 * 86_400)
    expect(await sweepArchives.run(services, new AbortController().signal)).toBe("removed 1 files")
    await rm(root, { recursive: true })
    expect(await sweepArchives.run(services, new AbortController().signal)).toBeUndefined()
  })

  test("are nowhere where the site switches them off", async () => {
    const off = await openStage("memory", { archives: { enabled: false } })
    try {
      expect((await off.get("/ann/open/archive/main.zip")).status).toBe(404)
      expect(await off.status(undefined, "GET /repos/ann/open/archive/main.zip")).toBe(404)
      const tag = await off.must(off.ann, "POST /repos/ann/open/tags", { tag_name: "v1" })
      expect(Object.keys(tag)).not.toContain("zipball_url")
      expect(Object.keys(await off.must(off.ann, "POST /repos/ann/open/releases", { tag_name: "v1" }))).not.toContain("tarball_url")
    } finally {
      await off.close()
    }
  })

  describe("that are being made", () => {
    /** As much as readers wait for. */
    const enough = "1".repeat(2 ** 20)
    /** A stream that emits each chunk as it is pushed. */
    const slow = () => {
      const stream = new Readable({ read() {} })
      return { stream, put: (text: string | null) => stream.push(text), fail: (error: Error) => stream.destroy(error) }
    }

    test("are streamed to all readers as they grow, also when one disconnects", async () => {
      const { services } = stage.hearth
      const path = join(folder, "growing")
      const { stream, put } = slow()
      let made = 0
      const make = async () => {
        made++
        return stream
      }
      const first = openCached(services, path, make)
      put(enough)
      const one = await first
      const two = await openCached(services, path, make)
      const leaver = await openCached(services, path, make)
      const begun = await new Promise((resolve) => leaver.once("data", resolve))
      expect(String(begun)).toMatch(/^1+$/)
      leaver.destroy()
      const texts = Promise.all([text(one), text(two)])
      put("two")
      put(null)
      expect(await texts).toEqual([`${enough}two`, `${enough}two`])
      expect([made, await findCached(services, path)]).toEqual([1, enough.length + 3])
      expect(await text(await openCached(services, path, make))).toBe(`${enough}two`)
    })

    test("fail for all readers, and leave nothing behind", async () => {
      const { services } = stage.hearth
      const path = join(folder, "failing")
      const { stream, put, fail } = slow()
      const opening = openCached(services, path, async () => stream)
      put(enough)
      const half = await opening
      const reading = text(half)
      const refusal = expect(reading).rejects.toThrow("broken")
      fail(new Error("broken"))
      await refusal
      expect(await findCached(services, path)).toBeUndefined()
      expect((await readdir(folder)).filter((name) => name.startsWith("failing"))).toEqual([])
      const early = slow()
      const refused = openCached(services, path, async () => early.stream)
      const none = expect(refused).rejects.toThrow("early")
      early.put("too little to begin with")
      await expect.poll(() => early.stream.readableLength).toBe(0)
      early.fail(new Error("early"))
      await none
      await expect(openCached(services, path, () => Promise.reject(new Error("at once")))).rejects.toThrow("at once")
      expect(await text(await openCached(services, path, async () => Readable.from(["whole"])))).toBe("whole")
      expect(await text(await openCached(services, join(folder, "void"), async () => Readable.from([])))).toBe("")
    })
  })
})
