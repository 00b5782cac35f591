import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { sql } from "kysely"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type Pause, setPause } from "../../../src/seams/pause.ts"
import { freshUrl } from "../../support/database.ts"
import { type Forge, forgeOn } from "../../support/forge-on.ts"

/**
 * The disk of the server was filled. Writes were answered with 500 and an empty message, and pushes with "internal error", so that people tried again and
 * operators looked for a fault of the program. Now a full disk is 507 in words, wherever it is met: in the database, in files, and in git; so
 * is a quota. What reads goes on, and so does all else once there is room. A SQLite file that is locked by another program is 503.
 */
describe("a disk that is full", () => {
  let fresh: Awaited<ReturnType<typeof freshUrl>>
  let forge: Forge
  let previous: Pause | undefined
  beforeEach(async () => {
    previous = setPause(undefined)
    fresh = await freshUrl("sqlite")
    forge = await forgeOn(fresh.url, { database: { waitSeconds: 1 } })
  })
  afterEach(async () => {
    setPause(previous)
    await forge.close()
    await fresh.drop()
  })

  const issue = (title: string, size = 0) =>
    forge.ask("/api/v1/repos/root/rocket/issues", { method: "POST", body: JSON.stringify({ title, body: "x".repeat(size) }) })

  it("is 507 where the database has no room, and reads go on", async () => {
    const { database } = forge.hearth.services
    const [{ page_count: pages = 0 } = {}] = (await sql<{ page_count: number }>`pragma page_count`.execute(database.read)).rows
    const limit = (most: number) => database.write(async (tx) => void (await sql.raw(`pragma max_page_count = ${most}`).execute(tx)))
    await limit(pages)
    // Together, so that they share a commit: what SQLite rolls back by itself fails for all of them.
    const together = await Promise.all([issue("large", 200_000), issue("small"), issue("large too", 200_000)])
    expect(together.map(({ status }) => status)).toContain(507)
    expect(together.find(({ status }) => status === 507)?.text).toContain("the disk of the server is full")
    expect((await forge.ask("/api/v1/repos/root/rocket")).status).toBe(200)
    await limit(1_000_000)
    expect((await issue("large", 200_000)).status).toBe(201)
  })

  it.each(["ENOSPC", "EDQUOT"])("is 507 where a file meets %s", async (code) => {
    const made = await issue("with a file")
    const { number } = JSON.parse(made.text)
    setPause(async (point) => {
      if (point === "file.write") throw Object.assign(new Error(`${code}: no room, write`), { code })
    })
    const form = new FormData()
    form.append("attachment", new Blob(["log"]), "a.txt")
    const sent = await fetch(`${forge.hearth.url}/api/v1/repos/root/rocket/issues/${number}/assets`, {
      method: "POST",
      headers: { authorization: `token ${forge.hearth.token}` },
      body: form,
    })
    expect([sent.status, await sent.text()]).toEqual([507, expect.stringContaining("the disk of the server is full")])
    const oid = "9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0"
    const large = await forge.ask(`/root/rocket.git/info/lfs/objects/${oid}/3`, {
      method: "PUT",
      headers: { "content-type": "application/octet-stream", accept: "application/vnd.git-lfs" },
      body: "aaa",
    })
    expect([large.status, large.text]).toEqual([507, expect.stringContaining("the disk of the server is full")])
  })

  it("is said to those who push, and who fetch archives", async () => {
    // A git that finds no room whenever it has to write.
    const folder = await mkdtemp(join(tmpdir(), "hearth-full-"))
    const program = join(folder, "git")
    await writeFile(
      program,
      `#!/bin/sh\ncase " $* " in *" unpack-objects "*|*" index-pack "*|*" archive "*|*" merge-tree "*) cat >/dev/null; echo "error: unable to write file: No space left on device" >&2; exit 128;; esac\nexec git "$@"\n`,
    )
    await chmod(program, 0o755)
    await forge.close()
    await fresh.drop()
    fresh = await freshUrl("sqlite")
    forge = await forgeOn(fresh.url, { git: { path: program } }, { push: false })
    const pushed = await forge.git("-C", forge.clone, "push", `${forge.hearth.url}/root/rocket`, "main")
    expect(pushed).toMatchObject({ code: 1, err: expect.stringContaining("the disk of the server is full") })
    const file = { content: Buffer.from("x").toString("base64"), message: "m", branch: "main" }
    expect((await forge.ask("/api/v1/repos/root/rocket/contents/a", { method: "POST", body: JSON.stringify(file) })).status).toBe(201)
    const archive = await forge.ask("/root/rocket/archive/main.zip")
    expect([archive.status, archive.text]).toEqual([507, expect.stringContaining("the disk of the server is full")])
    await rm(folder, { recursive: true })
  })

  it("is told from a database that another program has locked, which is 503", async () => {
    const other = new DatabaseSync(fresh.url.slice("sqlite:".length))
    other.exec("begin immediate")
    try {
      // Several at once: each is refused after the same wait, and not one after another.
      const refused = await Promise.all(Array.from({ length: 40 }, (_, index) => issue(`locked ${index}`)))
      expect(new Set(refused.map(({ status, headers }) => `${status} ${headers.get("retry-after")}`))).toEqual(new Set(["503 5"]))
      expect((await forge.ask("/api/v1/repos/root/rocket")).status).toBe(200)
      let health = await forge.ask("/api/healthz")
      while (health.status !== 503) health = await forge.ask("/api/healthz")
      expect(JSON.parse(health.text)).toMatchObject({ checks: { "database:write": [{ status: "fail" }] } })
    } finally {
      other.close()
    }
    expect((await issue("unlocked")).status).toBe(201)
  })
})
