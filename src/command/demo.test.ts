import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type FreshUrl, freshUrl } from "../../tests/support/database.ts"
import { oneDatabase } from "../../tests/support/fixture.ts"
import { type Serving, serveHearth } from "../app.ts"
import { authors } from "../demo/cast.ts"
import { requireFresh, showDemo } from "./demo.ts"
import { openShell, type Shell } from "./testing.ts"

const execute = promisify(execFile)

describe.each(oneDatabase)("hearth serve --demo (%s)", (kind) => {
  let shell: Shell
  let fresh: FreshUrl
  let server: Serving
  const out: string[] = []
  const states: string[] = []
  const terminal = {
    out: (line: string) => void out.push(line),
    say: () => {},
    progress: (state: string) => void states.push(state),
    interactive: false,
    ask: async () => "",
    input: async () => "",
  }
  beforeEach(async () => {
    out.length = 0
    states.length = 0
    shell = await openShell()
    fresh = await freshUrl(kind)
    const ports = { HEARTH_HTTP_PORT: "0", HEARTH_SSH_PORT: "0" }
    const env = { HEARTH_DATA_DIR: shell.dataDir, HEARTH_DATABASE_URL: fresh.url, HEARTH_LOG_LEVEL: "silent", ...ports }
    server = await serveHearth({ env })
  })
  afterEach(async () => {
    await server.close()
    await shell.close()
    await fresh.drop()
  })

  async function get(path: string, as?: string): Promise<{ readonly status: number; readonly body: unknown }> {
    const password = /password of each is (\S+) and/.exec(out.join("\n"))?.[1] ?? ""
    const headers = as === undefined ? undefined : { authorization: `Basic ${Buffer.from(`${as}:${password}`).toString("base64")}` }
    const response = await fetch(`${server.url}/api/v1${path}`, headers && { headers })
    return { status: response.status, body: response.status === 404 ? undefined : await response.json() }
  }

  test("fills a fresh server, and only that", async () => {
    await requireFresh(server.services.database.read)
    await showDemo(terminal, server)
    expect(states.at(-1)).toBe("")
    expect(states).toContain("filling in the example: people and teams")
    await expect(requireFresh(server.services.database.read)).rejects.toThrow("The example is for a fresh server")

    const day = 86_400_000
    const { body: main } = await get("/repos/dewpoint/sprinkle")
    expect(main).toMatchObject({
      empty: false,
      private: false,
      default_branch: "main",
      licenses: ["MIT"],
      stars_count: 4,
      watchers_count: 5,
      forks_count: 1,
      topics: ["command-line", "gardening", "javascript", "sensors", "weather"],
    })
    const created = typeof main === "object" && main !== null ? Date.parse(String(Reflect.get(main, "created_at"))) : 0
    expect((Date.now() - created) / day).toBeGreaterThan(30)
    expect((await get("/repos/dewpoint/field-notes")).status).toBe(404)
    expect((await get("/repos/dewpoint/field-notes", "ivo")).status).toBe(404)
    expect((await get("/repos/dewpoint/field-notes", "lena")).body).toMatchObject({ private: true, empty: false })
    expect((await get("/repos/ivo/sprinkle")).body).toMatchObject({ fork: true, parent: { full_name: "dewpoint/sprinkle" } })
    expect((await get("/orgs/dewpoint/teams", "mira")).body).toMatchObject([
      { name: "Owners" },
      { name: "builders" },
      { name: "gardeners" },
    ])
    for (const name of authors) expect((await get("/user", name)).body).toMatchObject({ login: name, is_admin: false })

    const ahead = await server.services.database.read
      .selectFrom("activities")
      .select("id")
      .where("created_at", ">", server.services.now())
      .execute()
    expect(ahead).toEqual([])
    expect(await server.services.database.read.selectFrom("jobs").select("kind").where("kind", "=", "push.settle").execute()).toEqual([])
  })

  test("the repository can be cloned, and has a history worth looking at", async () => {
    await showDemo(terminal, server)
    const clone = join(shell.dataDir, "clone")
    const git = async (...args: readonly string[]) => (await execute("git", ["-C", clone, ...args])).stdout.trim().split("\n")
    await execute("git", ["clone", "-q", `${server.url}/dewpoint/sprinkle.git`, clone])
    expect((await git("rev-list", "--all")).length).toBeGreaterThanOrEqual(60)
    expect(new Set(await git("log", "--format=%an", "--all")).size).toBe(4)
    expect((await git("log", "--format=%s", "--merges")).length).toBe(3)
    expect(await git("tag")).toEqual(["v0.1.0", "v0.2.0"])
    expect(await git("ls-remote", "--heads", "origin")).toEqual(
      ["balcony", "csv-export", "main"].map((name) => expect.stringMatching(`\trefs/heads/${name}$`)),
    )
    expect(await git("ls-tree", "--name-only", "HEAD")).toEqual(expect.arrayContaining(["LICENSE", "README.md", "src"]))
    expect(await git("fsck", "--strict")).toEqual([""])
    // The example is a program that works: its own tests say so.
    await execute(process.execPath, ["--test"], { cwd: clone, env: { PATH: process.env.PATH } })
  })
})
