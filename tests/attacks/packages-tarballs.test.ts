/*
 * Publications that are made to cost much, or to be another package than they say: archives that unpack to gigabytes, that are none, that lead out of their
 * folder or have two package.json; records that are nested, endless or larger than memory.
 */
import { gzipSync } from "node:zlib"
import { expect } from "vitest"
import { type Made, publication, tarballOf, tarOf } from "../../src/features/packages/npm/testing.ts"
import { send, storedFiles } from "../../src/features/packages/testing.ts"
import { withWorld } from "../support/fixture.ts"
import { openCheckedWorld, type Person } from "../support/world.ts"
import { dial, head } from "./sockets.ts"

const MIB = 1024 * 1024
const config = { packages: { maxUnpackedBytes: 8 * MIB, maxDocumentBytes: 4 * MIB } }

withWorld("hostile publications", { open: (kind) => openCheckedWorld(kind, config) }, ({ test, world }) => {
  let ann: Person
  test.beforeAll(async () => {
    ann = await world.person()
  })
  const put = async (body: string, name = "bad") => {
    const came = await send(world.hearth, ann, `PUT ${ann.name}/npm/${name}`, { body })
    return [came.status, JSON.parse(came.text).error]
  }
  const publish = (made: Partial<Made>) => put(publication({ name: "bad", version: "1.0.0", ...made }))
  const own = JSON.stringify({ name: "bad", version: "1.0.0" })

  test.afterEach(async () => {
    expect(await storedFiles(world.hearth.services)).toEqual([])
    expect(await world.must(ann, `GET /packages/${ann.name}`)).toEqual([])
  })

  test("that unpack to too much are refused while they are read", async () => {
    const tarball = gzipSync(tarOf({ "package/package.json": own, "package/zeros": Buffer.alloc(64 * MIB) }), { level: 9 })
    expect(tarball.length).toBeLessThan(MIB)
    expect(await publish({ tarball })).toEqual([413, expect.stringContaining("unpacked")])
    const many = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`package/${index}|x`, `${"9".repeat(10)} path=x`]))
    expect(await publish({ tarball: tarballOf({ ...many, "package/package.json": own.padEnd(2 * MIB) }) })).toEqual([
      413,
      expect.stringContaining("package.json"),
    ])
  })

  test("that are no archives are refused", async () => {
    const good = tarballOf({ "package/package.json": own })
    for (const [tarball, words] of [
      [Buffer.alloc(0), "gzip"],
      [Buffer.from("not compressed"), "gzip"],
      [gzipSync("no archive, but long enough to be a block of one ".repeat(50)), "tar"],
      [good.subarray(0, good.length - 20), "gzip"],
      [gzipSync(tarOf({ "package/package.json": own }).subarray(0, 700)), "cut off"],
      [tarballOf({ "package/index.js": "" }), "no package.json"],
      [tarballOf({ "package/deep/package.json": own }), "no package.json"],
      [tarballOf({ "package/package.json": "{" }), "no JSON"],
      [tarballOf({ "package/package.json": "[".repeat(5000) + "]".repeat(5000) }), "no JSON"],
      [tarballOf({ "package/package.json": "null" }), "another name"],
      [tarballOf({ "package/package.json": own, "package/../../evil": "x" }), "leads out"],
    ] as const)
      expect(await publish({ tarball }), words).toEqual([400, expect.stringContaining(words)])
  })

  test("that have a second package.json for those who unpack them are refused", async () => {
    const evil = JSON.stringify({ name: "bad", version: "6.6.6", scripts: { postinstall: "evil" } })
    for (const second of ["package/./package.json", "other/package.json", "package//package.json", "/package/package.json"])
      expect(await publish({ tarball: tarballOf({ "package/package.json": own, [second]: evil }) }), second).toEqual([
        400,
        expect.stringContaining("another name or version"),
      ])
    // Its real name is in an entry before it.
    const path = "package/package.json"
    const long = { "package/long|x": `${path.length + 9} path=${path}\n`, "package/harmless.txt": evil }
    expect((await publish({ tarball: tarballOf({ "package/package.json": own, ...long }) }))[0]).toBe(400)
    const old = { "package/long|L": `${path}\0`, "package/harmless.txt": evil }
    expect((await publish({ tarball: tarballOf({ "package/package.json": own, ...old }) }))[0]).toBe(400)
  })

  test("whose record is nested, endless or too large are refused, and the server goes on", async () => {
    for (const body of ["[".repeat(2 * MIB), `{"a":`.repeat(MIB / 4), `{"name":"bad","versions":${"[".repeat(5000)}${"]".repeat(5000)}}`])
      expect((await put(body))[0]).toBe(400)
    expect((await put("x".repeat(4 * MIB + 1)))[0]).toBe(413)
    // The announced length is enough.
    const headers = { authorization: ann.authorization, "content-length": String(10 ** 12) }
    const dialled = await dial(world.hearth.url, head(`PUT /api/packages/${ann.name}/npm/bad`, { headers }))
    await expect.poll(dialled.received).toContain("413")
    dialled.socket.destroy()
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`${index}.0.0`, {}]))
    expect((await put(JSON.stringify({ name: "bad", versions: many })))[0]).toBe(404)
    expect((await fetch(`${world.hearth.url}/api/v1/version`)).status).toBe(200)
  })

  test("with large metadata are refused", async () => {
    expect((await publish({ manifest: { keywords: Array.from({ length: 50_000 }, (_, index) => `word ${index}`) } }))[0]).toBe(413)
  })
})
