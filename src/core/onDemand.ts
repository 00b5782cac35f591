import { createRequire } from "node:module"

/** Packages that are loaded at their first use, synchronously. */
interface Packages {
  readonly "smol-toml": typeof import("smol-toml")
  readonly "typebox/schema": typeof import("typebox/schema")
  readonly yaml: typeof import("yaml")
}

const load = createRequire(import.meta.url)

/**
 * A package, loaded at its first use: each one costs time and memory at every start. Only for synchronous code; other code uses
 * `await import()`.
 */
export const onDemand = <Name extends keyof Packages>(name: Name): Packages[Name] => load(name)
