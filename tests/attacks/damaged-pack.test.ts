import { chmod, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { runCommandLine } from "../../src/command/program.ts"
import type { Terminal } from "../../src/command/terminal.ts"
import { ok } from "../../src/git/testing.ts"
import { freshUrl } from "../support/database.ts"
import { type Forge, forgeOn } from "../support/forge-on.ts"

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

async function runDoctor(env: Readonly<Record<string, string>>) {
  const lines: string[] = []
  const keep = (text: string) => void lines.push(text)
  const terminal: Terminal = { out: keep, say: keep, progress: () => {}, interactive: false, ask: async () => "", input: async () => "" }
  const code = await runCommandLine(["doctor", "--deep"], terminal, env)
  return { code, words: lines.join("\n") }
}

/**
 * Bytes of a pack were overwritten, a pack was cut off, and objects were removed or emptied. Some calls said 500, others 404, 400 or an empty file, git
 * clients were told of a bad gzip body, and a reader that had met the damage went on to say "missing" after the pack was brought back. Now
 * every call that needs the object is 500 with the id of its request, the log has the object and the repository under that id, and the doctor names them.
 */
describe.each(["overwritten", "cut off", "loose and emptied", "loose and removed"] as const)("an object that is %s", (damage) => {
  let fresh: Awaited<ReturnType<typeof freshUrl>>
  let forge: Forge
  let blob: string
  beforeEach(async () => {
    fresh = await freshUrl("sqlite")
    // More than what the server keeps in memory of a file that was read.
    forge = await forgeOn(fresh.url, {}, { lines: 50_000 })
    blob = await ok(forge.clone, "rev-parse", "main:engine.txt")
  })
  afterEach(async () => {
    await forge.close()
    await fresh.drop()
  })

  /** Damages the object, and gives what undoes that. */
  async function damaged(): Promise<() => Promise<void>> {
    const { repository } = forge
    const loose = join(repository, "objects", blob.slice(0, 2), blob.slice(2))
    if (!damage.startsWith("loose")) await ok(repository, "repack", "-adq")
    const packs = join(repository, "objects", "pack")
    const pack = (await readdir(packs)).find((name) => name.endsWith(".pack"))
    const path = damage.startsWith("loose") ? loose : join(packs, pack ?? "")
    const before = await readFile(path)
    await chmod(path, 0o644)
    if (damage === "overwritten") {
      const offset = Number(/^\S+ \S+\s+\d+ \d+ (\d+)/.exec(await verified(path))?.[1])
      const bytes = Buffer.from(before)
      bytes.fill(0xa5, offset + 8, offset + 24)
      await writeFile(path, bytes)
    } else if (damage === "cut off") await truncate(path, Math.floor((await stat(path)).size / 2))
    else if (damage === "loose and emptied") await truncate(path)
    else await rm(path)
    return async () => {
      await rm(path, { force: true })
      await writeFile(path, before, { mode: 0o444 })
    }
  }

  /** The line of the object in what git says of the pack. */
  const verified = async (pack: string) => {
    const lines = (await ok(forge.repository, "verify-pack", "-v", pack.replace(/\.pack$/, ".idx"))).split("\n")
    return lines.find((line) => line.startsWith(blob)) ?? ""
  }

  it("is refused with an id everywhere, named by the doctor, and whole again once it is brought back", async () => {
    const bringBack = await damaged()
    const { ask, hearth, git } = forge
    const lines = vi.spyOn(hearth.services.log, "error")
    const { storage } = await hearth.services.database.read.selectFrom("repositories").select("storage").executeTakeFirstOrThrow()
    const calls = [
      "/api/v1/repos/root/rocket/contents/engine.txt",
      "/api/v1/repos/root/rocket/raw/engine.txt",
      "/api/v1/repos/root/rocket/media/engine.txt",
      "/root/rocket/archive/main.zip",
      "/api/v1/repos/root/rocket/archive/main.tar.gz",
    ]
    for (const path of [...calls, ...calls]) {
      const answer = await ask(path)
      expect([path, answer.status]).toEqual([path, 409])
      expect(JSON.parse(answer.text)).toMatchObject({
        request_id: answer.headers.get("x-request-id"),
        message: expect.stringContaining(answer.headers.get("x-request-id") ?? ""),
      })
    }
    // Of the first call, whose line is found by the id that its caller was told.
    const { text } = await ask(calls[0] ?? "")
    const line = lines.mock.calls
      .map(([details]: readonly unknown[]) => details)
      .find((each) => member(each, "reqId") === JSON.parse(text).request_id)
    // Of a pack that is cut off, the commit is missed before the file.
    expect(String(member(line, "err"))).toMatch(damage === "cut off" ? /[0-9a-f]{40}/ : new RegExp(blob))
    expect(String(member(line, "err"))).toContain(storage)
    expect(member(line, "path")).toContain("/root/rocket/")

    const cloned = await git("clone", "--quiet", `${hearth.url}/root/rocket`, join(forge.folder, "copy"))
    expect(cloned.code).not.toBe(0)

    const { dataDir, databaseUrl } = hearth.services.config
    const { code, words } = await runDoctor({ HEARTH_DATA_DIR: dataDir, HEARTH_DATABASE_URL: databaseUrl })
    expect([code, words]).toEqual([1, expect.stringContaining("The repository root/rocket")])
    expect(words).toMatch(damage === "cut off" ? /pack-[0-9a-f]+/ : new RegExp(blob))

    await bringBack()
    for (const path of calls) expect([path, (await ask(path)).status]).toEqual([path, 200])
    expect((await git("clone", "--quiet", `${hearth.url}/root/rocket`, join(forge.folder, "again"))).code).toBe(0)
  })
})
