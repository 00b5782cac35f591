/** A whole server whose files are in an object store: what people and tools see of it. */
import { createHash, randomBytes } from "node:crypto"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "vitest"
import { startHearth } from "../../src/app.ts"
import { StorageRefused } from "../../src/core/blobs/blobs.ts"
import type { ConfigOverrides } from "../../src/core/config.ts"
import { type Person, person, repository } from "../../src/servers/git-http/testing.ts"
import { ask, basic, batch, contentOf, get, put } from "../../src/servers/lfs/testing.ts"
import { withWorld } from "../support/fixture.ts"
import { openStoreWorld } from "./support/world.ts"

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
const recordOf = async (answer: Response): Promise<any> => answer.json()

const DIGEST = "0".repeat(64)

const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64")

withWorld("a server with an object store", { open: openStoreWorld }, ({ test, world }) => {
  let ann: Person
  let eve: Person
  test.beforeAll(async () => {
    ann = await person(world, "ann")
    eve = await person(world, "eve")
    await repository(world, ann.user, "open")
    await repository(world, ann.user, "secret", { isPrivate: true })
  })

  const at = () => `${world.hearth.url}/api/v1/repos/ann/open`
  const as = (who: Person) => ({ authorization: `token ${who.token}` })
  const objects = async (folder: string) =>
    (await readdir(join(world.store.folder, folder), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())

  async function attach(name: string, bytes: Buffer): Promise<string> {
    const issue = await fetch(`${at()}/issues`, {
      method: "POST",
      headers: { ...as(ann), "content-type": "application/json" },
      body: JSON.stringify({ title: name }),
    })
    const { number } = await recordOf(issue)
    const form = new FormData()
    form.set("attachment", new Blob([new Uint8Array(bytes)]), name)
    const made = await fetch(`${at()}/issues/${number}/assets`, { method: "POST", headers: as(ann), body: form })
    expect(made.status).toBe(201)
    return (await recordOf(made)).browser_download_url
  }

  test("large files go to the store and come from it, and only to those who may read them", async () => {
    const content = contentOf(randomBytes(100_000))
    const told = { oid: content.oid, size: content.size }
    const offer = (await batch(world, "ann/secret", "upload", [content], basic(ann))).body.objects[0]
    const { upload, verify } = offer.actions
    expect(upload.href).toContain(world.store.storage.url.match(/endpoint=([^&]+)/)?.[1])
    expect(upload).toMatchObject({ expires_in: 900, header: { "if-none-match": "*" } })
    expect(JSON.stringify(upload)).not.toContain("Bearer")

    // Nothing is linked before it was sent, nor for who knows the name of the object alone.
    const checkAt = new URL(verify.href)
    const verified = async (query: string) => (await ask(world, "ann/secret", `verify${query}`, verify.header, told)).status
    expect(await verified(checkAt.search)).toBe(404)
    expect(await verified("?file=../../attachments/aa/x")).toBe(404)
    const refused = await fetch(upload.href, { method: "PUT", headers: upload.header, body: new Uint8Array(randomBytes(100_000)) })
    expect(refused.status).toBe(400)
    expect(await verified(checkAt.search)).toBe(404)
    expect((await fetch(upload.href, { method: "PUT", headers: upload.header, body: new Uint8Array(content.bytes) })).status).toBe(200)
    expect((await ask(world, "ann/secret", `verify${checkAt.search}`, verify.header, { oid: DIGEST, size: content.size })).status).toBe(404)
    expect((await ask(world, "ann/secret", `verify${checkAt.search}`, verify.header, { ...told, size: 5 })).status).toBe(404)
    expect((await ask(world, "ann/secret", `verify${checkAt.search}`, basic(eve), told)).status).toBe(404)
    expect([await verified(checkAt.search), await verified(checkAt.search), await verified("")]).toEqual([200, 200, 200])

    expect((await batch(world, "ann/secret", "download", [content], basic(eve))).status).toBe(404)
    const [found] = (await batch(world, "ann/secret", "download", [content], basic(ann))).body.objects
    expect(found).toMatchObject({ authenticated: true, actions: { download: { expires_in: 900 } } })
    expect(found.actions.download.header).toBeUndefined()
    const answer = await fetch(found.actions.download.href)
    expect(answer.headers.get("content-disposition")).toBe("attachment")
    expect(Buffer.from(await answer.arrayBuffer()).equals(content.bytes)).toBe(true)
    // A client that asks here is led there, in parts too.
    const led = await get(world, "ann/secret", content.oid, { ...basic(ann), range: "bytes=10-19" })
    expect([led.redirected, led.status, led.headers.get("content-range")]).toEqual([true, 206, "bytes 10-19/100000"])
    expect((await get(world, "ann/secret", content.oid, basic(eve))).status).toBe(404)
  })

  test("of two clients that send the same object, one file stays", async () => {
    const content = contentOf(randomBytes(5_000))
    const before = (await objects("lfs")).length
    const send = async () => {
      const { upload, verify } = (await batch(world, "ann/open", "upload", [content], basic(ann))).body.objects[0].actions
      await fetch(upload.href, { method: "PUT", headers: upload.header, body: new Uint8Array(content.bytes) })
      return () => ask(world, "ann/open", `verify${new URL(verify.href).search}`, verify.header, { oid: content.oid, size: content.size })
    }
    const [one, other] = [await send(), await send()]
    expect((await Promise.all([one(), other()])).map(({ status }) => status)).toEqual([200, 200])
    const [row] = await world.services.database.read.selectFrom("lfs_objects").selectAll().where("oid", "=", content.oid).execute()
    expect(await objects("lfs")).toHaveLength(before + 1)
    expect((await objects("lfs")).map(({ name }) => name)).toContain(row?.file)
    expect(await (await get(world, "ann/open", content.oid)).arrayBuffer()).toHaveProperty("byteLength", 5_000)
  })

  test("objects that are sent through the server are in the store too", async () => {
    const content = contentOf("through the server")
    expect((await put(world, "ann/open", content, content.bytes, basic(ann))).status).toBe(200)
    expect(await (await get(world, "ann/open", content.oid)).text()).toBe("through the server")
  })

  test("attached pictures are sent by the server, and what is saved by the store", async () => {
    const picture = await fetch(await attach("dot.png", png), { redirect: "manual" })
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"])
    expect(Buffer.from(await picture.arrayBuffer()).equals(png)).toBe(true)
    const url = await attach("tool.zip", Buffer.from("PK and more"))
    const led = await fetch(url, { redirect: "manual" })
    expect([led.status, led.headers.get("cache-control"), led.headers.get("etag")]).toEqual([302, "no-store", null])
    const saved = await fetch(url)
    expect([saved.redirected, saved.status, saved.headers.get("content-type"), saved.headers.get("content-disposition")]).toEqual([
      true,
      200,
      "application/octet-stream",
      'attachment; filename="tool.zip"',
    ])
    expect(await saved.text()).toBe("PK and more")
    const head = await fetch(url, { method: "HEAD", redirect: "manual" })
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "11"])
    expect(await objects("attachments")).toHaveLength(2)
  })

  test("pictures of people and packages are in the store", async () => {
    const shown = await fetch(`${world.hearth.url}/api/v1/user/avatar`, {
      method: "POST",
      headers: { ...as(ann), "content-type": "application/json" },
      body: JSON.stringify({ image: png.toString("base64") }),
    })
    expect(shown.status).toBe(204)
    const { avatar_url } = await recordOf(await fetch(`${world.hearth.url}/api/v1/users/ann`))
    const avatar = await fetch(avatar_url, { redirect: "manual" })
    expect([avatar.status, Buffer.from(await avatar.arrayBuffer()).equals(png)]).toEqual([200, true])
    expect(await objects("avatars")).toHaveLength(1)

    const bytes = randomBytes(200_000)
    const file = `${world.hearth.url}/api/packages/ann/generic/tool/1.0/tool.bin`
    expect((await fetch(file, { method: "PUT", headers: as(ann), body: new Uint8Array(bytes) })).status).toBe(201)
    const led = await fetch(file, { headers: as(ann), redirect: "manual" })
    expect(led.status).toBe(302)
    // As tools do: credentials are for the server that asked for them.
    const saved = await fetch(led.headers.get("location") ?? "")
    expect(
      createHash("sha256")
        .update(Buffer.from(await saved.arrayBuffer()))
        .digest("hex"),
    ).toBe(createHash("sha256").update(bytes).digest("hex"))
    expect(await objects("packages")).toHaveLength(1)
    expect((await fetch(file, { method: "DELETE", headers: as(ann) })).status).toBe(204)
  })

  test("while the store fails, calls that need it are refused, all others are answered, and nothing is half there", async () => {
    const url = await attach("before.png", png)
    world.store.disturb(() => "failing")
    const refused = await Promise.all([
      fetch(url),
      put(world, "ann/open", contentOf("lost"), Buffer.from("lost"), basic(ann)),
      fetch(`${world.hearth.url}/api/packages/ann/generic/tool/2.0/lost.bin`, { method: "PUT", headers: as(ann), body: "lost" }),
    ])
    expect(refused.map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual([
      [503, "5"],
      [503, "5"],
      [503, "5"],
    ])
    expect(await refused[1].json()).toMatchObject({ message: "the store of files is not available; try again in a moment" })
    expect((await fetch(at())).status).toBe(200)
    const health = await world.services.health.look()
    expect(health.checks["storage:read"]?.[0]).toMatchObject({ status: "fail", output: "the object store does not answer" })
    world.store.disturb(undefined)
    expect((await fetch(url)).status).toBe(200)
    expect((await fetch(`${world.hearth.url}/api/packages/ann/generic/tool/2.0/lost.bin`, { headers: as(ann) })).status).toBe(404)
    expect((await get(world, "ann/open", contentOf("lost").oid)).status).toBe(404)
    await expect.poll(async () => (await world.services.health.look()).checks["storage:read"]?.[0].status).toBe("pass")
    const metrics = await (await fetch(`${world.hearth.url}/metrics`)).text()
    expect(metrics).toMatch(/^hearth_storage_requests_total\{method="PUT",outcome="500"\} [1-9]/m)
    expect(metrics).not.toContain(world.store.storage.secretKey)
  })

  test("an answer that breaks off with the store breaks off, and does not end as if it were whole", async () => {
    const content = contentOf(randomBytes(3_000_000))
    const { services } = world
    await put(world, "ann/open", content, content.bytes, basic(ann))
    const [row] = await services.database.read.selectFrom("lfs_objects").selectAll().where("oid", "=", content.oid).execute()
    const blob = await services.blobs.open(`lfs/${row?.file.slice(0, 2)}/${row?.file}`)
    let gets = 0
    world.store.disturb((method) => (method === "GET" ? (gets++ === 0 ? "half" : "failing") : "none"))
    const read = async () => {
      let size = 0
      for await (const chunk of blob?.read() ?? []) size += chunk.length
      return size
    }
    await expect(read()).rejects.toThrow(/object store/)
    world.store.disturb(undefined)
  })

  test("deleted files leave the store after the transaction, and the clock takes back what was not completed", async () => {
    const url = await attach("gone.png", png)
    const uuid = url.slice(url.lastIndexOf("/") + 1)
    expect((await objects("attachments")).map(({ name }) => name)).toContain(uuid)
    const { database } = world.services
    const row = await database.read.selectFrom("attachments").selectAll().where("uuid", "=", uuid).executeTakeFirstOrThrow()
    const issue = await database.read
      .selectFrom("issues")
      .selectAll()
      .where("id", "=", row.issue_id ?? 0)
      .executeTakeFirstOrThrow()
    const removed = await fetch(`${at()}/issues/${issue.number}/assets/${row.id}`, { method: "DELETE", headers: as(ann) })
    expect(removed.status).toBe(204)
    await world.services.jobs.drain()
    expect((await objects("attachments")).map(({ name }) => name)).not.toContain(uuid)
    expect(await world.services.jobs.tasks.run("abort_uploads")).toBe("ok")
  })

  test("the settings say where files are, and never the secret", async () => {
    const shown = world.services.settings().filter(({ key }) => key.startsWith("storage."))
    expect(shown.map(({ key, value }) => [key, value])).toEqual([
      ["storage.url", world.store.storage.url],
      ["storage.accessKey", world.store.storage.accessKey],
      ["storage.secretKey", "***"],
      ["storage.place", "store"],
      ["storage.presigned", "true"],
      ["storage.cacheBytes", "20GiB"],
    ])
  })

  test.for<[string, ConfigOverrides["storage"], RegExp]>([
    ["another bucket", { url: "s3://other-bucket?endpoint=ENDPOINT" }, /bucket other-bucket .*NoSuchBucket/],
    ["another secret", { secretKey: "wrong" }, /SignatureDoesNotMatch/],
    ["another key", { accessKey: "wrong" }, /refuses with 404, XAdminUserNotFound, No user exists/],
    ["no store", { url: "s3://hearth?endpoint=http://127.0.0.1:1" }, /does not answer: connect ECONNREFUSED/],
  ])("a start with %s is refused in words, without the secret", async ([, given, words]) => {
    const endpoint = /endpoint=([^&]+)/.exec(world.store.storage.url)?.[1] ?? ""
    const storage = { ...world.store.storage, ...given, url: (given?.url ?? world.store.storage.url).replace("ENDPOINT", endpoint) }
    const began = performance.now()
    const error = await startHearth({ memory: true, config: { storage } }).then(
      () => undefined,
      (refused: unknown) => refused,
    )
    expect(error).toBeInstanceOf(StorageRefused)
    expect(String(error)).toMatch(words)
    expect(String(error)).not.toContain(world.store.storage.secretKey)
    expect(performance.now() - began).toBeLessThan(25_000)
  })
})
