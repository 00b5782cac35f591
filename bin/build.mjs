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
const bundled = ["@fastify/busboy", "commander", "croner", "fastify", "kysely", "lru-cache", "otpauth", "pino", "typebox"]
/** What these would load for what is not used here. */
const unused = ["@fastify/ajv-compiler", "@fastify/fast-json-stringify-compiler", "light-my-request"]

const { dependencies } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"))
const apart = Object.keys(dependencies ?? {}).filter((name) => !bundled.includes(name))
const isExternal = (id) => unused.includes(id) || apart.some((name) => id === name || id.startsWith(`${name}/`))

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
})
const { output } = await bundle.write({
  dir: dist,
  format: "esm",
  sourcemap: true,
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
