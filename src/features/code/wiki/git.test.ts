import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { beforeEach, expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { send } from "../../../../tests/support/http.ts"
import type { Repository } from "../../../access/permission.ts"
import { branchRef, objectId } from "../../../git/index.ts"
import { client, ok } from "../../../git/testing.ts"
import {
  address,
  change,
  commit,
  openWorld,
  type Person,
  person,
  repository,
  tokenOf,
  workFolder,
} from "../../../servers/git-http/testing.ts"
import { checkRepositories, maintainRepositories, pruneRepositories } from "../lifecycle/maintenance.ts"
import { wikiAt } from "../repositories/wiki-place.ts"
import { openWikiEntry } from "./journal.ts"
import { pushToWiki } from "./push.ts"
import { openWiki } from "./repository.ts"

withWorld("wikis as git repositories", { open: openWorld }, ({ test: it, world }) => {
  let ada: Person
  let ben: Person
  let names = 0
  let row: Repository
  it.beforeAll(async () => {
    ada = await person(world, "ada")
    ben = await person(world, "ben")
  })
  beforeEach(async () => {
    names += 1
    row = await repository(world, ada.user, `Tool${names}`)
  })

  const wikiOf = (who?: Person, path = `ada/tool${names}.wiki.git`) => address(world, path, who?.user.name, who?.token)
  const api = async (method: string, path: string, who?: Person, body?: unknown) => {
    const { status, text } = await send(world.hearth.url, method, `/repos/ada/Tool${names}/wiki${path}`, {
      ...(who && { authorization: `token ${who.token}` }),
      body,
    })
    return { status, body: text === "" ? undefined : JSON.parse(text) }
  }
  const titles = async () => (await api("GET", "/pages", ada)).body.map(({ title }: { title: string }) => title)
  const events = () =>
    world.services.database.read
      .selectFrom("events")
      .select(["kind", "actor_id"])
      .where("repository_id", "=", row.id)
      .where("kind", "like", "wiki.%")
      .orderBy("id")
      .execute()
  const get = async (path: string, who?: Person) =>
    fetch(`${world.hearth.url}/${path}`, {
      headers: who ? { authorization: `Basic ${btoa(`${who.user.name}:${who.token}`)}` } : {},
      redirect: "manual",
    })
  const LFS = "application/vnd.git-lfs+json"
  const FETCH = "info/refs?service=git-upload-pack"
  const PUSH = "info/refs?service=git-receive-pack"

  it("is cloned empty before its first page, and pushed to", async () => {
    const copy = join(world.folder, `empty-${row.id}`)
    await ok(world.folder, "clone", "-q", wikiOf(ada), copy)
    expect(await ok(copy, "symbolic-ref", "HEAD")).toBe("refs/heads/main")
    await commit(copy, "First", "Home.md", "hello\n")
    await ok(copy, "push", "-q", "origin", "main")
    expect((await api("GET", "/page/Home")).body).toMatchObject({
      content_base64: btoa("hello\n"),
      commit_count: 1,
      last_commit: { message: "First\n" },
    })
    await api("POST", "/new", ada, { title: "Second page", content_base64: btoa("x") })
    await ok(copy, "pull", "-q")
    expect(await ok(copy, "ls-files")).toBe("Home.md\nSecond-page.md")
    const size = await world.services.git.repositories.size(wikiAt(world.services.git, row))
    const stored = await world.services.database.read
      .selectFrom("wikis")
      .select("git_size")
      .where("repository_id", "=", row.id)
      .executeTakeFirstOrThrow()
    expect(stored.git_size).toBeGreaterThan(0)
    expect(stored.git_size).toBeLessThanOrEqual(size + 4096)
  })

  it("shows the branch that is pushed first, lists its pages alone, and finds those of every name", async () => {
    const work = await workFolder(world, `names-${row.id}`)
    await ok(work, "branch", "-m", "trunk")
    for (const name of ["By Git.md", "dash-page.md", "Größe.md", "a+b.md", "img.png"]) await commit(work, name, name, name)
    await ok(work, "push", "-q", wikiOf(ada), "trunk", "trunk:other", "HEAD:refs/tags/v1")
    const { body } = await api("GET", "/pages")
    expect(body.map(({ title, sub_url }: { title: string; sub_url: string }) => [title, sub_url])).toEqual([
      ["By Git", "By-Git"],
      ["Größe", "Gr%C3%B6%C3%9Fe"],
      ["a+b", "a%2Bb"],
      ["dash page", "dash-page"],
    ])
    for (const { sub_url, last_commit } of body) expect((await api("GET", `/page/${sub_url}`)).body.last_commit).toEqual(last_commit)
    // A page keeps the file that it has; another title gives it one of this server's names.
    expect((await api("PATCH", "/page/By-Git", ada, { title: "By Git" })).body.sub_url).toBe("By-Git")
    expect((await api("PATCH", "/page/Gr%C3%B6%C3%9Fe", ada, { title: "Länge" })).body.sub_url).toBe("L%C3%A4nge")
    await ok(work, "pull", "-q", wikiOf(ada), "trunk")
    expect(await ok(work, "ls-files")).toBe("By Git.md\nL%C3%A4nge.md\na+b.md\ndash-page.md\nfile\nimg.png")
    expect((await world.services.git.references.list(wikiAt(world.services.git, row))).map(({ name }) => name)).toEqual([
      "refs/heads/other",
      "refs/heads/trunk",
      "refs/tags/v1",
    ])
  })

  it("tells of the pages that a push changes, with the messages of their commits", async () => {
    const { database } = world.services
    const work = await workFolder(world, `told-${row.id}`)
    await commit(work, "Add Home", "Home.md", "1")
    await commit(work, "Add Old", "Old.md", "1")
    await ok(work, "push", "-q", wikiOf(ada), "main")
    await send(world.hearth.url, "POST", `/repos/ada/Tool${names}/hooks`, {
      authorization: `token ${ada.token}`,
      body: { type: "gitea", active: true, config: { url: "http://127.0.0.1:9/", content_type: "json" }, events: ["wiki", "push"] },
    })
    await commit(work, "Change Home", "Home.md", "2")
    await commit(work, "Add New", "New page.md", "1")
    await ok(work, "rm", "-q", "Old.md")
    await commit(work, "Remove Old", "note.txt", "x")
    await ok(work, "push", "-q", wikiOf(ada), "main", "main:side")
    expect((await events()).map(({ kind }) => kind)).toEqual([
      "wiki.created",
      "wiki.created",
      "wiki.edited",
      "wiki.created",
      "wiki.deleted",
    ])
    const deliveries = await database.read.selectFrom("webhook_deliveries").select(["event", "payload"]).orderBy("id").execute()
    const told = deliveries.map(({ event, payload }) => ({ event, ...JSON.parse(payload) })).filter((each) => each.repository.id === row.id)
    expect(told.map(({ event, action, page, comment }) => [event, action, page, comment])).toEqual([
      ["wiki", "edited", "Home", "Change Home"],
      ["wiki", "created", "New-page", "Add New"],
      ["wiki", "deleted", "Old", ""],
    ])
    // Neither the feed nor the repository shows a push to the wiki.
    expect(
      await database.read
        .selectFrom("activities")
        .select("id")
        .where("repository_id", "=", row.id)
        .where("op_type", "=", "commit_repo")
        .execute(),
    ).toEqual([])
    expect(await database.read.selectFrom("branches").select("name").where("repository_id", "=", row.id).execute()).toEqual([])
  })

  it("takes force-pushes, and refuses to lose the branch that is shown, and names that mislead", async () => {
    const work = await workFolder(world, `forced-${row.id}`)
    await commit(work, "Add", "Home.md", "1")
    await ok(work, "push", "-q", wikiOf(ada), "main", "main:side")
    await ok(work, "reset", "-q", "--hard", "HEAD~1")
    await commit(work, "Other", "Other.md", "1")
    expect((await client(work, ["push", wikiOf(ada), "main"])).code).not.toBe(0)
    await ok(work, "push", "-q", "--force", wikiOf(ada), "main")
    expect(await titles()).toEqual(["Other"])
    const refused = async (...what: string[]) => (await client(work, ["push", wikiOf(ada), ...what])).err
    expect(await refused(":main")).toContain("branch main is the one that is shown and cannot be deleted")
    expect(await refused("main:refs/heads/HEAD")).toContain("can't be the name of a branch")
    expect(await refused("main:refs/for/main")).toContain("is not written by pushing")
    await ok(work, "push", "-q", wikiOf(ada), ":side")
    expect(await ok(work, "ls-remote", wikiOf(ada))).not.toContain("side")
  })

  it("is pushed to by those who may write to it, and hidden like its repository", async () => {
    const path = `ada/Tool${names}.wiki.git`
    const answers = async (end: string) => {
      const all = await Promise.all([get(`${path}/${end}`), get(`${path}/${end}`, ben), get(`${path}/${end}`, ada)])
      return Promise.all(all.map(async (answer) => `${answer.status} ${answer.status === 200 ? "" : await answer.text()}`.trim()))
    }
    expect(await answers(FETCH)).toEqual(["200", "200", "200"])
    expect(await answers(PUSH)).toEqual(["401 token is required", "404 Repository not found", "200"])
    await change(world, row, { is_private: 1 })
    for (const end of [FETCH, PUSH]) expect(await answers(end)).toEqual(["401 Unauthorized", "404 Repository not found", "200"])
    await change(world, row, { is_private: 0, is_archived: 1 })
    const archived = "403 This repository is archived: it can be read, but not changed."
    expect(await answers(FETCH)).toEqual(["200", "200", "200"])
    expect(await answers(PUSH)).toEqual([archived, archived, archived])
    await change(world, row, { is_archived: 0, is_mirror: 1 })
    expect((await answers(PUSH))[2]).toBe("403 mirror repository is read-only")
    for (const off of [{ has_wiki: 0 as const }, { has_wiki: 1 as const, external_wiki_url: "https://wiki.example.com/" }]) {
      await change(world, row, { is_mirror: 0, ...off })
      expect(await answers(FETCH)).toEqual(Array.from({ length: 3 }, () => "403 repository wiki is disabled"))
      expect((await answers(PUSH)).slice(0, 1)).toEqual(["401 token is required"])
      expect((await answers(PUSH)).slice(1)).toEqual(Array.from({ length: 2 }, () => "403 repository wiki is disabled"))
    }
    expect((await get("ada/nothing.wiki/info/refs?service=git-upload-pack", ada)).status).toBe(404)
    expect((await get(`ada/nothing.wiki/${PUSH}`, ada)).status).toBe(404)
    expect((await get(`ada/.wiki/${FETCH}`, ada)).status).toBe(404)
  })

  it("goes by the token's scopes", async () => {
    const reading = await tokenOf(world, ada, ["read:repository"])
    const other = await tokenOf(world, ada, ["write:issue"])
    const path = `ada/tool${names}.wiki`
    expect((await get(`${path}/${FETCH}`, { ...ada, token: reading })).status).toBe(200)
    expect((await get(`${path}/${PUSH}`, { ...ada, token: reading })).status).toBe(403)
    expect((await get(`${path}/${FETCH}`, { ...ada, token: other })).status).toBe(403)
  })

  it("judges a push by the rights that are there when its objects have arrived", async () => {
    const { services } = world
    const ref = branchRef("main")
    const command = { ref, kind: "create", oldId: null, newId: objectId("1".repeat(40)), forced: false } as const
    const repositoryOf = await openWiki(services, row)
    /** Why a push that was admitted is refused; each change comes about while it arrives. */
    async function refusedAfter(meanwhile: () => Promise<unknown>, of = ben): Promise<string | undefined> {
      let reason: string | undefined
      const receive: typeof services.git.transport.receive = async (repository, { check }) => {
        await meanwhile()
        reason = (await check({ repository, commands: [command], options: [], atomic: false })).refused.get(ref)
        return { repository, results: [], options: [], unpackError: null, addedBytes: 0 }
      }
      const transport = { ...services.git.transport, receive }
      const pusher = { kind: "user", user: of.user, credential: { kind: "password" }, basic: true } as const
      const [input, output] = [new PassThrough(), new PassThrough()]
      const { signal } = new AbortController()
      await pushToWiki({ ...services, git: { ...services.git, transport } }, pusher, row, { input, output, stateless: true, signal })
      return reason
    }
    const collaborate = (permission: string) =>
      send(world.hearth.url, "PUT", `/repos/ada/Tool${names}/collaborators/ben`, {
        authorization: `token ${ada.token}`,
        body: { permission },
      })
    expect(await refusedAfter(() => collaborate("write"))).toBeUndefined()
    expect(await refusedAfter(() => collaborate("read"))).toBe("User permission denied for writing.")
    expect(await refusedAfter(() => change(world, row, { is_private: 1, has_wiki: 0 }), ada)).toBe("User permission denied for writing.")
    expect(await refusedAfter(() => change(world, row, { has_wiki: 1, is_mirror: 1 }), ada)).toBe("mirror repository is read-only")
    expect(await refusedAfter(() => change(world, row, { is_mirror: 0, is_archived: 1 }), ada)).toContain("is archived")
    await change(world, row, { is_archived: 0 })
    const removed = async () =>
      services.database.write((tx) => tx.updateTable("users").set({ is_active: 0 }).where("id", "=", ben.user.id).execute())
    expect(await refusedAfter(removed)).toBe("User permission denied for writing.")
    await services.database.write((tx) => tx.updateTable("users").set({ is_active: 1 }).where("id", "=", ben.user.id).execute())
    expect(repositoryOf).toEqual(wikiAt(services.git, row))
  })

  it("keeps its ending where an old name is followed", async () => {
    const work = await workFolder(world, `moved-${row.id}`)
    await commit(work, "Add", "Home.md", "1")
    await ok(work, "push", "-q", wikiOf(ada), "main")
    await send(world.hearth.url, "PATCH", `/repos/ada/tool${names}`, { authorization: `token ${ada.token}`, body: { name: `New${names}` } })
    const old = await get(`ada/tool${names}.wiki.git/${FETCH}`)
    expect([old.status, old.headers.get("location")]).toEqual([301, `/ada/New${names}.wiki.git/${FETCH}`])
    const copy = join(world.folder, `followed-${row.id}`)
    await ok(world.folder, "clone", "-q", wikiOf(), copy)
    expect(await ok(copy, "ls-files")).toBe("Home.md\nfile")
    await commit(copy, "More", "More.md", "1")
    await ok(copy, "push", "-q", wikiOf(ada), "main")
    expect(await ok(work, "ls-remote", wikiOf(ada, `ada/new${names}.wiki`))).toContain(await ok(copy, "rev-parse", "HEAD"))
  })

  it("shows a page of more than 10 MiB without its content", async () => {
    const work = await workFolder(world, `large-${row.id}`)
    await commit(work, "Large", "Large.md", Buffer.alloc(10 * 1024 * 1024 + 1, "x"))
    await commit(work, "Largest", "Fits.md", Buffer.alloc(10 * 1024 * 1024, "x"))
    await ok(work, "push", "-q", wikiOf(ada), "main")
    expect((await api("GET", "/page/Large")).body).toMatchObject({ title: "Large", content_base64: "", commit_count: 1 })
    expect((await api("GET", "/page/Fits")).body.content_base64).toHaveLength(Math.ceil((10 * 1024 * 1024) / 3) * 4)
  })

  it("has no large files", async () => {
    const answer = await fetch(`${world.hearth.url}/ada/tool${names}.wiki.git/info/lfs/objects/batch`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`ada:${ada.token}`)}`, "content-type": LFS, accept: LFS },
      body: JSON.stringify({ operation: "download", objects: [] }),
    })
    expect(answer.status).toBe(404)
  })

  it("settles what a killed process left of a push", async () => {
    const { database, git, jobs } = world.services
    const work = await workFolder(world, `killed-${row.id}`)
    await ok(work, "push", "-q", wikiOf(ada), "main")
    const wiki = wikiAt(git, row)
    const before = await git.references.resolve(wiki, "HEAD")
    const next = await commit(work, "Add", "Home.md", "1")
    // Another branch brings the objects.
    await ok(work, "push", "-q", wikiOf(ada), "main:side")
    const ref = await git.references.head(wiki)
    const side = (await git.references.list(wiki)).find(({ name }) => name === "refs/heads/side")
    if (before === undefined || side === undefined) throw new TypeError("both are there")
    expect(side.id).toBe(next)
    const entry = await openWikiEntry(world.services, {
      repositoryId: row.id,
      pusherId: ada.user.id,
      changes: [{ ref, oldId: before, newId: side.id }],
    })
    entry.release()
    await git.references.update(wiki, [{ name: ref, from: before, to: side.id }])
    expect(await events()).toEqual([])
    await database.write((tx) => tx.updateTable("jobs").set({ run_at: 0 }).where("id", "=", entry.id).execute())
    await jobs.drain()
    expect(await events()).toEqual([{ kind: "wiki.created", actor_id: ada.user.id }])
  })

  it("is repacked, pruned and checked like code", async () => {
    const { database, git, jobs } = world.services
    const work = await workFolder(world, `packed-${row.id}`)
    const wiki = wikiAt(git, row)
    for (let index = 0; index < 3; index++) {
      await commit(work, `Add ${index}`, `P${index}.md`, String(index))
      await ok(work, "push", "-q", wikiOf(ada), "main")
    }
    const left = await git.references.resolve(wiki, "HEAD")
    await ok(work, "reset", "-q", "--hard", "HEAD~1")
    await ok(work, "push", "-q", "--force", wikiOf(ada), "main")
    const { signal } = new AbortController()
    expect(await git.maintenance.hasLeftBehind(wiki, 0)).toBe(true)
    await pruneRepositories.run(world.services, signal)
    expect(await git.maintenance.hasLeftBehind(wiki, 0)).toBe(false)
    expect(left && (await git.objects.info(wiki, left))).toBeDefined()
    await maintainRepositories.run(world.services, signal)
    const { git_size: size } = await database.read
      .selectFrom("wikis")
      .select("git_size")
      .where("repository_id", "=", row.id)
      .executeTakeFirstOrThrow()
    expect(size).toBe(await git.repositories.size(wiki))
    expect(await checkRepositories.run(world.services, signal)).toMatch(/^\d+ whole$/)
    await jobs.drain()
    const tip = await git.references.resolve(wiki, "HEAD")
    if (tip === undefined) throw new TypeError("it is there")
    await rm(join(wiki.directory, "objects"), { recursive: true })
    await mkdir(join(wiki.directory, "objects"))
    expect(await checkRepositories.run(world.services, signal)).toContain(`damaged: ada/Tool${names}.wiki`)
    await git.repositories.remove(wiki)
    await database.write((tx) => tx.deleteFrom("wikis").where("repository_id", "=", row.id).execute())
  })
})
