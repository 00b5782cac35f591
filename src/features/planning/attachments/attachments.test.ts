import { readdir, utimes } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"
import { openCommentFixture } from "../comments/testing.ts"

const LIMIT = 100_000

withWorld(
  "attachments",
  { open: (kind) => openCommentFixture(kind, { attachments: { maxBytes: LIMIT }, undo: { keepSeconds: 0 } }) },
  ({ test, world: talk }) => {
    const at = "/repos/ann/open/issues"
    const form = (bytes: string | Uint8Array<ArrayBuffer>, name = "notes.txt", field = "attachment"): FormData => {
      const made = new FormData()
      made.append(field, new Blob([bytes]), name)
      return made
    }
    const upload = (caller: Caller, path: string, bytes = "some words", name = "notes.txt") =>
      talk.call(caller, `POST ${path}`, form(bytes, name))
    const get = (url: string, caller?: Caller, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
      fetch(url, { method, headers: { ...(caller === undefined ? {} : { authorization: caller }), ...headers } })
    const issue = async (title: string): Promise<number> => (await talk.call(talk.cal, `POST ${at}`, { title })).body.number
    /** The files that lie on the disk. */
    const files = async (): Promise<readonly string[]> => {
      const all = await readdir(join(talk.hearth.services.config.dataDir, "attachments"), { recursive: true, withFileTypes: true }).catch(
        () => [],
      )
      return all.filter((entry) => entry.isFile()).map((entry) => entry.name)
    }
    /** Runs the jobs that are due. */
    const settle = () => talk.hearth.services.jobs.drain()

    test("are taken in, shown with their issue, and handed out", async () => {
      const number = await issue("With files")
      const made = await upload(talk.cal, `${at}/${number}/assets`)
      expect(made.status).toBe(201)
      const { id, uuid, browser_download_url: url } = made.body
      expect(made.body).toMatchObject({ name: "notes.txt", size: 10, download_count: 0 })
      expect(url).toBe(`${talk.hearth.url}/attachments/${uuid}`)
      expect(await files()).toContain(uuid)
      const shown = (await talk.call(talk.dot, `GET ${at}/${number}`)).body
      expect(shown).toMatchObject({ assets: [made.body], content_version: 1 })
      expect((await talk.call(talk.dot, `GET ${at}/${number}/assets`)).body).toEqual([made.body])
      expect((await talk.call(talk.dot, `GET ${at}/${number}/assets/${id}`)).body).toEqual(made.body)

      const answer = await get(url)
      expect(await answer.text()).toBe("some words")
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "content-type": "text/plain; charset=utf-8",
        "content-length": "10",
        "content-disposition": 'inline; filename="notes.txt"',
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-cache",
        "accept-ranges": "bytes",
      })
      expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none';.*; sandbox$/)
      expect((await talk.call(talk.dot, `GET ${at}/${number}/assets/${id}`)).body.download_count).toBe(1)
    })

    test("are handed out in parts, and counted once", async () => {
      const number = await issue("Parts")
      const { uuid, browser_download_url: url } = (await upload(talk.cal, `${at}/${number}/assets`, "0123456789")).body
      const part = await get(url, undefined, { range: "bytes=2-4" })
      expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, "bytes 2-4/10", "234"])
      const outside = await get(url, undefined, { range: "bytes=10-" })
      expect([outside.status, outside.headers.get("content-range")]).toEqual([416, "bytes */10"])
      const other = await get(url, undefined, { range: "bytes=2-4", "if-range": '"another"' })
      expect([other.status, await other.text()]).toEqual([200, "0123456789"])
      const same = await get(url, undefined, { range: "bytes=-1", "if-range": `"${uuid}"` })
      expect([same.status, await same.text()]).toEqual([206, "9"])
      expect((await get(url, undefined, { "if-none-match": `"${uuid}"` })).status).toBe(304)
      const head = await get(url, undefined, {}, "HEAD")
      expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10", ""])
      expect((await talk.call(talk.dot, `GET ${at}/${number}/assets`)).body[0].download_count).toBe(1)
    })

    test("of no bytes are files too", async () => {
      const number = await issue("Empty")
      const { browser_download_url: url, size } = (await upload(talk.cal, `${at}/${number}/assets`, "")).body
      expect(size).toBe(0)
      const answer = await get(url)
      expect([answer.status, answer.headers.get("content-length"), await answer.text()]).toEqual([200, "0", ""])
      expect((await get(url, undefined, { range: "bytes=0-" })).status).toBe(416)
    })

    test("are limited in size and type, and nothing is left of refused ones", async () => {
      const number = await issue("Bounds")
      const before = await files()
      const on = `${at}/${number}/assets`
      expect((await upload(talk.cal, on, "x".repeat(LIMIT))).status).toBe(201)
      const refused = await upload(talk.cal, on, "x".repeat(LIMIT + 1))
      expect(refused).toMatchObject({ status: 413, body: { message: expect.stringContaining(String(LIMIT)) } })
      for (const name of ["evil.exe", "noending", ".txt/evil.html"]) {
        const answer = await upload(talk.cal, on, "x", name)
        expect([name, answer.status, answer.body.message]).toEqual([name, 422, expect.stringContaining("[attachment]")])
      }
      expect(await talk.status(talk.cal, `POST ${on}?name=evil.exe`, form("x"))).toBe(422)
      expect((await talk.call(talk.cal, `POST ${on}?name=better.md`, form("x", "x.exe"))).body.name).toBe("better.md")
      expect(await talk.status(talk.cal, `POST ${on}`, form("x", "a.txt", "file"))).toBe(400)
      expect(await talk.status(talk.cal, `POST ${on}`, { attachment: "x" })).toBe(422)
      expect(await talk.status(talk.cal, `POST ${on}`)).toBe(422)
      expect(await files()).toHaveLength(before.length + 2)
      expect((await talk.call(talk.cal, `GET ${on}`)).body).toHaveLength(2)
    })

    test("keep no folders and no unusual characters of their names", async () => {
      const number = await issue("Names")
      for (const [given, kept] of [
        ["../../etc/passwd.txt", "passwd.txt"],
        ["C:\\temp\\a.txt", "a.txt"],
        ["gr\u00fc\u00df e.txt", "gr\u00fc\u00df e.txt"],
        ["\u202etxt.exe.txt", "txt.exe.txt"],
      ] as const)
        expect((await upload(talk.cal, `${at}/${number}/assets`, "x", given)).body.name).toBe(kept)
      const { browser_download_url: url } = (await upload(talk.cal, `${at}/${number}/assets`, "x", "a'b \u00fc.zip")).body
      const answer = await get(url)
      expect(answer.headers.get("content-type")).toBe("application/octet-stream")
      expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="a'b _.zip"; filename*=UTF-8''a%27b%20%C3%BC.zip`)
    })

    test("are attached only by the author and by writers", async () => {
      const number = await issue("By cal")
      const on = `${at}/${number}/assets`
      expect((await upload(talk.cal, on)).status).toBe(201)
      const { id } = (await upload(talk.ben, on)).body
      expect((await upload(talk.dot, on)).status).toBe(403)
      expect((await upload(undefined, on)).status).toBe(401)
      expect((await upload(talk.dot, "/repos/ann/hush/issues/1/assets")).status).toBe(404)
      expect((await upload(talk.ann, `${at}/99/assets`)).status).toBe(404)
      expect(await talk.status(talk.dot, `PATCH ${on}/${id}`, { name: "x.txt" })).toBe(403)
      expect(await talk.status(talk.dot, `DELETE ${on}/${id}`)).toBe(403)
      expect(await talk.call(talk.cal, `PATCH ${on}/${id}`, { name: "other.md" })).toMatchObject({
        status: 201,
        body: { name: "other.md" },
      })
      expect(await talk.call(talk.cal, `PATCH ${on}/${id}`, {})).toMatchObject({ status: 201, body: { name: "other.md" } })
      expect(await talk.status(talk.cal, `PATCH ${on}/${id}`, { name: "other.exe" })).toBe(422)
      // Attachments of other texts aren't found here.
      expect(await talk.status(talk.ann, `GET ${at}/1/assets/${id}`)).toBe(404)
      expect(await talk.status(talk.ann, `DELETE ${at}/1/assets/${id}`)).toBe(404)
      expect(await talk.status(talk.ann, `PATCH /repos/ann/hush/issues/1/assets/${id}`, { name: "x.txt" })).toBe(404)
    })

    test("are attached to comments by their authors and by writers", async () => {
      const theirs = await talk.comment(talk.cal, "open/issues/1", "by a reader")
      const own = await talk.comment(talk.ben, "open/issues/1", "by a writer")
      const on = (id: number) => `${at}/comments/${id}/assets`
      expect((await upload(talk.cal, on(theirs))).status).toBe(403)
      expect((await upload(talk.ben, on(theirs))).status).toBe(403)
      expect((await upload(talk.ann, on(theirs))).status).toBe(201)
      expect((await upload(undefined, on(own))).status).toBe(401)
      const made = await upload(talk.ben, on(own))
      expect(made.status).toBe(201)
      expect((await talk.call(talk.dot, `GET ${at}/comments/${own}`)).body.assets).toEqual([made.body])
      const list = (await talk.call(talk.dot, `GET ${at}/1/comments`)).body
      expect(list.find((comment: { id: number }) => comment.id === own).assets).toEqual([made.body])
      expect((await talk.call(talk.dot, `GET ${at}/1`)).body.assets).toEqual([])
      const { id, browser_download_url: url } = made.body
      expect(await talk.status(talk.dot, `GET ${on(theirs)}/${id}`)).toBe(404)
      expect((await talk.call(talk.dot, `GET ${on(own)}/${id}`)).body.id).toBe(id)
      expect(await talk.status(talk.ben, `PATCH ${on(own)}/${id}`, { name: "x.md" })).toBe(201)
      expect(await talk.status(talk.ben, `DELETE ${on(own)}/${id}`)).toBe(204)
      expect((await get(url)).status).toBe(404)
    })

    test("are not found by callers who may not read the issue, at each download", async () => {
      const { browser_download_url: url } = (await upload(talk.ann, "/repos/ann/hush/issues/1/assets")).body
      const status = async (caller?: Caller) => {
        const answer = await get(url, caller)
        return [answer.status, await answer.text()]
      }
      const token = async (scopes: readonly string[]) => {
        const made = await talk.call(talk.ann, "POST /users/ann/tokens", { name: scopes.join(), scopes })
        return `token ${made.body.sha1}`
      }
      expect(await status()).toEqual([404, ""])
      expect(await status(talk.cal)).toEqual([404, ""])
      expect((await status("token 0123456789012345678901234567890123456789"))[0]).toBe(401)
      expect(await status(talk.ben)).toEqual([200, "some words"])
      expect(await status(await token(["read:issue"]))).toEqual([200, "some words"])
      expect(await status(await token(["read:repository"]))).toEqual([404, ""])
      expect(await status(await token(["public-only", "read:issue"]))).toEqual([404, ""])
      await talk.call(talk.ann, "DELETE /repos/ann/hush/collaborators/ben")
      expect(await status(talk.ben)).toEqual([404, ""])
      await talk.call(talk.ann, "PATCH /repos/ann/hush", { private: false })
      expect(await status()).toEqual([200, "some words"])
      await talk.call(talk.ann, "PATCH /repos/ann/hush", { has_issues: false })
      expect(await status(talk.ann)).toEqual([404, ""])
      expect((await get(`${talk.hearth.url}/attachments/00000000-0000-0000-0000-000000000000`)).status).toBe(404)
      expect((await get(`${talk.hearth.url}/attachments/..%2f..%2fhearth.db`)).status).toBe(404)
    })

    test("take their files with them when deleted", async () => {
      const number = await issue("Gone")
      const comment = await talk.comment(talk.ben, `open/issues/${number}`, "x")
      const put = async (path: string): Promise<{ readonly id: number; readonly uuid: string }> => (await upload(talk.ann, path)).body
      const one = await put(`${at}/${number}/assets`)
      const two = await put(`${at}/comments/${comment}/assets`)
      expect(await talk.status(talk.cal, `DELETE ${at}/${number}/assets/${one.id}`)).toBe(204)
      expect(await talk.status(talk.cal, `DELETE ${at}/${number}/assets/${one.id}`)).toBe(404)
      expect(await talk.status(talk.ann, `DELETE ${at}/comments/${comment}`)).toBe(204)
      await settle()
      const left = await files()
      expect(left).not.toContain(one.uuid)
      expect(left).not.toContain(two.uuid)

      const three = await put(`${at}/${number}/assets`)
      expect(await talk.status(talk.ann, `DELETE ${at}/${number}`)).toBe(204)
      await talk.call(talk.ann, "POST /user/repos", { name: "brief" })
      await talk.call(talk.ann, "POST /repos/ann/brief/issues", { title: "x" })
      const four = await put("/repos/ann/brief/issues/1/assets")
      expect(await files()).toContain(four.uuid)
      expect(await talk.status(talk.ann, "DELETE /repos/ann/brief")).toBe(204)
      await settle()
      expect(await files()).not.toContain(three.uuid)
      expect(await files()).not.toContain(four.uuid)
      expect((await talk.call(talk.dot, `GET ${at}`)).status).toBe(200)
    })

    test("without a row are swept away once they are a day old", async () => {
      const number = await issue("Kept")
      const put = async (): Promise<string> => (await upload(talk.cal, `${at}/${number}/assets`)).body.uuid
      const [kept, young, old] = [await put(), await put(), await put()]
      const { config, database, jobs } = talk.hearth.services
      await database.write((tx) => tx.deleteFrom("attachments").where("uuid", "in", [young, old]).execute())
      const age = (uuid: string) => utimes(join(config.dataDir, "attachments", uuid.slice(0, 2), uuid), 1, 1)
      await age(kept)
      await age(old)
      expect(await jobs.tasks.run("sweep_attachments")).toBe("ok")
      const left = await files()
      expect(left).toContain(kept)
      expect(left).toContain(young)
      expect(left).not.toContain(old)
    })

    test("are refused in an archived repository before a byte is read", async () => {
      const number = await issue("Archived")
      const { id } = (await upload(talk.cal, `${at}/${number}/assets`)).body
      await talk.call(talk.ann, "PATCH /repos/ann/open", { archived: true })
      expect((await upload(talk.cal, `${at}/${number}/assets`)).status).toBe(423)
      expect(await talk.status(talk.cal, `PATCH ${at}/${number}/assets/${id}`, { name: "x.txt" })).toBe(423)
      expect(await talk.status(talk.cal, `DELETE ${at}/${number}/assets/${id}`)).toBe(423)
      expect(await talk.status(talk.dot, `GET ${at}/${number}/assets/${id}`)).toBe(200)
      await talk.call(talk.ann, "PATCH /repos/ann/open", { archived: false })
    })
  },
)

test("attachments are not found where they are switched off", async () => {
  const talk = await openCommentFixture("memory", { attachments: { enabled: false } })
  try {
    for (const route of ["GET /repos/ann/open/issues/1/assets", "POST /repos/ann/open/issues/1/assets"])
      expect(await talk.status(talk.ann, route)).toBe(404)
    expect((await talk.call(talk.ann, "GET /settings/attachment")).body.enabled).toBe(false)
  } finally {
    await talk.close()
  }
})
