// Makes dist/ of the sources: what runs is a few files instead of two thousand modules, which makes a start four times as fast. Types are not
// checked here. Loaded with the first import: command lines and the server (main.js), the library (app.js); the rest at its first use.
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { buildBrowser } from "./build-browser.mjs"
import { buildClient } from "./build-client.mjs"
import { buildLocales } from "./build-locales.mjs"

const home = join(dirname(fileURLToPath(import.meta.url)), "..")
const dist = join(home, "dist")
const source = (path) => join(home, "src", `${path}.ts`)

/** Modules that are started or read by their path, see src/core/program/home.ts. */
const modules = [
  "core/markup/thread",
  "core/highlight/thread",
  "features/planning/issue-templates/thread",
  "features/actions/definitions/thread",
]
/** Packages that are loaded as one file, see src/core/program/on-demand.ts. */
const packages = ["typebox/schema"]

/**
 * What every start needs of packages, with all that they need. Others stay where they are, since they are loaded at their first use, and some bring
 * parts for the machine.
 */
const bundled = ["commander", "croner", "fastify", "kysely", "lru-cache", "pino", "typebox"]
/** What these would load for what is not used here. */
const unused = ["@fastify/ajv-compiler", "@fastify/fast-json-stringify-compiler", "light-my-request"]

const { dependencies } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"))
const apart = Object.keys(dependencies ?? {}).filter((name) => !bundled.includes(name))
const isExternal = (id) => unused.includes(id) || apart.some((name) => id === name || id.startsWith(`${name}/`))

/**
 * What every start of a server loads makes one file. Left to itself the bundler makes one for each set of modules that the same ones share, which are
 * hundreds, and a twentieth of them says what each takes of the others. What runs without a server, such as a command that loads none of the root lists, or
 * a thread, loads no such file: its modules stay where they are.
 */
const ofServer = new Set()
const findOfServer = {
  name: "of-server",
  buildEnd() {
    const loadedBy = (id, found = new Set()) => {
      if (found.has(id)) return found
      found.add(id)
      for (const next of this.getModuleInfo(id)?.importedIds ?? []) loadedBy(next, found)
      return found
    }
    const isServer = (loaded) => loaded.has(source("extensions"))
    const commands = [...this.getModuleIds()].filter((id) => /\/src\/(command|supervisor)\//.test(id) && !isServer(loadedBy(id)))
    const atFirstUse = commands.flatMap((id) => this.getModuleInfo(id).dynamicallyImportedIds)
    const others = new Set()
    for (const id of [source("command/main"), ...modules.map(source), ...atFirstUse]) {
      const loaded = loadedBy(id)
      if (!isServer(loaded)) for (const each of loaded) others.add(each)
    }
    for (const id of loadedBy(source("command/serve-here"))) if (!others.has(id)) ofServer.add(id)
  },
}

const bundle = await rolldown({
  cwd: home,
  platform: "node",
  logLevel: "warn",
  input: {
    main: source("command/main"),
    app: source("app"),
    ...Object.fromEntries(modules.map((path) => [path.replaceAll("/", "-"), source(path)])),
    ...Object.fromEntries(packages.map((name) => [name.replaceAll("/", "-"), name])),
  },
  external: isExternal,
  plugins: [findOfServer],
  // The library's entry gives what others import of it, too.
  preserveEntrySignatures: "allow-extension",
})
const { output } = await bundle.write({
  dir: dist,
  format: "esm",
  sourcemap: true,
  codeSplitting: { groups: [{ name: "server", test: (id) => ofServer.has(id), includeDependenciesRecursively: false }] },
  // A start reads all of it.
  comments: { legal: true, annotation: true, jsdoc: false },
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
})

const browser = await buildBrowser()
buildLocales()

// What an earlier build left.
const made = new Set([...output.map(({ fileName }) => fileName), ...browser.map((name) => `browser/${name}`)])
for (const name of readdirSync(dist, { recursive: true }))
  if (/\.js(\.map)?$/.test(name) && !made.has(name) && !made.has(name.replace(/\.map$/, ""))) rmSync(join(dist, name))

await buildClient()
