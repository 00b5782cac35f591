import { gzipSync } from "node:zlib"
import { describe, expect, test as plainTest } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { openCheckedWorld, type Person } from "../../../../tests/support/world.ts"
import { send } from "../testing.ts"
import { repositoryAt } from "./links.ts"
import { compareVersions, highest } from "./names.ts"
import { type Made, publication, tarballOf } from "./testing.ts"

const SHORT = { accept: "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8" }

withWorld("the npm registry", { open: openCheckedWorld, on: databaseKinds }, ({ test, world }) => {
  let ann: Person
  let ben: Person
  test.beforeAll(async () => {
    ann = await world.person()
    ben = await world.person()
  })
  const on = async (who: Person | undefined, method: string, path: string, more: Parameters<typeof send>[3] = {}) => {
    const { status, headers, text } = await send(world.hearth, who, `${method} ${ann.name}/npm/${path}`, more)
    const isJson = headers.get("content-type")?.includes("json") ?? false
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
    const body: any = isJson && text !== "" ? JSON.parse(text) : text
    return { status, headers, body }
  }
  const publish = (made: Made, who: Person = ann) => on(who, "PUT", made.name.replace("/", "%2f"), { body: publication(made) })

  test("publishes a version, and tells it whole and in short", async () => {
    const manifest = {
      description: "A library",
      scripts: { postinstall: "true", test: "true" },
      dependencies: { other: "^1.0.0" },
      license: "MIT",
      _secret: "of the machine",
    }
    expect((await publish({ name: "@ann/lib", version: "1.2.3", manifest, more: { readme: "# Lib" } })).status).toBe(201)
    const { status, headers, body } = await on(undefined, "GET", "@ann%2flib")
    expect([status, headers.get("content-type")]).toEqual([200, "application/json;charset=utf-8"])
    expect(body).toMatchObject({
      _id: "@ann/lib",
      name: "@ann/lib",
      description: "A library",
      license: "MIT",
      readme: "# Lib",
      "dist-tags": { latest: "1.2.3" },
      maintainers: [{ name: ann.name }],
      time: { "1.2.3": expect.stringMatching(/Z$/) },
    })
    const version = body.versions["1.2.3"]
    expect(version).toMatchObject({ _id: "@ann/lib@1.2.3", scripts: manifest.scripts, _npmUser: { name: ann.name } })
    expect(version).not.toHaveProperty("_secret")
    const tarball = `${world.hearth.url}/api/packages/${ann.name}/npm/@ann%2flib/-/1.2.3/lib-1.2.3.tgz`
    expect(version.dist).toMatchObject({ tarball, fileCount: 2, integrity: expect.stringMatching(/^sha512-/) })
    expect((await fetch(tarball)).status).toBe(200)

    const short = await on(undefined, "GET", "@ann%2flib", { headers: SHORT })
    expect(short.headers.get("content-type")).toBe("application/vnd.npm.install-v1+json;charset=utf-8")
    expect(Object.keys(short.body).toSorted()).toEqual(["dist-tags", "modified", "name", "versions"])
    expect(short.body.versions["1.2.3"]).toMatchObject({ dependencies: { other: "^1.0.0" }, hasInstallScript: true })
    expect(short.body.versions["1.2.3"]).not.toHaveProperty("scripts")
    const tag = short.headers.get("etag") ?? ""
    expect((await on(undefined, "GET", "@ann%2flib", { headers: { ...SHORT, "if-none-match": tag } })).status).toBe(304)
    expect((await on(undefined, "GET", "@ann%2flib", { headers: { "if-none-match": tag } })).status).toBe(200)
  })

  test("answers the addresses of all clients, with and without escapes", async () => {
    await publish({ name: "@ann/addressed", version: "1.0.0" })
    await publish({ name: "plain", version: "1.0.0" })
    for (const path of [
      "@ann/addressed",
      "@ann%2faddressed",
      "@ann/addressed/1.0.0",
      "@ann%2faddressed/latest",
      "@ann/addressed/-/addressed-1.0.0.tgz",
      "@ann%2faddressed/-/addressed-1.0.0.tgz",
      "@ann/addressed/-/1.0.0/addressed-1.0.0.tgz",
      "plain",
      "plain/1.0.0",
      "plain/latest",
      "plain/-/plain-1.0.0.tgz",
      "-/package/plain/dist-tags",
      "-/package/@ann%2faddressed/dist-tags",
      "-/package/@ann/addressed/dist-tags",
      "-/ping",
    ])
      expect((await on(undefined, "GET", path)).status, path).toBe(200)
    for (const path of ["none", "none/1.0.0", "plain/2.0.0", "plain/-/plain-2.0.0.tgz", "plain/-/other.tgz", "-/package/none/dist-tags"])
      expect((await on(undefined, "GET", path)).status, path).toBe(404)
    expect((await on(undefined, "GET", "-/whoami")).status).toBe(401)
    expect((await on(ben, "GET", "-/whoami")).body).toEqual({ username: ben.name })
    const zipped = { body: gzipSync("{}"), headers: { "content-type": "application/json", "content-encoding": "gzip" } }
    expect((await on(undefined, "POST", "-/npm/v1/security/advisories/bulk", zipped)).body).toEqual({})
    expect((await on(ben, "POST", "-/npm/v1/security/audits/quick", zipped)).body).toMatchObject({ advisories: {} })
  })

  test("shows scoped names in the API, escaped as clients do", async () => {
    await publish({ name: "@ann/escaped", version: "1.0.0" })
    const at = `/packages/${ann.name}/npm/@ann%2Fescaped`
    const record = await world.must<{ html_url: string }>(ann, `GET ${at}/1.0.0`)
    expect(record).toMatchObject({ type: "npm", name: "@ann/escaped", version: "1.0.0", created_at: expect.stringMatching(/Z$/) })
    expect(record.html_url).toBe(`${world.hearth.url}/${ann.name}/-/packages/npm/%40ann%2Fescaped/1.0.0`)
    expect(await world.must(ann, `GET ${at}`)).toMatchObject([{ name: "@ann/escaped" }])
    expect(await world.must(ann, `GET ${at}/-/latest`)).toMatchObject({ version: "1.0.0" })
    expect(await world.must(ann, `GET ${at}/1.0.0/files`)).toMatchObject([{ name: "escaped-1.0.0.tgz" }])
    await world.must(ann, `DELETE ${at}`)
    expect((await on(ann, "GET", "@ann%2fescaped")).status).toBe(404)
  })

  test("refuses what does not fit together, and stores nothing of it", async () => {
    const refused = async (made: Partial<Made>, words: string, status = 400) => {
      const { status: got, body } = await publish({ name: "wrong", version: "1.0.0", ...made })
      expect([got, body.error]).toEqual([status, expect.stringContaining(words)])
    }
    const inside = (manifest: object) => ({ tarball: tarballOf({ "package/package.json": JSON.stringify(manifest) }) })
    await refused(inside({ name: "other", version: "1.0.0" }), "another name or version")
    await refused(inside({ name: "wrong", version: "1.0.1" }), "another name or version")
    await refused({ dist: { shasum: "0".repeat(40) } }, "SHA-1")
    await refused({ dist: { integrity: `sha512-${"A".repeat(86)}==` } }, "digest")
    await refused({ dist: { integrity: "md5-x" } }, "digest")
    await refused({ version: "1.0" }, "semantic version")
    await refused({ version: "01.0.0" }, "semantic version")
    await refused({ name: "Wrong" }, "small letters")
    await refused({ name: "node_modules" }, "small letters")
    await refused({ tag: "1.0.0" }, "tag")
    await refused({ more: { name: "another" } }, "another package")
    await refused({ more: { _attachments: { a: {}, b: {} } } }, "one tarball")
    await refused({ more: { versions: {} } }, "one version")
    await refused({ more: { _attachments: { a: { data: "§" } } } }, "base64")
    await refused({ manifest: { description: "a\0b" } }, "character 0")
    await refused({ manifest: { description: "x".repeat(300_000) } }, "package.json", 413)
    for (const body of ["", "null", "[]", "nothing", `{"a":${"[".repeat(200)}${"]".repeat(200)}}`])
      expect((await on(ann, "PUT", "wrong", { body })).status, body.slice(0, 20)).toBe(400)
    expect((await on(ann, "GET", "wrong")).status).toBe(404)
  })

  test("publishes a version once", async () => {
    await publish({ name: "once", version: "1.0.0" })
    expect((await publish({ name: "once", version: "1.0.0" })).status).toBe(409)
    const both = await Promise.all([1, 2].map(() => publish({ name: "once", version: "2.0.0" })))
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409])
    expect((await publish({ name: "once", version: "3.0.0" }, ben)).status).toBe(403)
  })

  test("edits by the state that the client has seen", async () => {
    await publish({ name: "edited", version: "1.0.0" })
    await publish({ name: "edited", version: "1.1.0" })
    const { body } = await on(ann, "GET", "edited")
    const changed = { ...body, versions: { "1.0.0": { ...body.versions["1.0.0"], deprecated: "old" } } }
    expect((await on(ben, "PUT", "edited", { body: JSON.stringify(changed) })).status).toBe(403)
    expect((await on(ann, "PUT", "edited", { body: JSON.stringify(changed) })).status).toBe(200)
    const after = await on(ann, "GET", "edited")
    expect(after.body.versions["1.0.0"].deprecated).toBe("old")
    expect(Object.keys(after.body.versions)).toEqual(["1.0.0", "1.1.0"])
    expect((await on(ann, "PUT", "edited", { body: JSON.stringify(changed) })).status).toBe(409)
    const { _rev: now } = after.body
    expect((await on(ann, "DELETE", `edited/-/edited-1.1.0.tgz/-rev/${body._rev}`)).status).toBe(409)
    expect((await on(ben, "DELETE", `edited/-rev/${now}`)).status).toBe(403)
    expect((await on(ann, "DELETE", `edited/-/edited-1.1.0.tgz/-rev/${now}`)).status).toBe(200)
    const left = await on(ann, "GET", "edited")
    expect([left.body["dist-tags"], Object.keys(left.body.versions)]).toEqual([{ latest: "1.0.0" }, ["1.0.0"]])
    const wrong = { ...left.body, versions: { "1.0.0": { deprecated: { a: 1 } } } }
    expect((await on(ann, "PUT", "edited", { body: JSON.stringify(wrong) })).status).toBe(400)
    expect((await on(ann, "DELETE", `edited/-rev/${left.body._rev}`)).status).toBe(200)
    expect((await on(ann, "GET", "edited")).status).toBe(404)
  })

  test("tags versions that are there, and never loses latest", async () => {
    await publish({ name: "tagged", version: "1.0.0" })
    await publish({ name: "tagged", version: "2.0.0-rc.1", tag: "next" })
    const tag = (name: string, body: string, who: Person = ann) => on(who, "PUT", `-/package/tagged/dist-tags/${name}`, { body })
    expect((await tag("stable", '"1.0.0"')).status).toBe(201)
    expect((await tag("stable", '"9.0.0"')).status).toBe(404)
    expect((await tag("1.x", '"1.0.0"')).status).toBe(400)
    expect((await tag("stable", "{}")).status).toBe(400)
    expect((await tag("stable", '"1.0.0"', ben)).status).toBe(403)
    expect((await on(ann, "DELETE", "-/package/tagged/dist-tags/latest")).status).toBe(400)
    expect((await on(ann, "DELETE", "-/package/tagged/dist-tags/next")).status).toBe(200)
    expect((await on(ann, "DELETE", "-/package/tagged/dist-tags/next")).status).toBe(404)
    expect((await on(ann, "GET", "-/package/tagged/dist-tags")).body).toEqual({ latest: "1.0.0", stable: "1.0.0" })
  })

  test("searches names, in pages", async () => {
    for (const name of ["find-one", "find-two", "@ann/find-three"])
      await publish({ name, version: "1.0.0", manifest: { description: name } })
    const found = async (query: string) => {
      const { body } = await on(undefined, "GET", `-/v1/search?${query}`)
      return [body.total, body.objects.map((each: { package: { name: string } }) => each.package.name)]
    }
    expect(await found("text=FIND-")).toEqual([3, ["@ann/find-three", "find-one", "find-two"]])
    expect(await found("text=find%20two")).toEqual([1, ["find-two"]])
    expect(await found("text=find-&size=1&from=1")).toEqual([3, ["find-one"]])
    expect(await found("text=%25")).toEqual([0, []])
  })

  test("links the package only to a repository of the owner that the publisher may write to", async () => {
    const { url } = world.hearth
    const mine = await world.repository(ann)
    const theirs = await world.repository(ben)
    const linked = async (name: string, repository: unknown) => {
      expect((await publish({ name, version: "1.0.0", manifest: { repository } })).status).toBe(201)
      const record = await world.must<{ repository: { name: string } | null }>(ann, `GET /packages/${ann.name}/npm/${name}/1.0.0`)
      return record.repository?.name
    }
    expect(await linked("linked", { type: "git", url: `git+${url}/${ann.name}/${mine.repo}.git` })).toBe(mine.repo)
    expect(await linked("by-text", `${url}/${ann.name}/${mine.repo}`)).toBe(mine.repo)
    expect(await linked("of-others", { url: `${url}/${theirs.owner}/${theirs.repo}` })).toBeUndefined()
    expect(await linked("missing", { url: `${url}/${ann.name}/none` })).toBeUndefined()
    expect(await linked("elsewhere", { url: `https://example.com/${ann.name}/${mine.repo}` })).toBeUndefined()
    expect(await linked("nonsense", { url: 7 })).toBeUndefined()
  })
})

describe("addresses of repositories", () => {
  const site = { rootUrl: "https://forge.example/hearth", host: "forge.example", sshPort: 22, noReplyDomain: "" }
  plainTest.each([
    ["git+https://forge.example/hearth/ann/box.git", "ann/box"],
    ["https://forge.example/hearth/ann/box#readme", "ann/box"],
    ["git+ssh://git@forge.example/ann/box.git", "ann/box"],
    ["ssh://git@forge.example:2222/ann/box", "ann/box"],
    ["git@forge.example:ann/box.git", "ann/box"],
    ["https://forge.example/ann/box", undefined],
    ["https://forge.example.evil/hearth/ann/box", undefined],
    ["https://forge.example/hearth/ann/box/issues", undefined],
    ["github:ann/box", undefined],
    ["", undefined],
  ])("%s", (address, expected) => {
    const found = repositoryAt(site, address)
    expect(found && `${found.owner}/${found.name}`).toBe(expected)
  })
})

plainTest("versions are ordered as semantic versioning says", () => {
  const ordered = [
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.2.0",
    "1.10.0",
  ]
  expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered)
  expect(highest(ordered)).toBe("1.10.0")
  expect(highest(["1.0.0", "2.0.0-rc.1"])).toBe("1.0.0")
  expect(highest(["2.0.0-rc.1"])).toBe("2.0.0-rc.1")
  expect(highest([])).toBeUndefined()
})
