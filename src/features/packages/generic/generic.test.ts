import { createHash, randomBytes } from "node:crypto"
import { expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { openCheckedWorld, type Person } from "../../../../tests/support/world.ts"
import { cleanUpAfter, send, storedFiles } from "../testing.ts"

const hex = (name: string, bytes: Buffer | string) => createHash(name).update(bytes).digest("hex")

withWorld(
  "the generic registry",
  { open: (kind) => openCheckedWorld(kind, { packages: { maxBytes: 1024 * 1024 } }) },
  ({ test, world }) => {
    let ann: Person
    let ben: Person
    test.beforeAll(async () => {
      ann = await world.person()
      ben = await world.person()
    })
    const on = (who: Person | undefined, method: string, path: string, more: Parameters<typeof send>[3] = {}) =>
      send(world.hearth, who, `${method} ${ann.name}/generic/${path}`, more)
    const status = async (...given: Parameters<typeof on>) => (await on(...given)).status

    test("keeps what is sent, with its digests, and gives it back", async () => {
      const bytes = randomBytes(300_000)
      expect(await on(ann, "PUT", "kept/1.0/data.bin", { body: bytes })).toMatchObject({ status: 201, text: "" })
      const came = await on(undefined, "GET", "kept/1.0/data.bin")
      expect(Buffer.from(came.text, "latin1").equals(bytes)).toBe(true)
      expect(Object.fromEntries(came.headers)).toMatchObject({
        "content-type": "application/octet-stream",
        "content-length": "300000",
        "content-disposition": 'attachment; filename="data.bin"',
        "accept-ranges": "bytes",
        etag: `"${hex("sha256", bytes)}"`,
        "x-content-type-options": "nosniff",
      })
      const [file] = await world.must<readonly object[]>(ben, `GET /packages/${ann.name}/generic/kept/1.0/files`)
      const digests = Object.fromEntries(["md5", "sha1", "sha256", "sha512"].map((name) => [name, hex(name, bytes)]))
      expect(file).toMatchObject({ name: "data.bin", size: 300_000, ...digests })
      const headOnly = await on(ben, "HEAD", "kept/1.0/data.bin")
      expect([headOnly.status, headOnly.headers.get("content-length"), headOnly.text]).toEqual([200, "300000", ""])
    })

    test("takes empty files, and any content type", async () => {
      expect(await status(ann, "PUT", "kept/1.0/empty", { body: "" })).toBe(201)
      expect(await on(ann, "GET", "kept/1.0/empty")).toMatchObject({ status: 200, text: "" })
      const form = { "content-type": "application/x-www-form-urlencoded" }
      expect(await status(ann, "PUT", "kept/1.0/form", { body: "a=b", headers: form })).toBe(201)
      const parts = { "content-type": "multipart/form-data; boundary=x" }
      expect(await status(ann, "PUT", "kept/1.0/parts", { body: "--x--", headers: parts })).toBe(201)
      expect((await on(ann, "GET", "kept/1.0/parts")).text).toBe("--x--")
      expect(await status(ann, "PUT", "kept/1.0/packed", { body: "x", headers: { "content-encoding": "gzip" } })).toBe(415)
    })

    test("sends parts, resumes, and sends nothing that is there already", async () => {
      await on(ann, "PUT", "parts/1/ten", { body: "0123456789" })
      const part = async (range: string, more: Readonly<Record<string, string>> = {}) => {
        const came = await on(undefined, "GET", "parts/1/ten", { headers: { range, ...more } })
        return [came.status, came.headers.get("content-range"), came.text]
      }
      expect(await part("bytes=2-4")).toEqual([206, "bytes 2-4/10", "234"])
      expect(await part("bytes=7-")).toEqual([206, "bytes 7-9/10", "789"])
      expect(await part("bytes=-3")).toEqual([206, "bytes 7-9/10", "789"])
      expect(await part("bytes=10-")).toEqual([416, "bytes */10", ""])
      const tag = `"${hex("sha256", "0123456789")}"`
      expect(await part("bytes=4-", { "if-range": tag })).toEqual([206, "bytes 4-9/10", "456789"])
      expect(await part("bytes=4-", { "if-range": '"another"' })).toEqual([200, null, "0123456789"])
      expect(await status(undefined, "GET", "parts/1/ten", { headers: { "if-none-match": tag } })).toBe(304)
    })

    test("compares names in any letter case, keeps the first spelling, and replaces nothing", async () => {
      await on(ann, "PUT", "Tool/1.0-RC/Notes.TXT", { body: "first" })
      const again = await on(ann, "PUT", "tool/1.0-rc/notes.txt", { body: "second" })
      expect(again).toMatchObject({ status: 409, text: "tool 1.0-rc has a file notes.txt already\n" })
      expect((await on(ann, "GET", "TOOL/1.0-rc/NOTES.txt")).text).toBe("first")
      const records = await world.must<readonly object[]>(ann, `GET /packages/${ann.name}?q=TOO`)
      expect(records).toMatchObject([{ name: "Tool", version: "1.0-RC" }])
    })

    test("refuses names that are none, with words", async () => {
      const refused = async (path: string) => {
        const came = await on(ann, "PUT", path, { body: "x" })
        return [came.status, came.text.length > 10]
      }
      for (const path of ["bad%20name/1/x", "..%2f/1/x", "-/1/x", "+/1/x", "a%2Fb/1/x", "a/%201/x", "a/1%2F2/x", "a/1/%20x"])
        expect(await refused(path), path).toEqual([400, true])
      for (const path of ["a/1/a%2Fb", "a/1/a%5Cb", "a/1/%3Cx%3E", `a/1/${"x".repeat(256)}`, "a/1/%07"])
        expect(await refused(path), path).toEqual([400, true])
      for (const path of ["a_b+c.d-e/1 2/x y", "ä/1/x", "a/1/%5Bx%5D=@!~"])
        expect(await status(ann, "PUT", path, { body: "x" }), path).toBe(201)
    })

    test("deletes files and versions; the last file takes its version along, the package stays until the night", async () => {
      for (const path of ["gone/1/a", "gone/1/b", "gone/2/a"]) await on(ann, "PUT", path, { body: path })
      expect(await status(ann, "DELETE", "gone/1/none")).toBe(404)
      expect(await status(ann, "DELETE", "gone/1/a")).toBe(204)
      expect(await status(ann, "GET", "gone/1/a")).toBe(404)
      expect(await status(ann, "GET", "gone/1/b")).toBe(200)
      expect(await status(ann, "DELETE", "gone/1/b")).toBe(204)
      expect(await status(ann, "DELETE", "gone/1")).toBe(404)
      expect(await status(ann, "DELETE", "gone/2")).toBe(204)
      expect(await world.must(ann, `GET /packages/${ann.name}/generic/gone`)).toEqual([])
      await cleanUpAfter(world.hearth.services, 0)
      await expect(world.must(ann, `GET /packages/${ann.name}/generic/gone`)).rejects.toThrow("404")
    })

    test("stores equal contents once, and removes them after the last file and a day", async () => {
      const { services } = world.hearth
      const body = randomBytes(1000)
      const before = (await storedFiles(services)).length
      for (const [who, path] of [
        [ann, `${ann.name}/generic/one/1/a`],
        [ann, `${ann.name}/generic/one/1/b`],
        [ben, `${ben.name}/generic/two/1/c`],
      ] as const)
        expect((await send(world.hearth, who, `PUT ${path}`, { body })).status).toBe(201)
      expect((await storedFiles(services)).length).toBe(before + 1)
      await on(ann, "DELETE", "one/1")
      await cleanUpAfter(services, 2)
      expect((await send(world.hearth, ben, `GET ${ben.name}/generic/two/1/c`)).status).toBe(200)
      await world.must(ben, `DELETE /packages/${ben.name}/generic/two`)
      await cleanUpAfter(services, 0)
      const blobs = () =>
        services.database.read.selectFrom("package_blobs").select("id").where("sha256", "=", hex("sha256", body)).execute()
      expect(await blobs()).toHaveLength(1)
      await cleanUpAfter(services, 2)
      expect(await blobs()).toEqual([])
      expect((await storedFiles(services)).length).toBe(
        (await services.database.read.selectFrom("package_blobs").select("id").execute()).length,
      )
      // Content that comes back is stored anew.
      await on(ann, "PUT", "one/2/a", { body })
      expect(await status(ann, "GET", "one/2/a")).toBe(200)
    })

    test("gives one of two equal uploads at once 201, and the other 409", async () => {
      const { services } = world.hearth
      const before = (await storedFiles(services)).length
      const body = randomBytes(200_000)
      const both = await Promise.all([1, 2].map(() => status(ann, "PUT", "race/1/a", { body })))
      expect(both.toSorted()).toEqual([201, 409])
      expect((await storedFiles(services)).length).toBe(before + 1)
      const versions = await world.must<readonly object[]>(ann, `GET /packages/${ann.name}/generic/race`)
      expect(versions).toHaveLength(1)
    })

    test("refuses files over the limit, announced or not, and leaves nothing", async () => {
      const before = (await storedFiles(world.hearth.services)).length
      const came = await on(ann, "PUT", "large/1/a", { body: Buffer.alloc(1024 * 1024 + 1) })
      expect(came).toMatchObject({ status: 413, text: "a file of a package may have at most 1048576 bytes here\n" })
      const stream = new ReadableStream({
        start(controller) {
          for (let index = 0; index < 20; index++) controller.enqueue(new Uint8Array(64 * 1024))
          controller.close()
        },
      })
      const streamed = await fetch(`${world.hearth.url}/api/packages/${ann.name}/generic/large/1/a`, {
        method: "PUT",
        headers: { authorization: ann.authorization },
        body: stream,
        duplex: "half",
      } as RequestInit)
      expect(streamed.status).toBe(413)
      expect((await storedFiles(world.hearth.services)).length).toBe(before)
    })

    test("asks anonymous callers to sign in and says for what; tells those who are known what they lack", async () => {
      const asked = await on(undefined, "PUT", "mine/1/a", { body: "x" })
      expect([asked.status, asked.headers.get("www-authenticate")]).toEqual([
        401,
        'Bearer realm="packages", scope="write:package", Basic realm="packages", charset="UTF-8"',
      ])
      expect(asked.text).toContain("write:package")
      expect(await on(ben, "PUT", "mine/1/a", { body: "x" })).toMatchObject({
        status: 403,
        text: `you may not write to the packages of ${ann.name}\n`,
      })
      for (const path of ["kept/1.0/empty", "kept/1.0"]) expect(await status(ben, "DELETE", path)).toBe(403)
      expect(await status({ ...ann, authorization: "Bearer 0000000000000000000000000000000000000000" }, "GET", "kept/1.0/empty")).toBe(401)
      expect(await status({ ...ann, authorization: ann.basic }, "GET", "kept/1.0/empty")).toBe(200)
      expect(await status({ ...ann, authorization: ann.authorization.replace("token", "Bearer") }, "GET", "kept/1.0/empty")).toBe(200)
    })
  },
)

withWorld(
  "registries that are switched off",
  { open: (kind) => openCheckedWorld(kind, { packages: { enabled: false } }) },
  ({ test, world }) => {
    test("are not there", async () => {
      const ann = await world.person()
      expect((await send(world.hearth, ann, `PUT ${ann.name}/generic/a/1/a`, { body: "x" })).status).toBe(404)
      expect((await send(world.hearth, ann, `GET ${ann.name}/npm/-/ping`)).status).toBe(404)
    })
  },
)
