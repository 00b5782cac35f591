import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { isBuilt, modulePath } from "./home.ts"

/** Packages that are loaded at their first use, synchronously. */
interface Packages {
  readonly "@actions/expressions": typeof import("@actions/expressions")
  readonly "@fastify/busboy": typeof import("@fastify/busboy")
  readonly "@formatjs/icu-messageformat-parser": typeof import("@formatjs/icu-messageformat-parser")
  readonly "intl-messageformat": typeof import("intl-messageformat")
  readonly otpauth: typeof import("otpauth")
  readonly re2js: typeof import("re2js")
  readonly "smol-toml": typeof import("smol-toml")
  readonly "spdx-license-list": typeof import("spdx-license-list")
  readonly "typebox/schema": typeof import("typebox/schema")
  readonly yaml: typeof import("yaml")
}

const load = createRequire(import.meta.url)
const paths = new Map<string, string>()

/** Those that the build makes one file of: they come in more than a hundred. */
const BUNDLED: ReadonlySet<string> = new Set(["typebox/schema"])

/** Where a package is for `import`: some can't be found by `require`. */
function pathOf(name: string): string {
  const path = paths.get(name) ?? (isBuilt && BUNDLED.has(name) ? modulePath(name) : fileURLToPath(import.meta.resolve(name)))
  paths.set(name, path)
  return path
}

/**
 * A package, loaded at its first use: each one costs time and memory at every start. Only for synchronous code; other code uses
 * `await import()`.
 */
export const onDemand = <Name extends keyof Packages>(name: Name): Packages[Name] => load(pathOf(name))
