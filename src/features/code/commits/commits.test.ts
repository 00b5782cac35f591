import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { describe, expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import type { ObjectId } from "../../../git/index.ts"
import { type Caller, openWorld } from "../repositories/testing.ts"

const run = promisify(execFile)
const base64 = (text: string): string => Buffer.from(text).toString("base64")

withWorld("commits", { open: openWorld }, ({ test: it, world }) => {
  let ada: Caller
  let ben: Caller
  const repo = "/repos/ada/walls"
  /** Four commits on main, oldest first, and one on side. */
  const ids: string[] = []
  let side = ""
  it.beforeAll(async () => {
    ada = await world.person("ada")
    ben = await world.person("ben")
    await ada.call("POST", "/user/repos", { name: "walls" })
    for (const [path, author] of [
      ["a.txt", { name: "Ada", email: "ADA@example.com" }],
      ["docs/b.txt", { name: "Ben", email: `${ben.id}+ben@noreply.localhost` }],
      ["docs/c.txt", { name: "Nobody", email: "nobody@example.org" }],
      ["d.txt", { name: "Ada", email: "ada@example.com" }],
    ] as const)
      ids.push(await put(path, { author }))
    side = await put("side.txt", { new_branch: "feature/side.diff" })
  })

  let clock = 1_700_000_000
  async function put(path: string, body: object, by: Caller = ada, at = repo): Promise<string> {
    clock += 60
    const when = new Date(clock * 1000).toISOString()
    const answer = await by.call("POST", `${at}/contents/${path}`, {
      content: base64(`${path}\n`),
      dates: { author: when, committer: when },
      ...body,
    })
    expect(answer.status).toBe(201)
    return answer.body.commit.sha
  }
  const get = (path: string, by: Caller = world.anonymous) => by.call("GET", `${repo}${path}`)
  const shas = async (path: string) => (await get(path)).body.map(({ sha }: { sha: string }) => sha)
  const textOf = async (path: string) => {
    const answer = await fetch(`${world.hearth.url}/api/v1${repo}${path}`)
    return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() }
  }
  const place = async () => {
    const { database, git } = world.hearth.services
    const row = await database.read
      .selectFrom("repositories")
      .selectAll()
      .where("lower_name", "=", "walls")
      .where("fork_of_id", "is", null)
      .executeTakeFirstOrThrow()
    return git.at(row.storage, row.object_format)
  }

  it("are listed newest first, with pages told in every header", async () => {
    const { headers, body } = await get("/commits?limit=3")
    expect(body.map(({ sha }: { sha: string }) => sha)).toEqual(ids.toReversed().slice(0, 3))
    const told = ["x-total-count", "x-total", "x-page", "x-perpage", "x-pagecount", "x-hasmore"].map((name) => headers.get(name))
    expect(told).toEqual(["4", "4", "1", "3", "2", "true"])
    expect(headers.get("access-control-expose-headers")).toContain("X-HasMore")
    expect((await get("/commits?limit=3&page=2")).headers.get("x-hasmore")).toBe("false")
    expect(await shas("/commits?limit=3&page=3")).toEqual([])
  })

  it("are chosen by path, time and branch", async () => {
    const time = (index: number) => new Date((1_700_000_000 + 60 * (index + 1)) * 1000).toISOString()
    expect(await shas("/commits?path=docs")).toEqual([ids[2], ids[1]])
    expect(await shas("/commits?path=/docs//b.txt/")).toEqual([ids[1]])
    expect(await shas("/commits?path=docs&limit=1&page=2")).toEqual([ids[1]])
    expect(await shas(`/commits?since=${time(1)}&until=${time(2)}`)).toEqual([ids[2], ids[1]])
    expect(await shas(`/commits?path=docs&since=${time(3)}`)).toEqual([])
    expect(await shas("/commits?sha=feature/side.diff&not=main")).toEqual([side])
    expect(await shas(`/commits?sha=${ids[1]?.slice(0, 8)}`)).toEqual([ids[1], ids[0]])
  })

  it("name the users who own the addresses", async () => {
    const people = (await get("/commits")).body.map(({ author }: { author: { login: string } | null }) => author?.login ?? null)
    expect(people).toEqual(["ada", null, "ben", "ada"])
    const { body } = await get(`/git/commits/${ids[0]}`)
    // An unrelated user sees the account, not its address.
    expect(body.author.email).toBe(`${ada.id}+ada@noreply.localhost`)
    expect(body.commit.author).toEqual({ name: "Ada", email: "ADA@example.com", date: "2023-11-14T22:14:20Z" })
  })

  it("list their changes, without what is switched off", async () => {
    const { body } = await get(`/git/commits/${ids[1]}`)
    expect(body).toMatchObject({ files: [{ filename: "docs/b.txt", status: "added" }], stats: { total: 1, additions: 1, deletions: 0 } })
    const bare = (await get(`/git/commits/${ids[1]}?stat=false&files=false&verification=false`)).body
    expect([bare.files, bare.stats, bare.commit.verification]).toEqual([null, null, null])
  })

  it("show a rename as one removed and one added file", async () => {
    const old = (await get("/contents/a.txt")).body.sha
    const moved = await ada.call("PUT", `${repo}/contents/z.txt`, {
      content: base64("a.txt\n"),
      sha: old,
      from_path: "a.txt",
      new_branch: "moved",
    })
    const { files, stats } = (await get(`/git/commits/${moved.body.commit.sha}`)).body
    expect(files).toEqual([
      { filename: "z.txt", status: "added" },
      { filename: "a.txt", status: "removed" },
    ])
    expect(stats.total).toBe(0)
  })

  it("show signatures without believing them", async () => {
    const { git } = world.hearth.services
    const repository = await place()
    const { tree } = await git.objects.readCommit(repository, ids[0] as ObjectId)
    const person = { name: "Ada", email: "ada@example.com", when: 1, offset: 120 }
    const signature = "-----BEGIN PGP SIGNATURE-----\n\nwsBc\n-----END PGP SIGNATURE-----"
    const id = await git.objects.writeCommit(repository, {
      tree,
      parents: [],
      author: person,
      committer: person,
      message: "Signed\n",
      signature,
    })
    const { commit } = (await get(`/git/commits/${id}`)).body
    expect(commit.verification).toMatchObject({
      verified: false,
      reason: expect.stringMatching(/^gpg\.error\./),
      signature: `${signature}\n`,
      signer: null,
    })
    expect(commit.verification.payload).toContain("Signed")
    expect(commit.author.date).toBe("1970-01-01T02:00:01+02:00")
  })

  it("are found by HEAD and by whole references", async () => {
    for (const name of ["HEAD", "refs/heads/main"]) {
      expect(await shas(`/commits?sha=${name}&limit=1`)).toEqual([ids.at(-1)])
      expect((await get(`/git/commits/${name}`)).body.sha).toBe(ids.at(-1))
    }
    expect((await get("/git/commits/refs/heads/nowhere")).status).toBe(404)
  })

  it("are refused where there are none", async () => {
    expect((await get("/commits?sha=nowhere")).status).toBe(404)
    expect((await get("/commits?not=nowhere")).status).toBe(404)
    expect((await get("/commits?path=nowhere")).status).toBe(404)
    expect((await get("/commits?path=../x")).status).toBe(404)
    expect((await get("/commits?since=yesterday")).status).toBe(422)
    expect((await get(`/git/commits/${"0".repeat(39)}1`)).status).toBe(404)
    expect((await get("/git/commits/a..b")).status).toBe(422)
    await ada.call("POST", "/user/repos", { name: "empty" })
    expect(await world.anonymous.call("GET", "/repos/ada/empty/commits")).toMatchObject({
      status: 409,
      body: { message: "Git Repository is empty." },
    })
    await ada.call("POST", "/user/repos", { name: "secret", private: true, auto_init: true })
    for (const path of ["/commits", "/git/commits/main", "/git/commits/main.diff", "/compare/main...main", "/git/notes/main"])
      expect((await ben.call("GET", `/repos/ada/secret${path}`)).status).toBe(404)
  })

  it("are given as diffs and mails, by names that hold slashes and dots", async () => {
    const diff = await textOf(`/git/commits/${ids[1]}.diff`)
    expect(diff).toMatchObject({ status: 200, type: "text/plain; charset=utf-8" })
    expect(diff.text).toMatch(/^diff --git a\/docs\/b.txt b\/docs\/b.txt\nnew file mode 100644\n/)
    expect((await textOf(`/git/commits/${ids[0]}.diff`)).text).toContain("+a.txt")
    expect((await textOf("/git/commits/feature/side.diff.patch")).text).toMatch(new RegExp(`^From ${side} `))
    expect((await textOf("/git/commits/feature/side.diff.diff?x=.patch")).text).toContain("+side.txt")
    expect((await textOf("/git/commits/nowhere.diff")).status).toBe(404)
    expect((await get(`/git/commits/${ids[1]}.html`)).status).toBe(404)
    expect((await fetch(`${world.hearth.url}/api/v1${repo}/git/commits/main.diff`, { method: "POST" })).status).toBe(405)
  })

  it("have notes, however git has divided them", async () => {
    const { directory } = await place()
    const git = (...args: readonly string[]) =>
      run("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], { cwd: directory })
    expect((await get(`/git/notes/${ids[0]}`)).status).toBe(404)
    await git("notes", "add", "-m", "Well done", ids[0] ?? "")
    expect((await get(`/git/notes/${ids[0]}`)).body).toMatchObject({ message: "Well done\n", commit: { author: { login: "ada" } } })
    expect((await get(`/git/notes/${ids[1]}`)).status).toBe(404)
    // The layout that git uses once there are many notes.
    const { stdout } = await git("rev-parse", "refs/notes/commits^{tree}")
    const [id = ""] = ids
    const { git: door } = world.hearth.services
    const repository = await place()
    const note = (await door.objects.readTree(repository, stdout.trim() as ObjectId))[0]
    const inner = await door.objects.writeTree(repository, [{ mode: "100644", name: id.slice(2), id: note?.id as ObjectId }])
    const outer = await door.objects.writeTree(repository, [{ mode: "40000", name: id.slice(0, 2), id: inner }])
    const divided = await git("commit-tree", "-m", "Divide", outer)
    await git("update-ref", "refs/notes/commits", divided.stdout.trim())
    expect((await get(`/git/notes/${ids[0]}?files=false`)).body).toMatchObject({ message: "Well done\n", commit: { files: null } })
  })

  describe("compared", () => {
    it("are those that the head has and the base has not", async () => {
      expect((await get("/compare/main...feature/side.diff")).body).toMatchObject({ total_commits: 1, commits: [{ sha: side }] })
      expect((await get("/compare/feature/side.diff...main")).body).toEqual({ total_commits: 0, commits: [] })
      expect((await get(`/compare/${ids[0]}..${ids[2]}`)).body.commits.map(({ sha }: { sha: string }) => sha)).toEqual([ids[2], ids[1]])
      expect((await get("/compare/feature%2Fside.diff")).body.total_commits).toBe(1)
      const compared = async (query: string) => (await get(`/compare/main...feature/side.diff${query}`)).body.commits[0]
      const whole = await compared("")
      expect([whole.files.length > 0, whole.commit.verification === null]).toEqual([true, false])
      expect(await compared("?files=false")).toMatchObject({ sha: side, files: null, commit: { verification: whole.commit.verification } })
      expect(await compared("?verification=false")).toMatchObject({ sha: side, files: whole.files, commit: { verification: null } })
    })

    it("are given as text, from where the two parted or as they are", async () => {
      await put("later.txt", {})
      expect((await textOf("/compare/main...feature/side.diff?output=diff")).text).not.toContain("later.txt")
      expect((await textOf("/compare/main..feature/side.diff?output=diff")).text).toContain("deleted file mode")
      expect((await textOf("/compare/main...feature/side.diff?output=patch")).text).toMatch(new RegExp(`^From ${side} `))
      expect((await textOf("/compare/main...feature/side.diff?output=html")).status).toBe(422)
    })

    it("reach into forks that the caller may read, and into no others", async () => {
      await ben.call("POST", `${repo}/forks`, {})
      const theirs = await put("fork.txt", { new_branch: "topic" }, ben, "/repos/ben/walls")
      const { body } = await get("/compare/main...ben:topic")
      expect(body.commits.map(({ sha, url }: { sha: string; url: string }) => [sha, url.includes("/repos/ben/walls/")])).toEqual([
        [theirs, true],
      ])
      expect((await textOf("/compare/main...ben:topic?output=diff")).text).toContain("+fork.txt")
      expect((await get("/compare/main...ben/walls:topic")).body.total_commits).toBe(1)
      expect((await get(`/git/commits/${theirs}`)).status).toBe(404)
      await ben.call("PATCH", "/repos/ben/walls", { has_code: false })
      expect((await get("/compare/main...ben:topic")).status).toBe(404)
      expect((await get("/compare/main...ben:topic", ben)).status).toBe(200)
    })

    it.each(["main...nowhere", "nowhere...main", "main...nobody:main", "main...ben:nowhere", "main...", "...", "main...ada:"])(
      "%s is missing",
      async (basehead) => {
        expect((await get(`/compare/${basehead}`, ada)).status).toBe(404)
      },
    )
  })
})
