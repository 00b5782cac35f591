import { execFile } from "node:child_process"
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"

const project = resolve(import.meta.dirname, "..")
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hearth-bin-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

interface Ended {
  readonly code: number
  readonly out: string
  readonly said: string
}

const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Ended> =>
  new Promise((settle) => {
    execFile(program, args, { env, encoding: "utf8" }, (error, out, said) => {
      settle({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, out, said })
    })
  })

describe("bin/build-if-stale.mjs", () => {
  const source = () => join(folder, "src/command/main.ts")
  const built = () => readFileSync(join(folder, "dist/main.js"), "utf8")
  const build = (node = process.execPath) => run(node, [join(folder, "bin/build-if-stale.mjs")])
  const earlier = (path: string) => utimesSync(path, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000))

  /** A project of few sources, written a minute ago. */
  beforeEach(() => {
    cpSync(join(project, "bin"), join(folder, "bin"), { recursive: true })
    writeFileSync(join(folder, "package.json"), '{"type":"module"}')
    symlinkSync(join(project, "node_modules"), join(folder, "node_modules"))
    const threads = readFileSync(join(project, "bin/build.mjs"), "utf8").match(/[\w/-]+\/thread(?=")/g) ?? []
    for (const name of ["core", "command", "web/browser", ...threads.map(dirname)])
      mkdirSync(join(folder, "src", name), { recursive: true })
    writeFileSync(source(), "const answer: number = 42\nprocess.stdout.write(`answer ${answer}`)\n")
    const rest = ["app.ts", "core/gone.ts", "web/browser/page.ts", ...threads.map((path) => `${path}.ts`)]
    for (const name of rest) writeFileSync(join(folder, "src", name), "export {}\n")
    for (const name of readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" })) earlier(join(folder, "src", name))
    for (const name of ["src", "package.json", "bin/build.mjs"]) earlier(join(folder, name))
  })

  test("builds what is missing or stale, and nothing else", async () => {
    expect(await build()).toEqual({ code: 0, out: "", said: "hearth: compiling …\n" })
    expect(built()).toMatch(/answer .*42/)
    const first = statSync(join(folder, "dist/main.js")).mtimeMs
    expect(await build()).toEqual({ code: 0, out: "", said: "" })
    expect(statSync(join(folder, "dist/main.js")).mtimeMs).toBe(first)

    writeFileSync(source(), "process.stdout.write(`answer ${43}`)\n")
    expect(await build()).toMatchObject({ code: 0, said: "hearth: compiling …\n" })
    expect(built()).toMatch(/answer .*43/)
    unlinkSync(join(folder, "src/core/gone.ts"))
    expect((await build()).said).toBe("hearth: compiling …\n")
    writeFileSync(join(folder, "src/core/some.test.ts"), "export {}\n")
    earlier(join(folder, "src/core"))
    expect((await build()).said).toBe("")
  })

  test("fails on a mistake, and isn't content with it the next time", async () => {
    writeFileSync(source(), "const answer: number = = 42\n")
    for (const _ of [1, 2]) {
      const { code, said } = await build()
      expect(code).not.toBe(0)
      expect(said).toContain("command/main.ts")
    }
  })

  test("makes do without the bundler where there is something built, and says so", async () => {
    unlinkSync(join(folder, "node_modules"))
    expect(await build()).toMatchObject({ code: 1, said: expect.stringContaining("rolldown isn't installed to make it. Run: npm ci") })
    mkdirSync(join(folder, "dist"), { recursive: true })
    writeFileSync(join(folder, "dist/main.js"), "")
    expect(await build()).toMatchObject({ code: 0, said: expect.stringContaining("using dist/ as it is") })
    rmSync(join(folder, "src"), { recursive: true })
    expect(await build()).toEqual({ code: 0, out: "", said: "" })
  })
})

describe("bin/hearth", () => {
  const tell = "process.stdout.write(JSON.stringify([process.argv.slice(2), process.execArgv])); process.exitCode = 7\n"

  /** A package as it is installed below `home`, with its Node.js beside it or below it. */
  function install(home: string, nodeModules: string): string {
    mkdirSync(join(home, "bin"), { recursive: true })
    mkdirSync(join(home, "dist"), { recursive: true })
    cpSync(join(project, "bin/hearth"), join(home, "bin/hearth"))
    writeFileSync(join(home, "package.json"), '{"type":"module"}')
    writeFileSync(join(home, "dist/main.js"), tell)
    mkdirSync(join(nodeModules, ".bin"), { recursive: true })
    symlinkSync(process.execPath, join(nodeModules, ".bin/node"))
    return join(home, "bin/hearth")
  }

  test.each(["below", "beside"])("finds the Node.js %s its package, and hands on arguments and exit code", async (where) => {
    const home = join(folder, "node_modules/hearth")
    const hearth = install(home, where === "below" ? join(home, "node_modules") : join(folder, "node_modules"))
    const link = join(folder, "node_modules/.bin/hearth")
    mkdirSync(join(folder, "node_modules/.bin"), { recursive: true })
    symlinkSync("../hearth/bin/hearth", link)
    for (const program of [hearth, link]) {
      const { code, out } = await run(program, ["serve", "a b", "$HOME"], { PATH: "/usr/bin:/bin" })
      expect([code, JSON.parse(out)]).toEqual([7, [["serve", "a b", "$HOME"], ["--disable-warning=ExperimentalWarning"]]])
    }
  })

  test("says what is missing", async () => {
    const home = join(folder, "hearth")
    const hearth = install(home, join(home, "node_modules"))
    rmSync(join(home, "dist"), { recursive: true })
    expect(await run(hearth, [])).toMatchObject({ code: 1, said: expect.stringContaining("is not complete") })
    mkdirSync(join(home, "dist"), { recursive: true })
    writeFileSync(join(home, "dist/main.js"), tell)
    rmSync(join(home, "node_modules"), { recursive: true })
    const old = join(folder, "old")
    mkdirSync(old)
    writeFileSync(join(old, "node"), "#!/bin/sh\nexit 1\n")
    chmodSync(join(old, "node"), 0o755)
    expect(await run(hearth, [], { PATH: `${old}:/usr/bin:/bin` })).toMatchObject({
      code: 1,
      said: expect.stringContaining("needs Node.js 24 or newer"),
    })
  })
})
