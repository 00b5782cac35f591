import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { createToken } from "../../people/sign-in/credentials/tokens.ts"
import { removeEntry } from "../pushes/entries.ts"
import { settleJob } from "../pushes/journal.ts"
import { openStage } from "./testing.ts"

const LIMIT = 100_000

withWorld(
  "releases",
  { open: (kind) => openStage(kind, { releases: { maxAssetBytes: LIMIT }, undo: { keepSeconds: 0 } }), on: databaseKinds },
  ({ test, world: stage }) => {
    let count = 0
    /** A repository of ann's that ben may write to. */
    const repository = async (): Promise<string> => {
      const name = `repo${++count}`
      await stage.must(stage.ann, "POST /user/repos", { name, auto_init: true })
      await stage.must(stage.ann, `PUT /repos/ann/${name}/collaborators/ben`, { permission: "write" })
      return `/repos/ann/${name}`
    }
    const publish = (caller: string | undefined, at: string, body: object) => stage.call(caller, `POST ${at}/releases`, body)
    const tags = async (caller: string | undefined, route: string): Promise<readonly string[]> =>
      (await stage.must(caller, route)).map(({ tag_name }: { tag_name: string }) => tag_name)
    const feed = async (at: string): Promise<readonly string[]> =>
      (await stage.must(stage.ann, `GET ${at}/activities/feeds`)).map(
        (row: { op_type: string; ref_name: string; content: string }) =>
          `${row.op_type} ${row.ref_name} ${row.op_type === "publish_release" ? row.content : ""}`,
      )
    const token = async (name: string, scopes: readonly string[]): Promise<string> =>
      stage.hearth.services.database.write(async (tx) => {
        const { id } = await tx.selectFrom("users").select("id").where("lower_name", "=", name).executeTakeFirstOrThrow()
        return `token ${(await createToken(tx, { userId: id, name: scopes.join(), scopes, now: 0 })).token}`
      })

    test("are for those who write releases, who needn't write to the code", async () => {
      const org = `org${++count}`
      await stage.must(stage.ann, "POST /orgs", { username: org })
      await stage.must(stage.ann, `POST /orgs/${org}/repos`, { name: "code", auto_init: true })
      const units = { "repo.code": "read", "repo.releases": "write" }
      const team = await stage.must(stage.ann, `POST /orgs/${org}/teams`, { name: "publishers", permission: "read", units_map: units })
      await stage.must(stage.ann, `PUT /teams/${team.id}/members/ben`)
      await stage.must(stage.ann, `PUT /teams/${team.id}/repos/${org}/code`)
      const at = `/repos/${org}/code`
      expect((await publish(stage.ben, at, { tag_name: "v1" })).status).toBe(201)
      const draft = await publish(stage.ben, at, { tag_name: "v2", draft: true })
      expect((await stage.call(stage.ben, `PATCH ${at}/releases/${draft.body.id}`, { draft: false })).status).toBe(200)
      expect(await stage.must(stage.ben, `GET ${at}/tags`)).toHaveLength(2)
      expect((await stage.call(stage.ben, `POST ${at}/tags`, { tag_name: "v3" })).status).toBe(403)
      expect((await stage.call(stage.ben, `DELETE ${at}/tags/v1`)).status).toBe(403)
      await stage.must(stage.ann, `POST ${at}/tag_protections`, { name_pattern: "v*", whitelist_usernames: ["ann"] })
      expect((await publish(stage.ben, at, { tag_name: "v4" })).status).toBe(422)
    })

    test("create their tag, and are counted and published", async () => {
      const at = await repository()
      const made = await publish(stage.ben, at, { tag_name: "v1", name: "One", body: "It works", tag_message: "Signed off" })
      const root = stage.hearth.url
      const name = at.slice("/repos/".length)
      expect([made.status, made.body]).toEqual([
        201,
        expect.objectContaining({
          tag_name: "v1",
          target_commitish: "main",
          name: "One",
          body: "It works",
          draft: false,
          prerelease: false,
          assets: [],
          url: `${root}/api/v1${at}/releases/${made.body.id}`,
          upload_url: `${root}/api/v1${at}/releases/${made.body.id}/assets`,
          html_url: `${root}/${name}/releases/tag/v1`,
          zipball_url: `${root}/${name}/archive/v1.zip`,
          author: expect.objectContaining({ login: "ben", is_admin: false }),
        }),
      ])
      expect(made.body.published_at).toBe(made.body.created_at)
      expect(await stage.must(undefined, `GET ${at}/tags/v1`)).toMatchObject({ message: "Signed off\n" })
      expect((await stage.must(undefined, `GET ${at}`)).release_counter).toBe(1)
      expect((await feed(at)).slice(0, 2)).toEqual(["publish_release refs/tags/v1 One", "push_tag refs/tags/v1 "])
      expect((await stage.call(undefined, `GET ${at}/releases/${made.body.id}`)).body).toEqual(made.body)
      expect((await stage.call(undefined, `GET ${at}/releases/tags/v1`)).body).toEqual(made.body)
    })

    test("of tags that are there keep these, and are as old", async () => {
      const at = "/repos/ann/open"
      await stage.must(stage.ann, `POST ${at}/tags`, { tag_name: "old" })
      const { body } = await publish(stage.ben, at, { tag_name: "old" })
      expect(body).toMatchObject({ target_commitish: "", created_at: "2024-03-01T10:00:00Z" })
      const young = (await publish(stage.ben, at, { tag_name: "young", target_commitish: "old" })).body
      expect(young).toMatchObject({ target_commitish: "old" })
      expect(await tags(undefined, `GET ${at}/releases`)).toEqual(["young", "old"])
    })

    test("are refused where they can't be", async () => {
      const at = await repository()
      await publish(stage.ann, at, { tag_name: "v1" })
      expect((await publish(stage.ann, at, { tag_name: "v1" })).status).toBe(409)
      for (const tag_name of ["", "a b", "-v", "..", "x.lock"])
        expect((await publish(stage.ann, at, { tag_name })).status, tag_name).toBe(422)
      expect((await publish(stage.ann, at, { name: "x" })).status).toBe(422)
      expect((await publish(stage.ann, at, { tag_name: "v2", name: "x".repeat(256) })).status).toBe(422)
      expect((await publish(stage.ann, at, { tag_name: "v2", target_commitish: "nowhere" })).status).toBe(404)
      expect((await publish(stage.ann, at, { tag_name: "v1/below" })).status).toBe(409)
      expect((await publish(stage.cal, at, { tag_name: "v2" })).status).toBe(403)
      expect((await publish(undefined, at, { tag_name: "v2" })).status).toBe(401)
      expect((await publish(stage.cal, "/repos/ann/hush", { tag_name: "v2" })).status).toBe(404)
      await stage.must(stage.ann, "POST /user/repos", { name: "void" })
      expect((await publish(stage.ann, "/repos/ann/void", { tag_name: "v2" })).status).toBe(422)
      expect(await tags(stage.ann, `GET ${at}/releases`)).toEqual(["v1"])
      expect(await stage.must(stage.ann, `GET ${at}/tags`)).toHaveLength(1)
    })

    test("of an archived repository can be told about, but make no tags", async () => {
      const at = await repository()
      await stage.must(stage.ann, `POST ${at}/tags`, { tag_name: "v1" })
      await stage.must(stage.ann, `PATCH ${at}`, { archived: true })
      expect((await publish(stage.ann, at, { tag_name: "v1" })).status).toBe(201)
      expect((await publish(stage.ann, at, { tag_name: "v2", draft: true })).status).toBe(201)
      expect((await publish(stage.ann, at, { tag_name: "v3" })).status).toBe(423)
    })

    test("that are drafts are known only to those who may write them", async () => {
      const at = await repository()
      const { id } = (await publish(stage.ben, at, { tag_name: "v1", name: "Soon", draft: true })).body
      await publish(stage.ben, at, { tag_name: "v0" })
      expect(await stage.status(stage.ben, `GET ${at}/tags/v1`)).toBe(404)
      const reader = await token("ben", ["read:repository"])
      const writer = await token("ben", ["write:repository"])
      for (const [caller, sees] of [
        [stage.ben, true],
        [stage.root, true],
        [writer, true],
        [reader, false],
        [stage.cal, false],
        [undefined, false],
      ] as const) {
        expect(await tags(caller, `GET ${at}/releases`)).toEqual(sees ? ["v0", "v1"] : ["v0"])
        expect(await tags(caller, `GET ${at}/releases?draft=true`)).toEqual(sees ? ["v1"] : [])
        expect(await tags(caller, `GET ${at}/releases?draft=false`)).toEqual(["v0"])
        expect((await stage.call(caller, `GET ${at}/releases`)).headers.get("x-total-count")).toBe(sees ? "2" : "1")
        for (const route of [`GET ${at}/releases/${id}`, `GET ${at}/releases/tags/v1`, `GET ${at}/releases/${id}/assets`])
          expect(await stage.status(caller, route), `${route} by ${caller}`).toBe(sees ? 200 : 404)
      }
      expect((await stage.must(undefined, `GET ${at}`)).release_counter).toBe(1)
      expect(await feed(at)).not.toContainEqual(expect.stringContaining("Soon"))
    })

    test("are published once, with their tag", async () => {
      const at = await repository()
      const { id } = (await publish(stage.ben, at, { tag_name: "v1", name: "Soon", body: "Words", draft: true })).body
      expect((await stage.call(stage.ben, `PATCH ${at}/releases/${id}`, { name: "Sooner" })).body).toMatchObject({
        draft: true,
        name: "Sooner",
      })
      expect(await stage.status(stage.ben, `GET ${at}/tags/v1`)).toBe(404)
      const published = await stage.call(stage.ben, `PATCH ${at}/releases/${id}`, { draft: false, body: "" })
      expect(published).toMatchObject({ status: 200, body: { draft: false, name: "Sooner", body: "Words" } })
      expect(await stage.status(undefined, `GET ${at}/tags/v1`)).toBe(200)
      await stage.must(stage.ben, `PATCH ${at}/releases/${id}`, { draft: false, prerelease: true })
      expect((await feed(at)).filter((row) => row.startsWith("publish"))).toEqual(["publish_release refs/tags/v1 Sooner"])
      expect((await stage.must(undefined, `GET ${at}`)).release_counter).toBe(1)
    })

    test("are refused for a tag that another call has just made for its own", async () => {
      const at = await repository()
      const { id: repositoryId } = await stage.must(stage.ann, `GET ${at}`)
      await stage.must(stage.ann, `POST ${at}/tags`, { tag_name: "v1" })
      const { database, jobs, now } = stage.hearth.services
      const release = { id: null, tagName: "v1", target: "main", title: "", note: "", isPrerelease: false, publisherId: 1 }
      const entry = { repositoryId, pusherId: 1, changes: [], options: [], release }
      const entryId = await database.write((tx) => jobs.enqueue(tx, settleJob, entry, { runAt: now() + 3600 }))
      expect((await publish(stage.ben, at, { tag_name: "v1" })).status).toBe(409)
      expect((await publish(stage.ben, await repository(), { tag_name: "v1" })).status).toBe(201)
      await database.write((tx) => removeEntry(tx, entryId))
      expect((await publish(stage.ben, at, { tag_name: "v1" })).status).toBe(201)
    })

    test("are changed by those who may, into what can be", async () => {
      const at = await repository()
      const { id } = (await publish(stage.ben, at, { tag_name: "v1" })).body
      await publish(stage.ben, at, { tag_name: "v2" })
      const edit = (caller: string | undefined, body: object, to = id) => stage.call(caller, `PATCH ${at}/releases/${to}`, body)
      expect((await edit(stage.ben, { tag_name: "v2" })).status).toBe(409)
      expect((await edit(stage.ben, { tag_name: "a b" })).status).toBe(422)
      expect((await edit(stage.ben, { tag_name: "v3", target_commitish: "nowhere" })).status).toBe(404)
      expect((await edit(stage.cal, { name: "x" })).status).toBe(403)
      expect((await edit(undefined, { name: "x" })).status).toBe(401)
      expect((await edit(stage.ben, { name: "x" }, 999_999)).status).toBe(404)
      expect((await edit(stage.ben, { name: 1 })).status).toBe(422)
      // A release of another repository is not found here.
      const other = await repository()
      expect(await stage.status(stage.ben, `PATCH ${other}/releases/${id}`, { name: "x" })).toBe(404)
      expect(await stage.status(stage.ben, `GET ${other}/releases/${id}`)).toBe(404)
      expect(await stage.status(stage.ben, `DELETE ${other}/releases/${id}`)).toBe(404)
      expect((await edit(stage.ben, { tag_name: "v3" })).body).toMatchObject({ tag_name: "v3" })
      expect(await stage.status(undefined, `GET ${at}/tags/v3`)).toBe(200)
      expect(await edit(stage.ben, {})).toMatchObject({ status: 200, body: { tag_name: "v3", name: "" } })
      expect((await edit(stage.ben, { draft: true })).body.draft).toBe(true)
      expect((await stage.must(undefined, `GET ${at}`)).release_counter).toBe(1)
    })

    test("made within one second stand in the order of their tags", async () => {
      const at = await repository()
      for (const tag_name of ["v1", "v2"]) await stage.must(stage.ben, `POST ${at}/tags`, { tag_name, message: tag_name })
      for (const tag_name of ["v3", "v2", "v1"]) await publish(stage.ben, at, { tag_name })
      await publish(stage.ben, at, { tag_name: "v0", draft: true })
      await publish(stage.ben, at, { tag_name: "v4" })
      const { database } = stage.hearth.services
      await database.write((tx) => tx.updateTable("releases").set({ created_at: 1_700_000_000 }).where("title", "=", "").execute())
      expect(await tags(stage.ben, `GET ${at}/releases`)).toEqual(["v4", "v0", "v3", "v2", "v1"])
      expect((await stage.must(undefined, `GET ${at}/releases/latest`)).tag_name).toBe("v4")
    })

    test("are found by what they are; the latest is neither draft nor pre-release", async () => {
      const at = await repository()
      expect(await stage.status(undefined, `GET ${at}/releases/latest`)).toBe(404)
      await publish(stage.ben, at, { tag_name: "v1" })
      await publish(stage.ben, at, { tag_name: "v2-rc", prerelease: true })
      await publish(stage.ben, at, { tag_name: "v3", draft: true })
      expect((await stage.must(undefined, `GET ${at}/releases/latest`)).tag_name).toBe("v1")
      expect(await tags(undefined, `GET ${at}/releases?pre-release=true`)).toEqual(["v2-rc"])
      expect(await tags(undefined, `GET ${at}/releases?pre-release=false`)).toEqual(["v1"])
      expect(await tags(stage.ben, `GET ${at}/releases`)).toEqual(["v3", "v2-rc", "v1"])
      const page = await stage.call(undefined, `GET ${at}/releases?limit=1&page=2`)
      expect([page.body[0].tag_name, page.headers.get("x-total-count")]).toEqual(["v1", "2"])
      for (const route of [`GET ${at}/releases/0`, `GET ${at}/releases/x`, `GET ${at}/releases/tags/none`])
        expect(await stage.status(undefined, route)).toBe(404)
    })

    test("are deleted with their files; their tags stay", async () => {
      const at = await repository()
      const { id } = (await publish(stage.ben, at, { tag_name: "v1" })).body
      await publish(stage.ben, at, { tag_name: "v2" })
      const { uuid } = await stage.must(stage.ben, `POST ${at}/releases/${id}/assets`, form("bytes"))
      expect(await files()).toContain(uuid)
      expect(await stage.status(stage.cal, `DELETE ${at}/releases/${id}`)).toBe(403)
      expect(await stage.status(undefined, `DELETE ${at}/releases/tags/v2`)).toBe(401)
      expect(await stage.status(stage.ben, `DELETE ${at}/releases/${id}`)).toBe(204)
      expect(await stage.status(stage.ben, `DELETE ${at}/releases/${id}`)).toBe(404)
      expect(await stage.status(stage.ben, `DELETE ${at}/releases/tags/v2`)).toBe(204)
      expect(await stage.status(stage.ben, `DELETE ${at}/releases/tags/v2`)).toBe(404)
      expect(await stage.must(undefined, `GET ${at}/tags`)).toHaveLength(2)
      expect((await stage.must(undefined, `GET ${at}`)).release_counter).toBe(0)
      expect((await stage.get(`/attachments/${uuid}`)).status).toBe(404)
      await stage.settle()
      expect(await files()).not.toContain(uuid)
    })

    test("need the releases of the repository to be switched on", async () => {
      const at = await repository()
      await publish(stage.ben, at, { tag_name: "v1" })
      await stage.must(stage.ann, `PATCH ${at}`, { has_releases: false })
      expect(await stage.status(undefined, `GET ${at}/releases`)).toBe(403)
      expect(await stage.status(stage.ben, `POST ${at}/releases`, { tag_name: "v2" })).toBe(403)
    })

    // --- files ----------------------------------------------------------------------------------------------------------------------

    const form = (bytes: string, name = "tool.tar.xz"): FormData => {
      const made = new FormData()
      made.append("attachment", new Blob([bytes]), name)
      return made
    }
    /** The attachment files on disk. */
    const files = async (): Promise<readonly string[]> => {
      const all = await readdir(join(stage.hearth.services.config.dataDir, "attachments"), { recursive: true, withFileTypes: true })
      return all.filter((entry) => entry.isFile()).map((entry) => entry.name)
    }

    test("take files as forms and as bodies, of any kind, and hand them out", async () => {
      const at = await repository()
      const { id } = (await publish(stage.ben, at, { tag_name: "v1" })).body
      const assets = `${at}/releases/${id}/assets`
      const made = await stage.call(stage.ben, `POST ${assets}`, form("some bytes"))
      expect(made).toMatchObject({ status: 201, body: { name: "tool.tar.xz", size: 10, download_count: 0 } })
      const plain = await stage.call(stage.ben, `POST ${assets}?name=data.json`, '{"a":1}', { "content-type": "application/json" })
      expect(plain).toMatchObject({ status: 201, body: { name: "data.json", size: 7 } })
      const bare = await stage.call(stage.ben, `POST ${assets}?name=x.exe`, "MZ", { "content-type": "application/octet-stream" })
      expect(bare).toMatchObject({ status: 201, body: { name: "x.exe", size: 2 } })
      expect((await stage.must(undefined, `GET ${at}/releases/${id}`)).assets).toEqual([made.body, plain.body, bare.body])
      expect(await stage.must(undefined, `GET ${assets}`)).toEqual([made.body, plain.body, bare.body])

      const answer = await stage.get(made.body.browser_download_url)
      expect([answer.status, await answer.text()]).toEqual([200, "some bytes"])
      expect(answer.headers.get("content-disposition")).toBe('attachment; filename="tool.tar.xz"')
      expect((await stage.must(undefined, `GET ${assets}/${made.body.id}`)).download_count).toBe(1)

      const renamed = await stage.call(stage.ben, `PATCH ${assets}/${made.body.id}`, { name: "other.bin" })
      expect(renamed).toMatchObject({ status: 201, body: { name: "other.bin", size: 10 } })
      expect(await stage.status(stage.ben, `DELETE ${assets}/${made.body.id}`)).toBe(204)
      expect(await stage.status(stage.ben, `DELETE ${assets}/${made.body.id}`)).toBe(404)
    })

    test("refuse files that are too large, nameless, missing, or someone else's", async () => {
      const at = await repository()
      const other = await repository()
      const { id } = (await publish(stage.ben, at, { tag_name: "v1" })).body
      const otherId = (await publish(stage.ben, other, { tag_name: "v1" })).body.id
      const assets = `${at}/releases/${id}/assets`
      const before = (await files()).length
      expect(await stage.status(stage.ben, `POST ${assets}`, form("x".repeat(LIMIT + 1)))).toBe(413)
      const large = await stage.call(stage.ben, `POST ${assets}?name=a`, "x".repeat(20 * LIMIT), { "content-type": "application/zip" })
      expect(large.status).toBe(413)
      expect((await stage.call(stage.ben, `POST ${assets}`, "bytes", { "content-type": "application/zip" })).status).toBe(422)
      expect(await stage.status(stage.ben, `POST ${assets}`, new FormData())).toBe(400)
      expect(await stage.status(stage.cal, `POST ${assets}`, form("x"))).toBe(403)
      expect(await stage.status(undefined, `POST ${assets}`, form("x"))).toBe(401)
      expect(await stage.status(stage.ben, `POST ${at}/releases/${otherId}/assets`, form("x"))).toBe(404)
      expect(await stage.status(stage.ben, `POST ${at}/releases/999999/assets`, form("x"))).toBe(404)
      expect((await files()).length).toBe(before)

      const made = await stage.must(stage.ben, `POST ${other}/releases/${otherId}/assets`, form("x"))
      for (const route of ["GET", "DELETE"]) expect(await stage.status(stage.ben, `${route} ${assets}/${made.id}`)).toBe(404)
      expect(await stage.status(stage.ben, `PATCH ${assets}/${made.id}`, { name: "y" })).toBe(404)
      expect(await stage.status(stage.cal, `PATCH ${other}/releases/${otherId}/assets/${made.id}`, { name: "y" })).toBe(403)
      for (const name of ["../../x", "a/b"]) {
        const named = await stage.call(stage.ben, `POST ${assets}?name=${encodeURIComponent(name)}`, form("x"))
        expect(named.body.name).toBe(name.split("/").at(-1))
      }
    })

    test("have archives under tags with slashes", async () => {
      const at = await repository()
      const { zipball_url, tarball_url } = (await publish(stage.ben, at, { tag_name: "rel/1.0" })).body
      expect(zipball_url).toMatch(/\/archive\/rel%2F1\.0\.zip$/)
      for (const url of [zipball_url, tarball_url]) expect((await stage.get(url)).status).toBe(200)
    })

    test("hand out files only to those who may read them now", async () => {
      const at = await repository()
      const name = at.slice("/repos/ann/".length)
      const { id } = (await publish(stage.ben, at, { tag_name: "v1", draft: true })).body
      const { browser_download_url: url } = await stage.must(stage.ben, `POST ${at}/releases/${id}/assets`, form("x"))
      const status = async (caller?: string) => (await stage.get(url, caller)).status
      expect([await status(), await status(stage.cal), await status(stage.ben)]).toEqual([404, 404, 200])
      await stage.must(stage.ben, `PATCH ${at}/releases/${id}`, { draft: false })
      expect([await status(), await status(stage.cal)]).toEqual([200, 200])
      // The address of a published file has its tag and name. It is sent from there, and from that of the latest release: python-semantic-release and others
      // follow no redirect.
      const [asset] = await stage.must(stage.ben, `GET ${at}/releases/${id}/assets`)
      const page = `/ann/${name}/releases`
      expect(asset.browser_download_url).toMatch(new RegExp(`^https?://[^/]+${page}/download/v1/tool\\.tar\\.xz$`))
      expect((await stage.must(stage.ben, `GET ${at}/releases/latest`)).assets).toEqual([asset])
      for (const address of [`${page}/download/v1/tool.tar.xz`, `${page}/latest/download/tool.tar.xz`]) {
        const found = await stage.get(address, stage.cal)
        expect([address, found.status, await found.text()]).toEqual([address, 200, await (await stage.get(url)).text()])
        expect(found.headers.get("content-disposition")).toMatch(/^attachment; filename="?tool\.tar\.xz/)
        const part = await stage.get(address, stage.cal, { range: "bytes=0-0" })
        expect([part.status, part.headers.get("content-range")?.slice(0, 10)]).toEqual([206, "bytes 0-0/"])
        const head = await stage.get(address, stage.cal, {}, "HEAD")
        expect([head.status, head.headers.get("content-length")]).toEqual([200, found.headers.get("content-length")])
        const again = await stage.get(address, stage.cal, { "if-none-match": found.headers.get("etag") ?? "" })
        expect(again.status).toBe(304)
      }
      expect((await stage.must(stage.ben, `GET ${at}/releases/${id}/assets/${asset.id}`)).download_count).toBeGreaterThan(3)
      expect((await stage.get(`${page}/latest/download/none`, stage.cal)).status).toBe(404)
      expect(await status(await token("cal", ["read:issue"]))).toBe(404)
      expect(await status(await token("cal", ["read:repository"]))).toBe(200)
      await stage.must(stage.ann, `PATCH ${at}`, { private: true })
      expect([await status(), await status(stage.cal), await status(stage.ben)]).toEqual([404, 404, 200])
      await stage.must(stage.ann, `PATCH ${at}`, { private: false, has_releases: false })
      expect([await status(), await status(stage.ben), await status(stage.ann)]).toEqual([404, 404, 200])
      expect((await stage.get(`/ann/${name}/releases/download/v1/tool.tar.xz`, stage.ann)).status).toBe(200)
      expect((await stage.get(`/ann/${name}/releases/download/v1/tool.tar.xz`)).status).toBe(404)
      expect((await stage.get(`/ann/${name}/releases/download/v1/none`, stage.ann)).status).toBe(404)
    })
  },
)
