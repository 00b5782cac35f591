import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, relative } from "node:path"
import { expect } from "vitest"

const here = new URL("./", import.meta.url).pathname

const HEADER = `-- Made by \`npm run golden\`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.
`

/**
 * Compares texts with the files of a folder below this one, by the files' names; with UPDATE_GOLDEN set it writes them instead. Files without a text
 * fail too.
 */
export async function expectGolden(folder: string, texts: ReadonlyMap<string, string>): Promise<void> {
  const place = (name: string) => `${here}${folder}/${name}.sql`
  const there = (await readdir(`${here}${folder}`).catch(() => [])).filter((name) => name.endsWith(".sql")).map((name) => name.slice(0, -4))
  const stale = there.filter((name) => !texts.has(name))
  if (process.env["UPDATE_GOLDEN"]) {
    for (const name of stale) await rm(place(name))
    for (const [name, text] of texts) {
      await mkdir(dirname(place(name)), { recursive: true })
      await writeFile(place(name), HEADER + text)
    }
    return
  }
  const words = "the SQL is not what it was. If that is meant, `npm run golden` writes it down; read the difference before you commit it."
  expect(stale, `tests/golden/${folder}: no query stands in these files any more; ${words}`).toEqual([])
  for (const [name, text] of texts) {
    const golden = await readFile(place(name), "utf8").catch(() => "")
    expect(text, `${relative(process.cwd(), place(name))}: ${words}`).toBe(golden.slice(HEADER.length))
  }
}
