/**
 * The real npm of this machine against a registry, with a cache and a configuration of its own.
 *
 * Slow: npm is started some fifty times.
 */
import { execFile } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect } from "vitest"
import { withWorld } from "../support/fixture.ts"
import { openCheckedWorld, type Person } from "../support/world.ts"

const run = promisify(execFile)

interface Outcome {
  readonly code: number
  readonly out: string
  readonly said: string
}

async function open(kind: Parameters<typeof openCheckedWorld>[0]) {
  const world = await openCheckedWorld(kind)
  const folder = await mkdtemp(join(tmpdir(), "hearth-npm-"))
  const ann = await world.person()
  const ben = await world.person()
  const close = async () => {
    await world.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { ...world, close, folder, ann, ben }
}

withWorld("npm", { open }, ({ test, world }) => {
  const at = () => `${world.hearth.url}/api/packages/${world.ann.name}/npm/`

  /** Runs npm in a folder of its own as this person. */
  async function npm(who: Person | undefined, folder: string, ...args: readonly string[]): Promise<Outcome> {
    const home = join(world.folder, `home-${who?.name ?? "none"}`)
    await mkdir(home, { recursive: true })
    const token = who?.authorization.replace(/^token /, "")
    const key = at().replace(/^http:/, "")
    await writeFile(
      join(home, ".npmrc"),
      `registry=${at()}\n${token ? `${key}:_authToken=${token}\n` : ""}fund=false\nupdate-notifier=false\n`,
    )
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      npm_config_userconfig: join(home, ".npmrc"),
      npm_config_globalconfig: join(home, "none"),
      npm_config_cache: join(home, "cache"),
      npm_config_fetch_retries: "0",
    }
    const cwd = join(world.folder, folder)
    return run("npm", [...args], { cwd, env }).then(
      ({ stdout, stderr }) => ({ code: 0, out: stdout.trim(), said: stderr }),
      (error: { code: number; stdout: string; stderr: string }) => ({ code: error.code, out: error.stdout.trim(), said: error.stderr }),
    )
  }

  async function ok(who: Person | undefined, folder: string, ...args: readonly string[]): Promise<string> {
    const { code, out, said } = await npm(who, folder, ...args)
    expect(code, `npm ${args.join(" ")}: ${out} ${said}`).toBe(0)
    return out
  }

  async function write(folder: string, manifest: object, files: Readonly<Record<string, string>> = {}): Promise<void> {
    await mkdir(join(world.folder, folder), { recursive: true })
    for (const [name, text] of Object.entries({ ...files, "package.json": JSON.stringify(manifest) }))
      await writeFile(join(world.folder, folder, name), text)
  }

  const readJson = async (path: string) => JSON.parse(await readFile(join(world.folder, path), "utf8"))

  test("publishes, shows and installs, with a lock file and integrity", async () => {
    const { ann, hearth } = world
    const { repo } = await world.repository(ann)
    const source = { type: "git", url: `git+${hearth.url}/${ann.name}/${repo}.git` }
    const version = (number: string) => ({ name: "lib", version: number, description: "A library", repository: source, main: "index.js" })
    await write("lib", version("1.0.0"), { "index.js": "module.exports = 'lib 1.0.0'\n", "README.md": "# Lib\n" })
    await ok(ann, "lib", "publish")
    expect(await ok(ann, "lib", "view", "lib", "version", "description", "--json").then(JSON.parse)).toEqual({
      version: "1.0.0",
      description: "A library",
    })
    const { repository } = await world.must<{ repository: { name: string } }>(ann, `GET /packages/${ann.name}/npm/lib/1.0.0`)
    expect(repository.name).toBe(repo)
    expect((await npm(ann, "lib", "publish")).said).toMatch(/cannot publish over|published already/)

    const scoped = { name: "@tools/widget", version: "0.1.0", dependencies: { lib: "^1.0.0" }, main: "index.js" }
    await write("widget", scoped, { "index.js": "module.exports = 'widget of ' + require('lib')\n" })
    await ok(ann, "widget", "publish", "--access", "public")

    await write("app", { name: "app", version: "1.0.0", dependencies: { "@tools/widget": "0.1.0" } })
    await ok(undefined, "app", "install")
    const lock = await readJson("app/package-lock.json")
    const locked = lock.packages["node_modules/@tools/widget"]
    expect(locked).toMatchObject({
      version: "0.1.0",
      resolved: `${at()}@tools%2fwidget/-/0.1.0/widget-0.1.0.tgz`,
      integrity: expect.stringMatching(/^sha512-/),
    })
    const print = () => run(process.execPath, ["-p", "require('@tools/widget')"], { cwd: join(world.folder, "app") })
    expect((await print()).stdout).toBe("widget of lib 1.0.0\n")
    // Once more from the lock file, with nothing in the cache.
    await ok(ann, "app", "ci")
    expect((await print()).stdout).toBe("widget of lib 1.0.0\n")

    locked.integrity = `sha512-${Buffer.alloc(64).toString("base64")}`
    await writeFile(join(world.folder, "app/package-lock.json"), JSON.stringify(lock))
    const wrong = await npm(world.ben, "app", "ci")
    expect([wrong.code === 0, wrong.said]).toEqual([false, expect.stringContaining("EINTEGRITY")])
  })

  test("tags, deprecates, searches, audits, and asks who it is", async () => {
    const { ann, ben } = world
    for (const number of ["1.0.0", "1.1.0-rc.1", "1.1.0"]) {
      await write("tagged", { name: "tagged", version: number })
      await ok(ann, "tagged", "publish", "--tag", number === "1.0.0" ? "latest" : "next")
    }
    expect(await ok(ann, "tagged", "dist-tag", "ls", "tagged")).toBe("latest: 1.0.0\nnext: 1.1.0")
    await ok(ann, "tagged", "dist-tag", "add", "tagged@1.1.0-rc.1", "beta")
    expect(await ok(ann, "tagged", "view", "tagged@beta", "version")).toBe("1.1.0-rc.1")
    await ok(ann, "tagged", "dist-tag", "rm", "tagged", "beta")
    expect(await ok(ann, "tagged", "dist-tag", "ls", "tagged")).not.toContain("beta")
    expect((await npm(ann, "tagged", "dist-tag", "rm", "tagged", "latest")).code).not.toBe(0)
    expect((await npm(ben, "tagged", "dist-tag", "add", "tagged@1.0.0", "mine")).said).toMatch(/E403|403/)

    await ok(ann, "tagged", "deprecate", "tagged@1.0.0", "use 1.1.0")
    expect(await ok(ann, "tagged", "view", "tagged@1.0.0", "deprecated")).toBe("use 1.1.0")
    expect(await ok(ann, "tagged", "view", "tagged@1.1.0", "deprecated")).toBe("")
    await ok(ann, "tagged", "deprecate", "tagged@1.0.0", "")
    expect(await ok(ann, "tagged", "view", "tagged@1.0.0", "deprecated")).toBe("")

    expect(JSON.parse(await ok(ann, "tagged", "search", "TAGG", "--json"))).toMatchObject([{ name: "tagged", version: "1.0.0" }])
    expect(await ok(ann, "tagged", "whoami")).toBe(ann.name)
    await ok(ann, "tagged", "ping")
    await write("audited", { name: "audited", version: "1.0.0", dependencies: { tagged: "1.0.0" } })
    await ok(ann, "audited", "install", "--no-audit")
    expect(await ok(ann, "audited", "audit")).toBe("found 0 vulnerabilities")
  })

  test("unpublishes one version, and the whole package", async () => {
    const { ann, ben } = world
    for (const number of ["1.0.0", "2.0.0"]) {
      await write("gone", { name: "@tools/gone", version: number })
      await ok(ann, "gone", "publish")
    }
    expect((await npm(ben, "gone", "unpublish", "@tools/gone@2.0.0")).code).not.toBe(0)
    await ok(ann, "gone", "unpublish", "@tools/gone@2.0.0")
    expect(JSON.parse(await ok(ann, "gone", "view", "@tools/gone", "versions", "dist-tags", "--json"))).toEqual({
      versions: ["1.0.0"],
      "dist-tags": { latest: "1.0.0" },
    })
    await ok(ann, "gone", "unpublish", "@tools/gone", "--force")
    expect((await npm(ann, "gone", "view", "@tools/gone")).said).toContain("E404")
  })

  test("publishes what only those who belong to the owner see, and shows it to all later", async () => {
    const { ann, ben } = world
    await write("inner", { name: "@tools/inner", version: "1.0.0" })
    await ok(ann, "inner", "publish", "--access", "restricted")
    expect((await npm(ben, "inner", "view", "@tools/inner")).said).toContain("E404")
    expect(await ok(ann, "inner", "view", "@tools/inner", "version")).toBe("1.0.0")
    await ok(ann, "inner", "access", "set", "status=public", "@tools/inner")
    expect(await ok(ben, "inner", "view", "@tools/inner", "version")).toBe("1.0.0")
  })

  test("is told why it may not publish", async () => {
    const { ben } = world
    await write("refused", { name: "refused", version: "1.0.0" })
    expect((await npm(ben, "refused", "publish")).said).toMatch(/E403[\s\S]*you may not write to the packages of/)
    expect((await npm(undefined, "refused", "publish")).said).toMatch(/ENEEDAUTH|E401/)
  })
})
