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

  test("name files that are there", async () => {
    const root = join(import.meta.dirname, "../..")
    const files = (
      await Promise.all(["src", "tests", "bin", "bench"].map((folder) => readdir(join(root, folder), { recursive: true })))
    ).flatMap((list, index) => list.map((file) => `/${["src", "tests", "bin", "bench"][index]}/${file}`))
    const documents = [
      "README.md",
      "CONTRIBUTING.md",
      "ARCHITECTURE.md",
      ...(await readdir(join(root, "docs"))).filter((file) => file.endsWith(".md")).map((file) => `docs/${file}`),
    ]
    const named = await Promise.all(
      documents.map(async (file) => [...(await read(file)).matchAll(/`([\w./-]+\.ts)`/g)].map(([, path = ""]) => ({ file, path }))),
    )
    expect(named.flat().filter(({ path }) => !files.some((each) => each.endsWith(`/${path}`)))).toEqual([])
  })

  test("name all documents", async () => {
    const words = await read("ARCHITECTURE.md")
    const files = (await readdir(join(import.meta.dirname, "../../docs"))).filter((file) => file.endsWith(".md"))
    expect(files.filter((file) => !words.includes(`docs/${file}`))).toEqual([])
  })
})
