/*
 * Someone publishes an npm package with so much in its versions that its record has tens of megabytes, and everyone may fetch it: each GET parsed and wrote all of it at once. And a record with
 * a tarball of 33 MB was parsed, decoded and digested in one go, half a second in which no one got an answer. Now the record is written once for each state, version by version, and the tarball is
 * cut out before the rest is parsed.
 */
import { randomBytes } from "node:crypto"
import { expect } from "vitest"
import { publication, tarballOf } from "../../src/features/packages/npm/testing.ts"
import { withHearth } from "../support/fixture.ts"
import { LONGEST_ALLOWED_MS, longestTickOf } from "../support/ticks.ts"
import { times } from "./sockets.ts"

withHearth("large records of packages", { people: ["ann"] }, ({ test, forge, ann }) => {
  const at = (name: string) => `${forge.hearth.url}/api/packages/ann/npm/${name}`
  const publish = (name: string, body: string | Buffer) =>
    fetch(at(name), { method: "PUT", body, headers: { authorization: ann, "content-type": "application/json" } })

  test("are written once for each state, without holding others up", async () => {
    expect((await publish("wide", publication({ name: "wide", version: "1.0.0" }))).status).toBe(201)
    await forge.hearth.services.database.write(async (tx) => {
      const version = await tx.selectFrom("package_versions").selectAll().executeTakeFirstOrThrow()
      const file = await tx.selectFrom("package_files").selectAll().executeTakeFirstOrThrow()
      const metadata = { ...JSON.parse(version.metadata), manifest: { keywords: times(10_000, (index) => `word ${index}`) } }
      const { id: _, ...row } = version
      const { id: __, ...fileRow } = file
      for (const index of times(100, (each) => each)) {
        const name = `2.0.${index}`
        const made = await tx
          .insertInto("package_versions")
          .values({ ...row, version: name, lower_version: name, metadata: JSON.stringify(metadata) })
          .returning("id")
          .executeTakeFirstOrThrow()
        await tx
          .insertInto("package_files")
          .values({ ...fileRow, version_id: made.id })
          .execute()
      }
    })
    const get = (headers: Readonly<Record<string, string>> = {}) => fetch(at("wide"), { headers })
    let text = ""
    let tag = ""
    const tick = await longestTickOf(async () => {
      const answer = await get()
      tag = answer.headers.get("etag") ?? ""
      text = await answer.text()
    })
    expect(tick).toBeLessThan(LONGEST_ALLOWED_MS)
    expect(text.length).toBeGreaterThan(10_000_000)
    expect(Object.keys(JSON.parse(text).versions)).toHaveLength(101)
    expect((await get({ "if-none-match": tag })).status).toBe(304)
    const short = await get({ accept: "application/vnd.npm.install-v1+json" })
    expect((await short.text()).length).toBeLessThan(100_000)
  })

  test("with a large tarball are read without holding others up", async () => {
    const packageJson = JSON.stringify({ name: "heavy", version: "1.0.0" })
    const tarball = tarballOf({ "package/package.json": packageJson, "package/data.bin": randomBytes(24 * 2 ** 20) })
    const body = Buffer.from(publication({ name: "heavy", version: "1.0.0", tarball }))
    const tick = await longestTickOf(async () => expect((await publish("heavy", body)).status).toBe(201))
    expect(tick).toBeLessThan(LONGEST_ALLOWED_MS)
    const { dist } = JSON.parse(await (await fetch(at("heavy"))).text()).versions["1.0.0"]
    expect(Buffer.from(await (await fetch(dist.tarball)).arrayBuffer()).equals(tarball)).toBe(true)
  })

  test("that hide something large elsewhere are refused", async () => {
    const large = "A".repeat(100_000)
    const wrong = [
      publication({ name: "odd", version: "1.0.0", manifest: { data: large } }),
      publication({ name: "odd", version: "1.0.0", more: { data: large, _attachments: {} } }),
      publication({ name: "odd", version: "1.0.0", more: { _attachments: { a: { data: `${large}§` } } } }),
      publication({ name: "odd", version: "1.0.0", more: { _attachments: { a: { data: `${large}"` } } } }),
    ]
    const statuses: number[] = []
    for (const body of wrong) statuses.push((await publish("odd", body)).status)
    expect(statuses).toEqual([413, 413, 400, 400])
  })
})
