import { utimes } from "node:fs/promises"
import { request } from "node:http"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { withWorld } from "../../../tests/support/fixture.ts"
import { PASS_SECONDS, readPass } from "../../features/code/lfs/passes.ts"
import { sweepLfs } from "../../features/code/lfs/sweep.ts"
import { deleteRepository } from "../../features/code/lifecycle/delete.ts"
import { forkRepository } from "../../features/code/lifecycle/fork.ts"
import { change, noise, openWorld, PASSWORD, type Person, person, reload, repository, tokenOf } from "../git-http/testing.ts"
import { ask, basic, batch, contentOf, filesOf, get, put } from "./testing.ts"

withWorld("large files", { open: (kind) => openWorld(kind, { lfs: { maxBytes: 3 * 1024 ** 2 } }) }, ({ test, world }) => {
  let ada: Person
  let ben: Person
  test.beforeAll(async () => {
    ada = await person(world, "Ada")
    ben = await person(world, "ben")
    await repository(world, ada.user, "open")
    await repository(world, ada.user, "secret", { isPrivate: true })
    await repository(world, ada.user, "counted")
    await repository(world, ben.user, "other")
  })

  const mine = () => basic(ada)

  test("are sent as a batch says, fetched as a batch says, and counted", async () => {
    const content = contentOf("a large file")
    const offer = await batch(world, "ada/counted", "upload", [content], mine())
    expect([offer.status, offer.headers.get("content-type")]).toEqual([200, expect.stringContaining("application/vnd.git-lfs+json")])
    const [object] = offer.body.objects
    expect(offer.body).toMatchObject({ transfer: "basic", hash_algo: "sha256" })
    expect(object).toMatchObject({ oid: content.oid, size: 12, authenticated: true })
    const { upload, verify } = object.actions
    expect(upload.href).toBe(`${world.hearth.url}/Ada/counted.git/info/lfs/objects/${content.oid}/12`)
    expect(upload.expires_in).toBeGreaterThan(60)
    const told = { oid: content.oid, size: content.size }
    expect((await ask(world, "ada/counted", "verify", verify.header, told)).status).toBe(404)
    expect((await fetch(upload.href, { method: "PUT", headers: upload.header, body: new Uint8Array(content.bytes) })).status).toBe(200)
    expect((await ask(world, "ada/counted", "verify", verify.header, told)).status).toBe(200)
    expect((await ask(world, "ada/counted", "verify", verify.header, { ...told, size: 13 })).status).toBe(422)
    expect((await batch(world, "ada/counted", "upload", [content], mine())).body.objects).toEqual([told])

    const { download } = (await batch(world, "ada/counted", "download", [content], mine())).body.objects[0].actions
    const answer = await fetch(download.href, { headers: download.header })
    expect([answer.status, await answer.text()]).toEqual([200, "a large file"])
    const row = await world.services.database.read
      .selectFrom("repositories")
      .selectAll()
      .where("lower_name", "=", "counted")
      .executeTakeFirst()
    expect(row?.lfs_size).toBe(12)
  })

  test("are fetched in parts, conditionally, and with nothing but a head", async () => {
    const content = contentOf("0123456789")
    expect((await put(world, "ada/open", content, content.bytes, mine())).status).toBe(200)
    const part = async (headers: Record<string, string>) => {
      const answer = await get(world, "ada/open", content.oid, headers)
      return [answer.status, answer.headers.get("content-range"), await answer.text()]
    }
    expect(await part({ range: "bytes=2-4" })).toEqual([206, "bytes 2-4/10", "234"])
    expect(await part({ range: "bytes=7-" })).toEqual([206, "bytes 7-9/10", "789"])
    expect(await part({ range: "bytes=-1" })).toEqual([206, "bytes 9-9/10", "9"])
    expect(await part({ range: "bytes=10-" })).toEqual([416, "bytes */10", ""])
    expect(await part({ range: "bytes=2-4", "if-range": '"another"' })).toEqual([200, null, "0123456789"])
    expect(await part({ "if-none-match": `"${content.oid}"` })).toEqual([304, null, ""])
    const named = await get(world, "ada/open", `${content.oid}/film.html`)
    expect(named.headers.get("content-disposition")).toBe('attachment; filename="film.html"')
    expect([named.headers.get("content-type"), named.headers.get("content-security-policy")]).toEqual([
      "application/octet-stream",
      "default-src 'none'; frame-ancestors 'none'; sandbox",
    ])
    const head = await fetch(named.url, { method: "HEAD" })
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "10"])
  })

  test("an empty one", async () => {
    const empty = contentOf("")
    expect((await put(world, "ada/open", empty, empty.bytes, mine())).status).toBe(200)
    const answer = await get(world, "ada/open", empty.oid)
    expect([answer.status, answer.headers.get("content-length"), await answer.text()]).toEqual([200, "0", ""])
  })

  test("what doesn't fit what was announced leaves nothing", async () => {
    const content = contentOf("what was announced")
    const before = await filesOf(world)
    const send = async (announced: { oid: string; size: number }, bytes: string) =>
      (await put(world, "ada/open", announced, Buffer.from(bytes), mine())).status
    expect(await send(content, "what was announcer")).toBe(422)
    expect(await send(content, "what was")).toBe(422)
    expect(await send(content, "what was announced and more")).toBe(422)
    expect(await send({ ...content, size: 5 }, "what was announced")).toBe(422)
    // Without a Content-Length only counting helps.
    expect(await chunked(content, ["what was ", "announced", " and more", "x".repeat(100_000)])).toBe(422)
    expect(await chunked(content, ["what was "])).toBe(422)
    expect(await chunked(content, ["what was ", "announced"], 5)).toBe("cut")
    expect((await get(world, "ada/open", content.oid)).status).toBe(404)
    // The server notices a disconnected client a moment later.
    await expect.poll(() => filesOf(world)).toEqual(before)
    expect(await chunked(content, ["what was ", "announced"])).toBe(200)
  })

  /** Sends an object without its length; the connection is cut where `after` milliseconds are given. */
  function chunked({ oid, size }: { oid: string; size: number }, pieces: readonly string[], after?: number): Promise<number | "cut"> {
    return new Promise((resolve) => {
      const url = `${world.hearth.url}/ada/open.git/info/lfs/objects/${oid}/${size}`
      const sending = request(url, { method: "PUT", headers: { ...mine(), "transfer-encoding": "chunked" } }, (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode ?? 0))
      })
      sending.on("error", () => resolve("cut"))
      for (const piece of pieces) sending.write(piece)
      if (after === undefined) sending.end()
      else setTimeout(() => sending.destroy(), after)
    })
  }

  test("one object sent many times at once, to several repositories, is stored once", async () => {
    const content = contentOf(noise(300_000))
    const before = (await filesOf(world)).length
    const sent = await Promise.all(
      [...Array(6).keys()].map((index) =>
        index % 2 === 0
          ? put(world, "ada/secret", content, content.bytes, mine())
          : put(world, "ben/other", content, content.bytes, basic(ben)),
      ),
    )
    expect(sent.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(await filesOf(world)).toHaveLength(before + 1)
    for (const [path, who] of [
      ["ada/secret", ada],
      ["ben/other", ben],
    ] as const)
      expect(Buffer.from(await (await get(world, path, content.oid, basic(who))).arrayBuffer()).equals(content.bytes)).toBe(true)
    const { lfs_size } = await world.services.database.read
      .selectFrom("repositories")
      .select("lfs_size")
      .where("lower_name", "=", "other")
      .executeTakeFirstOrThrow()
    expect(lfs_size).toBe(300_000)
  })

  test("knowing the name of another repository's object gives no access to it", async () => {
    const content = contentOf("only in secret")
    await put(world, "ada/secret", content, content.bytes, mine())
    expect((await get(world, "ben/other", content.oid, basic(ben))).status).toBe(404)
    expect((await get(world, "ada/secret", content.oid, basic(ben))).status).toBe(404)
    expect((await get(world, "ada/secret", content.oid)).status).toBe(401)
    expect((await batch(world, "ben/other", "download", [content], basic(ben))).body.objects[0].error.code).toBe(404)
    // To get it they must send it: an upload is offered as for any new object, and other bytes are refused.
    expect((await batch(world, "ben/other", "upload", [content], basic(ben))).body.objects[0].actions.upload).toBeDefined()
    expect((await put(world, "ben/other", content, Buffer.from("guessed bytes!"), basic(ben))).status).toBe(422)
    expect((await get(world, "ben/other", content.oid, basic(ben))).status).toBe(404)
    expect((await ask(world, "ben/other", "verify", basic(ben), { oid: content.oid, size: content.size })).status).toBe(404)
  })

  test("names and lengths that can't be are refused one by one, and lead nowhere", async () => {
    const oid = "a".repeat(64)
    const odd = [
      { oid: "../../../../etc/passwd", size: 1 },
      { oid: oid.toUpperCase(), size: 1 },
      { oid, size: -1 },
      { oid, size: 1.5 },
      { oid, size: 3 * 1024 * 1024 + 1 },
      { oid, size: 3 },
    ]
    const { status, body } = await batch(world, "ada/open", "upload", odd, mine())
    expect(status).toBe(200)
    expect(body.objects.map((object: { error?: { code: number } }) => object.error?.code)).toEqual([422, 422, 422, 422, 422, undefined])
    expect((await batch(world, "ada/open", "upload", [{ oid: `${oid}\0`, size: 1 }], mine())).status).toBe(422)
    const before = await filesOf(world)
    for (const path of [
      "..%2f..%2f..%2fx/1",
      `${oid}%2f..%2f..%2fx/1`,
      `${oid.toUpperCase()}/1`,
      `${oid}/-1`,
      `${oid}/1e3`,
      `${oid}/0x1`,
    ]) {
      const answer = await fetch(`${world.hearth.url}/ada/open.git/info/lfs/objects/${path}`, { method: "PUT", headers: mine(), body: "x" })
      expect([path, answer.status]).toEqual([path, 422])
    }
    for (const name of ["..%2f..%2fhearth.db", "..%5c..%5cx", "%00", oid])
      expect((await fetch(`${world.hearth.url}/ada/open.git/info/lfs/objects/${name}`, { headers: mine() })).status).toBe(404)
    expect(await filesOf(world)).toEqual(before)
  })

  test("what is larger than the site's limit is refused before it comes", async () => {
    const large = contentOf(Buffer.alloc(3 * 1024 * 1024 + 1))
    expect((await put(world, "ada/open", large, large.bytes, mine())).status).toBe(413)
    const fits = contentOf(Buffer.alloc(3 * 1024 * 1024))
    expect((await put(world, "ada/open", fits, fits.bytes, mine())).status).toBe(200)
  })

  test("batches that can't be understood", async () => {
    const send = async (body: unknown, headers = mine()) => (await ask(world, "ada/open", "objects/batch", headers, body)).status
    const objects = [{ oid: "a".repeat(64), size: 1 }]
    expect(await send({ operation: "upload", objects, ref: { name: "refs/heads/main" } })).toBe(200)
    expect(await send({ operation: "upload", objects, ref: null })).toBe(200)
    expect(await send({ operation: "delete", objects })).toBe(400)
    expect(await send({ operation: "upload", objects, hash_algo: "md5" })).toBe(409)
    expect(await send({ operation: "upload" })).toBe(422)
    expect(await send("{")).toBe(422)
    expect(await send("")).toBe(422)
    expect(await send({ operation: "upload", objects: Array(1001).fill(objects[0]) })).toBe(413)
    expect(await send(`"${"x".repeat(3_000_000)}"`)).toBe(413)
    expect((await ask(world, "ada/open", "objects/batch", { ...mine(), accept: "*/*" }, { operation: "upload", objects })).status).toBe(415)
    expect((await ask(world, "ada/open", "locks", { accept: "application/json" })).status).toBe(415)
  })

  describe("who may", () => {
    const objects = [{ oid: "b".repeat(64), size: 1 }]
    const status = async (path: string, operation: string, headers: Record<string, string> = {}) =>
      (await batch(world, path, operation, objects, headers)).status

    test("read and write what, by password and token", async () => {
      const password = { authorization: `Basic ${btoa(`ada:${PASSWORD}`)}` }
      expect(await status("ada/secret", "upload", password)).toBe(200)
      expect(await status("ada/secret", "upload", { authorization: `Bearer ${ada.token}` })).toBe(200)
      expect(await status("ada/open", "download")).toBe(200)
      expect(await status("ada/open", "download", basic(ben))).toBe(200)
      expect(await status("ada/open", "upload", basic(ben))).toBe(403)
      expect((await put(world, "ada/open", contentOf("x"), Buffer.from("x"), basic(ben))).status).toBe(403)
      expect(await status("ada/open", "upload")).toBe(401)
      expect(await status("ada/open", "download", { authorization: `Basic ${btoa("ada:wrong")}` })).toBe(401)
    })

    test("a hidden repository and a missing one look the same", async () => {
      for (const path of ["ada/secret", "ada/missing", "nobody/missing"]) {
        const stranger = await batch(world, path, "download", objects)
        expect([stranger.status, stranger.headers.get("www-authenticate"), stranger.body.message]).toEqual([
          401,
          'Basic realm="gitea-lfs"',
          "Unauthorized",
        ])
        const other = await batch(world, path, "upload", objects, basic(ben))
        expect([other.status, other.body.message]).toEqual([404, "Repository not found"])
      }
    })

    test("tokens do what they are for", async () => {
      const [read, issue, open] = await Promise.all(
        [["read:repository"], ["write:issue"], ["write:repository", "public-only"]].map((scopes) => tokenOf(world, ada, scopes)),
      )
      const as = (token = "") => ({ authorization: `Bearer ${token}` })
      expect(await status("ada/secret", "download", as(read))).toBe(200)
      expect(await status("ada/secret", "upload", as(read))).toBe(403)
      expect(await status("ada/open", "download", as(issue))).toBe(403)
      expect(await status("ada/open", "upload", as(open))).toBe(200)
      expect(await status("ada/secret", "download", as(open))).toBe(404)
    })

    test("an archived repository is read and not written", async () => {
      const row = await repository(world, ada.user, "archived")
      await change(world, row, { is_archived: 1 })
      expect(await status("ada/archived", "download", mine())).toBe(200)
      const refused = await batch(world, "ada/archived", "upload", objects, mine())
      expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining("archived")])
      expect((await ask(world, "ada/archived", "locks", mine(), { path: "a" })).status).toBe(403)
    })

    test("a pass is good for its repository and operation, for its hour, and while what was shown for it is good", async () => {
      const passFor = async (who: Record<string, string>, path: string, operation: "upload" | "download") => {
        const content = contentOf("for passes")
        await put(world, path, content, content.bytes, mine())
        const { body } = await batch(world, path, operation, [operation === "download" ? content : { oid: "c".repeat(64), size: 1 }], who)
        return body.objects[0].actions[operation].header
      }
      const content = contentOf("for passes")
      const token = await tokenOf(world, ada, ["write:repository"])
      const down = await passFor({ authorization: `Bearer ${token}` }, "ada/secret", "download")
      expect((await get(world, "ada/secret", content.oid, down)).status).toBe(200)
      expect((await get(world, "ada/open", content.oid, down)).status).toBe(403)
      expect((await put(world, "ada/secret", content, content.bytes, down)).status).toBe(403)
      // It gives access to nothing else.
      expect((await fetch(`${world.hearth.url}/api/v1/user`, { headers: down })).status).toBe(401)
      expect((await fetch(`${world.hearth.url}/ada/secret/info/refs?service=git-upload-pack`, { headers: down })).status).toBe(401)
      const [start = "", end = ""] = down.Authorization.split(".").slice(1)
      const forged = Buffer.from(Buffer.from(start, "base64url").toString().replace("download", "upload")).toString("base64url")
      for (const text of [`lfs.${forged}.${end}`, `lfs.${start}.`, "lfs.", `lfs.${start}.${end}.x`])
        expect((await get(world, "ada/open", content.oid, { authorization: `Bearer ${text}` })).status).toBe(401)
      const read = (seconds: number) => readPass({ ...world.services, now: () => world.services.now() + seconds }, `lfs.${start}.${end}`)
      expect(read(PASS_SECONDS - 60)).toMatchObject({ operation: "download" })
      expect(() => read(PASS_SECONDS)).toThrow("invalid username, password or token")
      await world.services.database.write((tx) =>
        tx.deleteFrom("access_tokens").where("user_id", "=", ada.user.id).where("scopes", "=", "write:repository").execute(),
      )
      expect((await get(world, "ada/secret", content.oid, down)).status).toBe(401)

      const up = await passFor({ authorization: `Basic ${btoa(`ada:${PASSWORD}`)}` }, "ada/secret", "upload")
      expect((await put(world, "ada/secret", content, content.bytes, up)).status).toBe(200)
      await world.services.database.write((tx) =>
        tx
          .updateTable("users")
          .set((eb) => ({ credentials_version: eb("credentials_version", "+", 1) }))
          .where("id", "=", ada.user.id)
          .execute(),
      )
      expect((await put(world, "ada/secret", content, content.bytes, up)).status).toBe(401)
    })

    test("a right that was taken away is gone for passes too", async () => {
      const content = contentOf("for passes")
      const row = await world.services.database.read
        .selectFrom("repositories")
        .selectAll()
        .where("lower_name", "=", "open")
        .executeTakeFirstOrThrow()
      await put(world, "ada/open", content, content.bytes, mine())
      const { header } = (await batch(world, "ada/open", "download", [content], basic(ben))).body.objects[0].actions.download
      expect((await get(world, "ada/open", content.oid, header)).status).toBe(200)
      await change(world, row, { is_private: 1 })
      expect((await get(world, "ada/open", content.oid, header)).status).toBe(404)
      await change(world, row, { is_private: 0 })
    })
  })

  test("a repository that is renamed or given away takes them along, and old addresses lead to them", async () => {
    const row = await repository(world, ada.user, "before")
    const content = contentOf("moves along")
    await put(world, "ada/before", content, content.bytes, mine())
    const renamed = await fetch(`${world.hearth.url}/api/v1/repos/ada/before`, {
      method: "PATCH",
      headers: { authorization: `token ${ada.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "after" }),
    })
    expect(renamed.status).toBe(200)
    for (const path of ["ada/before", "ada/after"]) expect((await get(world, path, content.oid)).status).toBe(200)
    const sent = contentOf("sent to the old address")
    expect((await put(world, "ada/before", sent, sent.bytes, mine())).status).toBe(200)
    await change(world, row, { owner_id: ben.user.id })
    expect((await get(world, "ben/after", sent.oid)).status).toBe(200)
    expect((await reload(world, row)).lfs_size).toBe(content.size + sent.size)
  })

  test("a fork has what its base had; unused objects are removed after a day", async () => {
    const base = await repository(world, ada.user, "base")
    const content = contentOf("gone with the last repository")
    await put(world, "ada/base", content, content.bytes, mine())
    const fork = await forkRepository(
      world.services,
      { repository: await reload(world, base), owner: ada.user },
      { doer: ben.user, owner: ben.user, name: "base" },
    )
    expect(fork.repository.lfs_size + (await reload(world, fork.repository)).lfs_size).toBeGreaterThan(0)
    expect(await (await get(world, "ben/base", content.oid)).text()).toBe("gone with the last repository")

    const drop = async (row: typeof base) => world.services.database.write((tx) => deleteRepository(tx, world.services, row, ada.user))
    await drop(await reload(world, base))
    expect((await get(world, "ada/base", content.oid)).status).toBe(401)
    expect((await get(world, "ben/base", content.oid)).status).toBe(200)

    const file = async () =>
      (await world.services.database.read.selectFrom("lfs_objects").select("file").where("oid", "=", content.oid).executeTakeFirst())?.file
    const name = (await file()) ?? ""
    const later = { ...world.services, now: () => world.services.now() + 2 * 86_400 }
    const sweep = (services = world.services) => sweepLfs.run(services, new AbortController().signal)
    const old = new Date(Date.now() - 2 * 86_400_000)
    await utimes(join(world.services.config.dataDir, "lfs", name.slice(0, 2), name), old, old)
    await sweep(later)
    expect(await file()).toBe(name)
    await drop(fork.repository)
    await sweep()
    expect(await file()).toBe(name)
    await world.services.database.write((tx) =>
      tx.updateTable("lfs_objects").set({ linked_at: 0 }).where("oid", "=", content.oid).execute(),
    )
    expect(await sweep()).toBe("forgot 1 objects, removed 1 files")
    expect(await file()).toBeUndefined()
    expect(await filesOf(world)).not.toContain(name)
    await put(world, "ada/open", content, content.bytes, mine())
    expect((await get(world, "ada/open", content.oid)).status).toBe(200)
  })
})

test("where large files are switched off there is nothing", async () => {
  const world = await openWorld("sqlite", { lfs: { enabled: false } })
  try {
    const ada = await person(world, "ada")
    await repository(world, ada.user, "open")
    expect((await fetch(`${world.hearth.url}/ada/open.git/info/lfs/objects/batch`, { method: "POST", headers: basic(ada) })).status).toBe(
      404,
    )
  } finally {
    await world.close()
  }
})
