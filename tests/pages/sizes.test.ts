/**
 * How many bytes a browser loads for each page of the example.
 *
 * Slow: the links of a whole site are followed first, to have an address of each page.
 */
import { execFile } from "node:child_process"
import { request } from "node:http"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Place, placesOf } from "./addresses.ts"
import { type DemoWorld, openDemoWorld } from "./world.ts"

/** Most bytes, compressed as browsers ask for it. */
const FIRST_VIEW = 60_000
const NEXT_VIEW = 20_000
const STYLES = 15_000
const SCRIPTS = 22_000
/** The editor of files, which its pages load when they are there; and any language of it, with all that it needs. */
const EDITOR = 115_000
const LANGUAGE = 90_000

let world: DemoWorld
let cookie: string
let places: readonly Place[]
beforeAll(async () => {
  world = await openDemoWorld("sqlite")
  cookie = await world.signIn("mira")
  places = (await placesOf(world, ["mira"])).get("mira") ?? []
})
afterAll(() => world?.close())

interface Got {
  readonly type: string
  readonly status: number
  /** As sent. */
  readonly size: number
}

/** Not by fetch, which decodes. */
const get = (path: string): Promise<Got> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(world.url)
    request({ hostname, port, path, headers: { accept: "text/html", cookie, "accept-encoding": "gzip, br" } }, (answer) => {
      let size = 0
      answer.on("data", (part: Buffer) => {
        size += part.length
      })
      answer.on("end", () => resolve({ type: answer.headers["content-type"] ?? "", status: answer.statusCode ?? 0, size }))
    })
      .on("error", reject)
      .end()
  })

const assetsOf = (html: string): readonly string[] => [...new Set([...html.matchAll(/"(\/assets\/[^"#]+)/g)].map(([, path = ""]) => path))]

test("pages of the example are short", async () => {
  const long: string[] = []
  for (const { page, path } of places) {
    const { type, status, size } = await get(path)
    if (!type.startsWith("text/html") || status !== 200) continue
    if (size > NEXT_VIEW) long.push(`${page.id} ${path}: ${size} bytes`)
    const html = await (await fetch(world.url + path, { headers: { accept: "text/html", cookie } })).text()
    const assets = await Promise.all(assetsOf(html).map(get))
    const whole = assets.reduce((sum, asset) => sum + asset.size, size)
    if (whole > FIRST_VIEW) long.push(`${page.id} ${path}: ${whole} bytes with all that it loads`)
  }
  expect(long).toEqual([])
})

/**
 * Parts that are loaded behind a page, by the beginning of their names: the editor, the finder, which waits for its key, and what asks to sign in
 * where a session has ended while files were sent. The others count for the page.
 */
const BEHIND = /\/(?:code-editor|file-finder|sign-in-again)\./

/** The files that a bundled script names, with every quotation mark that its minifier may choose. */
const importsOf = (script: string): readonly string[] =>
  [...script.matchAll(/["'`]\.\/([\w.-]+\.js)["'`]/g)].map(([, file]) => `/assets/${file}`)

/** The scripts, and those that they import, also when they are first needed. */
async function withImported(
  scripts: readonly string[],
  known: ReadonlyMap<string, Promise<readonly string[]>>,
): Promise<ReadonlySet<string>> {
  const all = new Set(scripts)
  for (const script of all) for (const imported of (await known.get(script)) ?? []) all.add(imported)
  return all
}

test("styles, and the scripts of any page, are short", async () => {
  const importedBy = new Map<string, Promise<readonly string[]>>()
  const sizeOf = new Map<string, Promise<number>>()
  const long: string[] = []
  let most = 0
  const sizeOfAll = async (assets: Iterable<string>): Promise<number> => {
    let sum = 0
    for (const asset of assets) {
      if (!sizeOf.has(asset))
        sizeOf.set(
          asset,
          get(asset).then(({ size }) => size),
        )
      sum += (await sizeOf.get(asset)) ?? 0
    }
    return sum
  }
  const read = async (script: string): Promise<void> => {
    if (importedBy.has(script)) return
    importedBy.set(
      script,
      fetch(world.url + script).then(async (answer) => importsOf(await answer.text()).filter((each) => !BEHIND.test(each))),
    )
    for (const imported of (await importedBy.get(script)) ?? []) await read(imported)
  }
  for (const { page, path } of places) {
    const answer = await fetch(world.url + path, { redirect: "manual", headers: { accept: "text/html", cookie } })
    const assets = assetsOf(await answer.text())
    const scripts = assets.filter((each) => each.endsWith(".js"))
    for (const script of scripts) await read(script)
    const bytes = await sizeOfAll(await withImported(scripts, importedBy))
    most = Math.max(most, bytes)
    if (bytes > SCRIPTS) long.push(`${page.id} ${path}: ${bytes} bytes of scripts`)
    const styles = await sizeOfAll(assets.filter((each) => each.endsWith(".css")))
    if (styles > STYLES) long.push(`${page.id} ${path}: ${styles} bytes of styles`)
  }
  console.log(`  at most ${most} bytes of scripts on a page, ${await sizeOfAll(importedBy.keys())} in all, compressed`)
  expect(long).toEqual([])
  expect(most).toBeGreaterThan(0)
})

test("the editor of files is short, and so is each language that it loads", async () => {
  const page = await (
    await fetch(`${world.url}/dewpoint/sprinkle/_edit/main/package.json`, { headers: { accept: "text/html", cookie } })
  ).text()
  const textOf = async (script: string): Promise<string> => (await fetch(world.url + script)).text()
  /** What is loaded with a script, without what it loads later. */
  const withStatic = async (script: string, known = new Set<string>()): Promise<ReadonlySet<string>> => {
    if (known.has(script)) return known
    known.add(script)
    for (const [, file] of (await textOf(script)).matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g))
      await withStatic(`/assets/${file}`, known)
    return known
  }
  const sizeOf = async (scripts: Iterable<string>): Promise<number> =>
    (await Promise.all([...scripts].map(get))).reduce((sum, { size }) => sum + size, 0)
  const entry = assetsOf(page).find((each) => each.includes("/editor.")) ?? ""
  const main = importsOf(await textOf(entry)).find((each) => each.includes("/code-editor.")) ?? ""
  const editor = await withStatic(main)
  const bytes = await sizeOf(editor)
  const languages = importsOf(await textOf(main)).filter((each) => !editor.has(each))
  const sizes = await Promise.all(languages.map(async (each) => sizeOf([...(await withStatic(each))].filter((part) => !editor.has(part)))))
  console.log(`  the editor has ${bytes} bytes, and its ${languages.length} languages at most ${Math.max(...sizes)}, compressed`)
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThan(EDITOR)
  expect(languages.length).toBeGreaterThan(80)
  expect(Math.max(...sizes)).toBeLessThan(LANGUAGE)
})

test("the sprite holds the icons that pages name, and no others", async () => {
  const home = join(import.meta.dirname, "../..")
  await promisify(execFile)(process.execPath, [join(home, "bin/make-icons.mjs"), "--check"], { cwd: home })
})
