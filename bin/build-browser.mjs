// Makes dist/browser/ of the modules for the browser in src/web/browser/: bundled, minified, and named by a hash of what they contain, under which they are served.
// `bin/build.mjs` calls it, and a server that runs from its sources does, with its first page. The frame that draws diagrams is a bundle of its own, in
// dist/browser/frame/: it has a hundred parts, of which the first diagram loads some; `bin/build-browser.mjs frame` makes it.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const home = join(dirname(fileURLToPath(import.meta.url)), "..")
const sources = join(home, "src/web/browser")
/** What modules import of the server's sources, which is the same for both. */
const shared = ["src/web/shortcuts.ts", "src/core/text/fuzzy.ts", "src/core/language/context.ts"].map((path) => join(home, path))
const made = join(home, "dist/browser")
const self = fileURLToPath(import.meta.url)

/** Whether something changed after the last time. Taking a file away changes the folder. */
function isStale(folder, inputs) {
  const builtAt = statSync(join(folder, ".built"), { throwIfNoEntry: false })?.mtimeMs
  return builtAt === undefined || [self, ...inputs].some((path) => statSync(path).mtimeMs > builtAt)
}

const filesIn = (folder) => [folder, ...readdirSync(folder).map((name) => join(folder, name))]

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

/**
 * CodeMirror's styles go into a style sheet that the script makes, also in a document: it would put them into a `style` element, which the policy of our pages
 * forbids.
 */
const adoptedStyles = {
  name: "adopted-styles",
  transform(code, id) {
    if (!/style-mod\.(?:js|cjs)$/.test(id)) return undefined
    const condition = "!root.head && root.adoptedStyleSheets"
    if (!code.includes(condition)) throw new Error(`${id} no longer has the condition that decides where styles go`)
    return code.replace(condition, "root.adoptedStyleSheets")
  },
}

/** The licences of the packages that the modules contain, which ask to go with each copy. */
function licencesOf(modules) {
  const folders = new Set(modules.flatMap((id) => /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []))
  return [...folders].sort().map((folder) => {
    const name = folder.slice(folder.lastIndexOf("/node_modules/") + "/node_modules/".length)
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
    return `${name}\n\n${file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim()}\n`
  })
}

/** What nearly every module uses is one file: each by itself takes longer to ask for than to read. */
const COMMON = { name: "common", test: /web\/browser\/(?:element|fragment|text|words)\.ts$/ }

/** The names of the files. Each is complete when it appears, since other processes may be reading. */
async function build(folder, input) {
  const begun = new Date()
  const { rolldown } = await import("rolldown")
  const bundle = await rolldown({ cwd: home, platform: "browser", logLevel: "warn", input, plugins: [adoptedStyles] })
  const names = { entryFileNames: "[name].[hash:12].js", chunkFileNames: "[name].[hash:12].js" }
  const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: { groups: [COMMON] }, ...names })
  mkdirSync(folder, { recursive: true })
  for (const { fileName, code } of output) {
    const draft = join(folder, `.${process.pid}.${fileName}`)
    writeFileSync(draft, code)
    renameSync(draft, join(folder, fileName))
  }
  const files = output.map(({ fileName }) => fileName)
  for (const name of readdirSync(folder))
    if (name.endsWith(".js") && !name.startsWith(".") && !files.includes(name)) rmSync(join(folder, name), { force: true })
  writeFileSync(join(folder, "LICENSES.txt"), licencesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)).join(`\n${"-".repeat(80)}\n\n`))
  const stamp = join(folder, ".built")
  writeFileSync(stamp, "")
  utimesSync(stamp, begun, begun)
  return files
}

/** The names of all files below dist/browser/. The frame changes with its package, and takes seconds: it is made when it is stale. */
export async function buildBrowser() {
  const files = await build(made, entries())
  if (!existsSync(frameSources)) return files
  if (isFrameStale()) await buildFrame()
  return [...files, ...readdirSync(frameMade).map((name) => `frame/${name}`)]
}

const frameSources = join(sources, "frame")
const frameMade = join(made, "frame")
const isFrameStale = () => isStale(frameMade, [...filesIn(frameSources), join(home, "node_modules/mermaid/package.json")])
const buildFrame = () => build(frameMade, { diagram: join(frameSources, "diagram.ts") })

if (process.argv[1] === self) {
  if (process.argv[2] === "frame") {
    if (isFrameStale()) await buildFrame()
  } else if (isStale(made, [...filesIn(sources), ...shared])) await build(made, entries())
}
