import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { listeners } from "../../src/listeners.ts"

/** Lists in documents are those of the program. */

const read = (file: string) => readFile(join(import.meta.dirname, "../..", file), "utf8")

describe("documents", () => {
  test("name all listeners, in their order", async () => {
    const [, table = ""] = /\| listener .*\n\| -+ .*\n((?:\|.*\n)+)/.exec(await read("docs/events.md")) ?? []
    expect(table.split("\n").flatMap((row) => /^\| (.*?) *\|/.exec(row)?.[1] ?? [])).toEqual(listeners.map(({ name }) => name))
  })

  test("name all scripts", async () => {
    const scripts: Readonly<Record<string, string>> = JSON.parse(await read("package.json")).scripts
    const words = `${await read("README.md")} ${await read("CONTRIBUTING.md")}`
    // npm runs it by itself.
    expect(Object.keys(scripts).filter((name) => name !== "prepack" && !words.includes(name))).toEqual([])
  })

  test("name all documents", async () => {
    const words = await read("ARCHITECTURE.md")
    const files = (await readdir(join(import.meta.dirname, "../../docs"))).filter((file) => file.endsWith(".md"))
    expect(files.filter((file) => !words.includes(`docs/${file}`))).toEqual([])
  })
})
