import { Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { readTar } from "../../../core/text/tar.ts"

withHearth("the archive of one's own account", { people: ["ann", "ben"] }, ({ test, forge, ann, ben, call }) => {
  const download = (authorization: string) =>
    fetch(`${forge.hearth.url}/user/settings/export`, { headers: { authorization }, redirect: "manual" })

  async function read(authorization: string): Promise<ReadonlyMap<string, string>> {
    const { status, headers, body } = await download(authorization)
    expect(status).toBe(200)
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="(ann|ben)\.tar\.gz"$/)
    const found = new Map<string, string>()
    if (!body) return found
    const unpacked = Readable.fromWeb(body).pipe(createGunzip())
    for await (const { name, content } of readTar(unpacked)) {
      const parts: Buffer[] = []
      for await (const part of content) parts.push(part)
      found.set(name, Buffer.concat(parts).toString("latin1"))
    }
    return found
  }

  test("has what is theirs, of private repositories too, and nothing of others", async () => {
    await call(ann, "POST /user/repos", { name: "lamp", auto_init: true, private: true })
    await call(ann, "POST /repos/ann/lamp/issues", { title: "It flickers" })
    await call(ben, "POST /user/repos", { name: "door", auto_init: true, private: true })
    const archive = await read(ann)
    const manifest = JSON.parse(archive.get("manifest.json") ?? "")
    expect(manifest).toMatchObject({
      format: "hearth-account-1",
      account: { name: "ann" },
      repositories: [{ name: "ann/lamp", head: "refs/heads/main" }],
    })
    expect(archive.get("rows/issues.jsonl")).toContain('"title":"It flickers"')
    expect(archive.get("git/1.bundle")).toMatch(/^# v2 git bundle\n[0-9a-f]{40} refs\/heads\/main\n\nPACK/)
    expect([...archive.values()].join()).not.toMatch(/door|\$scrypt\$|password_hash/)
    expect((await read(ben)).get("rows/issues.jsonl")).toBe("")
  })

  test("is for those who have signed in", async () => {
    expect((await download("")).status).not.toBe(200)
  })
})
