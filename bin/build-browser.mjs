// Makes dist/browser/ of the modules for the browser in src/web/browser/: bundled, minified, and named by a hash of what they contain, under which they are served.
// `bin/build.mjs` calls it, and a server that runs from its sources does, with its first page.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const home = join(dirname(fileURLToPath(import.meta.url)), "..")
const sources = join(home, "src/web/browser")
/** What modules import of the server's sources, which is the same for both. */
const shared = ["src/web/shortcuts.ts", "src/core/text/fuzzy.ts"].map((path) => join(home, path))
const made = join(home, "dist/browser")
const stamp = join(made, ".built")

/** Whether something changed after the last time. Taking a file away changes the folder. */
function isStale() {
  const builtAt = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs
  if (builtAt === undefined) return true
  const inputs = [sources, fileURLToPath(import.meta.url), ...shared, ...readdirSync(sources).map((name) => join(sources, name))]
  return inputs.some((path) => statSync(path).mtimeMs > builtAt)
}

/** Pages load the modules that no other module imports; what several of them import becomes a file of its own. */
function entries() {
  const texts = new Map(
    readdirSync(sources).flatMap((name) => (name.endsWith(".ts") ? [[name, readFileSync(join(sources, name), "utf8")]] : [])),
  )
  const imported = new Set(
    [...texts.values()].flatMap((text) => [...text.matchAll(/(?:from|import)\s*\(?\s*"\.\/([\w-]+\.ts)"/g)].map(([, name]) => name)),
  )
  return Object.fromEntries(
    [...texts.keys()].flatMap((name) => (imported.has(name) ? [] : [[name.replace(/\.ts$/, ""), join(sources, name)]])),
  )
}

/** The names of the files. Each is complete when it appears, since other processes may be reading. */
export async function buildBrowser() {
  const begun = new Date()
  const { rolldown } = await import("rolldown")
  const bundle = await rolldown({ cwd: home, platform: "browser", logLevel: "warn", input: entries() })
  const names = { entryFileNames: "[name].[hash:12].js", chunkFileNames: "[name].[hash:12].js" }
  const { output } = await bundle.generate({ format: "esm", minify: true, ...names })
  mkdirSync(made, { recursive: true })
  for (const { fileName, code } of output) {
    const draft = join(made, `.${process.pid}.${fileName}`)
    writeFileSync(draft, code)
    renameSync(draft, join(made, fileName))
  }
  const files = output.map(({ fileName }) => fileName)
  for (const name of readdirSync(made))
    if (name.endsWith(".js") && !name.startsWith(".") && !files.includes(name)) rmSync(join(made, name), { force: true })
  writeFileSync(stamp, "")
  utimesSync(stamp, begun, begun)
  return files
}

if (process.argv[1] === fileURLToPath(import.meta.url) && isStale()) await buildBrowser()
