import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { type Caller, PASSWORD } from "../../../../tests/support/hearth.ts"
import { locateRepository } from "../../../access/policies/repositories.ts"
import { findUserByName } from "../../../access/store.ts"
import { branchRef } from "../../../git/index.ts"
import { ok, writeHistory } from "../../../git/testing.ts"
import { wikiAt } from "../repositories/wiki-place.ts"
import { createPage } from "./edit.ts"
import { openWiki } from "./repository.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

withHearth(
  "wikis through the API",
  { people: ["ada", "rob", "wil"], config: { undo: { keepSeconds: 0 } } },
  ({ test: it, forge, call, status, ada, rob, wil }) => {
    let names = 0
    async function make(options: object = {}): Promise<string> {
      const name = `wiki-${++names}`
      expect(await status(ada, "POST /user/repos", { name, ...options })).toBe(201)
      await call(ada, `PUT /repos/ada/${name}/collaborators/rob`, { permission: "read" })
      await call(ada, `PUT /repos/ada/${name}/collaborators/wil`, { permission: "write" })
      return `/repos/ada/${name}`
    }
    const write = async (repo: string, title: string, text = title, caller: Caller = ada) => {
      const made = await call(caller, `POST ${repo}/wiki/new`, { title, content_base64: base64(text) })
      expect(made.status, JSON.stringify(made.body)).toBe(201)
      return made.body
    }
    const rowOf = (repo: string) =>
      forge.hearth.services.database.read
        .selectFrom("repositories")
        .selectAll()
        .where("lower_name", "=", repo.split("/").at(-1) ?? "")
        .executeTakeFirstOrThrow()
    const place = async (repo: string) => wikiAt(forge.hearth.services.git, await rowOf(repo))
    const listen = async (repo: string) =>
      expect(
        await status(ada, `POST ${repo}/hooks`, {
          type: "gitea",
          active: true,
          config: { url: "http://127.0.0.1:9/", content_type: "json" },
          events: ["wiki"],
        }),
      ).toBe(201)
    const told = async (repo: string) => {
      const rows = await forge.hearth.services.database.read
        .selectFrom("webhook_deliveries")
        .innerJoin("webhooks", "webhooks.id", "webhook_deliveries.webhook_id")
        .select(["webhook_deliveries.event", "webhook_deliveries.payload"])
        .where("webhooks.repository_id", "=", (await rowOf(repo)).id)
        .orderBy("webhook_deliveries.id")
        .execute()
      return rows.map(({ event, payload }) => {
        const { action, page, comment, sender, repository } = JSON.parse(payload)
        return [event, action, page, comment, sender.login, repository.full_name]
      })
    }

    it("finds a page under every spelling of its address, and answers with the one that was asked for", async () => {
      const repo = await make()
      await write(repo, "Second Page")
      for (const address of ["Second-Page", "Second%20Page", "Second+Page", "Second-Page.md"]) {
        const { status: code, body } = await call(rob, `GET ${repo}/wiki/page/${address}`)
        expect([code, body?.title, body?.sub_url]).toEqual([200, "Second Page", address])
        expect(body.html_url).toBe(`${forge.hearth.url}${repo.replace("/repos", "")}/wiki/${address}`)
      }
      expect(await status(rob, `GET ${repo}/wiki/page/second-page`)).toBe(404)
      expect(await status(rob, `GET ${repo}/wiki/page/Second/Page`)).toBe(404)
      expect(await status(rob, `GET ${repo}/wiki/page/Second-Page/?x=/y`)).toBe(200)
    })

    it("takes every sign in a title, and finds the page by the address that it tells", async () => {
      const repo = await make()
      for (const title of [
        "north/south",
        "C++ notes",
        "50% off",
        "Größe",
        "e-mail",
        "../up",
        "a\\b",
        "it's #1?",
        "read.md",
        "日本語",
        ".",
      ]) {
        const { sub_url } = await write(repo, title, `about ${title}`)
        const { body } = await call(undefined, `GET ${repo}/wiki/page/${sub_url}`)
        expect([body.title, Buffer.from(body.content_base64, "base64").toString()]).toEqual([
          title === "." ? "unnamed" : title,
          `about ${title}`,
        ])
        expect(await status(ada, `PATCH ${repo}/wiki/page/${sub_url}`, { content_base64: base64("more") })).toBe(200)
      }
      expect((await call(ada, `GET ${repo}/wiki/pages`)).body).toHaveLength(11)
    })

    it("refuses titles that can't be pages, and content that isn't base64", async () => {
      const repo = await make()
      await write(repo, "Home")
      await write(repo, "Other")
      const refused = async (body: object) => {
        const answers = [await call(ada, `POST ${repo}/wiki/new`, body), await call(ada, `PATCH ${repo}/wiki/page/Home`, body)]
        return answers.map(({ status: code, body: { message } }) => `${code} ${message}`)
      }
      const one = (text: string) => [expect.stringContaining(`400 ${text}`), expect.stringContaining(`400 ${text}`)]
      for (const title of ["_pages", "_new", "_edit", "raw", "x".repeat(256), "ä".repeat(43)])
        expect(await refused({ title })).toEqual(one("[title]"))
      expect(await refused({ title: " Other " })).toEqual(one("[title]: there is a page of that name already"))
      for (const content_base64 of ["%%%=", "eA", "e==="])
        expect(await refused({ title: "New", content_base64 })).toEqual(one("[content_base64]"))
      for (const body of [{}, { title: "" }, { title: " \t" }]) expect(await status(ada, `POST ${repo}/wiki/new`, body)).toBe(400)
      for (const title of [7, "\ud800"]) expect(await status(ada, `POST ${repo}/wiki/new`, { title })).toBe(422)
      expect((await call(ada, `GET ${repo}/wiki/pages`)).body.map(({ title }: { title: string }) => title)).toEqual(["Home", "Other"])
      await write(repo, "ä".repeat(42))
    })

    it("keeps the title where none is sent, and replaces the content whole", async () => {
      const repo = await make()
      await write(repo, "House rules", "one\n")
      const kept = await call(ada, `PATCH ${repo}/wiki/page/House-rules`, { content_base64: base64("two\n") })
      expect(kept.body).toMatchObject({ title: "House rules", sub_url: "House-rules", content_base64: base64("two\n"), commit_count: 2 })
      expect(kept.body.last_commit.message).toBe('Update "House-rules"\n')
      expect((await call(ada, `PATCH ${repo}/wiki/page/House-rules`, { title: "" })).body).toMatchObject({
        content_base64: "",
        commit_count: 3,
      })
      const renamed = await call(ada, `PATCH ${repo}/wiki/page/House-rules`, {
        title: "Rules",
        content_base64: base64("two\n"),
        message: " Re\r\nname ",
      })
      expect(renamed.body).toMatchObject({ sub_url: "Rules", commit_count: 1, last_commit: { message: "Re\nname\n" } })
      expect(await status(ada, `GET ${repo}/wiki/page/House-rules`)).toBe(404)
    })

    it("makes a commit of the same content, which is no revision of the page", async () => {
      const repo = await make()
      await write(repo, "Home", "same")
      const again = await call(ada, `PATCH ${repo}/wiki/page/Home`, { content_base64: base64("same") })
      expect(again.body).toMatchObject({ commit_count: 1, last_commit: { message: 'Add "Home"\n' } })
      const { git } = forge.hearth.services
      const repository = await place(repo)
      const tip = await git.references.resolve(repository, branchRef("main"))
      expect(tip && (await git.history.count(repository, tip))).toBe(2)
    })

    it("refuses to change or delete what is missing", async () => {
      const repo = await make()
      for (const route of ["PATCH", "DELETE", "GET"])
        expect(await status(ada, `${route} ${repo}/wiki/page/Home`, route === "PATCH" ? {} : undefined)).toBe(404)
      expect(await status(ada, `GET ${repo}/wiki/pages`)).toBe(404)
      await write(repo, "Home")
      for (const route of ["PATCH", "DELETE"])
        expect(await status(ada, `${route} ${repo}/wiki/page/Nowhere`, route === "PATCH" ? {} : undefined)).toBe(404)
      expect(await status(ada, `DELETE ${repo}/wiki/page/Home`)).toBe(204)
      expect((await call(ada, `GET ${repo}/wiki/pages`)).body).toEqual([])
      expect(await status(ada, `GET ${repo}/wiki/revisions/Home`)).toBe(404)
      expect((await write(repo, "Home")).commit_count).toBe(3)
    })

    it("pages revisions by 50, whatever limit is sent", async () => {
      const repo = await make()
      const folder = await mkdtemp(join(tmpdir(), "hearth-wiki-"))
      await ok(folder, "init", "-q", "-b", "main")
      await writeHistory(
        folder,
        Array.from({ length: 52 }, (_, index) => ({ message: `m${index}\n`, files: { "Home.md": String(index) } })),
      )
      const url = new URL(`${forge.hearth.url}${repo.replace("/repos", "")}.wiki.git`)
      url.username = "ada"
      url.password = PASSWORD
      await ok(folder, "push", "-q", url.href, "main")
      await rm(folder, { recursive: true })
      const page = async (query: string) => {
        const { body, headers } = await call(rob, `GET ${repo}/wiki/revisions/Home${query}`)
        return [body.commits.length, body.commits[0]?.message, body.count, headers.get("x-total-count"), headers.get("link")]
      }
      expect(await page("")).toEqual([50, "m51\n", 52, "52", null])
      expect(await page("?page=2&limit=1")).toEqual([2, "m1\n", 52, "52", null])
      expect(await page("?page=3")).toEqual([0, undefined, 52, "52", null])
      expect(await page("?page=0")).toEqual([50, "m51\n", 52, "52", null])
    })

    it("hides the wiki from those who may not read it, and refuses those who may not write", async () => {
      const repo = await make()
      await write(repo, "Home")
      await write(repo, "By Wil", "x", wil)
      const refused = async (caller: Caller) => [
        await status(caller, `POST ${repo}/wiki/new`, { title: "New" }),
        await status(caller, `PATCH ${repo}/wiki/page/Home`, {}),
        await status(caller, `DELETE ${repo}/wiki/page/Home`),
        await status(caller, `GET ${repo}/wiki/page/Home`),
      ]
      expect(await refused(undefined)).toEqual([401, 401, 401, 200])
      expect(await refused(rob)).toEqual([403, 403, 403, 200])
      await call(ada, `PATCH ${repo}`, { archived: true })
      expect(await refused(undefined)).toEqual([401, 423, 423, 200])
      expect(await refused(rob)).toEqual([423, 423, 423, 200])
      expect(await refused(ada)).toEqual([423, 423, 423, 200])
      await call(ada, `PATCH ${repo}`, { archived: false, private: true })
      expect(await refused(undefined)).toEqual([404, 404, 404, 404])
      for (const off of [{ has_wiki: false }, { has_wiki: true, external_wiki: { external_wiki_url: "https://wiki.example.com/" } }]) {
        await call(ada, `PATCH ${repo}`, off)
        for (const caller of [ada, rob, forge.root]) expect(await refused(caller)).toEqual([404, 404, 404, 404])
      }
      await call(ada, `PATCH ${repo}`, { has_wiki: true, external_wiki: { external_wiki_url: "" } })
      expect(await refused(rob)).toEqual([403, 403, 403, 200])
    })

    it("goes by the team's right in the wiki alone", async () => {
      expect(await status(ada, "POST /orgs", { username: `org${forge.hearth.services.database.kind}` })).toBe(201)
      const org = `org${forge.hearth.services.database.kind}`
      expect(await status(ada, `POST /orgs/${org}/repos`, { name: "shared", private: true })).toBe(201)
      const repo = `/repos/${org}/shared`
      await write(repo, "Home")
      const team = async (name: string, units_map: object) => {
        const { body } = await call(ada, `POST /orgs/${org}/teams`, {
          name,
          permission: "read",
          units_map,
          includes_all_repositories: true,
        })
        return body.id
      }
      const readers = await team("readers", { "repo.code": "write", "repo.wiki": "read" })
      const writers = await team("writers", { "repo.wiki": "write" })
      const coders = await team("coders", { "repo.code": "write" })
      const can = async () => [await status(rob, `GET ${repo}/wiki/page/Home`), await status(rob, `PATCH ${repo}/wiki/page/Home`, {})]
      const within = async (id: number) => {
        expect(await status(ada, `PUT /teams/${id}/members/rob`)).toBe(204)
        const got = await can()
        await call(ada, `DELETE /teams/${id}/members/rob`)
        return got
      }
      expect(await within(readers)).toEqual([200, 403])
      expect(await within(writers)).toEqual([200, 200])
      expect(await within(coders)).toEqual([404, 404])
    })

    it("tells webhooks of pages, and neither feed nor the repository's time of change", async () => {
      const repo = await make()
      await listen(repo)
      const before = (await call(ada, `GET ${repo}`)).body.updated_at
      const feed = async () => (await call(ada, "GET /users/ada/activities/feeds")).headers.get("x-total-count")
      const entries = await feed()
      await write(repo, "House rules", "x", wil)
      await call(ada, `PATCH ${repo}/wiki/page/House-rules`, { title: "The rules", message: "Rename" })
      await call(ada, `PATCH ${repo}/wiki/page/The-rules`, { content_base64: base64("y") })
      await call(wil, `DELETE ${repo}/wiki/page/The-rules`)
      const full = repo.replace("/repos/", "")
      expect(await told(repo)).toEqual([
        ["wiki", "created", "House-rules", 'Add "House rules"', "wil", full],
        ["wiki", "edited", "The-rules", "Rename", "ada", full],
        ["wiki", "edited", "The-rules", 'Update "The-rules"', "ada", full],
        ["wiki", "deleted", "The-rules", "", "wil", full],
      ])
      expect([await feed(), (await call(ada, `GET ${repo}`)).body.updated_at]).toEqual([entries, before])
    })

    it("makes an edit again on what another change left, and refuses it where that never ends", async () => {
      const { services } = forge.hearth
      const { database, git } = services
      const repo = await make()
      await write(repo, "Home")
      const me = await findUserByName.first(database.read, { lowerName: "ada" })
      if (!me) throw new TypeError("she is there")
      const actor = { kind: "user", user: me, credential: { kind: "password" }, basic: true } as const
      const on = await locateRepository(database.read, actor, "ada", repo.split("/").at(-1) ?? "")
      /** The services of a server where another process commits just before so many of its updates. */
      function disturbed(times: number) {
        let left = times
        const update: typeof git.references.update = async (repository, updates) => {
          const tip = await git.references.resolve(repository, "HEAD")
          if (left-- > 0 && tip !== undefined) {
            const { tree, author, committer } = await git.objects.readCommit(repository, tip)
            const rival = await git.objects.writeCommit(repository, { tree, parents: [tip], author, committer, message: "Rival\n" })
            await git.references.update(repository, [{ name: branchRef("main"), from: tip, to: rival }])
          }
          return git.references.update(repository, updates)
        }
        return { ...services, git: { ...git, references: { ...git.references, update } } }
      }
      const { commit, repository } = await createPage({ services: disturbed(3), me, on }, { title: "Second" })
      const parents = await Promise.all(commit.parents.map((id) => git.objects.readCommit(repository, id)))
      expect(parents.map(({ message }) => message)).toEqual(["Rival\n"])
      expect(await git.history.count(repository, commit.id)).toBe(5)
      await expect(createPage({ services: disturbed(100), me, on }, { title: "Third" })).rejects.toMatchObject({ kind: "conflict" })
      const titles = (await call(ada, `GET ${repo}/wiki/pages`)).body.map(({ title }: { title: string }) => title)
      expect(titles).toEqual(["Home", "Second"])
      expect(await database.read.selectFrom("jobs").select("id").where("kind", "=", "wiki.settle").execute()).toEqual([])
    })

    it("follows its repository: renamed, transferred, and deleted with all its files", async () => {
      const { services } = forge.hearth
      const repo = await make()
      await write(repo, "Home", "kept")
      const stored = await place(repo)
      await call(ada, `PATCH ${repo}`, { name: `moved-${names}` })
      const moved = `/repos/ada/moved-${names}`
      expect((await call(rob, `GET ${moved}/wiki/page/Home`)).body.content_base64).toBe(base64("kept"))
      const old = await call(rob, `GET ${repo}/wiki/page/Home%2F`)
      expect([old.status, old.headers.get("location")]).toEqual([301, `/api/v1${moved}/wiki/page/Home%2F`])
      expect(await status(ada, `POST ${moved}/transfer`, { new_owner: "wil" })).toBe(201)
      expect(await status(wil, `POST ${moved}/transfer/accept`)).toBe(202)
      expect((await call(wil, `GET /repos/wil/moved-${names}/wiki/page/Home`)).body.content_base64).toBe(base64("kept"))
      expect(await services.git.repositories.exists(stored)).toBe(true)
      expect(await status(wil, `DELETE /repos/wil/moved-${names}`)).toBe(204)
      await services.jobs.drain()
      expect(await services.git.repositories.exists(stored)).toBe(false)
      await call(wil, "POST /user/repos", { name: `moved-${names}` })
      expect(await status(wil, `GET /repos/wil/moved-${names}/wiki/pages`)).toBe(404)
    })

    it("does not go along with forks", async () => {
      const repo = await make({ auto_init: true })
      await write(repo, "Home")
      expect(await status(wil, `POST ${repo}/forks`, {})).toBe(202)
      const fork = repo.replace("/ada/", "/wil/")
      expect(await status(wil, `GET ${fork}/wiki/pages`)).toBe(404)
      await call(wil, `PATCH ${fork}`, { has_wiki: true })
      expect(await status(wil, `GET ${fork}/wiki/pages`)).toBe(404)
      await write(fork, "Mine", "x", wil)
      expect((await call(wil, `GET ${fork}/wiki/pages`)).body.map(({ title }: { title: string }) => title)).toEqual(["Mine"])
    })

    it("stores nothing where the repository is deleted at the same moment", async () => {
      const { services } = forge.hearth
      const repo = await make()
      const row = await rowOf(repo)
      await call(ada, `DELETE ${repo}`)
      await services.jobs.drain()
      await expect(openWiki(services, row)).rejects.toMatchObject({ kind: "notFound" })
      expect(await services.git.repositories.exists(wikiAt(services.git, row))).toBe(false)
    })
  },
)

withHearth("a wiki that many write to", { people: ["ada"], on: databaseKinds }, ({ test: it, call, status, ada }) => {
  it("loses none of their edits", async () => {
    const repo = "/repos/ada/wiki"
    expect(await status(ada, "POST /user/repos", { name: "wiki" })).toBe(201)
    const titles = Array.from({ length: 12 }, (_, index) => `Page ${index}`)
    const made = await Promise.all(titles.map((title) => status(ada, `POST ${repo}/wiki/new`, { title, content_base64: base64(title) })))
    expect(new Set(made)).toEqual(new Set([201]))
    const { body } = await call(ada, `GET ${repo}/wiki/pages`)
    expect(body.map(({ title }: { title: string }) => title).sort()).toEqual([...titles].sort())
    const same = await Promise.all(Array.from({ length: 4 }, () => status(ada, `POST ${repo}/wiki/new`, { title: "Once" })))
    expect(same.sort()).toEqual([201, 400, 400, 400])
  })
})
