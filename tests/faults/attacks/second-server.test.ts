import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startHearth } from "../../../src/app.ts"
import { runCommandLine } from "../../../src/command/program.ts"
import type { Terminal } from "../../../src/command/terminal.ts"
import { DatabaseRefused } from "../../../src/core/database/failures.ts"
import { startServer } from "../../support/server-process.ts"

/**
 * A second server was started on the data folder of one that runs. It started, took the first one's jobs for those of a dead process and ran them again,
 * and removed its locks of references. Now the second one says who holds the folder and ends; the lock is the operating system's, so that even
 * a killed server leaves none behind. Commands work beside a server as before.
 */
describe("a second server on the same SQLite data folder", () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-second-"))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const command = async (...args: readonly string[]) => {
    const lines: string[] = []
    const keep = (text: string) => void lines.push(text)
    const terminal: Terminal = { out: keep, say: keep, progress: () => {}, interactive: false, ask: async () => "", input: async () => "" }
    const code = await runCommandLine(args, terminal, { HEARTH_DATA_DIR: folder, HEARTH_LOG_LEVEL: "silent" })
    return { code, words: lines.join("\n") }
  }

  it("says who holds it and does not start, until the first one is gone, however it ended", async () => {
    const env = { HEARTH_DATA_DIR: folder, HEARTH_ADMIN_PASSWORD: "root-pass-1" }
    const first = await startServer(env)
    const { pid } = JSON.parse(await readFile(join(folder, "hearth.lock.json"), "utf8"))

    const refused = await startServer(env).then(
      () => "it started",
      (error: unknown) => String(error),
    )
    expect(refused).toContain(`Another server works on ${join(folder, "hearth.db")}: process ${pid} on `)
    expect(refused).toContain("Stop that one first")
    expect((await fetch(`${first.url}/api/healthz`)).status).toBe(200)

    // Commands that read and write work beside it.
    expect(await command("user", "list")).toMatchObject({ code: 0, words: expect.stringContaining("root") })
    expect((await command("config")).code).toBe(0)
    expect((await command("doctor")).words).toContain("database: ")
    expect(await command("user", "add", "ada", "--email", "ada@example.com")).toMatchObject({ code: 0 })
    const alsoRefused = await startServer(env).catch(() => undefined)
    expect(alsoRefused).toBeUndefined()

    await first.kill()
    const next = await startServer(env)
    expect(JSON.parse(await readFile(join(folder, "hearth.lock.json"), "utf8")).pid).not.toBe(pid)
    await next.kill()
  })

  it("holds within one process too, and a server that stops in good order leaves nothing", async () => {
    const options = {
      env: {},
      config: { dataDir: join(folder, "library"), http: { port: 0 }, ssh: { port: 0 }, log: { level: "silent" } },
    } as const
    const first = await startHearth(options)
    await expect(startHearth(options)).rejects.toThrow(DatabaseRefused)
    await first.close()
    await expect(readFile(join(folder, "library", "hearth.lock.json"))).rejects.toThrow("ENOENT")
    const second = await startHearth(options)
    await second.close()
  })
})
