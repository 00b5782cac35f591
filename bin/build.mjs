// Makes dist/ of the sources: what runs is a few files instead of two thousand modules, which makes a start four times as fast. Types are not
// checked here. Loaded with the first import: command lines and the server (main.js), the library (app.js); the rest at its first use.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const home = join(dirname(fileURLToPath(import.meta.url)), "..")
const dist = join(home, "dist")
const source = (path) => join(home, "src", `${path}.ts`)

/** Modules that are started or read by their path, see src/core/home.ts. */
const modules = ["core/markup/thread", "core/highlight/thread"]
/** Packages that are loaded as one file, see src/core/onDemand.ts. */
const packages = ["typebox/schema"]

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
  // Built for the machine, where they are there at all.
  external: [/\.node$/, "cpu-features", "pg-native"],
})
const { output } = await bundle.write({
  dir: dist,
  format: "esm",
  sourcemap: true,
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
})

// Modules for the browser stay as they are, see src/web/assets.ts.
const browser = join(home, "src/web/browser")
mkdirSync(join(dist, "browser"), { recursive: true })
const scripts = readdirSync(browser).filter((name) => name.endsWith(".ts"))
for (const name of scripts)
  writeFileSync(join(dist, "browser", name.replace(/ts$/, "js")), stripTypeScriptTypes(readFileSync(join(browser, name), "utf8")))

// What an earlier build left.
const made = new Set([...output.map(({ fileName }) => fileName), ...scripts.map((name) => `browser/${name.replace(/ts$/, "js")}`)])
for (const name of readdirSync(dist, { recursive: true }))
  if (/\.js(\.map)?$/.test(name) && !made.has(name) && !made.has(name.replace(/\.map$/, ""))) rmSync(join(dist, name))
