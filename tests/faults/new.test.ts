import { execFile } from "node:child_process"
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

/** What `npm run new` writes is begun in a copy of the sources, whose types are checked with it: that takes a minute. */

const run = promisify(execFile)
const project = join(import.meta.dirname, "../..")

describe("npm run new", () => {
  let copy = ""
  const begin = (...args: readonly string[]) => run(process.execPath, [join(copy, "bin/new.mjs"), ...args], { cwd: copy })
  const refusal = async (...args: readonly string[]): Promise<unknown> => {
    const failed: unknown = await begin(...args).catch((error: unknown) => error)
    return typeof failed === "object" && failed !== null && "code" in failed && "stderr" in failed ? [failed.code, failed.stderr] : failed
  }
  const read = (path: string) => readFile(join(copy, path), "utf8")

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), "hearth-new-"))
    for (const path of [
      "src",
      "bin",
      "tests/support",
      "tests/stress",
      "CHANGELOG.md",
      "package.json",
      "tsconfig.json",
      "biome.jsonc",
      ".gitignore",
    ])
      await cp(join(project, path), join(copy, path), { recursive: true })
    await symlink(join(project, "node_modules"), join(copy, "node_modules"))
  })
  afterAll(() => rm(copy, { recursive: true, force: true }))

  test("says what it takes, and refuses the rest", async () => {
    expect((await begin("--help")).stdout).toContain("npm run new -- KIND NAME")
    const refused: readonly (readonly [string, string])[] = [
      ["operation code/stars", "src/operations.ts has starOperations already"],
      ["operation garden/pins", "the groups are actions, code,"],
      ["page repository/Pins", "is no place for a page"],
      ["page garden/pins", "is no place for a page"],
      ["page repository/forks", "src/pages/repository/forks.ts is there already"],
      ["migration attention", "There is a migration attention already"],
      ["migration Pins", "is no name of a migration"],
      ["event planning/issues/issue.opened", "events.ts has issue.opened already"],
      ["event pin.moved", "is no kind of event"],
      ["table pins", "Usage: npm run new"],
      ["event", "Usage: npm run new"],
    ]
    for (const [line, words] of refused) expect(await refusal(...line.split(" ")), line).toEqual([2, expect.stringContaining(words)])
    expect(await read("src/operations.ts")).toBe(await readFile(join(project, "src/operations.ts"), "utf8"))
  })

  test("begins what fits the project's types, style and lists", async () => {
    const written: string[] = []
    for (const [kind, name] of [
      ["operation", "code/pins"],
      ["page", "repository/code/pins"],
      ["page", "user/settings/small-pets"],
      ["migration", "note-pins"],
      ["event", "code/pins/pin.moved"],
      ["event", "planning/issues/issue.dreamt"],
      ["event", "events/webhooks/webhook.slept"],
    ] as const) {
      const { stdout } = await begin(kind, name)
      const files = [...stdout.matchAll(/^(?:wrote|changed) +(.*)$/gm)].map(([, path]) => path ?? "")
      expect(
        files.filter((path) => path.endsWith(".test.ts")),
        `${kind} ${name}`,
      ).toHaveLength(1)
      expect(stdout).toContain("\nFill in:\n- ")
      written.push(...files)
    }
    expect(await read("src/operations.ts")).toContain("\n  pinOperations,\n")
    expect(await read("src/pages.ts")).toContain("\n  pinPages,\n")
    expect(await read("src/core/database/migrations/index.ts")).toContain("\n  notePins,\n]\n")
    expect(await read("src/features/code/pins/events.ts")).toContain('\n    readonly "code/pins": PinEvent\n')
    expect(await refusal("page", "repository/code/pins")).toEqual([2, expect.stringContaining("Choose another name")])

    const bin = join(project, "node_modules/.bin")
    await run(join(bin, "biome"), ["check", "--error-on-warnings", "--vcs-enabled=false", ...written], { cwd: copy })
    await writeFile(
      join(copy, "tsconfig.new.json"),
      JSON.stringify({
        extends: "./tsconfig.json",
        include: ["src/**/*.d.ts", "src/features/**/events.ts", "tests/support/*.ts"],
        files: written,
      }),
    )
    await run(join(bin, "tsc"), ["-p", "tsconfig.new.json", "--noEmit", "--checkers", "1"], { cwd: copy })
  })
})
