/**
 * Someone pushed a password, took it back by a force-push, and thought it gone. Those who had seen the commit's id could read it for years, and each new fork
 * took it along, where its owner could not even know of it. Now a fork has what a clone would have. Each night what no reference reaches is put aside, and after
 * `git.pruneSeconds` it is dropped; what pull requests, reviews and releases name stays.
 */
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import { pruneRepositories } from "../../src/features/code/lifecycle/maintenance.ts"
import { client, ok } from "../../src/git/testing.ts"
import { withHearth } from "../support/fixture.ts"
import { PASSWORD } from "../support/hearth.ts"

const DAY = 86_400
const base64 = (text: string) => Buffer.from(text).toString("base64")

withHearth("commits that were left behind", { people: ["ada", "bob"] }, ({ test: it, forge, call, ada, bob }) => {
  let made = 0
  const must = async (answering: ReturnType<typeof call>) => {
    const answer = await answering
    if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const stored = async (at: string) => {
    const { database, git } = forge.hearth.services
    const [, , owner = "", name = ""] = at.split("/")
    const row = await database.read
      .selectFrom("repositories")
      .innerJoin("users", "users.id", "repositories.owner_id")
      .select(["repositories.storage", "repositories.object_format"])
      .where("users.lower_name", "=", owner)
      .where("repositories.lower_name", "=", name)
      .executeTakeFirstOrThrow()
    return git.at(row.storage, row.object_format)
  }
  const write = async (at: string, path: string, more = {}): Promise<string> =>
    (await must(call(ada, `POST ${at}/contents/${path}`, { content: base64(`${path}\n`), ...more }))).commit.sha
  const has = async (at: string, id: string) => (await client((await stored(at)).directory, ["cat-file", "-e", id])).code === 0
  const reads = async (at: string, id: string) => (await call(bob, `GET ${at}/git/commits/${id}`)).status
  const isSound = async (at: string) => {
    const { code, err } = await client((await stored(at)).directory, ["fsck", "--strict", "--full"])
    expect([code, err]).toEqual([0, ""])
  }
  const forced = async (at: string, ...refs: readonly string[]) => {
    const work = await mkdtemp(join(tmpdir(), "hearth-left-behind-"))
    try {
      const url = Object.assign(new URL(`${forge.hearth.url}${at.replace("/repos", "")}.git`), { username: "ada", password: PASSWORD })
      await ok(work, "clone", "-q", url.href, ".")
      await ok(work, "push", "-q", "--force", "origin", ...refs)
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  }
  /** A repository whose branch main had a commit that a force-push took back. */
  const repository = async () => {
    made += 1
    const name = `box${made}`
    const at = `/repos/ada/${name}`
    await must(call(ada, "POST /user/repos", { name, auto_init: true, default_branch: "main" }))
    const kept = await write(at, "kept.txt")
    const secret = await write(at, "password.txt")
    await forced(at, `${kept}:refs/heads/main`)
    return { at, name, kept, secret }
  }
  /** What the clock does each night, so many days from now. */
  const night = async (days: number) => {
    const { services } = forge.hearth
    await forge.settle()
    const now = () => services.now() + days * DAY
    return pruneRepositories.run({ ...services, now }, new AbortController().signal)
  }

  it("a fork has what a clone has, and nothing else", async () => {
    const { at, name, kept, secret } = await repository()
    await must(call(ada, `POST ${at}/tags`, { tag_name: "v1", message: "One" }))
    expect([await reads(at, secret), await has(at, secret)]).toEqual([200, true])
    await must(call(bob, `POST ${at}/forks`, {}))
    const fork = `/repos/bob/${name}`
    expect([await reads(fork, secret), await has(fork, secret)]).toEqual([404, false])
    expect(await reads(fork, kept)).toBe(200)
    expect((await call(bob, `GET ${fork}/contents/kept.txt?ref=v1`)).status).toBe(200)
    await isSound(fork)
    const { git } = forge.hearth.services
    expect(await git.references.list(await stored(fork))).toEqual(await git.references.list(await stored(at)))
    // Also once the commit has been put aside, and when it is in one pack with others.
    await night(0)
    await must(call(bob, `DELETE ${fork}`))
    await must(call(bob, `POST ${at}/forks`, {}))
    expect([await has(fork, secret), await has(fork, kept)]).toEqual([false, true])
    await isSound(fork)
  })

  it("a fork of what nothing was left behind in still shares its files", async () => {
    await must(call(ada, "POST /user/repos", { name: "quiet", auto_init: true, default_branch: "main" }))
    await write("/repos/ada/quiet", "file.txt")
    await must(call(bob, "POST /repos/ada/quiet/forks", {}))
    const { directory } = await stored("/repos/bob/quiet")
    const id = await ok(directory, "rev-parse", "main")
    expect((await stat(join(directory, "objects", id.slice(0, 2), id.slice(2)))).nlink).toBe(2)
    await isSound("/repos/bob/quiet")
  })

  it("is dropped when its time is over, and not before; what is in use stays", async () => {
    const { at, kept, secret } = await repository()
    await must(call(ada, `POST ${at}/statuses/${secret}`, { state: "success", context: "ci" }))
    // A pull request whose commits were reviewed, and replaced.
    const reviewed = await write(at, "reviewed.txt", { branch: "main", new_branch: "side" })
    const { number } = await must(call(ada, `POST ${at}/pulls`, { head: "side", base: "main", title: "Side" }))
    await must(call(bob, `POST ${at}/pulls/${number}/reviews`, { event: "COMMENT", body: "hm", comments: [] }))
    await forced(at, `${kept}:refs/heads/side`)
    const passed = await write(at, "passed.txt", { branch: "side" })
    await forced(at, `${kept}:refs/heads/side`)
    const last = await write(at, "last.txt", { branch: "side" })
    const target = await write(at, "released.txt", { branch: "main", new_branch: "release" })
    await must(call(ada, `POST ${at}/releases`, { tag_name: "v9", target_commitish: target, draft: true }))
    await must(call(ada, `DELETE ${at}/branches/release`))
    // A push that is under way.
    const { directory } = await stored(at)
    const quarantine = join(directory, "objects", "tmp_objdir-incoming-0123456789abcdef01234567")
    await mkdir(quarantine)
    await writeFile(join(quarantine, "object"), "")

    await night(0)
    expect(await reads(at, secret)).toBe(200)
    await night(13)
    expect(await reads(at, secret)).toBe(200)
    await night(15)
    for (const id of [secret, passed]) expect([await reads(at, id), await has(at, id)]).toEqual([404, false])
    for (const id of [kept, reviewed, last, target]) expect([await reads(at, id), await has(at, id)]).toEqual([200, true])
    expect(await readdir(quarantine)).toEqual(["object"])
    await isSound(at)

    // What speaks of it is still told, or is missing as any id that never was.
    for (const path of [`/pulls/${number}`, `/pulls/${number}/reviews`, `/pulls/${number}/commits`, `/issues/${number}/timeline`])
      expect([path, (await call(ada, `GET ${at}${path}`)).status]).toEqual([path, 200])
    for (const path of [
      `/compare/${kept}...${secret}`,
      `/commits/${secret}/status`,
      `/contents/kept.txt?ref=${secret}`,
      `/git/trees/${secret}`,
    ])
      expect([path, [400, 404].includes((await call(ada, `GET ${at}${path}`)).status)]).toEqual([path, true])
    // The references that keep commits are the service's own.
    const listed = await ok(directory, "ls-remote", new URL(`${forge.hearth.url}${at.replace("/repos", "")}.git`).href)
    expect(listed).not.toContain("refs/hearth/")

    // Once the review is gone with its pull request, nothing keeps the commit: two nights later it is dropped.
    await must(call(ada, `DELETE ${at}/issues/${number}`))
    await night(16)
    await night(31)
    expect(await has(at, reviewed)).toBe(false)
    await isSound(at)
  })

  it("a night on which nothing was left behind packs nothing", async () => {
    await repository()
    await night(40)
    await night(80)
    expect(await night(80)).toBe("0 packed anew")
  })
})
